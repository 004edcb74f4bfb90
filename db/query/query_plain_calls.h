/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that captures from before 2023 recorded, of ACL's functions and the runtime's: what only their own records say
 * (processes, parts of ACL, streams) beside host_call. Same conventions as query.h. Times are nanoseconds of the host's
 * monotonic clock. */
#ifndef MSPROF_DB_QUERY_QUERY_PLAIN_CALLS_H
#define MSPROF_DB_QUERY_QUERY_PLAIN_CALLS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdint.h>

/* A call of an ACL function, or of the runtime, by start. */
struct plain_call {
    const char *name;
    int64_t start_ns, end_ns, process_id, thread_id; /* process_id DB_NULL: of the runtime, which does not say */
    int64_t api_type;                                /* 1 op, 2 model, 3 runtime, 4 others */
};
typedef int (*plain_call_each)(void *arg, const struct plain_call *call, struct err *err);
int plain_each_acl_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err);
int plain_each_runtime_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err);
/* Both together, by start; of those with the same start the longest first. */
int plain_each_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err);

/* All calls of one function, by name. */
struct call_total {
    const char *name;
    int64_t api_type, process_id, thread_id, stream_id; /* of one of the calls */
    int64_t count, total_ns, min_ns, max_ns;
    int64_t all_ns; /* of all functions together */
};
typedef int (*call_total_each)(void *arg, const struct call_total *total, struct err *err);
int plain_each_acl_total(sqlite3 *db, int64_t device_id, call_total_each each, void *arg, struct err *err);
int plain_each_runtime_total(sqlite3 *db, int64_t device_id, call_total_each each, void *arg, struct err *err);

#endif
