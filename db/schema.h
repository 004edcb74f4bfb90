/* The database's tables, indexes and views. Tables of record kinds come from the kinds themselves. */
#ifndef MSPROF_DB_SCHEMA_H
#define MSPROF_DB_SCHEMA_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>

/* Before the load: empty tables without indexes; cann: also those of kinds that only CANN captures have. */
int schema_create_tables(sqlite3 *db, bool cann, struct err *err);
/* After the load: indexes, what is derived from several tables, and the views for people. */
int schema_finish(sqlite3 *db, bool cann, struct err *err);

#endif
