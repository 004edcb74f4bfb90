/* SPDX-License-Identifier: Apache-2.0 */
/* Origin that timelines count from. */
#ifndef MSPROF_DB_QUERY_QUERY_ORIGIN_H
#define MSPROF_DB_QUERY_QUERY_ORIGIN_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdint.h>

struct capture_origin {
    int64_t time_ns; /* the start of the capture, as its events' times are stored */
    /* One moment by two clocks; DB_NULL: not known. */
    int64_t origin_ns;      /* by the clock that the capture's times were taken with: monotonic, or a counter's */
    int64_t origin_unix_ns; /* since 1970 */
};
/* The start of the collection, where it is known; else the earliest event. family: CAPTURE_... */
int query_origin(sqlite3 *db, int family, struct capture_origin *ret, struct err *err);

#endif
