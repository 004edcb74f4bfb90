/* SPDX-License-Identifier: Apache-2.0 */
/* Drawings: a figure with its caption, lines, labels and axes. Nothing is in a drawing that a table does not say, too.
 */
#ifndef MSPROF_EXPORTERS_HTML_CHART_H
#define MSPROF_EXPORTERS_HTML_CHART_H

#include "analysis/time_parts.h"
#include "base/array.h"
#include "exporters/html/page.h"

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
/* The axes with the values at their ends. */
void chart_axes(struct html_writer *w, const char *top, const char *first, const char *last);
/* Which class of the style is what. */
void chart_legend(struct html_page *page, const char *const *classes, const char *const *names, size_t count);

/* Steps, and how each divides, as bars. */

struct time_bar {
    struct time_parts parts;
    size_t split, group; /* of the page's splits */
    size_t steps;        /* that it stands for */
    bool counts;         /* it is neither warm-up nor cut, and all of it was recorded */
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
