/* A table of the terminal whose rows are given once: they are kept until all widths are known. For tables that are
 * short however large the capture is. */
#ifndef MSPROF_EXPORTERS_SHOW_SHOW_TABLE_H
#define MSPROF_EXPORTERS_SHOW_SHOW_TABLE_H

#include "exporters/show/show_block.h"
#include "exporters/svp/table.h"

struct show_row; /* inside */

/* What columns of a table are, as bits: bit i is about column i. */
struct show_columns {
    uint64_t texts;     /* the others hold numbers */
    uint64_t hidden;    /* left out */
    uint64_t stackable; /* may stand under the shown column before them, where the room is too narrow */
};

/* All zero: no columns, no rows; releasing it is fine. */
struct show_table {
    struct text_column columns[TABLE_MAX_COLUMNS]; /* the shown ones */
    size_t column_count;
    size_t places[TABLE_MAX_COLUMNS]; /* of their cells in a row */
    struct show_row *first, *last;
    bool out_of_memory;
};

/* An empty table with these titles, which must outlive it, at most TABLE_MAX_COLUMNS. It needs show_table_release. */
void show_table_init(struct show_table *table, const char *const *titles, size_t count,
                     const struct show_columns *columns);
/* The same with columns of which all are shown; they are copied, not their titles. */
void show_table_init_columns(struct show_table *table, const struct text_column *columns, size_t count);
void show_table_release(struct show_table *table);

/* Keeps a copy of a row, which has cells of hidden columns too. That memory ran out is told by show_table_print. */
void show_table_row(struct show_table *table, const struct table_cell *cells);

/* Prints the table and counts its rows in show->result; nothing when there are none. -ERR_IO when it cannot be written.
 */
int show_table_print(const struct show_table *table, struct show *show, struct err *err);

#endif
