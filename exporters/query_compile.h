/* SPDX-License-Identifier: Apache-2.0 */
/* SQL of what is declared (struct report_query, parsers/series.h): tables, tracks and databases are made of it alike.
 *     query_begin(&sql, query);
 *     strbuf_adds(&sql, "time_ns, bytes");
 *     query_end(&sql, query, kind->table, NULL);
 *     status = query_sql_prepare(db, &sql, &statement, err); */
#ifndef MSPROF_EXPORTERS_QUERY_COMPILE_H
#define MSPROF_EXPORTERS_QUERY_COMPILE_H

#include "base/err.h"
#include "base/strbuf.h"
#include "parsers/series.h"

#include <sqlite3.h>

#define QUERY_SQL_MAX ((size_t)1 << 20) /* bytes of a query, for strbuf_init */

/* Appends WITH and SELECT; the expressions, between commas, are the caller's. */
void query_begin(struct strbuf *sql, const struct report_query *query);
/* Appends all behind them. table and order_by stand in for a from and an order_by that the query has not; NULL: none.
 */
void query_end(struct strbuf *sql, const struct report_query *query, const char *table, const char *order_by);
/* database_prepare() of what was built, which may have become too long. */
int query_sql_prepare(sqlite3 *db, const struct strbuf *sql, sqlite3_stmt **ret, struct err *err);

/* Whether an expression of SQL is true of the database. */
int query_ask(sqlite3 *db, const char *expression, bool *ret, struct err *err);

/* Registers the functions of parsers/series.h in a connection. */
int query_functions_register(sqlite3 *db, int cann_version, struct err *err);

#endif
