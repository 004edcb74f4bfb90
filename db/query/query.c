/* SPDX-License-Identifier: Apache-2.0 */
/* Queries that every family shares, and the loop under all of them. */
#include "db/query/query.h"

#include "base/number.h"
#include "base/progress.h"
#include "base/utf8.h"
#include "db/database.h"
#include "db/query/query_loop.h"
#include "parsers/capture/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int query_loop(sqlite3 *db, sqlite3_stmt *statement, int (*each)(void *arg, sqlite3_stmt *row, struct err *err),
               void *arg, struct err *err)
{
    int code, status = 0;
    unsigned rows = 0;
    while (status == 0 && (code = sqlite3_step(statement)) != SQLITE_DONE) {
        if (code != SQLITE_ROW)
            status = database_error(err, db, "cannot read the database");
        else if ((++rows & 1023) == 0 && interrupted())
            status = interrupt_error(err);
        else
            status = each(arg, statement, err);
    }
    sqlite3_reset(statement);
    return status;
}

int query_run(sqlite3 *db, const char *sql, const int64_t *parameters, size_t parameter_count,
              int (*each)(void *arg, sqlite3_stmt *row, struct err *err), void *arg, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    if (database_prepare(db, sql, &statement, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < parameter_count; i++)
        query_bind(statement, (int)i + 1, parameters[i]);
    return query_loop(db, statement, each, arg, err);
}

static int take_number(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    *(int64_t *)arg = sqlite3_column_int64(row, 0);
    return 0;
}

int query_number(sqlite3 *db, const char *sql, int64_t *ret, struct err *err)
{
    *ret = 0;
    return query_run(db, sql, NULL, 0, take_number, ret, err);
}

struct number_loop {
    int (*each)(void *arg, int64_t number, struct err *err);
    void *arg;
};

static int give_number(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct number_loop *loop = arg;
    return loop->each(loop->arg, query_integer(row, 0), err);
}

int query_each_number(sqlite3 *db, const char *sql, int (*each)(void *arg, int64_t number, struct err *err), void *arg,
                      struct err *err)
{
    struct number_loop loop = {each, arg};
    return query_run(db, sql, NULL, 0, give_number, &loop, err);
}

int query_last_row(sqlite3 *db, const char *table, int64_t *ret, struct err *err)
{
    char sql[128];
    int64_t last;
    snprintf(sql, sizeof sql, "SELECT max(id) FROM %s", table);
    if (query_number(db, sql, &last, err) < 0)
        return err_status(err);
    int64_t bytes = database_bytes(db);
    if (bytes < 0)
        return database_error(err, db, "cannot read the database");
    if (last > bytes) {
        err_set(err, ERR_FORMAT, "the rows of the database's table %s are numbered up to %lld; expected at most %lld",
                table, (long long)last, (long long)bytes);
        err_hint_caller(err, "import the capture again: MSPROF_IMPORT_ALWAYS, or again=True in Python");
        return err_hint(err, "run 'msprof import' to rebuild it");
    }
    *ret = last > 0 ? last : 0;
    return 0;
}

void query_bind(sqlite3_stmt *statement, int index, int64_t value)
{
    if (value == DB_NULL)
        sqlite3_bind_null(statement, index);
    else
        sqlite3_bind_int64(statement, index, value);
}

int64_t query_integer(sqlite3_stmt *row, int column)
{
    int64_t value = sqlite3_column_int64(row, column);
    /* NULL reads as 0, and asking for the type of every value would double the time of a scan. */
    return value == 0 && sqlite3_column_type(row, column) == SQLITE_NULL ? DB_NULL : value;
}

const char *query_text(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

static void take_problem(sqlite3_stmt *row, struct first_problem *ret)
{
    const char *code = query_text(row, 0), *message = query_text(row, 1);

    ret->id = code != NULL ? diag_find(code) : DIAG_COUNT;
    snprintf(ret->message, sizeof ret->message, "%s", message != NULL ? message : "");
    utf8_mask(ret->message);
}

int query_first_problem(sqlite3 *db, struct first_problem *ret, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    bool there = false;
    *ret = (struct first_problem){.id = DIAG_COUNT};
    if (database_prepare(db,
                         "SELECT code, message FROM diagnostics WHERE severity IN ('warning', 'error')"
                         " ORDER BY code = 'half-missing' DESC, severity = 'error' DESC, id LIMIT 1",
                         &statement, err) < 0 ||
        database_step(statement, &there, err) < 0)
        return err_status(err);
    if (there)
        take_problem(statement, ret);
    return 0;
}

int query_problems(sqlite3 *db, char text[PROBLEMS_TEXT_SIZE], struct err *err)
{
    struct first_problem first = {.id = DIAG_COUNT};
    int64_t count = 0;
    text[0] = '\0';
    if (database_meta_integer(db, "problems", &count, err) < 0 ||
        (count > 0 && query_first_problem(db, &first, err) < 0))
        return err_status(err);
    if (count > 0)
        snprintf(text, PROBLEMS_TEXT_SIZE, "%lld data problem%s at import%s%s", (long long)count, count == 1 ? "" : "s",
                 first.message[0] == '\0' ? ""
                 : count == 1             ? ": "
                                          : ", the first: ",
                 first.message);
    return 0;
}

int query_losses(sqlite3 *db, char text[PROBLEMS_TEXT_SIZE], struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    bool lost;

    text[0] = '\0';
    if (database_prepare(
            db, "SELECT 1 FROM diagnostics WHERE severity IN ('warning', 'error') AND code <> 'record-order' LIMIT 1",
            &statement, err) < 0 ||
        database_step(statement, &lost, err) < 0)
        return err_status(err);
    return lost ? query_problems(db, text, err) : 0;
}

int db_read_facts(sqlite3 *db, struct db_facts *ret, struct err *err)
{
    struct db_facts facts;
    SCOPED_FREE char *family = NULL;
    int status = database_meta(db, "family", &family, err);
    if (status < 0)
        return status;
    facts.family = -1;
    for (int i = 0; i <= CAPTURE_UNKNOWN; i++)
        facts.family = strcmp(family, capture_family_name((enum capture_family)i)) == 0 ? i : facts.family;
    if (facts.family < 0) {
        err_set(err, ERR_FORMAT, "the database's family is '%.40s', which this version does not know", family);
        err_hint_caller(err, "import the capture again: MSPROF_IMPORT_ALWAYS, or again=True in Python");
        status = err_hint(err, "run 'msprof import' to rebuild it");
    }
    if (status < 0 || database_meta_integer(db, "origin_ns", &facts.origin_ns, err) < 0 ||
        database_meta_integer(db, "problems", &facts.problems, err) < 0)
        return err_status(err);
    *ret = facts;
    return 0;
}
