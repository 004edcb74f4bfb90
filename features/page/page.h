/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the page: what its parts are made of, and how they write. */
#ifndef MSPROF_FEATURES_PAGE_PAGE_H
#define MSPROF_FEATURES_PAGE_PAGE_H

#include "base/array.h"
#include "base/quantity.h"
#include "exporters/table/report.h"
#include "exporters/table/session.h"
#include "features/answers/analysis/advice.h"
#include "features/answers/analysis/step_groups.h"
#include "features/answers/analysis/time_parts.h"
#include "features/answers/load/load.h"
#include "features/page/html_writer.h"
#include "features/page/report_page.h"
#include "features/page/slices.h"

struct html_page;

/* A table of the report engine. */
struct html_table {
    const char *report;  /* its name */
    const char *subject; /* id of the column that says what a row is about, which stands first; NULL: the first one */
    const char *caption; /* NULL: the report's title */
    const char *bars;    /* id of the column of percents that bars are drawn of; NULL: none */
    const char *anchor;  /* id of the column whose cells name the row for links (html_link_open); NULL: none */
};

/* In which pages a part stands at its place in the list. */
enum html_place { PLACE_ALWAYS, PLACE_DAMAGED, PLACE_WHOLE };

/* A part of the page: a section with a heading. One that the capture has no data for says so in a sentence. */
struct html_part {
    const char *id, *title;                              /* title NULL: it ends a list */
    int (*put)(struct html_page *page, struct err *err); /* NULL: it is its tables alone */
    struct html_table tables[4];                         /* behind that; ended by none */
    bool prints;                                         /* also where paper has nothing but answers */
    enum html_place place;
    int (*line)(struct html_page *page, struct err *err); /* what it is in a line, to be opened; NULL: it is open */
};

/* One capture on its way into the page. */
struct html_page {
    struct html_writer w;
    sqlite3 *db;
    int family;                     /* CAPTURE_... */
    size_t number;                  /* of the capture in the page, from 1 */
    bool print_all, prints_answers; /* on paper; the last: of this article */
    bool several;                   /* captures: headings stand one level lower */
    bool damaged;                   /* the import met problems, or executions have times that cannot be */
    bool alone;                     /* there are no parts that links could lead to */
    int64_t origin_ns;              /* times are since then, as in the timeline; INT64_MIN: as they are */
    uint64_t data_bytes;            /* of this part: of the timeline's data, which take nothing from tables */
    uint64_t bytes;                 /* of the parts before this one */
    bool content;                   /* this part has something to show */
    struct strbuf *absences;        /* why it does not; NULL: that is said in the part itself */
    const struct html_capture *capture;
    const char *source;              /* --source; NULL: not given */
    const void *subject;             /* of parts of html_report_add_parts */
    const struct progress *progress; /* may be NULL */
    const struct roofs *roofs;
    struct workload workload;
    struct splits splits;
    struct step_groups groups; /* without steps: none */
    struct gaps gaps;
    struct host_calls calls;             /* without executions: not open */
    struct advice advice;                /* all zero without executions; the caller's where the page is alone */
    const struct comparison *comparison; /* of a page about one alone */
    struct page_change {
        struct comparison comparison;
        struct profile profile; /* of the capture, which the comparison points into */
        bool known;             /* there is a base, and both have operators */
    } change;
    size_t comparison_rows; /* of it that are shown; 0: as many as a table may have */
    struct slices slices;   /* of the timeline; where there is none, no lane */
    struct path_steps paths;
    struct report_session session;                      /* of the tables; db NULL: there was none yet */
    struct html_links ARRAY_OF(struct html_link) links; /* inside of page_write.c; to rows that are not written yet */
};

