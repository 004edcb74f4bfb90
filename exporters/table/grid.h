/* SPDX-License-Identifier: Apache-2.0 */
/* A short table for people and their tools: no frames, numbers to the right. Where the width is limited titles are
 * wrapped first, then long texts are cut in the middle, or go on in the next line, and at last the columns that matter
 * least are left out, which a line below the table reports. */
#ifndef MSPROF_EXPORTERS_TABLE_GRID_H
#define MSPROF_EXPORTERS_TABLE_GRID_H

#include "base/err.h"
#include "exporters/row_format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GRID_MAX_COLUMNS 224

struct grid_column {
    const char *title;
    bool number;     /* to the right */
    bool cut;        /* may be cut in the middle */
    bool goes_on;    /* goes on in further lines where it would be cut */
    bool time;       /* of numbers: microseconds, for grid_unite_numbers */
    int least_first; /* 0: always shown; else the column with the largest number goes first */
};

/* All zero but columns and count. */
struct grid {
    const struct grid_column *columns;
    size_t column_count;
    char **cells;           /* row by row */
    size_t count, capacity; /* of cells */
};

enum grid_format { GRID_TABLE, GRID_CSV, GRID_MARKDOWN };

/* Copies a row of texts. Control characters become '?'. */
int grid_cells(struct grid *grid, const struct table_cell *cells, struct err *err);
/* Likewise, NULL is "". */
int grid_row(struct grid *grid, const char *const *cells, struct err *err);
/* Gives the numbers of a column as many decimals each, and all times of the table one unit, which fits the column whose
 * times are shortest, in place of that in the titles: titles needs room for one for each column, to be freed; the
 * grid's columns are the caller's, and are changed. */
int grid_unite_numbers(struct grid *grid, struct grid_column *columns, char **titles, struct err *err);
/* width: of the terminal; 0: nothing is cut. ascii: no other characters are added, and with a width none are printed.
 */
void grid_print(struct grid *grid, FILE *stream, enum grid_format format, int width, bool ascii);
void grid_release(struct grid *grid);

/* Somebody's text in a line for people: nothing in it drives a terminal or ends the line (utf8_mask), and in Markdown
 * nothing is markup. */
void grid_put_safe_line(FILE *stream, const char *text, bool markdown);

/* Lines that fit the terminal: what is written between begin and end goes to the stream, broken at blanks; the rest of
 * a line is indented as the line is. */
struct grid_wrap {
    FILE *stream;
    char *text;
    size_t length;
    int width;
};
/* Returns what is to be written to: the stream itself for width 0 (no limit), or where memory ran out. */
FILE *grid_wrap_begin(struct grid_wrap *wrap, FILE *stream, int width);
/* Prints it; file: what begin returned. */
void grid_wrap_end(struct grid_wrap *wrap, FILE *file);

/* A time with the unit that fits the largest of a column: us, ms or s. */
struct time_unit {
    const char *name;
    double ns;
};
struct time_unit time_unit_for(double largest_ns);

#endif
