/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_executions.h"

#include "base/array.h"
#include "base/file/spool.h"
#include "db/database.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "parsers/record.h"

#include <stdlib.h>

#define SQL_LIMIT 8192

/* ?1 the device, ?2 and ?3 the range. */
#define IN_RANGE(tick) tick " > ?2 AND " tick " <= ?3"
#define EXECUTIONS " FROM device_task t JOIN task_state s ON s.task_row_id = t.id"
/* Whole tasks: the parts of split ones have tables of their own. */
#define OF_DEVICE " WHERE t.device_id IS ?1 AND t.context_id IS NULL AND " IN_RANGE("s.end_tick")

static void bind_range(const struct execution_range *range, int64_t parameters[3])
{
    /* DB_NULL would be bound as NULL. */
    parameters[0] = range->device_id;
    parameters[1] = range->after_tick > DB_NULL ? range->after_tick : DB_NULL + 1;
    parameters[2] = range->until_tick > DB_NULL ? range->until_tick : DB_NULL + 1;
}

static int select_in_range(sqlite3 *db, const struct query_select *select, const struct execution_range *range,
                           int (*each)(void *arg, sqlite3_stmt *row, struct err *err), void *arg, struct err *err)
{
    int64_t parameters[3];
    bind_range(range, parameters);
    return query_select(db, select, parameters, 3, each, arg, err);
}

/* ---- executions ---- */

static const struct query_field execution_fields[] = {
    QUERY_FIELD(struct execution, id, "t.id"),
    QUERY_FIELD(struct execution, device_id, "t.device_id"),
    QUERY_FIELD(struct execution, stream_id, "t.stream_id"),
    QUERY_FIELD(struct execution, task_id, "t.task_id"),
    QUERY_FIELD(struct execution, type, "t.type"),
    QUERY_FIELD(struct execution, start_ns, "t.start_ns"),
    QUERY_FIELD(struct execution, duration_ns, "t.duration_ns"),
    QUERY_FIELD(struct execution, wait_tick, "s.wait_tick"),
    QUERY_FIELD(struct execution, pending_tick, "s.pending_tick"),
    QUERY_FIELD(struct execution, start_tick, "s.start_tick"),
    QUERY_FIELD(struct execution, end_tick, "s.end_tick"),
    QUERY_FIELD(struct execution, op_name, "o.text"),
    QUERY_FIELD(struct execution, op_type, "y.text"),
    QUERY_FIELD(struct execution, op_task_type, "t.op_task_type"),
    QUERY_FIELD(struct execution, model_id, "t.model_id"),
    QUERY_FIELD(struct execution, block_num, "t.block_num"),
    QUERY_FIELD(struct execution, counted_blocks, "s.counted_blocks"),
};
static const struct query_field tensor_fields[] = {
    QUERY_FIELD(struct execution, tensors[0], "x.input_shapes"),
    QUERY_FIELD(struct execution, tensors[1], "x.input_data_types"),
    QUERY_FIELD(struct execution, tensors[2], "x.input_formats"),
    QUERY_FIELD(struct execution, tensors[3], "x.output_shapes"),
    QUERY_FIELD(struct execution, tensors[4], "x.output_data_types"),
    QUERY_FIELD(struct execution, tensors[5], "x.output_formats"),
};
/* Column of the AI cores, else of the vector cores. */
#define OF_CORES(column) "CASE WHEN t.aic_total_cycle IS NOT NULL THEN t.aic_" column " ELSE t.aiv_" column " END"
static const struct query_field counter_fields[] = {
    QUERY_FIELD(struct execution, of_vector_core, "t.aic_total_cycle IS NULL"),
    QUERY_FIELD(struct execution, counted, "coalesce(t.aic_total_cycle, t.aiv_total_cycle) IS NOT NULL"),
    QUERY_FIELD(struct execution, total_cycle, OF_CORES("total_cycle")),
    QUERY_FIELD(struct execution, counters[0], OF_CORES("event0")),
    QUERY_FIELD(struct execution, counters[1], OF_CORES("event1")),
    QUERY_FIELD(struct execution, counters[2], OF_CORES("event2")),
    QUERY_FIELD(struct execution, counters[3], OF_CORES("event3")),
    QUERY_FIELD(struct execution, counters[4], OF_CORES("event4")),
    QUERY_FIELD(struct execution, counters[5], OF_CORES("event5")),
    QUERY_FIELD(struct execution, counters[6], OF_CORES("event6")),
    QUERY_FIELD(struct execution, counters[7], OF_CORES("event7")),
};
static const struct query_field launch_fields[] = {
    QUERY_FIELD(struct execution, launch, "l.text"),
};
static const struct query_field touch_fields[] = {
    QUERY_FIELD(struct execution, touches, "n.start_ns IS NOT NULL"),
};

