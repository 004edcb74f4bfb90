/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/sorter.h"

#include "base/interrupt.h"

#include <stdio.h>
#include <stdlib.h>

#define PRUNE_AFTER 8192 /* rows beyond those that are wanted */

struct sorter {
    sqlite3 *db;
    sqlite3_stmt *insert;
    bool descending;
    uint64_t top, rows;
    bool has_limit; /* of the rows that are kept the last one has this key */
    double limit;
};

struct sorter *sorter_new(bool descending, uint64_t top, struct err *err)
{
    struct sorter *sorter = calloc(1, sizeof *sorter);
    if (sorter == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    sorter->descending = descending;
    sorter->top = top > INT64_MAX / 2 ? 0 : top;
    /* A name of no characters: a file of SQLite's own, which nobody else sees. */
    if (sqlite3_open_v2("", &sorter->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) == SQLITE_OK &&
        database_exec(sorter->db,
                      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096;"
                      "CREATE TABLE row(id INTEGER PRIMARY KEY, key, bytes BLOB); BEGIN",
                      err) == 0 &&
        database_prepare(sorter->db, "INSERT INTO row(key, bytes) VALUES(?1, ?2)", &sorter->insert, err) == 0)
        return sorter;
    if (err->code == 0)
        database_error(err, sorter->db, "rows cannot be sorted");
    sorter_free(sorter);
    return NULL;
}

void sorter_free(struct sorter *sorter)
{
    if (sorter == NULL)
        return;
    sqlite3_finalize(sorter->insert);
    sqlite3_close(sorter->db);
    free(sorter);
}

bool sorter_wants(const struct sorter *sorter, const struct sort_key *key)
{
    if (!sorter->has_limit || key->kind == KEY_TEXT)
        return true;
    if (key->kind == KEY_NONE)
        return false;
    return sorter->descending ? key->number >= sorter->limit : key->number <= sorter->limit;
}

#define ORDER(sorter) ((sorter)->descending ? "key IS NULL, key DESC, id" : "key IS NULL, key, id")

/* Leaves the rows that are wanted so far, and notes what a new one has to beat. */
static int prune(struct sorter *sorter, struct err *err)
{
    char sql[256];
    sqlite3_stmt *last = NULL;
    snprintf(sql, sizeof sql, "DELETE FROM row WHERE id NOT IN (SELECT id FROM row ORDER BY %s LIMIT %llu)",
             ORDER(sorter), (unsigned long long)sorter->top);
    int status = database_exec(sorter->db, sql, err);
    snprintf(sql, sizeof sql, "SELECT key FROM row ORDER BY %s LIMIT 1 OFFSET %llu", ORDER(sorter),
             (unsigned long long)(sorter->top - 1));
    if (status == 0)
        status = database_prepare(sorter->db, sql, &last, err);
    if (status == 0 && sqlite3_step(last) == SQLITE_ROW) {
        int type = sqlite3_column_type(last, 0);
        sorter->has_limit = type == SQLITE_FLOAT || type == SQLITE_INTEGER;
        sorter->limit = sqlite3_column_double(last, 0);
    }
    sqlite3_finalize(last);
    sorter->rows = sorter->top;
    return status;
}

int sorter_put(struct sorter *sorter, const struct sort_key *key, const char *row, size_t length, struct err *err)
{
    if (key->kind == KEY_INTEGER)
        sqlite3_bind_int64(sorter->insert, 1, key->integer);
    else if (key->kind == KEY_NUMBER)
        sqlite3_bind_double(sorter->insert, 1, key->number);
    else if (key->kind == KEY_TEXT)
        sqlite3_bind_text64(sorter->insert, 1, key->text != NULL ? key->text : "", key->length, SQLITE_STATIC,
                            SQLITE_UTF8);
    else
        sqlite3_bind_null(sorter->insert, 1);
    sqlite3_bind_blob64(sorter->insert, 2, row, length, SQLITE_STATIC);
    int code = sqlite3_step(sorter->insert);
    sqlite3_reset(sorter->insert);
    if (code != SQLITE_DONE)
        return database_error(err, sorter->db, "rows cannot be sorted");
    if (interrupted())
        return interrupt_error(err);
    return ++sorter->rows > 2 * sorter->top + PRUNE_AFTER && sorter->top > 0 ? prune(sorter, err) : 0;
}

int sorter_each(struct sorter *sorter, int (*each)(void *arg, const char *row, size_t length, struct err *err),
                void *arg, struct err *err)
{
    char sql[256];
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_ROW;
    snprintf(sql, sizeof sql, "SELECT bytes FROM row ORDER BY %s LIMIT %lld", ORDER(sorter),
             sorter->top > 0 ? (long long)sorter->top : -1LL);
    int status = database_prepare(sorter->db, sql, &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *row = sqlite3_column_blob(statement, 0);
        status = interrupted() ? interrupt_error(err)
                               : each(arg, row != NULL ? row : "", (size_t)sqlite3_column_bytes(statement, 0), err);
    }
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, sorter->db, "rows cannot be sorted");
    sqlite3_finalize(statement);
    return status;
}
