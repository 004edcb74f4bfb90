/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a report on the terminal. Its columns are as wide as its rows want them, so that no row can be printed
 * before the last is known: few rows are kept, many come a second time. Memory does not grow with them. */
#ifndef MSPROF_EXPORTERS_TABLE_TERMINAL_H
#define MSPROF_EXPORTERS_TABLE_TERMINAL_H

#include "base/array.h"
#include "base/err.h"
#include "exporters/export.h"
#include "exporters/row_format.h"
#include "exporters/table/plan.h"

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A table with frames for the terminal, aligned by display width (wide and combining characters included). The rows are
 * given twice, first to measure and then to print, so that memory does not grow with them.
 *
 * Where the width is limited, cells are wrapped, the widest column first: titles between words and before '(', cells as
 * their columns say. When that is not enough the blanks beside the frames go, or columns stand one under the other, and
 * at last texts are broken into very short pieces. Neither a number nor a word of a title is ever broken: a table that
 * cannot fit even so is as narrow as it can be. */

/* Text as a terminal shows it: how many columns its characters take. */

struct display {
    /* A UTF-8 one, whatever the user's is, for wcwidth; 0 when the system has none: then every character counts as one
     * column, ideographs as two. */
    locale_t locale;
};

struct display_character {
    size_t bytes;
    size_t width; /* in columns of the terminal */
    bool shown;   /* false: a '?' stands for it */
};

void display_init(struct display *display);
void display_release(struct display *display);

/* Makes the locale the thread's, which display_character_at needs; display_leave takes the result and undoes it. */
locale_t display_enter(const struct display *display);
void display_leave(locale_t previous);
/* The character that text, of length > 0 bytes, begins with. */
struct display_character display_character_at(const struct display *display, const char *text, size_t length);

/* The columns that the whole text takes; neither display_enter nor display_leave is needed. */
size_t display_width(const struct display *display, const char *text, size_t length);

enum text_column_kind {
    TEXT_COLUMN,   /* left-aligned; wrapped after ',', '/', '_' or a blank, where the room is too narrow anywhere */
    NUMBER_COLUMN, /* right-aligned; only the title is wrapped */
    VALUES_COLUMN, /* right-aligned numbers joined by '/'; wrapped only between them */
};

struct text_column {
    const char *title; /* lines are separated by '\n', in cells too */
    enum text_column_kind kind;
    bool stackable; /* may stand under the column before it, where the room is too narrow */
};

/* Measures of a column, in columns of the terminal. */
struct text_extent {
    size_t line;       /* the longest line */
    size_t piece;      /* the longest piece without a place to wrap */
    size_t title_word; /* the same of the title alone */
    size_t cell;       /* the longest line of the cells alone */
};

/* The columns between two frames: one column, or several one under the other. */
struct text_stack {
    size_t first, end; /* the columns: up to, but not with, end */
    size_t width;
};

struct text_table {
    const struct text_column *columns; /* the caller's */
    size_t count;
    struct text_extent extents[TABLE_MAX_COLUMNS];
    struct text_stack stacks[TABLE_MAX_COLUMNS]; /* made of the extents by text_table_begin */
    size_t stack_count;
    size_t padding; /* blanks at each side of a cell */
    bool compact;   /* the caller's, before text_table_begin: rows are ruled off only where one takes several lines */
    bool ascii;     /* the caller's, too: frames are made of ASCII */
    bool ruled;     /* rules stand between rows */
    bool tall;      /* a cell has several lines */
    uint64_t rows;  /* printed so far */
    FILE *stream;
    struct display display;
    int failure; /* errno of the first failed write, else 0 */
};

/* At most TABLE_MAX_COLUMNS columns. The table needs text_table_release. */
void text_table_init(struct text_table *table, const struct text_column *columns, size_t count);
void text_table_release(struct text_table *table);

/* First pass: takes notice of a row's widths. */
void text_table_measure(struct text_table *table, const struct table_cell *cells);

/* Ends the first pass: fits the columns into width (0: no limit) as far as their minimal widths allow, prints the head.
 * After text_table_end a further table of the same columns may begin. */
void text_table_begin(struct text_table *table, FILE *stream, int width);
/* Second pass: prints a row. Write errors are kept and reported by text_table_end. */
void text_table_row(struct text_table *table, const struct table_cell *cells);
/* Prints the lower edge; 0 or -ERR_IO (-ERR_NO_SPACE) for any failed write of the table. */
int text_table_end(struct text_table *table, struct err *err);

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
    bool few;      /* of the parts of a table, each a table under its own heading, only the first options->top */
    size_t parts;  /* how many parts the last table had */
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
