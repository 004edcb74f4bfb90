/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/load_launches.h"

#include "analysis/gap_calls.h"
#include "base/array.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "db/database.h"
#include "db/query/query_loop.h"

#include <stddef.h>

/* A call with what tells which tasks are its. */
struct connection {
    int64_t id;
    uint32_t call;
};

struct known_thread {
    int64_t id;
    uint32_t number;
};

struct launch_load {
    const struct workload *workload;
    struct launches *launches;
    struct {
        struct read_call {
            struct path_call call;
            int64_t connection;
        } * items; /* as they are read */
        size_t count, capacity;
    } read;
    struct {
        struct connection *items; /* by id */
        size_t count;
    } connections;
    struct map threads; /* of struct known_thread */
    struct map waiting; /* ids of names of calls that wait */
};

static int take_name(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct launch_load *load = arg;
    const char *text = query_text(row, 1);
    int64_t id = query_integer(row, 0);

    if (text == NULL || !is_waiting_call(text))
        return 0;
    return map_add(&load->waiting, &id, NULL, err) != NULL ? 0 : -(int)err->code;
}

static int number_thread(struct launch_load *load, int64_t id, uint32_t *ret, struct err *err)
{
    bool added;
    struct known_thread *thread = map_add(&load->threads, &id, &added, err);

    if (thread == NULL)
        return -(int)err->code;
    if (added)
        thread->number = (uint32_t)load->launches->threads++;
    *ret = thread->number;
    return 0;
}

static int take_call(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct launch_load *load = arg;
    int64_t name = query_integer(row, 4), start_ns = query_integer(row, 1);
    bool waits = map_get(&load->waiting, &name) != NULL;
    struct read_call it = {.connection = waits ? DB_NULL : query_integer(row, 0),
                           .call = {.start_ns = start_ns,
                                    .end_ns = number_add(start_ns, query_integer(row, 2)),
                                    .name = name >= 0 ? (uint32_t)name : 0,
                                    .waits = waits}};

    if (!waits && query_integer(row, 5) != 1)
        return 0;
    if (load->read.count >= LAUNCH_NONE)
        return err_set(err, ERR_LIMIT, "more than %u calls that launch", LAUNCH_NONE);
    uint32_t thread = 0;
    int status = number_thread(load, query_integer(row, 3), &thread, err);
    if (status != 0)
        return status;
    it.call.thread = thread & INT32_MAX;
    status = array_reserve(&load->read, 1, err);
    if (status != 0)
        return status;
    load->read.items[load->read.count++] = it;
    return 0;
}

static int by_start(const void *a, const void *b)
{
    const struct read_call *x = a, *y = b;

    return array_order(x->call.start_ns, y->call.start_ns);
}

/* Divides what was read into the calls by start, and what tells which tasks are theirs. */
static int divide(struct launch_load *load, struct err *err)
{
    struct launches *launches = load->launches;
    size_t count = load->read.count;

    array_sort(load->read.items, count, sizeof *load->read.items, by_start);
    launches->calls = calloc(count + 1, sizeof *launches->calls);
    load->connections.items = calloc(count + 1, sizeof *load->connections.items);
    if (launches->calls == NULL || load->connections.items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) {
        launches->calls[i] = load->read.items[i].call;
        if (load->read.items[i].connection != DB_NULL)
            load->connections.items[load->connections.count++] =
                (struct connection){load->read.items[i].connection, (uint32_t)i};
    }
    launches->count = count;
    free(load->read.items);
    load->read.items = NULL;
    return 0;
}

/* Puts the first call of a connection in front. */
static int by_id(const void *a, const void *b)
{
    const struct connection *x = a, *y = b;

    return x->id != y->id ? array_order(x->id, y->id) : array_order(x->call, y->call);
}

static uint32_t find_call(const struct launch_load *load, int64_t connection)
{
    size_t low = search_from(load->connections.items, load->connections.count, sizeof *load->connections.items,
                             offsetof(struct connection, id), connection);
    bool found = low < load->connections.count && load->connections.items[low].id == connection;
    return found ? load->connections.items[low].call : LAUNCH_NONE;
}

