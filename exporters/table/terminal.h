/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a report on the terminal. Its columns are as wide as its rows want them, so that no row can be printed
 * before the last is known: few rows are kept, many come a second time. Memory does not grow with them. */
#ifndef MSPROF_EXPORTERS_TABLE_TERMINAL_H
#define MSPROF_EXPORTERS_TABLE_TERMINAL_H

#include "base/array.h"
#include "exporters/export.h"
#include "exporters/table/plan.h"
#include "exporters/table/text_table.h"

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
    struct kept_rows ARRAY_OF(char) rows; /* each row with its length in front of it */
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

/* Functions that the terminal reports of all families share. */

/* One run of show_capture. */
struct show {
    sqlite3 *db;
    FILE *stream;
    const struct show_options *options;
    struct export_result *result;
    struct display display;
    size_t column; /* of the terminal, where the open line goes on */
    bool compact;  /* tables have no rules between rows; those of SVP's guide have them, and frames of no ASCII */
    bool heads;    /* tables without rows have a head */
};

/* Lines that are printed outside of tables. A failed write leaves its mark in the stream, which show_capture checks. */

/* Begins a line with a title, in cyan with options->color. */
void show_title(struct show *show, const char *title);
/* Goes on with label and value behind a blank. A pair that no longer fits into options->width begins a new line, and is
 * broken nowhere else. The number DB_NULL is N/A. */
void show_field(struct show *show, const char *label, const char *value);
void show_number(struct show *show, const char *label, int64_t value);
/* A number in units of 10^-decimals, or N/A, in text. */
const char *show_scaled(char text[NUMBER_MAX], int64_t value, unsigned decimals);
/* "Device id: 1"; nothing for device 0, because most captures have no other. */
void show_device(struct show *show, int64_t device_id);
void show_end_line(struct show *show);
/* Ends the line of a title with how many rows options->top leaves of so many, and which report of a summary has all of
 * them. */
void show_top(struct show *show, int64_t count, const char *report);

#endif
