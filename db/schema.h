/* The database's tables, indexes and views. Tables of record kinds come from the kinds themselves. */
#ifndef MSPROF_DB_SCHEMA_H
#define MSPROF_DB_SCHEMA_H

#include "base/err.h"
#include "base/strbuf.h"

#include <sqlite3.h>

#define SCHEMA_MAX ((size_t)1024 * 1024) /* bytes of all statements */

/* Before the load: empty tables without indexes, those of every kind in every database. */
int schema_create_tables(sqlite3 *db, struct err *err);
/* After the load: indexes, what is derived from several tables, and the views for people. */
int schema_finish(sqlite3 *db, struct err *err);

/* The statements of each, ended by semicolons, of which the texts in them have none. */
void schema_add_tables(struct strbuf *sql);
void schema_add_rest(struct strbuf *sql);

#endif
