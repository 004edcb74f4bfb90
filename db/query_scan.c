#include "db/query_scan.h"

#include "base/interrupt.h"
#include "base/strbuf.h"
#include "db/query_loop.h"

#define SQL_LIMIT 8192

struct scan {
    int (*each)(void *arg, sqlite3_value **values, struct err *err);
    void *arg;
    struct err *err;
    int status;
    unsigned rows;
};

/* The first value is the scan, the others are the row's. */
static void take_row(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct scan *scan = count > 0 ? sqlite3_value_pointer(values[0], "scan") : NULL;
    if (scan == NULL) {
        sqlite3_result_error(context, "no scan", -1);
        return;
    }
    scan->status = (++scan->rows & 1023) == 0 && interrupted() ? interrupt_error(scan->err)
                                                               : scan->each(scan->arg, values + 1, scan->err);
    /* The condition is false, so that the statement goes on to the next row by itself. */
    if (scan->status == 0)
        sqlite3_result_int(context, 0);
    else
        sqlite3_result_error(context, "stopped", -1);
}

int query_scan_register(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "take_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, take_row, NULL, NULL,
                                      NULL);
}

int query_scan_prepare(sqlite3 *db, const char *columns, const char *table, sqlite3_stmt **ret, struct err *err)
{
    struct strbuf sql;
    strbuf_init(&sql, SQL_LIMIT);
    strbuf_addf(&sql, "SELECT 1 FROM %s WHERE id >= ?2 AND id < ?3 AND take_row(?1, %s) ORDER BY id", table, columns);
    int status = sql.failed ? err_set(err, ERR_NO_MEMORY, "out of memory") : database_prepare(db, sql.data, ret, err);
    strbuf_release(&sql);
    return status;
}

int query_scan(sqlite3 *db, sqlite3_stmt *statement, int64_t first, int64_t end,
               int (*each)(void *arg, sqlite3_value **values, struct err *err), void *arg, struct err *err)
{
    struct scan scan = {.each = each, .arg = arg, .err = err};
    query_bind(statement, 2, first);
    query_bind(statement, 3, end);
    int code = sqlite3_bind_pointer(statement, 1, &scan, "scan", NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    int status = scan.status;
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, db, "the database cannot be read");
    sqlite3_reset(statement);
    sqlite3_bind_null(statement, 1);
    return status;
}
