/* The database's tables, indexes and views. Tables of record kinds come from the kinds themselves. */
#ifndef MSPROF_DB_SCHEMA_H
#define MSPROF_DB_SCHEMA_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>

/* Before the load: empty tables without indexes, those of every kind in every database. */
int schema_create_tables(sqlite3 *db, struct err *err);
/* After the load: indexes, what is derived from several tables, and the views for people. */
int schema_finish(sqlite3 *db, struct err *err);
/* Whether the tables, indexes and views of a database are exactly those that import makes, and nothing else is there.
 */
bool schema_is_ours(sqlite3 *db);

#endif
