/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as blocks of the terminal: a title, and the table behind it. */
#ifndef MSPROF_EXPORTERS_TABLE_SHOW_REPORT_H
#define MSPROF_EXPORTERS_TABLE_SHOW_REPORT_H

#include "exporters/table/report.h"
#include "exporters/table/show_block.h"

/* What shows reports on a terminal; rows are counted in show->result. It needs report_show_close. */
struct report_show {
    struct show *show;
    int family;
    struct export_options options;
    struct report_session session;
    struct report_scope scope; /* of what is shown; all of the capture unless it is set */
};

int report_show_open(struct report_show *shows, struct show *show, int family, struct err *err);
void report_show_close(struct report_show *shows);

/* Prints the table of a report, and nothing when it has no rows. sort: as in struct table_choice; top: at most so many
 * rows, 0: all. */
int report_show(struct report_show *shows, const char *name, const char *sort, uint64_t top, uint64_t *ret_rows,
                struct err *err);
/* The same under a title, all rows; `nothing` is printed where there are none. */
int report_show_block(struct report_show *shows, const char *title, const char *name, const char *nothing,
                      struct err *err);
/* The same of a report that is no one's of msprof, under its title; of no rows it says so. */
int report_show_file(struct report_show *shows, const struct report *report, struct err *err);
/* A line of text. */
void report_show_line(struct report_show *shows, const char *text);

/* The block of what programs say of themselves with msproftx; nothing, not even a title, without any. */
int report_show_marks(struct report_show *shows, struct err *err);
int report_show_marks_of(struct show *show, int family, struct err *err);

#endif
