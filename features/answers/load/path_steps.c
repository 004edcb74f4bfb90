/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/load/load.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"
#include "db/database.h"
#include "db/query/clocks.h"
#include "db/query/query_cann.h"
#include "db/query/query_loop.h"
#include "features/answers/analysis/gap_calls.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A call with the numbers that identify its tasks. */
struct connection {
    int64_t id;
    uint32_t call;
};

struct known_thread {
    int64_t id;
    uint32_t number;
};

/* A call as it is read, by thread. */
struct read_call {
    int64_t start_ns, duration_ns, id, thread, connection;
    uint32_t name;
    bool waits;
};

struct launch_load {
    const struct workload *workload;
    struct launches *launches;
    struct cann_texts names;
    bool *waiting; /* of each name: its calls wait */
    struct ARRAY_OF(struct read_call) read;
    struct ARRAY_OF(struct path_call) calls;        /* by start */
    struct ARRAY_OF(struct connection) connections; /* by id, the first call of each in front */
    size_t rows;                                    /* of tasks that were read */
    struct ARRAY_OF(int64_t) thread_ids;            /* by their numbers */
    struct map threads;                             /* of struct known_thread */
};

static int find_waiting(struct launch_load *load, struct err *err)
{
    load->waiting = calloc(load->names.rows + 1, sizeof *load->waiting);
    if (load->waiting == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < load->names.rows; i++) {
        const struct cann_text name = cann_text(&load->names, (int64_t)i, 0);
        load->waiting[i] = name.text != NULL && gap_call_is_waiting(name.text);
    }
    return 0;
}

static int number_thread(struct launch_load *load, int64_t id, uint32_t *ret, struct err *err)
{
    bool added;
    struct known_thread *thread = map_add(&load->threads, &id, &added, err);

    if (thread == NULL)
        return err_status(err);
    if (added) {
        if (array_add(&load->thread_ids, err, id) < 0)
            return err_status(err);
        thread->number = (uint32_t)load->launches->threads++;
    }
    *ret = thread->number;
    return 0;
}

static int read_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct launch_load *load = arg;
    const bool is_named = call->name_id >= 0 && (uint64_t)call->name_id < load->names.rows;
    const bool waits = is_named && load->waiting[call->name_id];

    if ((!waits && call->launches != 1) || call->start_ns == DB_NULL || call->duration_ns < 0)
        return 0;
    if (load->read.count >= LAUNCH_NONE)
        return err_set(err, ERR_LIMIT, "more than %u calls that launch", LAUNCH_NONE);
    if (large_reserve(&load->read, 1, err) < 0)
        return err_status(err);
    large_pass(load->read.count);
    load->read.items[load->read.count++] = (struct read_call){.start_ns = call->start_ns,
                                                              .duration_ns = call->duration_ns,
                                                              .id = call->id,
                                                              .thread = call->thread_id,
                                                              .connection = call->connection_id,
                                                              .name = is_named ? (uint32_t)call->name_id : 0,
                                                              .waits = waits};
    return 0;
}

ARRAY_COMPARE(by_start, struct read_call, ARRAY_BY(start_ns), ARRAY_BY(id))

static int take_call(struct launch_load *load, const struct read_call *call, struct err *err)
{
    uint32_t thread = 0;

    if (number_thread(load, call->thread, &thread, err) < 0)
        return err_status(err);
    if (!call->waits && call->connection != DB_NULL)
        load->connections.items[load->connections.count++] =
            (struct connection){call->connection, (uint32_t)load->calls.count};
    load->calls.items[load->calls.count++] = (struct path_call){.start_ns = call->start_ns,
                                                                .end_ns = number_add(call->start_ns, call->duration_ns),
                                                                .name = call->name,
                                                                .thread = thread & (UINT32_MAX >> 2),
                                                                .waits = call->waits};
    return 0;
}

ARRAY_COMPARE(by_id, struct connection, ARRAY_BY(id), ARRAY_BY(call))

static uint32_t find_call(const struct launch_load *load, int64_t connection)
{
    size_t low = search_from(load->connections.items, load->connections.count, sizeof *load->connections.items,
                             offsetof(struct connection, id), connection);
    bool found = low < load->connections.count && load->connections.items[low].id == connection;
    return found ? load->connections.items[low].call : LAUNCH_NONE;
}