static uint16_t device_index(const struct workload *workload, int64_t id)
{
    for (size_t i = 0; i < workload->device_count; i++)
        if (workload->devices[i].id == id)
            return (uint16_t)i;
    return UINT16_MAX;
}

/* Tells the execution of a device and stream that begins at a time which call launched it. */
static int take_task(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct launch_load *load = arg;
    const struct workload *workload = load->workload;
    uint16_t device = device_index(workload, query_integer(row, 0));
    int64_t stream = query_integer(row, 1), start_ns = query_integer(row, 2);
    uint32_t call = find_call(load, query_integer(row, 3));

    (void)err;
    if (device == UINT16_MAX || call == LAUNCH_NONE)
        return 0;
    struct path_call *launch = &load->launches->calls[call];
    if (launch->start_ns > start_ns) /* a task that began before its call was launched by another */
        return 0;
    for (size_t i = workload_first_at(workload, device, start_ns);
         i < workload->execution_count && workload->executions[i].device == device &&
         workload->executions[i].start_ns == start_ns;
         i++) {
        if (workload->streams[workload->executions[i].stream].id != stream)
            continue;
        load->launches->of[i] = call;
        launch->end_ns = launch->end_ns < start_ns ? launch->end_ns : start_ns;
    }
    return 0;
}

static int read_calls(struct launch_load *load, sqlite3 *db, struct err *err)
{
    int status = query_run(db, "SELECT id, text FROM name", NULL, 0, take_name, load, err);

    if (status != 0)
        return status;
    status = query_run(db,
                       "SELECT connection_id, start_ns, duration_ns, thread_id, name_id, launches FROM host_call"
                       " WHERE (launches = 1 OR name_id IN (SELECT id FROM name WHERE text LIKE '%synchronize%'"
                       "  OR text LIKE '%memcpy%')) AND start_ns IS NOT NULL AND duration_ns >= 0",
                       NULL, 0, take_call, load, err);
    if (status != 0)
        return status;
    status = divide(load, err);
    array_sort(load->connections.items, load->connections.count, sizeof *load->connections.items, by_id);
    return status;
}

static int read_tasks(struct launch_load *load, sqlite3 *db, struct err *err)
{
    struct launches *launches = load->launches;

    launches->of = malloc((load->workload->execution_count + 1) * sizeof *launches->of);
    if (launches->of == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < load->workload->execution_count; i++)
        launches->of[i] = LAUNCH_NONE;
    int status = query_run(db,
                           "SELECT device_id, stream_id, start_ns, connection_id FROM device_task"
                           " WHERE connection_id IS NOT NULL AND start_ns IS NOT NULL AND duration_ns >= 0",
                           NULL, 0, take_task, load, err);
    if (status != 0)
        return status;
    return query_run(db,
                     "SELECT device_id, -1, start_ns, connection_id FROM communication_op"
                     " WHERE connection_id IS NOT NULL AND start_ns IS NOT NULL AND duration_ns >= 0",
                     NULL, 0, take_task, load, err);
}

int launches_load(sqlite3 *db, const struct workload *workload, struct launches *ret, struct err *err)
{
    struct launch_load load = {.workload = workload,
                               .launches = ret,
                               .threads = MAP_OF(struct known_thread, id),
                               .waiting = {.key_size = sizeof(int64_t), .item_size = sizeof(int64_t)}};
    int64_t ascend = 0;
    int status = query_number(db, "SELECT count(*) FROM sqlite_master WHERE name = 'host_call'", &ascend, err);

    if (status != 0 || ascend == 0)
        return status;
    status = read_calls(&load, db, err);
    if (ret->count > 0 && status == 0)
        status = read_tasks(&load, db, err);
    free(load.read.items);
    map_release(&load.threads);
    map_release(&load.waiting);
    free(load.connections.items);
    return status;
}
