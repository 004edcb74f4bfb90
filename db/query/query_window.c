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