int html_put_summary(struct html_page *page, struct err *err);
int html_put_identity(struct html_page *page, struct err *err);
/* Puts which inferences, steps and executions are known to be missing; returns whether any is. */
bool html_put_coverage(struct html_page *page);
int html_put_losses(struct html_page *page, struct err *err);
int html_put_time(struct html_page *page, struct err *err);
int html_put_findings(struct html_page *page, struct err *err);
/* Whether an operator of the capture is called so. */
bool html_is_operator(const struct html_page *page, const char *name);
/* Puts what a row of a finding is about, without a link: an operator's name, "gap before MatMul_12, stream 3". */
void html_put_finding_row(struct html_page *page, const struct rule *rule, const struct finding_row *row);
/* Holds the capture against its base, once: page->change. */
int html_compare(struct html_page *page, struct err *err);
/* How busy devices of the base were, of 1; negative: there is no base. */
double html_base_busy(const struct html_page *page);
/* What an operator takes in the base, as a multiple of what it takes here, by medians; negative: not known. */
double html_base_factor(const struct html_page *page, const char *name);
void html_change_release(struct page_change *change);
/* Puts what a comparison says in two sentences: the verdict, and what it rests on. */
void html_put_verdict(struct html_page *page, const struct comparison *comparison);
/* The capture, and where its records went, each as a line. */
void html_put_capture_line(struct html_page *page);
/* Names of calls, for cann_text. NULL with err set. */
const struct cann_texts *html_names(struct html_page *page, struct err *err);
int html_put_records_line(struct html_page *page, struct err *err);
/* Draws the slices of the timeline; then it stands in the page if there are any. */
int html_load_timeline(struct html_page *page, struct err *err);
int html_put_timeline(struct html_page *page, struct err *err);
/* Puts a link to a time, by the capture's clock, in the timeline, where there is one. */
void html_put_place(struct html_page *page, int64_t time_ns);
/* The group of steps with most time of its own among those of the leading family; NULL without steps. */
const struct step_group *html_leading_group(const struct html_page *page);
int html_put_changes(struct html_page *page, struct err *err);
int html_put_steps(struct html_page *page, struct err *err);
int html_put_path(struct html_page *page, struct err *err);
int html_put_utilisation(struct html_page *page, struct err *err);
int html_put_layers(struct html_page *page, struct err *err);
int html_put_limits(struct html_page *page, struct err *err);
int html_put_memory(struct html_page *page, struct err *err);
int html_put_formulas(struct html_page *page, struct err *err);

/* Puts the parts of what msprof cluster wrote into a directory. */
int html_put_cluster(struct html_page *page, const char *directory, uint64_t *ret_problems, struct err *err);

/* ---- writing ---- */

#define HTML_ROWS_MAX 1000                /* of a table */
#define HTML_TABLE_BYTES_MAX (256 * 1024) /* of a table; then it ends though it has fewer rows */
#define HTML_PAGE_BYTES_MAX (1800 * 1024) /* of the parts of a capture: tables get less when there is less left */

/* Puts it, and the ids of its rows that links lead to; of a table without rows a sentence. ret_rows may be NULL. */
int html_put_table(struct html_page *page, const struct html_table *table, uint64_t *ret_rows, struct err *err);

/* Gives the cells of each row in the columns of these ids, at most HTML_IDS_MAX, as the table has them; NULL: the table
 * has no such column. They live until each returns. A report that the family does not have has no rows. */
#define HTML_IDS_MAX 12
typedef int html_each(void *arg, const char *const *cells, struct err *err);
int html_each_row(struct html_page *page, const char *report, const char *const *ids, size_t count, html_each *each,
                  void *arg, struct err *err);

