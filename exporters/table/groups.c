/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/groups.h"

#include "base/array.h"
#include "base/number.h"
#include "db/query/query_window.h"
#include "db/warm_up.h"
#include "exporters/parallel.h"

#include <stdlib.h>

/* Counts one duration in the group of a key. */
static int count_in(struct map *groups, const struct group_key *key, int64_t hz, int64_t start_ns, int64_t duration_ns,
                    struct err *err)
{
    struct group *group = map_add(groups, key, NULL, err);
    if (group == NULL)
        return err_status(err);
    const int64_t ticks = ticks_of(hz, start_ns, duration_ns);
    if (group->count == 0 || ticks < group->min_ticks)
        group->min_ticks = ticks;
    if (group->count == 0 || ticks > group->max_ticks)
        group->max_ticks = ticks;
    group->hz = hz;
    group->count++;
    group->total_ticks = number_add(group->total_ticks, ticks);
    group->squares += (uint128)ticks * (uint128)ticks;
    return 0;
}

static int merge(struct map *groups, const struct map *others, struct err *err)
{
    for (const struct group *other = NULL; (other = map_next(others, other)) != NULL;) {
        bool added;
        struct group *group = map_add(groups, &other->key, &added, err);
        if (group == NULL)
            return err_status(err);
        if (added || other->min_ticks < group->min_ticks)
            group->min_ticks = other->min_ticks;
        if (added || other->max_ticks > group->max_ticks)
            group->max_ticks = other->max_ticks;
        group->hz = other->hz;
        group->count += other->count;
        group->total_ticks = number_add(group->total_ticks, other->total_ticks);
        group->squares += other->squares;
    }
    return 0;
}

struct order {
    const struct cann_texts *names;
    int (*compare)(const struct group *a, const struct group *b, const struct cann_texts *names);
};

static int compare_groups(const void *a, const void *b, void *arg)
{
    const struct order *order = arg;
    const struct group *x = a, *y = b;
    int compared = order->compare(x, y, order->names);
    return compared != 0 ? compared : array_order(x->key.name_id, y->key.name_id);
}

/* The groups of a map in order. */
static int sort(const struct map *map, struct order *order, struct groups *ret, struct err *err)
{
    ret->items = map_items(map, err);
    if (ret->items == NULL)
        return err_status(err);
    ret->count = map->used;
    for (size_t i = 0; i < ret->count; i++) {
        struct group *group = &ret->items[i];
        group->total_ns = ticks_ns(group->hz, group->total_ticks);
        group->min_ns = ticks_ns(group->hz, group->min_ticks);
        group->max_ns = ticks_ns(group->hz, group->max_ticks);
    }
    qsort_r(ret->items, ret->count, sizeof *ret->items, compare_groups, order);
    return 0;
}

int group_compare_names(const struct group *x, const struct group *y, const struct cann_texts *names)
{
    struct cann_text a = cann_text(names, x->key.name_id, 0), b = cann_text(names, y->key.name_id, 0);
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = a.text == NULL || b.text == NULL ? 0 : memcmp(a.text, b.text, shorter);
    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

void groups_release(struct groups *groups)
{
    free(groups->items);
    *groups = (struct groups){.items = NULL};
}

/* ---- side by side ---- */

#define ROWS_PER_UNIT 8192

struct unit {
    int64_t first, end; /* row ids */
};

struct worker {
    struct report_session *session; /* whose connection it has */
    const struct cann_clocks *clocks;
    const struct query_window *window;
    sqlite3 *db;
    struct cann_reader *reader;
    struct map groups;
    int64_t device_id, start_ns; /* the last device's start of the collection; DB_NULL: no device yet */
};

struct count {
    struct report_session *session;
    const struct cann_clocks *clocks;
    enum cann_rows rows;
    bool of_calls;
    struct query_window window;
    struct worker *workers[PARALLEL_MAX_WORKERS];
    size_t worker_count;
};

static void worker_close(void *opaque)
{
    struct worker *worker = opaque;
    cann_reader_free(worker->reader);
    report_return_connection(worker->session, worker->db);
    map_release(&worker->groups);
}

static int worker_open(void *opaque, void *arg, struct err *err)
{
    struct count *count = arg;
    struct worker *worker = opaque;
    worker->groups = (struct map)MAP_OF(struct group, key);
    worker->session = count->session;
    worker->clocks = count->clocks;
    worker->window = &count->window;
    worker->device_id = DB_NULL;
    if (report_lend_connection(count->session, &worker->db, err) == 0)
        worker->reader =
            cann_reader_share(count->worker_count > 0 ? count->workers[0]->reader : NULL, worker->db, count->rows, err);
    if (worker->reader == NULL)
        return err_status(err);
    count->workers[count->worker_count++] = worker;
    return 0;
}

static int count_call(void *arg, const struct cann_call *call, struct err *err)
{
    struct worker *worker = arg;
    const struct group_key key = {.major = call->level, .name_id = cann_call_name_id(call)};
    if (worker->window->any && (call->start_ns < worker->window->from_ns || call->start_ns >= worker->window->until_ns))
        return 0;
    return count_in(&worker->groups, &key, worker->clocks->host_hz, call->start_ns, call->duration_ns, err);
}

/* A task that the start of the collection cut is not counted: how long it lasted is not known. */
static int find_start(struct worker *worker, int64_t device_id, struct err *err)
{
    if (device_id == worker->device_id || device_id == DB_NULL)
        return 0;
    worker->device_id = device_id;
    return warm_up_start_ns(worker->db, device_id, &worker->start_ns, err);
}

static int count_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct worker *worker = arg;
    const struct group_key key = {.major = task->device_id,
                                  .name_id = task->op_type_id,
                                  .minor = task->op_task_type,
                                  .communicates = task->collective != DB_NULL};
    if (!cann_is_operator(task) || cann_is_named_alone(task->op_name_id, task->op_type_id) ||
        (worker->window->any && !query_window_has(worker->window, task->device_id, task->start_ns)))
        return 0;
    if (find_start(worker, task->device_id, err) < 0)
        return err_status(err);
    if (task->start_ns < worker->start_ns)
        return 0;
    return count_in(&worker->groups, &key, cann_clock_hz(worker->clocks, task->device_id), task->start_ns,
                    task->duration_ns, err);
}

