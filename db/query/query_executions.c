/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_executions.h"

#include "base/array.h"
#include "base/file/spool.h"
#include "base/search.h"
#include "db/database.h"
#include "db/query/query_cann.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "parsers/record.h"

#include <stdlib.h>
#include <string.h>

/* ?1 the device, ?2 and ?3 the range. */
#define IN_RANGE(tick) tick " > ?2 AND " tick " <= ?3"

static int select_in_range(sqlite3 *db, const struct query_select *select, const struct execution_range *range,
                           int (*each)(void *arg, sqlite3_stmt *row, struct err *err), void *arg, struct err *err)
{
    /* DB_NULL would be bound as NULL. */
    const int64_t parameters[] = {range->device_id, range->after_tick > DB_NULL ? range->after_tick : DB_NULL + 1,
                                  range->until_tick > DB_NULL ? range->until_tick : DB_NULL + 1};
    return query_select(db, select, parameters, 3, each, arg, err);
}

/* ---- executions ---- */

struct task_row {
    int64_t device_id, context_id, stream_id, type, op_name_id, end_tick, aic_total_cycle, aiv_total_cycle;
    int64_t task_id, start_ns, duration_ns, op_type_id, op_task_type, model_id, block_num, tensor_set_id;
    int64_t start_tick, wait_tick, pending_tick, counted_blocks, launch_name_id;
    int64_t aic_counters[EXECUTION_COUNTERS], aiv_counters[EXECUTION_COUNTERS];
};

/* Columns that counts are made of, then the others. */
static const struct query_field task_fields[] = {
    QUERY_FIELD(struct task_row, device_id, "device_id"),
    QUERY_FIELD(struct task_row, context_id, "context_id"),
    QUERY_FIELD(struct task_row, stream_id, "stream_id"),
    QUERY_FIELD(struct task_row, type, "type"),
    QUERY_FIELD(struct task_row, op_name_id, "op_name_id"),
    QUERY_FIELD(struct task_row, end_tick, "end_tick"),
    QUERY_FIELD(struct task_row, aic_total_cycle, "aic_total_cycle"),
    QUERY_FIELD(struct task_row, aiv_total_cycle, "aiv_total_cycle"),
    QUERY_FIELD(struct task_row, task_id, "task_id"),
    QUERY_FIELD(struct task_row, start_ns, "start_ns"),
    QUERY_FIELD(struct task_row, duration_ns, "duration_ns"),
    QUERY_FIELD(struct task_row, op_type_id, "op_type_id"),
    QUERY_FIELD(struct task_row, op_task_type, "op_task_type"),
    QUERY_FIELD(struct task_row, model_id, "model_id"),
    QUERY_FIELD(struct task_row, block_num, "block_num"),
    QUERY_FIELD(struct task_row, tensor_set_id, "tensor_set_id"),
    QUERY_FIELD(struct task_row, start_tick, "start_tick"),
    QUERY_FIELD(struct task_row, wait_tick, "wait_tick"),
    QUERY_FIELD(struct task_row, pending_tick, "pending_tick"),
    QUERY_FIELD(struct task_row, counted_blocks, "counted_blocks"),
    QUERY_FIELD(struct task_row, launch_name_id, "launch_name_id"),
};
enum { COUNT_FIELDS = 8, TASK_FIELDS = sizeof task_fields / sizeof *task_fields };

