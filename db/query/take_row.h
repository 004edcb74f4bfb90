/* SPDX-License-Identifier: Apache-2.0 */
/* The function of SQL by which query_scan gets a row's values: take_row(scan, value, ...). */
#ifndef MSPROF_DB_QUERY_TAKE_ROW_H
#define MSPROF_DB_QUERY_TAKE_ROW_H

#include "base/err.h"

#include <sqlite3.h>

/* Type of the first argument's pointer, bound with sqlite3_bind_pointer under this name. */
#define TAKE_ROW_POINTER "scan"
struct row_scan {
    int (*each)(void *arg, sqlite3_value **values, struct err *err);
    void *arg;
    struct err *err;
    int status;
    unsigned rows;
};

/* Makes the function known to a connection. Returns a code of SQLite. */
int take_row_register(sqlite3 *db);

#endif
