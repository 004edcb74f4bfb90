/* A table with frames for the terminal, aligned by display width (wide and combining characters included). The rows are
 * given twice, first to measure and then to print, so that memory does not grow with them. */
#ifndef MSPROF_EXPORTERS_TEXT_TABLE_H
#define MSPROF_EXPORTERS_TEXT_TABLE_H

#include "base/err.h"
#include "exporters/table.h"

#include <locale.h>
#include <stdint.h>
#include <stdio.h>

enum text_column_kind {
    TEXT_COLUMN,   /* left-aligned; wrapped after ',', '/', '_' or a blank, where the room is too narrow anywhere */
    NUMBER_COLUMN, /* right-aligned; never wrapped */
    VALUES_COLUMN, /* right-aligned numbers joined by '/'; wrapped only between them */
};

struct text_column {
    const char *title; /* lines are separated by '\n', in cells too */
    enum text_column_kind kind;
};

struct text_table {
    const struct text_column *columns; /* the caller's */
    size_t count;
    size_t widths[TABLE_MAX_COLUMNS]; /* in columns of the terminal */
    size_t pieces[TABLE_MAX_COLUMNS]; /* width of the longest piece without a place to wrap */
    uint64_t rows;                    /* printed so far */
    FILE *stream;
    locale_t
        locale;  /* a UTF-8 one for wcwidth; 0 when the system has none: then every character counts as one column */
    int failure; /* errno of the first failed write, else 0 */
};

/* At most TABLE_MAX_COLUMNS columns. The table needs text_table_release. */
void text_table_init(struct text_table *table, const struct text_column *columns, size_t count);
void text_table_release(struct text_table *table);

/* First pass: takes notice of a row's widths. */
void text_table_measure(struct text_table *table, const struct table_cell *cells);

/* Ends the first pass: fits the columns into width (0: no limit) as far as their minimal widths allow, prints the head.
 */
void text_table_begin(struct text_table *table, FILE *stream, int width);
/* Second pass: prints a row. Write errors are kept and told by text_table_end. */
void text_table_row(struct text_table *table, const struct table_cell *cells);
/* Prints the lower edge; 0 or -ERR_IO (-ERR_NO_SPACE) for any failed write of the table. */
int text_table_end(struct text_table *table, struct err *err);

#endif
