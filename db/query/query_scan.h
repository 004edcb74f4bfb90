/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the queries: scans of many rows. A function in the statement gets each row's values where SQLite has them,
 * which takes half of what asking a statement for its columns takes. */
#ifndef MSPROF_DB_QUERY_QUERY_SCAN_H
#define MSPROF_DB_QUERY_QUERY_SCAN_H

#include "base/err.h"
#include "db/database.h"

#include <sqlite3.h>
#include <stdint.h>

/* Prepares a scan of these columns (at most 100) of those rows of a table with an id for which where is true; NULL:
 * all.
 */
int query_scan_prepare(sqlite3 *db, const char *columns, const char *table, const char *where, sqlite3_stmt **ret,
                       struct err *err);

/* Gives the rows with first <= id < end to each, by id; its first non-zero result ends the scan. The values live until
 * it returns. Polls interrupts. */
int query_scan(sqlite3 *db, sqlite3_stmt *scan, int64_t first, int64_t end,
               int (*each)(void *arg, sqlite3_value **values, struct err *err), void *arg, struct err *err);

/* DB_NULL for NULL. */
static inline int64_t scan_integer(sqlite3_value *value)
{
    int64_t integer = sqlite3_value_int64(value);
    return integer == 0 && sqlite3_value_type(value) == SQLITE_NULL ? DB_NULL : integer;
}

#endif