/* A table of the page's own: heads whose text begins with '#' are of numbers, without it. */
void html_table_begin(struct html_page *page, const char *caption, const char *const *heads, size_t count);
/* The rows that follow are sums: they stay at the end however the others are sorted. */
void html_table_foot(struct html_page *page);
void html_table_end(struct html_page *page);
/* One of rows that begin with a head, without a row of heads. */
void html_facts_begin(struct html_page *page, const char *caption);
void html_cell(struct html_page *page, const char *text);
void html_cell_name(struct html_page *page, const char *text);
/* Several where '|' divides them. */
void html_cell_number(struct html_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A time, since the capture began; by the capture's clock where it is pointed at. DB_NULL, INT64_MIN: not known. */
void html_cell_at(struct html_page *page, int64_t time_ns);
/* Since the capture began. */
int64_t html_since(const struct html_page *page, int64_t time_ns);
/* 1234567 ns as "1234.567"; not known: DB_NULL. */
void html_cell_us(struct html_page *page, int64_t ns);

/* Opens a link to the row of a later table whose anchor column has this text; html_close ends it. Where the row is not
 * among those that are written it leads to what is said below the table. */
void html_link_open(struct html_page *page, const char *report, const char *cell);
/* How many bytes the file may have when the next table ends. */
uint64_t html_table_limit(const struct html_page *page);
uint64_t html_bytes(const struct html_page *page);
/* Says what the part, or one of its tables, cannot show, and why. A part with nothing else is named at the end of the
 * page instead. */
void html_absent(struct html_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A paragraph. */
void html_note(struct html_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A time as quantity_time() has it, in an element that says the microseconds exactly when it is pointed at. */
void html_put_scaled(struct html_page *page, double ns);
/* "1234.567": microseconds, exactly. */
const char *html_us(int64_t ns, char text[NUMBER_MAX]);

/* Drawings: a figure with its caption, lines, labels and axes. Nothing is in a drawing that a table does not say, too.
 */

#define CHART_WIDTH 1000
#define CHART_HEIGHT 180
#define CHART_LEFT 100

/* Opens a figure and its drawing of CHART_WIDTH by CHART_HEIGHT with room for numbers to the left and below. */
void chart_begin(struct html_page *page, const char *caption, const char *what);
/* One of another height, which has all of it. */
void chart_begin_sized(struct html_page *page, const char *caption, const char *what, int height);
void chart_end(struct html_page *page);
void chart_line(struct html_writer *w, const char *class, double x1, double y1, double x2, double y2);
/* anchor: "start", "middle" or "end". */
void chart_label(struct html_writer *w, const char *anchor, double x, double y, const char *text);
/* Axes with ticks and a grid: times from the first to the last across, values up to the top, in the unit of their size.
 * of_times: values are nanoseconds, else of the unit. */
void chart_time_axis(struct html_writer *w, int height, int64_t from_ns, int64_t until_ns);
void chart_value_axis(struct html_writer *w, int height, double top, bool of_times, const char *unit);
/* Numbers of what stands side by side, each as wide as the others: some of `count` of them from the first on. */
void chart_count_axis(struct html_writer *w, int height, size_t first, size_t count);
/* What a pointer over the curve of the open drawing, its first path, is told: times of its ends, the value of its top,
 * and the unit. The curve stands on `height`. */
void chart_curve(struct html_writer *w, int height, int64_t from_ns, int64_t until_ns, double top, const char *unit);
/* A drawing of CHART_PLANE_HEIGHT whose axes are powers of ten, with roofs over it. */
#define CHART_PLANE_HEIGHT 300
struct chart_plane {
    struct chart_scale {
        double low, high; /* exponents */
    } x, y;
};
#define CHART_PLANE_EMPTY                                                                                              \
    {                                                                                                                  \
        {INFINITY, -INFINITY},                                                                                         \
        {                                                                                                              \
            INFINITY, -INFINITY                                                                                        \
        }                                                                                                              \
    }
/* Makes room for a value; those that are not above 0 have no place. */
void chart_widen(struct chart_scale *scale, double value);
/* When all values have room. */
void chart_plane_settle(struct chart_plane *plane);
double chart_x(const struct chart_plane *plane, double value);
double chart_y(const struct chart_plane *plane, double value);
/* That of work, and that of a bandwidth up to it; 0: not known. */
void chart_roofs(struct html_page *page, const struct chart_plane *plane, double work, double bandwidth);
void chart_scales(struct html_page *page, const struct chart_plane *plane);
/* One bar as wide as the page, divided by shares of 0 to 1; label: what it shows, for those who do not see it. */
struct chart_share {
    const char *class, *title;
    double share;
};
void chart_shares(struct html_writer *w, const char *label, const struct chart_share *shares, size_t count);
/* Which class of the style is what. */
void chart_legend(struct html_page *page, const char *const *classes, const char *const *names, size_t count);

/* Steps, and how each divides, as bars. */

struct time_bar {
    struct time_parts parts;
    size_t split, group; /* of the page's splits */
    size_t steps;        /* that it stands for */
    bool counts;         /* it is neither warm-up nor cut, and all of it was recorded */
    bool of_base;        /* it is of a period where its group has periods, else of the step */
};

/* One for each split of the leading family, in their order. time_bars_release() it. */
struct time_bars ARRAY_OF(struct time_bar);
int time_bars_make(const struct html_page *page, struct time_bars *ret, struct err *err);
void time_bars_release(struct time_bars *bars);

/* All parts together. */
int64_t time_bar_ns(const struct time_parts *parts);

/* The class of the style that a part is drawn in. */
const char *time_part_class(enum time_part part);
/* Which colour is which part. */
void time_legend_put(struct html_page *page);
/* One bar as wide as the page. */
void time_bar_put(struct html_page *page, const char *caption, const struct time_bar *bar);

#endif
