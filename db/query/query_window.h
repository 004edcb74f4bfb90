/* SPDX-License-Identifier: Apache-2.0 */
/* The stretch of time that the answers of a connection are about: --step, --from and --until. */
#ifndef MSPROF_DB_QUERY_QUERY_WINDOW_H
#define MSPROF_DB_QUERY_QUERY_WINDOW_H

#include "base/err.h"
#include "db/database.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct query_window {
    bool any;                  /* false: all of the capture */
    int64_t from_ns, until_ns; /* what begins at the first or later, and before the last */
    int64_t device_id;         /* DB_NULL: all devices */
    int64_t step;              /* as table overlap counts it; 0: it is no step */
};

/* Registers it in the connection; the file itself is not changed. */
int query_window_set(sqlite3 *db, const struct query_window *window, struct err *err);
int query_window_read(sqlite3 *db, struct query_window *ret, struct err *err);

/* Whether what begins then on a device is of it. */
static inline bool query_window_has(const struct query_window *window, int64_t device_id, int64_t start_ns)
{
    return !window->any || (start_ns >= window->from_ns && start_ns < window->until_ns &&
                            (window->device_id == DB_NULL || window->device_id == device_id));
}
/* Hides what is not of it: until query_window_widen the connection sees of each of these tables (ended by NULL, at most
 * QUERY_NARROWED_MAX) only rows that begin then. *ret false: one of them has no times, and nothing is hidden. */
#define QUERY_NARROWED_MAX 3
int query_window_narrow(sqlite3 *db, const struct query_window *window, const char *const *tables, bool *ret,
                        struct err *err);
int query_window_widen(sqlite3 *db, const char *const *tables, struct err *err);

/* A condition of SQL, and behind it that the columns start_ns and device_id are of what was chosen. */
#define QUERY_WINDOW_SIZE 256 /* beside the condition */
int query_window_condition(sqlite3 *db, const char *condition, char *text, size_t size, struct err *err);

#endif
