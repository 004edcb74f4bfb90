/* SPDX-License-Identifier: Apache-2.0 */
/* The stretch of time that the answers of a connection are about: --step, --from and --until. */
#ifndef MSPROF_DB_QUERY_QUERY_WINDOW_H
#define MSPROF_DB_QUERY_QUERY_WINDOW_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct query_window {
    bool any;                  /* false: all of the capture */
    int64_t from_ns, until_ns; /* what begins at the first or later, and before the last */
    int64_t device_id;         /* DB_NULL: all devices */
    int64_t step;              /* as table overlap counts it; 0: it is no step */
};

/* Tells the connection; the file itself is not changed. */
int query_window_set(sqlite3 *db, const struct query_window *window, struct err *err);
int query_window_read(sqlite3 *db, struct query_window *ret, struct err *err);

#endif