/* Fields in the order of reading: always, and when a query asks for a part. */
static const struct {
    unsigned part; /* 0: always */
    const struct query_field *fields;
    size_t count;
    const char *join; /* what it needs */
} parts[] = {
#define PART(part, array, join)                                                                                        \
    {                                                                                                                  \
        (part), (array), sizeof(array) / sizeof *(array), (join)                                                       \
    }
    PART(0, execution_fields, " LEFT JOIN name o ON o.id = t.op_name_id LEFT JOIN name y ON y.id = t.op_type_id"),
    PART(EXECUTION_TENSORS, tensor_fields, " LEFT JOIN tensor_set x ON x.id = t.tensor_set_id"),
    PART(EXECUTION_COUNTED, counter_fields, ""),
    PART(EXECUTION_LAUNCH, launch_fields,
         " LEFT JOIN host_call c ON c.id = s.launch_id LEFT JOIN name l ON l.id = c.name_id"),
    PART(EXECUTION_TOUCHES, touch_fields,
         " LEFT JOIN (SELECT DISTINCT start_ns FROM device_task WHERE device_id IS ?1) n"
         " ON n.start_ns = t.start_ns + t.duration_ns"),
#undef PART
};
#define PARTS (sizeof parts / sizeof *parts)

static bool has_part(const struct execution_query *query, size_t i)
{
    return parts[i].part == 0 || (query->parts & parts[i].part) != 0;
}

struct loop {
    struct execution_query *query; /* a copy */
    int (*each)(void *arg, const struct execution *execution, struct err *err);
    void *arg;
};

static int take_execution(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct loop *loop = arg;
    struct execution execution = {.id = 0};
    int column = 0;
    for (size_t i = 0; i < PARTS; i++) {
        if (!has_part(loop->query, i))
            continue;
        query_take(row, column, parts[i].fields, parts[i].count, &execution);
        column += (int)parts[i].count;
    }
    return loop->each(loop->arg, &execution, err);
}

static void build_sql(struct strbuf *sql, const struct execution_query *query)
{
    static const char *const orders[] = {
        [EXECUTIONS_BY_START] = "t.id",
        [EXECUTIONS_BY_END] = "s.end_tick, t.stream_id, t.task_id, t.id",
        [EXECUTIONS_BY_KEY] = "execution_key(s.start_tick, s.end_tick) DESC, t.task_id, t.stream_id, t.id",
    };
    size_t columns = 0;
    strbuf_adds(sql, "SELECT ");
    for (size_t i = 0; i < PARTS; i++)
        columns = has_part(query, i) ? query_put_fields(sql, parts[i].fields, parts[i].count, columns) : columns;
    strbuf_adds(sql, EXECUTIONS);
    for (size_t i = 0; i < PARTS; i++)
        strbuf_adds(sql, has_part(query, i) ? parts[i].join : "");
    strbuf_adds(sql, OF_DEVICE);
    if (query->operators_only)
        strbuf_adds(sql, " AND t.op_name_id IS NOT NULL");
    strbuf_addf(sql, " ORDER BY %s", orders[query->order]);
}

static void compute_key(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    (void)argc;
    const struct execution_query *query = sqlite3_user_data(context);
    sqlite3_result_double(context,
                          query->key(query->key_arg, sqlite3_value_int64(argv[0]), sqlite3_value_int64(argv[1])));
}

