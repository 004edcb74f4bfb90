/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the queries: rows of a statement to a callback. */
#ifndef MSPROF_DB_QUERY_QUERY_LOOP_H
#define MSPROF_DB_QUERY_QUERY_LOOP_H

#include "base/err.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Steps a bound statement to its end and resets it; the first non-zero result of each ends the loop. Polls interrupts.
 */
int query_loop(sqlite3 *db, sqlite3_stmt *statement, int (*each)(void *arg, sqlite3_stmt *row, struct err *err),
               void *arg, struct err *err);
/* Prepares, binds integers (DB_NULL as NULL), loops and finalizes. */
int query_run(sqlite3 *db, const char *sql, const int64_t *parameters, size_t parameter_count,
              int (*each)(void *arg, sqlite3_stmt *row, struct err *err), void *arg, struct err *err);

/* The first value of a statement; 0 when it is NULL, or there is none. */
int query_number(sqlite3 *db, const char *sql, int64_t *ret, struct err *err);
/* Gives the first value of each row. */
int query_each_number(sqlite3 *db, const char *sql, int (*each)(void *arg, int64_t number, struct err *err), void *arg,
                      struct err *err);
/* The last of a table's rows, which have ids from 1 on; 0: it has none. It is not beyond the size of the database, or
 * that was not taken for an import's (schema_is_ours): ranges of rows up to it are walked, and counting on from it
 * cannot overflow. */
int query_last_row(sqlite3 *db, const char *table, int64_t *ret, struct err *err);

void query_bind(sqlite3_stmt *statement, int index, int64_t value);
int64_t query_integer(sqlite3_stmt *row, int column); /* DB_NULL for NULL */
/* NULL for NULL; lives until the next step. Also NULL when memory ran out: the next step, or sqlite3_reset, reports it.
 */
const char *query_text(sqlite3_stmt *row, int column);

#endif
