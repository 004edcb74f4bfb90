/* SPDX-License-Identifier: Apache-2.0 */
/* Databases of several captures on one connection, to be read by one query. Each is attached under a name that its
 * capture has; the tables of main are empty, but meta, which is that of the first.
 *     names[count] = joint_name(directory, names, count);
 *     joint_open(count, &db, err);
 *     joint_attach(db, database, name, err);             // of each
 *     joint_seal(db, first_name, err);                    // from here on it can only be read
 *     database_close(db); */
#ifndef MSPROF_DB_JOINT_H
#define MSPROF_DB_JOINT_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

/* A connection for so many databases. -ERR_LIMIT: they are more than SQLite takes. */
int joint_open(size_t count, sqlite3 **ret, struct err *err);
/* Attaches a database that import made, under the name of a schema. */
int joint_attach(sqlite3 *db, const char *path, const char *schema, struct err *err);
/* Takes the facts of the first, and lets nothing be written. */
int joint_seal(sqlite3 *db, const char *first, struct err *err);

/* The name of a schema for a directory: its own name, in which every byte that is no ASCII letter, digit or '_' is '_';
 * "c_" stands before one that begins with a digit or that SQLite has itself, and _2, _3, ... behind one that others
 * have already, whatever the case. The caller frees it; NULL: out of memory. */
char *joint_name(const char *directory, char *const *others, size_t count);
/* Whether a query names a schema: the name, perhaps in double quotes or brackets, and a dot behind it. */
bool joint_is_named(const char *query, const char *schema);

#endif
