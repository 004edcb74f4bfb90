/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/take_row.h"

#include "base/progress.h"

/* The first value is the scan, the others are the row's. */
static void take_row(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct row_scan *scan = count > 0 ? sqlite3_value_pointer(values[0], TAKE_ROW_POINTER) : NULL;
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

int take_row_register(sqlite3 *db)
{
    return sqlite3_create_function_v2(db, "take_row", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, take_row, NULL, NULL,
                                      NULL);
}
