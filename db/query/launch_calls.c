/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/launch_calls.h"

#include "parsers/record.h"

#include <stdlib.h>

int launch_path_enter(struct launch_path *path, const struct cann_call *call, int64_t *ret, struct err *err)
{
    const bool is_launch = call->level == HOST_LEVEL_NODE && call->type == HOST_NODE_LAUNCH;
    while (path->outer.count > 0 && path->outer.items[path->outer.count - 1].id != call->parent_id)
        path->outer.count--;
    if (array_reserve(&path->outer, 1, err) < 0)
        return err_status(err);
    const int64_t around = path->outer.count > 0 ? path->outer.items[path->outer.count - 1].launch : 0;
    const int64_t launch = is_launch ? call->id : around;
    path->outer.items[path->outer.count++] = (struct outer_call){call->id, launch};
    *ret = call->launches == DB_NULL || call->launches <= 0 || call->connection_id == DB_NULL ? 0
           : launch != 0                                                                      ? launch
                                                                                              : call->id;
    return 0;
}

void launch_path_release(struct launch_path *path)
{
    free(path->outer.items);
}

/* The first call of a connection counts. */
static int take_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct launch_calls *calls = arg;
    int64_t launch;
    if (launch_path_enter(&calls->path, call, &launch, err) < 0)
        return err_status(err);
    if (launch <= 0 || (uint64_t)launch >= calls->count || call->connection_id <= 0 ||
        (uint64_t)call->connection_id >= calls->count || calls->items[call->connection_id] != 0)
        return 0;
    calls->items[call->connection_id] = launch;
    calls->launched[launch] = true;
    return 0;
}

int launch_calls_load(sqlite3 *db, struct launch_calls *ret, struct err *err)
{
    int64_t count;
    *ret = (struct launch_calls){.count = 0};
    if (cann_call_count(db, &count, err) < 0)
        return err_status(err);
    ret->count = (size_t)count + 1; /* connections are numbered by calls from 1 on */
    ret->items = calloc(ret->count, sizeof *ret->items);
    ret->launched = calloc(ret->count, sizeof *ret->launched);
    return ret->items != NULL && ret->launched != NULL ? cann_each_call(db, CANN_CALLS, take_call, ret, err)
                                                       : err_no_memory(err);
}

void launch_calls_release(struct launch_calls *calls)
{
    launch_path_release(&calls->path);
    free(calls->items);
    free(calls->launched);
}
