/* SPDX-License-Identifier: Apache-2.0 */
/* The database file of one capture: made under a temporary name and renamed, or opened for reading. */
#ifndef MSPROF_DB_DATABASE_H
#define MSPROF_DB_DATABASE_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file of a database whose tables are all empty and not named yet, as SQLite's file format has it. */

struct blank {
    size_t page_size;
    const bool *keyed; /* of each table: it is one WITHOUT ROWID */
    size_t tables;
};

/* The page that is the n-th table's root. */
#define BLANK_ROOT(n) ((n) + 2)

/* A number that is a macro, as SQL has it. */
#define SQL_NUMBER(number) SQL_NUMBER_AS_WRITTEN(number)
#define SQL_NUMBER_AS_WRITTEN(number) #number
#define DATABASE_USER_VERSION 14 /* the schema: raised with every change of it */
#define DB_NULL INT64_MIN        /* how queries give an SQL NULL in an integer */

/* Whether an open file is a database that import made, of this version or another. */
bool database_is_ours(int fd);
/* Whether the file at a path is such a database, and no other program has changed it since. */
bool database_is_as_made(const char *path);
/* Whether no other program has changed the database that a connection reads since import made it. */
bool database_is_unchanged(sqlite3 *db);

/* Who writes and reads the long tables of a database: pages of ours (db/pages), or SQLite, as all others. */
enum database_way { DATABASE_PAGES, DATABASE_PLAIN };

/* For a program, once and before any other function of db/: SQLite's thread mode and memory settings, the bound of
 * db/memory_bound.h, and temporary files without names. They are of the whole process, so the library leaves them. */
int database_setup(struct err *err);

/* SQLite's message as an error; maps full disk and read-only to their codes. Returns -code. */
int database_error(struct err *err, sqlite3 *db, const char *doing);

/* Makes an error of what the system said of a write, likewise. */
int database_write_error(struct err *err, int system, const char *doing);

/* Runs statements without results. */
int database_exec(sqlite3 *db, const char *sql, struct err *err);
/* Prepares one statement. */
int database_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **ret, struct err *err);
/* Makes one step; *ret_row: there is a row. */
int database_step(sqlite3_stmt *statement, bool *ret_row, struct err *err);
/* For SCOPED. */
static inline void statement_release(sqlite3_stmt *const *statement)
{
    sqlite3_finalize(*statement);
}

/* A new database being built under a temporary name beside it (temporary_create), inside one transaction. */
struct database_build {
    char *path, *temporary;
    int fd;      /* holds the temporary file's lock */
    sqlite3 *db; /* NULL: not connected yet */
};

/* ours: false: for others' readers, without the marks by which ours are known. */
int database_build_open(struct database_build *build, const char *path, bool ours, struct err *err);
/* Makes the file alone, with tables that have roots, but no names yet; fd may write more before the connection comes.
 * After a failure of database_build_connect it is to be aborted. */
int database_build_create_blank(struct database_build *build, const char *path, const struct blank *blank,
                                struct err *err);
int database_build_connect(struct database_build *build, bool ours, struct err *err);
/* Commits what was built so far, so that another connection can read it at build->temporary; more may follow. */
int database_build_settle(struct database_build *build, struct err *err);
/* Commits, checks, closes and renames; the file was not there before and is complete now. On failure nothing remains.
 * Either this or an abort finalizes the connection's statements: what adds rows (db/table_rows.h) is not closed before.
 */
int database_build_commit(struct database_build *build, struct err *err);
void database_build_abort(struct database_build *build);

/* Opens an existing database read-only; checks application id and version (-ERR_FORMAT when they differ). */
int database_open(const char *path, sqlite3 **ret, struct err *err);
/* An interrupt ends what runs on the connection, as on every one that is opened here: after another progress handler.
 */
void database_poll_interrupts(sqlite3 *db);
/* Opens a database that another program made, whose content is not trusted either. -ERR_NOT_FOUND when there is
 * no such file. */
int database_open_foreign(const char *path, sqlite3 **ret, struct err *err);
/* A database in memory to which others are attached that are not trusted, named by URIs. */
int database_open_empty(sqlite3 **ret, struct err *err);
/* The file system that SQLite takes for one without locks, in a URI; and whether a file is on one that has them. */
#define DATABASE_WITHOUT_LOCKS "unix-none"
bool database_has_locks(const char *path);
/* A database in memory, for queries: schema_create_tables gives it tables. */
int database_open_memory(sqlite3 **ret, struct err *err);
/* A temporary one likewise, in a file as far as it is large. *ret is to be closed also after a failure. */
int database_open_scratch(sqlite3 **ret, struct err *err);
void database_close(sqlite3 *db);
/* The size that the database says it has; below 0: it cannot be read. */
int64_t database_bytes(sqlite3 *db);
/* The size of its pages; below 0: likewise. */
int64_t database_page_size(sqlite3 *db);

/* A value of the meta table as text (free() it). -ERR_FORMAT when it is not there. */
int database_meta(sqlite3 *db, const char *key, char **ret, struct err *err);
/* A number of it. -ERR_FORMAT also when it is none. */
int database_meta_integer(sqlite3 *db, const char *key, int64_t *ret, struct err *err);

#endif
