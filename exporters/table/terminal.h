/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a report on the terminal. Its columns are as wide as its rows want them, so that no row can be printed
 * before the last is known: few rows are kept, many come a second time. Memory does not grow with them. */
#ifndef MSPROF_EXPORTERS_TABLE_TERMINAL_H
#define MSPROF_EXPORTERS_TABLE_TERMINAL_H

#include "exporters/table/plan.h"
#include "exporters/table/show_block.h"

enum terminal_pass {
    TERMINAL_KEEP,    /* rows are measured and kept */
    TERMINAL_MEASURE, /* they are too many, or not the only ones of this width */
    TERMINAL_PRINT    /* they come again */
};

/* All zero: there is none; releasing it is fine. */
struct terminal_table {
    struct show *show; /* NULL: not made yet */
    bool one_width;    /* all tables are as wide as the widest: a whole pass measures */
    enum terminal_pass pass;
    size_t kept_max;             /* bytes of rows */
    struct text_column *columns; /* titles are owned */
    size_t column_count;
    struct text_table text;
    struct kept_rows {
        char *items; /* each row with its length in front of it */
        size_t count, capacity;
    } rows;
    bool head_printed;
};

/* Rows that the whole report would have to be made again for; and those of a part, which come again with less. */
#define TERMINAL_KEPT_MAX ((size_t)4 << 20)
#define TERMINAL_PART_KEPT_MAX ((size_t)64 << 10)

/* An empty table of the steps of a plan that is compiled for TABLE_TERMINAL. Columns that are joined are one. */
int terminal_table_init(struct terminal_table *table, const struct report_plan *plan, struct show *show, bool one_width,
                        struct err *err);
void terminal_table_release(struct terminal_table *table);

/* Takes a row of report_plan_put. */
int terminal_table_row(struct terminal_table *table, const char *row, const char *end, struct err *err);
/* Whether all rows since the last end must come once more: they are printed then. */
bool terminal_table_wants_again(struct terminal_table *table);
/* Whether rows and what stands around them are printed: not while they are only measured. */
bool terminal_table_prints(const struct terminal_table *table);
/* Ends a table; a further one of the same columns may begin. Nothing was printed when it had no rows, else its rows are
 * counted in show->result. -ERR_IO when it cannot be written. */
int terminal_table_end(struct terminal_table *table, struct err *err);

#endif