/* Sets the launching call of the execution of a device and stream that begins at a time. */
static void find_launch(struct launch_load *load, int64_t device_id, int64_t stream, int64_t start_ns,
                        int64_t connection)
{
    const struct workload *workload = load->workload;
    uint16_t device = workload_device_of(workload, device_id);
    uint32_t call = find_call(load, connection);

    large_pass(load->rows++);
    if (device == workload->device_count || call == LAUNCH_NONE)
        return;
    struct path_call *launch = &load->launches->calls[call];
    if (launch->start_ns > start_ns) /* a task that began before its call was launched by another */
        return;
    for (size_t i = workload_first_at(workload, device, start_ns);
         i < workload->execution_count && workload->executions[i].device == device &&
         workload->executions[i].start_ns == start_ns;
         i++) {
        if (workload->streams[workload->executions[i].stream].id != stream)
            continue;
        load->launches->of[i] = call;
        launch->cut |= launch->end_ns > start_ns;
        launch->end_ns = launch->end_ns < start_ns ? launch->end_ns : start_ns;
    }
}

static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    (void)err;
    if (task->connection_id != DB_NULL && task->start_ns != DB_NULL && task->duration_ns >= 0)
        find_launch(arg, task->device_id, task->stream_id, task->start_ns, task->connection_id);
    return 0;
}

static int take_communication(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    find_launch(arg, query_integer(row, 0), -1, query_integer(row, 1), query_integer(row, 2));
    return 0;
}

static int read_calls(struct launch_load *load, sqlite3 *db, struct err *err)
{
    if (cann_names_load(db, &load->names, err) < 0 || find_waiting(load, err) < 0 ||
        cann_each_call(db, CANN_CALL_LAUNCHES, read_call, load, err) < 0 ||
        large_reserve(&load->calls, load->read.count, err) < 0 ||
        large_reserve(&load->connections, load->read.count, err) < 0)
        return err_status(err);
    large_sort(load->read.items, load->read.count, sizeof *load->read.items, by_start);
    for (size_t i = 0; i < load->read.count; large_pass(i++)) {
        if (take_call(load, &load->read.items[i], err) < 0)
            return err_status(err);
    }
    large_sort(load->connections.items, load->connections.count, sizeof *load->connections.items, by_id);
    return 0;
}

static int read_tasks(struct launch_load *load, sqlite3 *db, struct err *err)
{
    struct launches *launches = load->launches;

    launches->of = large_new(load->workload->execution_count + 1, sizeof *launches->of, err);
    if (launches->of == NULL)
        return err_status(err);
    for (size_t i = 0; i < load->workload->execution_count; large_pass(i++))
        launches->of[i] = LAUNCH_NONE;
    if (cann_each_task(db, CANN_TASK_LAUNCHES, take_task, load, err) < 0)
        return err_status(err);
    return query_run(db,
                     "SELECT device_id, start_ns, connection_id FROM communication_op"
                     " WHERE connection_id IS NOT NULL AND start_ns IS NOT NULL AND duration_ns >= 0",
                     NULL, 0, take_communication, load, err);
}

static void load_release(struct launch_load *load)
{
    map_release(&load->threads);
    cann_texts_release(&load->names);
    free(load->waiting);
    large_free(load->read.items);
    large_free(load->connections.items);
}

int workload_load_launches(sqlite3 *db, const struct workload *workload, struct launches *ret, struct err *err)
{
    SCOPED(load_release)
    struct launch_load load = {.workload = workload, .launches = ret, .threads = MAP_OF(struct known_thread, id)};
    int64_t ascend = 0;
    SCOPED(cann_clocks_release) struct cann_clocks clocks = {.items = NULL};
    int status = query_number(db, "SELECT count(*) FROM sqlite_master WHERE name = 'host_call'", &ascend, err);

    if (status != 0 || ascend == 0)
        return status;
    if (cann_clocks_load(db, &clocks, err) < 0)
        return err_status(err);
    status = read_calls(&load, db, err);
    ret->hz = clocks.host_hz;
    ret->calls = load.calls.items;
    ret->thread_ids = load.thread_ids.items;
    ret->count = load.calls.count;
    if (ret->count > 0 && status == 0)
        status = read_tasks(&load, db, err);
    return status;
}

