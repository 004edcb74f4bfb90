/* SPDX-License-Identifier: Apache-2.0 */
/* Finished pages of an SQLite database, written in one pass: rows of a table come in the order of their row ids.
 *
 *   pages_begin(&pages, fd, 32768, 12);                  // a file of 12 pages, the empty roots of tables among them
 *   struct page_table *table = page_table_new(&pages, 2, forms, 3, err);
 *   page_table_add(table, 1, cells, 7, err);
 *   page_table_finish(table, err);                       // the root, page 2, is written
 *   pages_finish(&pages, err);                           // SQLite may open the file now
 */
#ifndef MSPROF_DB_PAGES_WRITE_H
#define MSPROF_DB_PAGES_WRITE_H

#include "base/err.h"
#include "parsers/record.h"

#include <stddef.h>
#include <stdint.h>

/* A file that nobody else writes meanwhile. */
struct pages {
    int fd; /* stays the caller's */
    size_t page_size;
    uint32_t count; /* pages so far */
};

/* How the cell of a column is stored. */
enum page_form {
    PAGE_NOWHERE, /* it is not */
    PAGE_INTEGER,
    PAGE_REAL, /* the integer has the bits of a double; one that is no number is NULL */
    PAGE_TEXT,
    PAGE_BLOB,
    PAGE_ROW_ID,  /* an INTEGER PRIMARY KEY: its value is the row id's */
    PAGE_NUMERIC, /* as PAGE_REAL, in a column of that affinity: a whole number is stored as an integer */
};

struct page_table; /* opaque */

void pages_begin(struct pages *pages, int fd, size_t page_size, uint32_t count);
/* Makes the file as long as its pages and writes their number into its header. */
int pages_finish(const struct pages *pages, struct err *err);

/* A table whose root is an empty page of the file. forms: of each of up to RECORD_MAX_COLUMNS cells of a row; id_first:
 * an INTEGER PRIMARY KEY that no cell has stands in front of them. NULL with err set. */
struct page_table *page_table_new(struct pages *pages, uint32_t root, const uint8_t *forms, size_t cells, bool id_first,
                                  struct err *err);
/* Adds a row; ids ascend. Bit i of present: cell i has a value; else it is NULL. */
int page_table_add(struct page_table *table, int64_t id, const struct cell *cells, uint64_t present, struct err *err);
/* Writes the root; nothing may be added any more. A table without rows stays as it was. */
int page_table_finish(struct page_table *table, struct err *err);
void page_table_free(struct page_table *table); /* NULL is fine */

#endif
