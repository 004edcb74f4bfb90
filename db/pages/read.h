/* SPDX-License-Identifier: Apache-2.0 */
/* Integers and texts of a table's rows, read from the pages of a database's file: several times as fast as SQLite gives
 * them. Nothing in the file is trusted. At anything that is not expected the reading ends, and says from which row on
 * SQLite is to be asked. */
#ifndef MSPROF_DB_PAGES_READ_H
#define MSPROF_DB_PAGES_READ_H

#include "base/err.h"
#include "db/database.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_NULL DB_NULL /* how a NULL is given */
#define PAGE_COLUMNS_MAX 256

/* A column that is wanted, and which integer of the row gets it. A text is two integers: where it stands until `each`
 * returns, as an address, or PAGE_NULL; and its length. */
struct page_column {
    const char *name;
    size_t place;
    bool is_text;
};

/* A row is given if the integer at its place is neither NULL nor this; PAGE_NULL: not NULL. */
struct page_condition {
    size_t place;
    int64_t other;
};

/* Where pages come from. */
struct page_source {
    /* Reads bytes of the file; false: they are not there. */
    bool (*read)(void *arg, void *bytes, size_t size, uint64_t offset);
    void *arg;
    uint64_t size; /* of the file */
};

/* A table in it. */
struct page_tree {
    uint32_t root;
    size_t column_count;
    uint16_t places[PAGE_COLUMNS_MAX]; /* of each column: 1 + its place in the row; 0: it is not wanted */
    bool texts[PAGE_COLUMNS_MAX];      /* which of those that are wanted are texts */
    int id;                            /* the column that is the row's number; -1: none of those that are wanted */
};

/* Gives each row, with a PAGE_NULL at each place that got nothing; a non-zero result ends the reading. */
typedef int page_each(void *arg, int64_t *row, struct err *err);

struct page_reader; /* opaque */

/* Makes a reader of rows of `width` integers. NULL without an error: the file is not as expected, or memory ran out. */
struct page_reader *page_reader_new(const struct page_source *source, const struct page_tree *table, size_t width,
                                    const struct page_condition *conditions, size_t condition_count);
/* One like it, of another handle of the same file. */
struct page_reader *page_reader_copy(const struct page_reader *reader, const struct page_source *source);
void page_reader_free(struct page_reader *reader);

/* Gives the rows with *next <= id < end to each, by id. *next is then the first that was not read: `end`, or where
 * SQLite is to go on; from there on this reader reads nothing more. Not to be called while it runs. Polls interrupts.
 */
int page_reader_read(struct page_reader *reader, int64_t *next, int64_t end, page_each *each, void *arg,
                     struct err *err);

#endif