#define CORE_COUNTERS(core)                                                                                            \
    QUERY_FIELD(struct task_row, core##_counters[0], #core "_event0"),                                                 \
        QUERY_FIELD(struct task_row, core##_counters[1], #core "_event1"),                                             \
        QUERY_FIELD(struct task_row, core##_counters[2], #core "_event2"),                                             \
        QUERY_FIELD(struct task_row, core##_counters[3], #core "_event3"),                                             \
        QUERY_FIELD(struct task_row, core##_counters[4], #core "_event4"),                                             \
        QUERY_FIELD(struct task_row, core##_counters[5], #core "_event5"),                                             \
        QUERY_FIELD(struct task_row, core##_counters[6], #core "_event6"),                                             \
        QUERY_FIELD(struct task_row, core##_counters[7], #core "_event7")
static const struct query_field counter_fields[] = {CORE_COUNTERS(aic), CORE_COUNTERS(aiv)};
static const struct query_select counter_select = {QUERY_FIELDS(counter_fields)};

struct task_scan {
    const struct execution_range *range;
    bool counting; /* of COUNT_FIELDS only */
    bool with_counters;
    int (*each)(void *arg, const struct task_row *task, struct err *err);
    void *arg;
};

/* Whole tasks: the parts of split ones have tables of their own. */
static bool is_in_range(const struct task_row *task, const struct execution_range *range)
{
    return task->context_id == DB_NULL && task->end_tick != DB_NULL && task->end_tick > range->after_tick &&
           task->end_tick <= range->until_tick;
}

static int take_task(void *arg, int64_t *row, struct err *err)
{
    const struct task_scan *scan = arg;
    const struct task_row *task = (const struct task_row *)(void *)row;
    return task->device_id == scan->range->device_id && (scan->counting || is_in_range(task, scan->range))
               ? scan->each(scan->arg, task, err)
               : 0;
}

/* Reads the tasks of a range, or where only counting all of the device. */
static int scan_tasks(sqlite3 *db, struct task_scan *tasks, struct err *err)
{
    const struct query_select select = {.fields = task_fields,
                                        .field_count = tasks->counting ? COUNT_FIELDS : TASK_FIELDS};
    struct query_scan *scan = NULL;
    int status = query_scan_fields(db, &select, tasks->with_counters ? &counter_select : NULL, "device_task",
                                   sizeof(struct task_row), &scan, err);
    status = status == 0 ? query_scan(scan, 1, INT64_MAX, take_task, tasks, err) : status;
    query_scan_free(scan);
    return status;
}

struct loop {
    const struct execution_query *query;
    struct cann_texts names, tensors;
    struct spool *sorted; /* NULL: they are wanted as they come */
    int (*each)(void *arg, const struct execution *execution, struct err *err);
    void *arg;
};

static uint64_t numbers_of(int64_t first, int64_t second)
{
    return (uint64_t)first << 32 | (uint32_t)second;
}

/* Numbers in descending order. */
static uint64_t descending(double number)
{
    uint64_t bits;
    number = number == 0 ? 0 : number; /* of either sign */
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 != 0 ? bits : ~(bits | UINT64_C(1) << 63);
}

/* Bytes of an execution that have what a query asks for. */
static size_t wanted_size(const struct execution_query *query)
{
    return (query->parts & (EXECUTION_TENSORS | EXECUTION_COUNTED)) != 0 ? sizeof(struct execution)
                                                                         : offsetof(struct execution, tensors);
}

static int sort_execution(const struct loop *loop, const struct execution *execution, struct err *err)
{
    const struct execution_query *query = loop->query;
    struct spool_key key = {spool_key_part(execution->end_tick), numbers_of(execution->stream_id, execution->task_id)};
    if (query->order == EXECUTIONS_BY_KEY)
        key = (struct spool_key){descending(query->key(query->key_arg, execution->start_tick, execution->end_tick)),
                                 numbers_of(execution->task_id, execution->stream_id)};
    return spool_add(loop->sorted, &key, execution, wanted_size(query), err);
}

static void set_counters(struct execution *execution, const struct task_row *task)
{
    bool of_cube = task->aic_total_cycle != DB_NULL;
    execution->of_vector_core = !of_cube;
    execution->counted = of_cube || task->aiv_total_cycle != DB_NULL;
    execution->total_cycle = of_cube ? task->aic_total_cycle : task->aiv_total_cycle;
    memcpy(execution->counters, of_cube ? task->aic_counters : task->aiv_counters, sizeof execution->counters);
}

static int take_execution(void *arg, const struct task_row *task, struct err *err)
{
    const struct loop *loop = arg;
    const struct execution_query *query = loop->query;
    if (query->operators_only && task->op_name_id == DB_NULL)
        return 0;
    struct execution execution = {
        .device_id = task->device_id,
        .stream_id = task->stream_id,
        .task_id = task->task_id,
        .type = task->type,
        .start_ns = task->start_ns,
        .duration_ns = task->duration_ns,
        .wait_tick = task->wait_tick,
        .pending_tick = task->pending_tick,
        .start_tick = task->start_tick,
        .end_tick = task->end_tick,
        .op_name = cann_text(&loop->names, task->op_name_id, 0).text,
        .op_type = cann_text(&loop->names, task->op_type_id, 0).text,
        .op_task_type = task->op_task_type,
        .model_id = task->model_id,
        .block_num = task->block_num,
        .launch = cann_text(&loop->names, task->launch_name_id, 0).text,
        .counted_blocks = task->counted_blocks,
    };
    for (size_t i = 0; (query->parts & EXECUTION_TENSORS) != 0 && i < EXECUTION_TENSOR_TEXTS; i++)
        execution.tensors[i] = cann_text(&loop->tensors, task->tensor_set_id, i).text;
    if ((query->parts & EXECUTION_COUNTED) != 0)
        set_counters(&execution, task);
    return loop->sorted != NULL ? sort_execution(loop, &execution, err) : loop->each(loop->arg, &execution, err);
}

static int give_sorted(const struct loop *loop, struct err *err)
{
    struct execution execution = {.device_id = 0};
    struct spool_item item;
    int status = spool_finish(loop->sorted, err);
    while (status == 0 && (status = spool_next(loop->sorted, &item, err)) > 0) {
        memcpy(&execution, item.record, item.size);
        status = loop->each(loop->arg, &execution, err);
    }
    return status;
}

#define SORT_MEMORY ((size_t)4 * 1024 * 1024)

static int prepare_loop(sqlite3 *db, struct loop *loop, struct err *err)
{
    const struct execution_query *query = loop->query;
    if (cann_names_load(db, &loop->names, err) < 0 ||
        ((query->parts & EXECUTION_TENSORS) != 0 && cann_tensor_sets_load(db, &loop->tensors, err) < 0) ||
        (query->order != EXECUTIONS_BY_START && (loop->sorted = spool_new(SORT_MEMORY, NULL, err)) == NULL))
        return -(int)err->code;
    return 0;
}

int execution_each(sqlite3 *db, const struct execution_query *query,
                   int (*each)(void *arg, const struct execution *execution, struct err *err), void *arg,
                   struct err *err)
{
    struct loop loop = {.query = query, .each = each, .arg = arg};
    struct task_scan scan = {.range = &query->range,
                             .with_counters = (query->parts & EXECUTION_COUNTED) != 0,
                             .each = take_execution,
                             .arg = &loop};
    int status = prepare_loop(db, &loop, err);
    status = status == 0 ? scan_tasks(db, &scan, err) : status;
    if (status == 0 && loop.sorted != NULL)
        status = give_sorted(&loop, err);
    spool_free(loop.sorted);
    cann_texts_release(&loop.tensors);
    cann_texts_release(&loop.names);
    return status;
}

/* ---- copies ---- */

/* A copy ends (state 2) after it was received (0) and started (1). */
#define COPIES                                                                                                         \
    "(SELECT stream_id, task_id, received, started, tick AS ended FROM (SELECT stream_id, task_id, task_state, tick,"  \
    "  lag(task_state, 2) OVER task AS state0, lag(tick, 2) OVER task AS received,"                                    \
    "  lag(task_state) OVER task AS state1, lag(tick) OVER task AS started"                                            \
    "  FROM ts_track WHERE device_id = ?1 AND tag = " SQL_NUMBER(                                                      \
        TRACK_TAG_COPY) "  WINDOW task AS (PARTITION BY stream_id, task_id ORDER BY tick, task_state, id))"            \
                        "  WHERE task_state = 2 AND state1 = 1 AND state0 = 0 AND " IN_RANGE("tick") ")"

static const struct query_field copy_fields[] = {
    QUERY_FIELD(struct device_copy, stream_id, "stream_id"),   QUERY_FIELD(struct device_copy, task_id, "task_id"),
    QUERY_FIELD(struct device_copy, receive_tick, "received"), QUERY_FIELD(struct device_copy, start_tick, "started"),
    QUERY_FIELD(struct device_copy, end_tick, "ended"),
};
static const struct query_select copies = {QUERY_FIELDS(copy_fields),
                                           .from = "FROM " COPIES " ORDER BY started, stream_id, task_id"};

struct copy_loop {
    int (*each)(void *arg, const struct device_copy *copy, struct err *err);
    void *arg;
};

static int take_copy(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct copy_loop *loop = arg;
    struct device_copy copy;
    query_take(row, 0, copies.fields, copies.field_count, &copy);
    return loop->each(loop->arg, &copy, err);
}

int device_copy_each(sqlite3 *db, const struct execution_range *range,
                     int (*each)(void *arg, const struct device_copy *copy, struct err *err), void *arg,
                     struct err *err)
{
    struct copy_loop loop = {each, arg};
    return select_in_range(db, &copies, range, take_copy, &loop, err);
}

/* ---- the AI CPU ---- */

static const struct query_field ai_cpu_fields[] = {
    QUERY_FIELD(struct ai_cpu_run, start_ns, "a.start_ns"),
    QUERY_FIELD(struct ai_cpu_run, duration_ns, "a.duration_ns"),
    QUERY_FIELD(struct ai_cpu_run, compute_ns, "a.compute_ns"),
    QUERY_FIELD(struct ai_cpu_run, copy_ns, "a.copy_ns"),
    QUERY_FIELD(struct ai_cpu_run, dispatch_ns, "a.dispatch_ns"),
    QUERY_FIELD(struct ai_cpu_run, total_ns, "a.total_ns"),
    QUERY_FIELD(struct ai_cpu_run, op_name, "n.text"),
};
static const struct query_select ai_cpu_runs = {
    QUERY_FIELDS(ai_cpu_fields),
    .from = "FROM aicpu_node a LEFT JOIN name n ON n.id = a.op_name_id WHERE a.device_id = ?1 AND " IN_RANGE(
        "a.end_tick") " ORDER BY a.start_tick, a.id"};

struct ai_cpu_loop {
    int (*each)(void *arg, const struct ai_cpu_run *run, struct err *err);
    void *arg;
};

static int take_ai_cpu_run(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct ai_cpu_loop *loop = arg;
    struct ai_cpu_run run;
    query_take(row, 0, ai_cpu_runs.fields, ai_cpu_runs.field_count, &run);
    return loop->each(loop->arg, &run, err);
}

int ai_cpu_run_each(sqlite3 *db, const struct execution_range *range,
                    int (*each)(void *arg, const struct ai_cpu_run *run, struct err *err), void *arg, struct err *err)
{
    struct ai_cpu_loop loop = {each, arg};
    return select_in_range(db, &ai_cpu_runs, range, take_ai_cpu_run, &loop, err);
}

/* ---- what there is ---- */

/* Counters that belong to no task count too: they say what was counted. */
#define COUNTED(records) "EXISTS (SELECT 1 FROM " records " WHERE device_id = ?1 AND stream_id IS NOT NULL)"

static const struct query_field count_fields[] = {
    QUERY_FIELD(struct execution_counts, copies, "(SELECT count(*) FROM " COPIES ")"),
    QUERY_FIELD(struct execution_counts, ai_cpu_runs,
                "(SELECT count(*) FROM aicpu_node WHERE device_id = ?1 AND " IN_RANGE("end_tick") ")"),
    QUERY_FIELD(struct execution_counts, tensors,
                "EXISTS (SELECT 1 FROM device_task JOIN tensor_set x ON x.id = tensor_set_id WHERE device_id = ?1 AND"
                " (x.input_shapes IS NOT NULL OR x.output_shapes IS NOT NULL))"),
    QUERY_FIELD(struct execution_counts, of_ai_cores, COUNTED("aicore_pmu")),
    QUERY_FIELD(struct execution_counts, of_vector_cores, COUNTED("aiv_pmu")),
};
static const struct query_select counts = {QUERY_FIELDS(count_fields), .from = ""};

static int take_counts(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    query_take(row, 0, counts.fields, counts.field_count, arg);
    return 0;
}

struct counting {
    const struct execution_range *range;
    struct execution_counts *counts;
};

static int count_task(void *arg, const struct task_row *task, struct err *err)
{
    (void)err;
    const struct counting *counting = arg;
    struct execution_counts *ret = counting->counts;
    bool known = task->device_id != DB_NULL;
    ret->of_ai_cores |= known && task->aic_total_cycle != DB_NULL;
    ret->of_vector_cores |= known && task->aiv_total_cycle != DB_NULL;
    if (is_in_range(task, counting->range)) {
        ret->tasks++;
        ret->operators += task->op_name_id != DB_NULL;
        ret->ai_cpu_tasks += task->type == 1;
    }
    return 0;
}

int execution_count(sqlite3 *db, const struct execution_range *range, struct execution_counts *ret, struct err *err)
{
    *ret = (struct execution_counts){.tasks = 0};
    struct counting counting = {range, ret};
    struct task_scan scan = {.range = range, .counting = true, .each = count_task, .arg = &counting};
    int status = select_in_range(db, &counts, range, take_counts, ret, err);
    return status == 0 ? scan_tasks(db, &scan, err) : status;
}

struct number_loop {
    int (*each)(void *arg, int64_t number, struct err *err);
    void *arg;
};

static int take_number(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct number_loop *loop = arg;
    return loop->each(loop->arg, query_integer(row, 0), err);
}

struct streams {
    int64_t *items; /* each once, ascending */
    size_t count, capacity;
};

static int add_stream(void *arg, int64_t stream_id, struct err *err)
{
    struct streams *streams = arg;
    size_t at = search_until(streams->items, streams->count, sizeof *streams->items, 0, stream_id);
    if (at > 0 && streams->items[at - 1] == stream_id)
        return 0;
    if (array_reserve(streams, 1, err) < 0)
        return -(int)err->code;
    memmove(streams->items + at + 1, streams->items + at, (streams->count - at) * sizeof *streams->items);
    streams->items[at] = stream_id;
    streams->count++;
    return 0;
}

struct stream_search {
    const struct execution_range *range;
    struct streams streams;
};

static int add_stream_of_task(void *arg, const struct task_row *task, struct err *err)
{
    struct stream_search *search = arg;
    return is_in_range(task, search->range) ? add_stream(&search->streams, task->stream_id, err) : 0;
}

static const struct query_field stream_field[] = {QUERY_FIELD(struct device_copy, stream_id, "DISTINCT stream_id")};
static const struct query_select copy_streams = {QUERY_FIELDS(stream_field), .from = "FROM " COPIES};

int execution_each_stream(sqlite3 *db, const struct execution_range *range,
                          int (*each)(void *arg, int64_t stream_id, struct err *err), void *arg, struct err *err)
{
    struct stream_search search = {.range = range};
    struct number_loop loop = {add_stream, &search.streams};
    struct task_scan scan = {.range = range, .counting = true, .each = add_stream_of_task, .arg = &search};
    int status = scan_tasks(db, &scan, err);
    if (status == 0)
        status = select_in_range(db, &copy_streams, range, take_number, &loop, err);
    for (size_t i = 0; i < search.streams.count && status == 0; i++)
        status = each(arg, search.streams.items[i], err);
    free(search.streams.items);
    return status;
}

int execution_each_device(sqlite3 *db, int (*each)(void *arg, int64_t device_id, struct err *err), void *arg,
                          struct err *err)
{
    struct number_loop loop = {each, arg};
    return query_run(db,
                     "SELECT device_id FROM device_task UNION SELECT device_id FROM training_trace"
                     " UNION SELECT device_id FROM aicpu_log UNION SELECT device_id FROM data_queue_log ORDER BY 1",
                     NULL, 0, take_number, &loop, err);
}

static const struct query_field type_fields[] = {
    QUERY_FIELD(struct type_total, type, "type"),
    QUERY_FIELD(struct type_total, count, "number"),
    QUERY_FIELD(struct type_total, total_ns, "total_ns"),
    QUERY_FIELD(struct type_total, min_ns, "min_ns"),
    QUERY_FIELD(struct type_total, max_ns, "max_ns"),
    QUERY_FIELD(struct type_total, report_total_ns, "sum(total_ns) OVER ()"),
};
static const struct query_select types = {
    QUERY_FIELDS(type_fields), .from =
                                   "FROM (SELECT y.text AS type, count(*) AS number, sum(t.duration_ns) AS total_ns,"
                                   "  min(t.duration_ns) AS min_ns, max(t.duration_ns) AS max_ns"
                                   "  FROM device_task t LEFT JOIN name y ON y.id = t.op_type_id"
                                   "  WHERE t.device_id IS ?1 AND t.op_name_id IS NOT NULL GROUP BY 1)"
                                   "  ORDER BY total_ns DESC, coalesce(type, 'N/A')"};

struct type_loop {
    int (*each)(void *arg, const struct type_total *total, struct err *err);
    void *arg;
};

static int take_type(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct type_loop *loop = arg;
    struct type_total total;
    query_take(row, 0, types.fields, types.field_count, &total);
    return loop->each(loop->arg, &total, err);
}

int execution_each_type(sqlite3 *db, int64_t device_id,
                        int (*each)(void *arg, const struct type_total *total, struct err *err), void *arg,
                        struct err *err)
{
    struct type_loop loop = {each, arg};
    return query_select(db, &types, &device_id, 1, take_type, &loop, err);
}

/* ---- iterations ---- */

static const struct query_field end_fields[] = {
    QUERY_FIELD(struct iteration_end, model_id, "model_id"),
    QUERY_FIELD(struct iteration_end, iteration, "index_id"),
    QUERY_FIELD(struct iteration_end, end_tick, "max(tick)"),
};
static const struct query_select ends = {
    QUERY_FIELDS(end_fields),
    .from = "FROM ts_track WHERE device_id = ?1 AND tag = " SQL_NUMBER(TRACK_TAG_STEP) " AND step_tag = " SQL_NUMBER(
        STEP_TAG_MODEL_END) " GROUP BY model_id, index_id"
                            " ORDER BY model_id, index_id"};

struct end_loop {
    int (*each)(void *arg, const struct iteration_end *end, struct err *err);
    void *arg;
};

static int take_end(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct end_loop *loop = arg;
    struct iteration_end end;
    query_take(row, 0, ends.fields, ends.field_count, &end);
    return loop->each(loop->arg, &end, err);
}

int iteration_each_end(sqlite3 *db, int64_t device_id,
                       int (*each)(void *arg, const struct iteration_end *end, struct err *err), void *arg,
                       struct err *err)
{
    struct end_loop loop = {each, arg};
    return query_select(db, &ends, &device_id, 1, take_end, &loop, err);
}
