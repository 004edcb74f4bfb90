/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_scan.h"

#include "base/strbuf.h"
#include "db/query/query_loop.h"
#include "db/query/take_row.h"

#define SQL_LIMIT 8192

int query_scan_prepare(sqlite3 *db, const char *columns, const char *table, const char *where, sqlite3_stmt **ret,
                       struct err *err)
{
    struct strbuf sql;
    strbuf_init(&sql, SQL_LIMIT);
    strbuf_addf(&sql, "SELECT 1 FROM %s WHERE id >= ?2 AND id < ?3 AND ", table);
    /* CASE keeps the order: a row that is not wanted is not given. */
    if (where != NULL)
        strbuf_addf(&sql, "CASE WHEN %s THEN take_row(?1, %s) END", where, columns);
    else
        strbuf_addf(&sql, "take_row(?1, %s)", columns);
    strbuf_adds(&sql, " ORDER BY id");
    int status = sql.failed ? err_set(err, ERR_NO_MEMORY, "out of memory") : database_prepare(db, sql.data, ret, err);
    strbuf_release(&sql);
    return status;
}

int query_scan(sqlite3 *db, sqlite3_stmt *statement, int64_t first, int64_t end,
               int (*each)(void *arg, sqlite3_value **values, struct err *err), void *arg, struct err *err)
{
    struct row_scan scan = {.each = each, .arg = arg, .err = err};
    query_bind(statement, 2, first);
    query_bind(statement, 3, end);
    int code = sqlite3_bind_pointer(statement, 1, &scan, TAKE_ROW_POINTER, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    int status = scan.status;
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, db, "the database cannot be read");
    sqlite3_reset(statement);
    sqlite3_bind_null(statement, 1);
    return status;
}
