/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that captures from before 2023 recorded, of ACL's functions and the runtime's: what only their own records say
 * (processes, parts of ACL, streams) beside host_call. Same conventions as query.h. Times are nanoseconds of the host's
 * monotonic clock. */
#ifndef MSPROF_DB_QUERY_QUERY_PLAIN_CALLS_H
#define MSPROF_DB_QUERY_QUERY_PLAIN_CALLS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* A call of an ACL function, or of the runtime. */
struct plain_call {
    const char *name;                                /* lives as long as the calls; NULL: none */
    uint32_t name_number;                            /* of those of the calls, which are numbered from 0 on */
    int64_t start_ns, end_ns, process_id, thread_id; /* process_id DB_NULL: of the runtime, which does not say */
    int64_t api_type;                                /* 1 op, 2 model, 3 runtime, 4 others */
};
enum plain_layers { PLAIN_ACL = 1, PLAIN_RUNTIME = 2, PLAIN_BOTH = PLAIN_ACL | PLAIN_RUNTIME };

/* The calls of a device: read when they are first asked for, and kept in spools. adds_up: their totals are asked for,
 * too, which are then made of what is read to be sorted. */
struct plain_calls; /* opaque */
/* NULL with err set. */
struct plain_calls *plain_calls_new(sqlite3 *db, int64_t device_id, bool adds_up, struct err *err);
void plain_calls_free(struct plain_calls *calls); /* NULL is fine */
/* Gives the calls of these layers by start, of both together those with the same start the longest first. */
int plain_calls_each(struct plain_calls *calls, enum plain_layers layers,
                     int (*each)(void *arg, const struct plain_call *call, struct err *err), void *arg,
                     struct err *err);

/* How many there are of those layers that were given. */
uint64_t plain_calls_count(const struct plain_calls *calls, enum plain_layers layers);

/* Gives the first of them of each thread, of which process_id and thread_id are set. */
int plain_calls_each_thread(struct plain_calls *calls, enum plain_layers layers,
                            int (*each)(void *arg, const struct plain_call *call, struct err *err), void *arg,
                            struct err *err);

/* Finds the first operator that the host reported between two times, both excluded. Asked in the order of from_ns it
 * goes through them once, and again from the first on for an earlier one. */
struct reported_operator {
    int64_t stream_id, task_id;
};
int plain_calls_find_operator(struct plain_calls *calls, int64_t from_ns, int64_t until_ns, bool *ret_found,
                              struct reported_operator *ret, struct err *err);

/* All calls of one function of one layer, by name. */
struct call_total {
    const char *name;
    int64_t api_type, process_id, thread_id, stream_id; /* of the first of the longest calls */
    int64_t count, total_ns, min_ns, max_ns;
    int64_t first_ns, first_end_ns, last_end_ns; /* of the call that began first, and when the last one ended */
    int64_t all_ns;                              /* of all functions together */
};
int plain_calls_each_total(struct plain_calls *calls, enum plain_layers layer,
                           int (*each)(void *arg, const struct call_total *total, struct err *err), void *arg,
                           struct err *err);

#endif
