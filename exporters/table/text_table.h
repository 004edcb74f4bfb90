/* SPDX-License-Identifier: Apache-2.0 */
/* A table with frames for the terminal, aligned by display width (wide and combining characters included). The rows are
 * given twice, first to measure and then to print, so that memory does not grow with them.
 *
 * Where the width is limited, cells are wrapped, the widest column first: titles between words and before '(', cells as
 * their columns say. When that is not enough the blanks beside the frames go, or columns stand one under the other, and
 * at last texts are broken into very short pieces. Neither a number nor a word of a title is ever broken: a table that
 * cannot fit even so is as narrow as it can be. */
#ifndef MSPROF_EXPORTERS_TABLE_TEXT_TABLE_H
#define MSPROF_EXPORTERS_TABLE_TEXT_TABLE_H

#include "base/err.h"
#include "exporters/row_format.h"

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Text as a terminal shows it: how many columns its characters take. */

struct display {
    /* A UTF-8 one, whatever the user's is, for wcwidth; 0 when the system has none: then every character counts as one
     * column. */
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
/* Second pass: prints a row. Write errors are kept and told by text_table_end. */
void text_table_row(struct text_table *table, const struct table_cell *cells);
/* Prints the lower edge; 0 or -ERR_IO (-ERR_NO_SPACE) for any failed write of the table. */
int text_table_end(struct text_table *table, struct err *err);

#endif