int path_steps_load(sqlite3 *db, struct path_steps *steps, struct err *err)
{
    if (steps->workload.facts.placed || steps->workload.execution_count == 0)
        return 0;
    return splits_make(&steps->workload, &steps->splits, err) < 0 ||
                   workload_load_launches(db, &steps->workload, &steps->launches, err) < 0
               ? err_status(err)
               : 0;
}

void path_steps_release(struct path_steps *steps)
{
    step_paths_release(&steps->paths);
    launches_release(&steps->launches);
    splits_release(&steps->splits);
}

/* Whether the path of a split has anything to report. */
static bool counts(const struct path_steps *steps, size_t i)
{
    const struct splits *splits = &steps->splits;

    return !splits->whole && splits->groups.items[splits->items[i].group].source == splits->source &&
           splits_counts(splits, i) && splits_is_recorded(splits, i, &splits->items[i].own);
}

int path_steps_find(struct path_steps *steps, size_t split, const struct step_path **ret, struct err *err)
{
    return step_path_find(&steps->paths, &steps->workload, &steps->splits, split, &steps->launches, ret, err);
}

/* Splits behind i that have the same executions in their paths. */
static size_t count_alike(const struct path_steps *steps, size_t i)
{
    const struct split *items = steps->splits.items;
    size_t end = i + 1;

    while (end < steps->splits.count && counts(steps, end) && items[end].device == items[i].device &&
           items[end].start_ns == items[i].start_ns && split_end_ns(&items[end]) == split_end_ns(&items[i]))
        large_pass(end++);
    return end - i - 1;
}

int path_steps_each(struct path_steps *steps,
                    int (*each)(void *arg, const struct step_path *path, size_t times, struct err *err), void *arg,
                    struct err *err)
{
    for (size_t i = 0; i < steps->splits.count; i++) {
        const struct step_path *path;
        large_pass(i);
        if (!counts(steps, i))
            continue;
        if (path_steps_find(steps, i, &path, err) < 0)
            return err_status(err);
        large_passed(path->count);
        const size_t more = count_alike(steps, i);
        if (each(arg, path, 1 + more, err) < 0)
            return err_status(err);
        i += more;
    }
    return 0;
}

/* ---- the typical one ---- */

static double time_of(const struct split *split)
{
    return (double)(split->period.time_ns != NO_PERIOD ? split->period.time_ns : split->own.time_ns);
}

static size_t largest_group(const struct path_steps *steps, double *times)
{
    size_t largest = SIZE_MAX;

    for (size_t i = 0; i < steps->splits.count; i++) {
        large_pass(i);
        size_t group = steps->splits.items[i].group;
        if (!counts(steps, i))
            continue;
        times[group] += time_of(&steps->splits.items[i]);
        if (largest == SIZE_MAX || times[group] > times[largest])
            largest = group;
    }
    return largest;
}

static int by_value(const void *a, const void *b)
{
    return array_order(*(const double *)a, *(const double *)b);
}

static double median_of(const struct path_steps *steps, size_t group, double *times)
{
    size_t count = 0;

    for (size_t k = 0; k < steps->splits.groups.items[group].count; large_pass(k++)) {
        const size_t i = splits_member(&steps->splits, group, k);
        if (counts(steps, i))
            times[count++] = time_of(&steps->splits.items[i]);
    }
    qsort(times, count, sizeof *times, by_value);
    return times[count / 2];
}

size_t path_steps_typical(const struct path_steps *steps)
{
    const struct splits *splits = &steps->splits;
    size_t typical = SIZE_MAX, room = splits->count + splits->groups.count;
    SCOPED_FREE double *times = scoped_memory(room + 1, sizeof *times);
    size_t group = times != NULL ? largest_group(steps, times) : SIZE_MAX;

    if (group != SIZE_MAX) {
        double median = median_of(steps, group, times);
        for (size_t k = 0; k < splits->groups.items[group].count; large_pass(k++)) {
            const size_t i = splits_member(splits, group, k);
            if (counts(steps, i) && (typical == SIZE_MAX || fabs(time_of(&splits->items[i]) - median) <
                                                                fabs(time_of(&splits->items[typical]) - median)))
                typical = i;
        }
    }
    return typical;
}
