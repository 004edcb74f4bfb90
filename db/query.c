/* Queries that every family shares, and the loop under all of them. */
#include "db/query.h"

#include "base/interrupt.h"
#include "db/database.h"
#include "db/query_loop.h"

#include <stdlib.h>
#include <string.h>

int query_loop(sqlite3 *db, sqlite3_stmt *statement, int (*each)(void *arg, sqlite3_stmt *row, struct err *err),
               void *arg, struct err *err)
{
    int code, status = 0;
    unsigned rows = 0;
    while (status == 0 && (code = sqlite3_step(statement)) != SQLITE_DONE) {
        if (code != SQLITE_ROW)
            status = database_error(err, db, "the database cannot be read");
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
    sqlite3_stmt *statement;
    int status = database_prepare(db, sql, &statement, err);
    for (size_t i = 0; status == 0 && i < parameter_count; i++)
        query_bind(statement, (int)i + 1, parameters[i]);
    if (status == 0)
        status = query_loop(db, statement, each, arg, err);
    sqlite3_finalize(statement);
    return status;
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

int db_family(sqlite3 *db)
{
    char *family = database_meta(db, "family");
    int result = family != NULL && strcmp(family, "ascend-job") == 0 ? DB_FAMILY_JOB : DB_FAMILY_SVP;
    free(family);
    return result;
}

int64_t db_origin_ns(sqlite3 *db)
{
    return database_meta_integer(db, "origin_ns", 0);
}

int64_t db_problem_count(sqlite3 *db)
{
    return database_meta_integer(db, "problems", 0);
}
