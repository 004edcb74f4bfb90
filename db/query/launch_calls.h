/* SPDX-License-Identifier: Apache-2.0 */
/* The call that a connection's tasks belong to, as Ascend's tool numbers connections: the launch at the node level
 * around the call that launched them, else that call. */
#ifndef MSPROF_DB_QUERY_LAUNCH_CALLS_H
#define MSPROF_DB_QUERY_LAUNCH_CALLS_H

#include "base/array.h"
#include "base/err.h"
#include "db/query/query_cann.h"

/* A call whose inner ones may still come. */
struct outer_call {
    int64_t id, launch; /* launch: the call at the node level that is around, or is itself; 0: none */
};

/* The calls around the last one, and it. All zero: none. */
struct launch_path {
    struct ARRAY_OF(struct outer_call) outer;
};

/* Puts a call on those around it; calls come in the order of their ids. ret: the call that its tasks belong to, 0: it
 * launched none. */
int launch_path_enter(struct launch_path *path, const struct cann_call *call, int64_t *ret, struct err *err);
void launch_path_release(struct launch_path *path);

/* By connection. All zero: none. */
struct launch_calls {
    struct launch_path path;
    int64_t *items;
    bool *launched; /* by call: whether tasks belong to it */
    size_t count;
};

int launch_calls_load(sqlite3 *db, struct launch_calls *ret, struct err *err);
void launch_calls_release(struct launch_calls *calls);
/* Whether tasks belong to a call. */
static inline bool launch_calls_has(const struct launch_calls *calls, int64_t call_id)
{
    return call_id > 0 && (uint64_t)call_id < calls->count && calls->launched[call_id];
}
/* DB_NULL: nobody launched it. */
static inline int64_t launch_calls_of(const struct launch_calls *calls, int64_t connection_id)
{
    const bool known = connection_id > 0 && (uint64_t)connection_id < calls->count && calls->items[connection_id] != 0;
    return known ? calls->items[connection_id] : DB_NULL;
}

#endif