int execution_each(sqlite3 *db, const struct execution_query *query,
                   int (*each)(void *arg, const struct execution *execution, struct err *err), void *arg,
                   struct err *err)
{
    struct execution_query copy = *query;
    struct loop loop = {&copy, each, arg};
    int64_t parameters[3];
    struct strbuf sql;
    bind_range(&query->range, parameters);
    strbuf_init(&sql, SQL_LIMIT);
    build_sql(&sql, query);
    int status = sql.failed ? err_set(err, ERR_NO_MEMORY, "out of memory") : 0;
    if (status == 0 && query->key != NULL &&
        sqlite3_create_function_v2(db, "execution_key", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, &copy, compute_key, NULL,
                                   NULL, NULL) != SQLITE_OK)
        status = database_error(err, db, "the tasks cannot be put in order");
    if (status == 0)
        status = query_run(db, sql.data, parameters, 3, take_execution, &loop, err);
    strbuf_release(&sql);
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
#define COUNTED(cycles, records)                                                                                       \
    "EXISTS (SELECT 1 FROM device_task WHERE device_id = ?1 AND " cycles " IS NOT NULL)"                               \
    " OR EXISTS (SELECT 1 FROM " records " WHERE device_id = ?1 AND stream_id IS NOT NULL)"

static const struct query_field count_fields[] = {
    QUERY_FIELD(struct execution_counts, tasks, "count(*)"),
    QUERY_FIELD(struct execution_counts, operators, "count(t.op_name_id)"),
    QUERY_FIELD(struct execution_counts, copies, "(SELECT count(*) FROM " COPIES ")"),
    QUERY_FIELD(struct execution_counts, ai_cpu_runs,
                "(SELECT count(*) FROM aicpu_node WHERE device_id = ?1 AND " IN_RANGE("end_tick") ")"),
    QUERY_FIELD(struct execution_counts, tensors,
                "EXISTS (SELECT 1 FROM device_task JOIN tensor_set x ON x.id = tensor_set_id WHERE device_id = ?1 AND"
                " (x.input_shapes IS NOT NULL OR x.output_shapes IS NOT NULL))"),
    QUERY_FIELD(struct execution_counts, of_ai_cores, COUNTED("aic_total_cycle", "aicore_pmu")),
    QUERY_FIELD(struct execution_counts, of_vector_cores, COUNTED("aiv_total_cycle", "aiv_pmu")),
};
static const struct query_select counts = {QUERY_FIELDS(count_fields), .from = EXECUTIONS OF_DEVICE};

static int take_counts(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    query_take(row, 0, counts.fields, counts.field_count, arg);
    return 0;
}

int execution_count(sqlite3 *db, const struct execution_range *range, struct execution_counts *ret, struct err *err)
{
    return select_in_range(db, &counts, range, take_counts, ret, err);
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

int execution_each_stream(sqlite3 *db, const struct execution_range *range,
                          int (*each)(void *arg, int64_t stream_id, struct err *err), void *arg, struct err *err)
{
    struct number_loop loop = {each, arg};
    int64_t parameters[3];
    bind_range(range, parameters);
    return query_run(db, "SELECT t.stream_id" EXECUTIONS OF_DEVICE " UNION SELECT stream_id FROM " COPIES " ORDER BY 1",
                     parameters, 3, take_number, &loop, err);
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

/* ---- operators by time ---- */

/* In the spool by time, then as here. */
struct reported_operator {
    int64_t stream_id, task_id, batch_id, id;
};

struct operator_finder {
    sqlite3 *db;
    int64_t device_id;
    struct spool *operators; /* NULL: to be read */
    struct spool_item next;
    bool at_end;
    int64_t from_ns; /* of the latest question */
};

#define FINDER_MEMORY ((size_t)1024 * 1024)

static int by_task(const void *a, const void *b)
{
    const struct reported_operator *x = a, *y = b;
    if (x->stream_id != y->stream_id)
        return array_order(x->stream_id, y->stream_id);
    if (x->task_id != y->task_id)
        return array_order(x->task_id, y->task_id);
    return x->batch_id != y->batch_id ? array_order(x->batch_id, y->batch_id) : array_order(x->id, y->id);
}

struct operator_finder *operator_finder_new(sqlite3 *db, int64_t device_id, struct err *err)
{
    struct operator_finder *finder = calloc(1, sizeof *finder);
    if (finder == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    finder->db = db;
    finder->device_id = device_id;
    return finder;
}

void operator_finder_free(struct operator_finder *finder)
{
    if (finder == NULL)
        return;
    spool_free(finder->operators);
    free(finder);
}

static int add_operator(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct operator_finder *finder = arg;
    const struct spool_key key = {spool_key_part(query_integer(row, 0)), 0};
    const struct reported_operator record = {query_integer(row, 1), query_integer(row, 2), query_integer(row, 3),
                                             query_integer(row, 4)};
    return spool_add(finder->operators, &key, &record, sizeof record, err);
}

static int next_operator(struct operator_finder *finder, struct err *err)
{
    int any = spool_next(finder->operators, &finder->next, err);
    finder->at_end = any <= 0;
    return any < 0 ? any : 0;
}

static int read_operators(struct operator_finder *finder, struct err *err)
{
    spool_free(finder->operators);
    finder->operators = spool_new(FINDER_MEMORY, by_task, err);
    if (finder->operators == NULL)
        return -(int)err->code;
    int status = query_run(finder->db,
                           "SELECT t.time_ns, t.stream_id, t.task_id, t.batch_id, t.id FROM framework_task t"
                           "  JOIN source_file f ON f.id = t.file_id WHERE f.device_id = ?1 AND t.time_ns IS NOT NULL",
                           &finder->device_id, 1, add_operator, finder, err);
    if (status == 0)
        status = spool_finish(finder->operators, err);
    return status == 0 ? next_operator(finder, err) : status;
}

static int64_t next_time(const struct operator_finder *finder)
{
    return spool_key_value(finder->next.key.major);
}

int operator_find(struct operator_finder *finder, int64_t from_ns, int64_t until_ns, bool *ret_found,
                  int64_t *ret_stream_id, int64_t *ret_task_id, struct err *err)
{
    int status = finder->operators == NULL || from_ns < finder->from_ns ? read_operators(finder, err) : 0;
    finder->from_ns = from_ns;
    while (status == 0 && !finder->at_end && next_time(finder) <= from_ns)
        status = next_operator(finder, err);
    *ret_found = status == 0 && !finder->at_end && next_time(finder) < until_ns;
    if (*ret_found) {
        const struct reported_operator *found = finder->next.record;
        *ret_stream_id = found->stream_id;
        *ret_task_id = found->task_id;
    }
    return status;
}
