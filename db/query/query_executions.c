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

struct task_scan {
    const struct execution_range *range;
    bool with_counters;
    int (*each)(void *arg, const struct cann_task *task, struct err *err);
    void *arg;
};

/* Whole tasks: the parts of split ones have tables of their own. */
static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    const struct task_scan *scan = arg;
    const struct execution_range *range = scan->range;
    return task->device_id == range->device_id && task->context_id == DB_NULL && task->end_tick != DB_NULL &&
                   task->end_tick > range->after_tick && task->end_tick <= range->until_tick
               ? scan->each(scan->arg, task, err)
               : 0;
}

static int scan_tasks(sqlite3 *db, struct task_scan *scan, struct err *err)
{
    struct cann_task_reader *reader = cann_ticks_reader_new(db, scan->with_counters, err);
    int status = reader != NULL ? cann_read_tasks(reader, 1, INT64_MAX, take_task, scan, err) : -(int)err->code;
    cann_task_reader_free(reader);
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

static void set_counters(struct execution *execution, const struct cann_task *task)
{
    execution->of_vector_core = !task->has_aic;
    execution->counted = task->has_aic || task->has_aiv;
    execution->total_cycle = task->has_aic ? task->aic_total_cycle : task->aiv_total_cycle;
    memcpy(execution->counters, task->has_aic ? task->aic_counters : task->aiv_counters, sizeof execution->counters);
}

static int take_execution(void *arg, const struct cann_task *task, struct err *err)
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
    QUERY_MEMBERS(struct device_copy, "", stream_id, task_id),
    QUERY_FIELD(struct device_copy, receive_tick, "received"),
    QUERY_FIELD(struct device_copy, start_tick, "started"),
    QUERY_FIELD(struct device_copy, end_tick, "ended"),
};
static const struct query_select copies = {QUERY_FIELDS(copy_fields),
                                           .from = "FROM " COPIES " ORDER BY started, stream_id, task_id"};

QUERY_GIVE(copy, struct device_copy, copy_fields)

int device_copy_each(sqlite3 *db, const struct execution_range *range,
                     int (*each)(void *arg, const struct device_copy *copy, struct err *err), void *arg,
                     struct err *err)
{
    struct copy_loop loop = {each, arg};
    return select_in_range(db, &copies, range, give_copy, &loop, err);
}

/* ---- the AI CPU ---- */

static const struct query_field ai_cpu_fields[] = {
    QUERY_MEMBERS(struct ai_cpu_run, "a.", start_ns, duration_ns, compute_ns, copy_ns, dispatch_ns, total_ns),
    QUERY_FIELD(struct ai_cpu_run, op_name, "n.text"),
};
static const struct query_select ai_cpu_runs = {
    QUERY_FIELDS(ai_cpu_fields),
    .from = "FROM aicpu_node a LEFT JOIN name n ON n.id = a.op_name_id WHERE a.device_id = ?1 AND " IN_RANGE(
        "a.end_tick") " ORDER BY a.start_tick, a.id"};

QUERY_GIVE(ai_cpu, struct ai_cpu_run, ai_cpu_fields)

int ai_cpu_run_each(sqlite3 *db, const struct execution_range *range,
                    int (*each)(void *arg, const struct ai_cpu_run *run, struct err *err), void *arg, struct err *err)
{
    struct ai_cpu_loop loop = {each, arg};
    return select_in_range(db, &ai_cpu_runs, range, give_ai_cpu, &loop, err);
}

/* ---- what there is ---- */

/* Counters that belong to no task count too: they say what was counted. Where there are some, the first is found; only
 * a search for those that are not there takes time. */
#define COUNTED(records, cycles)                                                                                       \
    "(EXISTS (SELECT 1 FROM " records " WHERE device_id = ?1 AND stream_id IS NOT NULL) OR EXISTS (SELECT 1 FROM"      \
    " device_task WHERE device_id = ?1 AND " cycles " IS NOT NULL))"
#define OF_AI_CORES COUNTED("aicore_pmu", "aic_total_cycle")

static const struct query_field count_fields[] = {
    QUERY_FIELD(struct execution_counts, copies, "(SELECT count(*) FROM " COPIES ")"),
    QUERY_FIELD(struct execution_counts, ai_cpu_runs,
                "(SELECT count(*) FROM aicpu_node WHERE device_id = ?1 AND " IN_RANGE("end_tick") ")"),
    QUERY_FIELD(struct execution_counts, tensors,
                "EXISTS (SELECT 1 FROM device_task JOIN tensor_set x ON x.id = tensor_set_id WHERE device_id = ?1 AND"
                " (x.input_shapes IS NOT NULL OR x.output_shapes IS NOT NULL))"),
    QUERY_FIELD(struct execution_counts, of_ai_cores, OF_AI_CORES),
    QUERY_FIELD(struct execution_counts, of_vector_cores, /* SQLite calculates both sides of an AND */
                "CASE WHEN " OF_AI_CORES " THEN 0 ELSE " COUNTED("aiv_pmu", "aiv_total_cycle") " END"),
};
static const struct query_select counts = {QUERY_FIELDS(count_fields), .from = ""};

static int take_counts(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    query_take(row, 0, counts.fields, counts.field_count, arg);
    return 0;
}

static int count_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct execution_counts *ret = arg;
    (void)err;
    ret->tasks++;
    ret->operators += task->op_name_id != DB_NULL;
    ret->ai_cpu_tasks += task->type == 1;
    return 0;
}

int execution_count(sqlite3 *db, const struct execution_range *range, struct execution_counts *ret, struct err *err)
{
    *ret = (struct execution_counts){.tasks = 0};
    struct task_scan scan = {.range = range, .each = count_task, .arg = ret};
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

struct streams ARRAY_OF(int64_t); /* each once, ascending */

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

static int add_stream_of_task(void *arg, const struct cann_task *task, struct err *err)
{
    return add_stream(arg, task->stream_id, err);
}

static const struct query_field stream_field[] = {QUERY_FIELD(struct device_copy, stream_id, "DISTINCT stream_id")};
static const struct query_select copy_streams = {QUERY_FIELDS(stream_field), .from = "FROM " COPIES};

int execution_each_stream(sqlite3 *db, const struct execution_range *range,
                          int (*each)(void *arg, int64_t stream_id, struct err *err), void *arg, struct err *err)
{
    struct streams streams = {.items = NULL};
    struct number_loop loop = {add_stream, &streams};
    struct task_scan scan = {.range = range, .each = add_stream_of_task, .arg = &streams};
    int status = scan_tasks(db, &scan, err);
    if (status == 0)
        status = select_in_range(db, &copy_streams, range, take_number, &loop, err);
    for (size_t i = 0; i < streams.count && status == 0; i++)
        status = each(arg, streams.items[i], err);
    free(streams.items);
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

QUERY_GIVE(end, struct iteration_end, end_fields)

int iteration_each_end(sqlite3 *db, int64_t device_id,
                       int (*each)(void *arg, const struct iteration_end *end, struct err *err), void *arg,
                       struct err *err)
{
    struct end_loop loop = {each, arg};
    return query_select(db, &ends, &device_id, 1, give_end, &loop, err);
}
