/* SPDX-License-Identifier: Apache-2.0 */
/* The database's tables, indexes and views. Tables of record kinds come from the kinds themselves. */
#ifndef MSPROF_DB_SCHEMA_H
#define MSPROF_DB_SCHEMA_H

#include "base/err.h"
#include "base/strbuf.h"

#include <sqlite3.h>
#include <stdint.h>

#define SCHEMA_MAX ((size_t)1024 * 1024) /* bytes of all statements */

struct database_build;

/* Before the load: empty tables without indexes, those of every kind in every database, and the views for people. */
int schema_create_tables(sqlite3 *db, struct err *err);
/* A new database with all that. bytes: of the files that it is made of, about. */
int schema_build_open(struct database_build *build, const char *path, uint64_t bytes, struct err *err);
/* After the load: indexes, and what is derived from several tables. */
int schema_finish(sqlite3 *db, struct err *err);

/* The statements of each, ended by semicolons, of which the texts in them have none. */
void schema_add_tables(struct strbuf *sql);
void schema_add_rest(struct strbuf *sql);

#endif
