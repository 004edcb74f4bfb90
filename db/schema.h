/* SPDX-License-Identifier: Apache-2.0 */
/* The database's tables, indexes and views. Tables of record kinds come from the kinds themselves. */
#ifndef MSPROF_DB_SCHEMA_H
#define MSPROF_DB_SCHEMA_H

#include "base/err.h"
#include "parsers/record.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct database_build;

/* Before the load: empty tables without indexes, those of every kind in every database, and the views for people. */
int schema_create_tables(sqlite3 *db, struct err *err);
/* The file of a new database with the tables' empty roots. bytes: of the files that it is made of, about. */
struct schema_file {
    size_t page_size;
    uint32_t pages;
};
int schema_build_create(struct database_build *build, const char *path, uint64_t bytes, struct schema_file *ret,
                        struct err *err);
/* The page that is the root of a kind's table there. */
uint32_t schema_root(const struct record_kind *kind);
/* Connects to it, and registers all these names in SQLite. After a failure it is to be aborted. */
int schema_build_connect(struct database_build *build, struct err *err);
/* Another database likewise, whose tables a script makes that has no semicolons in its texts. */
int schema_script_create(struct database_build *build, const char *path, const char *script, size_t page_size,
                         struct schema_file *ret, struct err *err);
uint32_t schema_script_root(const char *script, const char *table);
/* Connects to it as to a database for others' readers. */
int schema_script_connect(struct database_build *build, const char *script, struct err *err);

/* After the load: indexes, and what is derived from several tables. */
int schema_finish(sqlite3 *db, struct err *err);

/* Whether a database is one that import made. */

/* Whether the tables, indexes and views of a database are exactly those that import makes, nothing else is there, and
 * rows are numbered as import does. */
bool schema_is_ours(sqlite3 *db);

#endif