static int count_tasks(void *opaque, void *opaque_unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    const struct unit *unit = opaque_unit;
    (void)output;
    return cann_read_tasks(worker->reader, unit->first, unit->end, count_task, worker, err);
}

static int count_calls(void *opaque, void *opaque_unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    const struct unit *unit = opaque_unit;
    (void)output;
    return cann_read_calls(worker->reader, unit->first, unit->end, count_call, worker, err);
}

static int submit_rows(struct parallel *parallel, int64_t count, struct err *err)
{
    for (int64_t id = 1; id <= count; id += ROWS_PER_UNIT) {
        struct unit *unit = parallel_unit(parallel, err);
        if (unit == NULL)
            return err_status(err);
        *unit = (struct unit){id, id + ROWS_PER_UNIT};
        parallel_submit(parallel);
    }
    return parallel_finish(parallel, err);
}

static int count_all(struct count *count, int64_t rows, struct map *ret, struct err *err)
{
    const struct parallel_work work = {
        .unit_size = sizeof(struct unit),
        .arg = count,
        .worker_size = sizeof(struct worker),
        .worker_open = worker_open,
        .worker_close = worker_close,
        .process = count->of_calls ? count_calls : count_tasks,
    };
    struct parallel *parallel = parallel_new(&work, NULL, err);
    int status = parallel != NULL ? submit_rows(parallel, rows, err) : err_status(err);
    for (size_t i = 0; status == 0 && i < count->worker_count; i++)
        status = merge(ret, &count->workers[i]->groups, err);
    parallel_free(parallel);
    return status;
}

int groups_load(struct report_session *session, enum groups_subject subject,
                int (*compare)(const struct group *a, const struct group *b, const struct cann_texts *names),
                struct groups *ret, struct err *err)
{
    bool of_calls = subject == GROUPS_OF_CALLS;
    struct count count = {.session = session, .clocks = report_clocks(session, err), .of_calls = of_calls};
    if (query_window_read(session->db, &count.window, err) < 0)
        return err_status(err);
    const bool timed = count.window.any || (count.clocks != NULL && ticks_has_origin(count.clocks->host_hz));
    if (of_calls)
        count.rows = timed ? CANN_TIMED_CALLS : CANN_CALL_DURATIONS;
    else
        count.rows = count.window.any ? CANN_SUMS : CANN_TASK_DURATIONS;
    const struct cann_texts *names = count.clocks != NULL ? report_names(session, false, err) : NULL;
    struct order order = {names, compare};
    SCOPED(map_release) struct map groups = MAP_OF(struct group, key);
    int64_t rows = 0;
    int status = names == NULL ? err_status(err)
                 : of_calls    ? cann_call_count(session->db, &rows, err)
                               : cann_task_count(session->db, &rows, err);
    if (status == 0)
        status = count_all(&count, rows, &groups, err);
    return status == 0 ? sort(&groups, &order, ret, err) : status;
}
