/* The database's tables, indexes and views. Tables of record kinds come from the kinds themselves. */
#ifndef MSPROF_DB_SCHEMA_H
#define MSPROF_DB_SCHEMA_H

#include "base/err.h"

#include <sqlite3.h>

/* Before the load: empty tables without indexes. */
int schema_create_tables(sqlite3 *db, struct err *err);
/* After the load: indexes, what is derived from several tables, and the views for people. */
int schema_finish(sqlite3 *db, struct err *err);

#endif
