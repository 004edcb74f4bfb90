/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_window.h"

#include "db/query/query_loop.h"

#include <stdio.h>

int query_window_set(sqlite3 *db, const struct query_window *window, struct err *err)
{
    char *sql = sqlite3_mprintf("PRAGMA query_only = OFF; CREATE TEMP TABLE answer_window(from_ns, until_ns, device_id,"
                                " step); INSERT INTO temp.answer_window VALUES(%lld, %lld, %lld, %lld);"
                                " PRAGMA query_only = ON",
                                (long long)window->from_ns, (long long)window->until_ns, (long long)window->device_id,
                                (long long)window->step);
    int status = sql != NULL ? database_exec(db, sql, err) : err_no_memory(err);
    sqlite3_free(sql);
    return status;
}

static int take_window(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct query_window *window = arg;

    (void)err;
    *window = (struct query_window){true, query_integer(row, 0), query_integer(row, 1), query_integer(row, 2),
                                    query_integer(row, 3)};
    return 0;
}

int query_window_read(sqlite3 *db, struct query_window *ret, struct err *err)
{
    int64_t any = 0;

    *ret = (struct query_window){.any = false};
    if (query_number(db, "SELECT EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'answer_window')", &any, err) <
        0)
        return err_status(err);
    return any ? query_run(db, "SELECT from_ns, until_ns, device_id, step FROM temp.answer_window", NULL, 0,
                           take_window, ret, err)
               : 0;
}

/* ---- tables of which only a part is seen ---- */

static int has_column(sqlite3 *db, const char *table, const char *column, bool *ret, struct err *err)
{
    int64_t any = 0;
    char *sql = sqlite3_mprintf("SELECT EXISTS (SELECT 1 FROM pragma_table_info(%Q) WHERE name = %Q)", table, column);
    int status = sql != NULL ? query_number(db, sql, &any, err) : err_no_memory(err);

    sqlite3_free(sql);
    *ret = any != 0;
    return status;
}

/* A temporary view hides the table of its name from whatever asks for that. */
static int hide(sqlite3 *db, const struct query_window *window, const char *table, bool *ret, struct err *err)
{
    bool starts = false, timed = false, of_device = false;

    if (has_column(db, table, "start_ns", &starts, err) < 0 || has_column(db, table, "time_ns", &timed, err) < 0 ||
        has_column(db, table, "device_id", &of_device, err) < 0)
        return err_status(err);
    *ret = starts || timed;
    if (!*ret)
        return 0;
    const char *time = starts ? "start_ns" : "time_ns";
    char *sql = sqlite3_mprintf("CREATE TEMP VIEW %s AS SELECT * FROM main.%s WHERE %s >= %lld"
                                " AND %s < %lld AND (%s IS NULL OR %lld IN (%s, %lld))",
                                table, table, time, (long long)window->from_ns, time, (long long)window->until_ns,
                                of_device ? "device_id" : "NULL", (long long)window->device_id,
                                of_device ? "device_id" : "NULL", (long long)DB_NULL);
    int status = sql != NULL ? database_exec(db, sql, err) : err_no_memory(err);
    sqlite3_free(sql);
    return status;
}

static int show(sqlite3 *db, const char *const *tables, struct err *err)
{
    for (size_t i = 0; i < QUERY_NARROWED_MAX && tables[i] != NULL; i++) {
        char *sql = sqlite3_mprintf("DROP VIEW IF EXISTS temp.%s", tables[i]);
        const int status = sql != NULL ? database_exec(db, sql, err) : err_no_memory(err);
        sqlite3_free(sql);
        if (status < 0)
            return status;
    }
    return 0;
}

static int begin_views(sqlite3 *db, struct err *err)
{
    return database_exec(db, "PRAGMA query_only = OFF", err);
}

/* The first failure is the one that is reported. */
static int end_views(sqlite3 *db, int status, struct err *err)
{
    struct err ignored = ERR_INIT;
    const int closed = database_exec(db, "PRAGMA query_only = ON", status < 0 ? &ignored : err);
    return status < 0 ? status : closed;
}

int query_window_widen(sqlite3 *db, const char *const *tables, struct err *err)
{
    return begin_views(db, err) < 0 ? err_status(err) : end_views(db, show(db, tables, err), err);
}

int query_window_narrow(sqlite3 *db, const struct query_window *window, const char *const *tables, bool *ret,
                        struct err *err)
{
    struct err ignored = ERR_INIT;
    int status = 0;

    *ret = true;
    if (begin_views(db, err) < 0)
        return err_status(err);
    for (size_t i = 0; status == 0 && *ret && i < QUERY_NARROWED_MAX && tables[i] != NULL; i++)
        status = hide(db, window, tables[i], ret, err);
    if (status < 0)
        show(db, tables, &ignored);
    else if (!*ret)
        status = show(db, tables, err);
    return end_views(db, status, err);
}

int query_window_condition(sqlite3 *db, const char *condition, char *text, size_t size, struct err *err)
{
    struct query_window window;

    if (query_window_read(db, &window, err) < 0)
        return err_status(err);
    size_t used = (size_t)snprintf(text, size, "%s", condition);
    if (window.any)
        used += (size_t)snprintf(text + used, size - used, " AND start_ns >= %lld AND start_ns < %lld",
                                 (long long)window.from_ns, (long long)window.until_ns);
    if (window.any && window.device_id != DB_NULL)
        snprintf(text + used, size - used, " AND device_id = %lld", (long long)window.device_id);
    return 0;
}
