/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the queries: scans of many rows, as arrays of integers, and of texts that stand elsewhere. They are read
 * from the database's pages where those are as expected, else a function in an SQL statement gets each row's values
 * where SQLite has them. */
#ifndef MSPROF_DB_QUERY_QUERY_SCAN_H
#define MSPROF_DB_QUERY_QUERY_SCAN_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_COLUMNS_MAX 120

/* An expression whose value is an integer or NULL, and which integer of the row gets it; or a text or NULL, which
 * takes a struct scanned_text. */
struct scan_column {
    const char *sql;
    size_t place;
    bool is_text;
};

/* A text of a row, until `each` returns. */
struct scanned_text {
    int64_t address, length; /* address DB_NULL: NULL */
};
/* Where the text begins, which has no NUL behind it; not of NULL. */
static inline const char *scanned_text(const struct scanned_text *text)
{
    return (const char *)(intptr_t)text->address; /* NOLINT(performance-no-int-to-ptr) */
}

struct query_scan; /* opaque */

/* Makes a scan of those rows of a table with an id for which where is true (NULL: all), each as `width` integers. It is
 * fast where every expression is the name of a column of its own, and where is made of "NAME IS NOT NULL" and
 * "NAME <> NUMBER" with AND between. */
int query_scan_new(sqlite3 *db, const char *table, const char *where, const struct scan_column *columns, size_t count,
                   size_t width, struct query_scan **ret, struct err *err);
/* Makes one of a table whose INTEGER PRIMARY KEY has another name than id. */
int query_scan_new_by(sqlite3 *db, const char *table, const char *key, const char *where,
                      const struct scan_column *columns, size_t count, size_t width, struct query_scan **ret,
                      struct err *err);
/* Makes one as `first` for another connection to the same file, which may be used on another thread: without asking
 * SQLite for the schema. NULL without an error: it has to be made as others are. */
struct query_scan *query_scan_share(const struct query_scan *first, sqlite3 *db);
void query_scan_free(struct query_scan *scan);

/* Gives the rows with first <= id < end to each, by id, with DB_NULL for NULL and where no column is; its first
 * non-zero result ends the scan. The row is each's own until it returns. Polls interrupts. */
int query_scan(struct query_scan *scan, int64_t first, int64_t end,
               int (*each)(void *arg, int64_t *row, struct err *err), void *arg, struct err *err);
/* Makes a scan of as many integers as there are columns, gives all its rows, and frees it. */
int query_scan_all(sqlite3 *db, const char *table, const char *where, const struct scan_column *columns, size_t count,
                   int (*each)(void *arg, int64_t *row, struct err *err), void *arg, struct err *err);

#endif
