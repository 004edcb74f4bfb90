#include "db/query/query_executions.h"

#include "base/strbuf.h"
#include "db/database.h"
#include "db/query/query_loop.h"

#include <stdlib.h>

#define SQL_LIMIT 8192

/* ?1 the device, ?2 and ?3 the range. */
#define IN_RANGE(tick) tick " > ?2 AND " tick " <= ?3"
#define EXECUTIONS " FROM device_task t JOIN task_state s ON s.task_row_id = t.id"
#define OF_DEVICE " WHERE t.device_id IS ?1 AND " IN_RANGE("s.end_tick")

static int run_in_range(sqlite3 *db, const char *sql, const struct execution_range *range,
                        int (*each)(void *arg, sqlite3_stmt *row, struct err *err), void *arg, struct err *err)
{
    /* DB_NULL would be bound as NULL. */
    const int64_t parameters[] = {range->device_id, range->after_tick > DB_NULL ? range->after_tick : DB_NULL + 1,
                                  range->until_tick > DB_NULL ? range->until_tick : DB_NULL + 1};
    return query_run(db, sql, parameters, 3, each, arg, err);
}

/* ---- executions ---- */

enum {
    ID,
    DEVICE_ID,
    STREAM_ID,
    TASK_ID,
    TYPE,
    START_NS,
    DURATION_NS,
    WAIT_TICK,
    PENDING_TICK,
    START_TICK,
    END_TICK,
    OP_NAME,
    OP_TYPE,
    OP_TASK_TYPE,
    MODEL_ID,
    BLOCK_NUM,
    COUNTED_BLOCKS,
    FIRST_PART
};
#define ALWAYS                                                                                                         \
    "t.id, t.device_id, t.stream_id, t.task_id, t.type, t.start_ns, t.duration_ns, s.wait_tick, s.pending_tick,"       \
    " s.start_tick, s.end_tick, o.text, y.text, t.op_task_type, t.model_id, t.block_num, s.counted_blocks"
#define COUNTERS                                                                                                       \
    ", t.aic_total_cycle IS NOT NULL, t.aic_total_cycle, t.aic_event0, t.aic_event1, t.aic_event2, t.aic_event3,"      \
    " t.aic_event4, t.aic_event5, t.aic_event6, t.aic_event7, t.aiv_total_cycle, t.aiv_event0, t.aiv_event1,"          \
    " t.aiv_event2, t.aiv_event3, t.aiv_event4, t.aiv_event5, t.aiv_event6, t.aiv_event7"

struct loop {
    struct execution_query *query; /* a copy */
    int (*each)(void *arg, const struct execution *execution, struct err *err);
    void *arg;
};

static int take_counters(struct execution *execution, sqlite3_stmt *row, int column)
{
    enum { SIDE = 1 + EXECUTION_COUNTERS };
    bool of_ai_core = sqlite3_column_int(row, column) != 0;
    int first = column + 1 + (of_ai_core ? 0 : SIDE);
    execution->of_vector_core = !of_ai_core;
    execution->total_cycle = query_integer(row, first);
    execution->counted = execution->total_cycle != DB_NULL;
    for (int i = 0; i < EXECUTION_COUNTERS; i++)
        execution->counters[i] = query_integer(row, first + 1 + i);
    return column + 1 + 2 * SIDE;
}

static int take_execution(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct loop *loop = arg;
    struct execution execution = {
        .id = query_integer(row, ID),
        .device_id = query_integer(row, DEVICE_ID),
        .stream_id = query_integer(row, STREAM_ID),
        .task_id = query_integer(row, TASK_ID),
        .type = query_integer(row, TYPE),
        .start_ns = query_integer(row, START_NS),
        .duration_ns = query_integer(row, DURATION_NS),
        .wait_tick = query_integer(row, WAIT_TICK),
        .pending_tick = query_integer(row, PENDING_TICK),
        .start_tick = query_integer(row, START_TICK),
        .end_tick = query_integer(row, END_TICK),
        .op_name = query_text(row, OP_NAME),
        .op_type = query_text(row, OP_TYPE),
        .op_task_type = query_integer(row, OP_TASK_TYPE),
        .model_id = query_integer(row, MODEL_ID),
        .block_num = query_integer(row, BLOCK_NUM),
        .counted_blocks = query_integer(row, COUNTED_BLOCKS),
    };
    int column = FIRST_PART;
    for (int i = 0; (loop->query->parts & EXECUTION_TENSORS) != 0 && i < EXECUTION_TENSOR_TEXTS; i++)
        execution.tensors[i] = query_text(row, column++);
    if ((loop->query->parts & EXECUTION_COUNTED) != 0)
        column = take_counters(&execution, row, column);
    if ((loop->query->parts & EXECUTION_LAUNCH) != 0)
        execution.launch = query_text(row, column++);
    if ((loop->query->parts & EXECUTION_TOUCHES) != 0)
        execution.touches = sqlite3_column_int(row, column) != 0;
    return loop->each(loop->arg, &execution, err);
}

static void build_sql(struct strbuf *sql, const struct execution_query *query)
{
    static const char *const orders[] = {
        [EXECUTIONS_BY_START] = "t.id",
        [EXECUTIONS_BY_END] = "s.end_tick, t.stream_id, t.task_id, t.id",
        [EXECUTIONS_BY_KEY] = "execution_key(s.start_tick, s.end_tick) DESC, t.task_id, t.stream_id, t.id",
    };
    unsigned parts = query->parts;
    strbuf_adds(sql, "SELECT " ALWAYS);
    if ((parts & EXECUTION_TENSORS) != 0)
        strbuf_adds(sql, ", x.input_shapes, x.input_data_types, x.input_formats, x.output_shapes, x.output_data_types,"
                         " x.output_formats");
    if ((parts & EXECUTION_COUNTED) != 0)
        strbuf_adds(sql, COUNTERS);
    if ((parts & EXECUTION_LAUNCH) != 0)
        strbuf_adds(sql, ", l.text");
    if ((parts & EXECUTION_TOUCHES) != 0)
        strbuf_adds(sql, ", n.start_ns IS NOT NULL");
    strbuf_adds(sql, EXECUTIONS " LEFT JOIN name o ON o.id = t.op_name_id LEFT JOIN name y ON y.id = t.op_type_id");
    if ((parts & EXECUTION_TENSORS) != 0)
        strbuf_adds(sql, " LEFT JOIN tensor_set x ON x.id = t.tensor_set_id");
    if ((parts & EXECUTION_LAUNCH) != 0)
        strbuf_adds(sql, " LEFT JOIN host_call c ON c.id = s.launch_id LEFT JOIN name l ON l.id = c.name_id");
    if ((parts & EXECUTION_TOUCHES) != 0)
        strbuf_adds(sql, " LEFT JOIN (SELECT DISTINCT start_ns FROM device_task WHERE device_id IS ?1) n"
                         " ON n.start_ns = t.start_ns + t.duration_ns");
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
    struct strbuf sql;
    strbuf_init(&sql, SQL_LIMIT);
    build_sql(&sql, query);
    int status = sql.failed ? err_set(err, ERR_NO_MEMORY, "out of memory") : 0;
    if (status == 0 && query->key != NULL &&
        sqlite3_create_function_v2(db, "execution_key", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, &copy, compute_key, NULL,
                                   NULL, NULL) != SQLITE_OK)
        status = database_error(err, db, "the tasks cannot be put in order");
    if (status == 0)
        status = run_in_range(db, sql.data, &query->range, take_execution, &loop, err);
    strbuf_release(&sql);
    return status;
}

/* ---- copies ---- */

/* A copy ends (state 2) after it was received (0) and started (1). */
#define COPIES                                                                                                         \
    "(SELECT stream_id, task_id, received, started, tick AS ended FROM (SELECT stream_id, task_id, task_state, tick,"  \
    "  lag(task_state, 2) OVER task AS state0, lag(tick, 2) OVER task AS received,"                                    \
    "  lag(task_state) OVER task AS state1, lag(tick) OVER task AS started"                                            \
    "  FROM ts_track WHERE device_id = ?1 AND tag = 11"                                                                \
    "  WINDOW task AS (PARTITION BY stream_id, task_id ORDER BY tick, task_state, id))"                                \
    "  WHERE task_state = 2 AND state1 = 1 AND state0 = 0 AND " IN_RANGE("tick") ")"

struct copy_loop {
    int (*each)(void *arg, const struct device_copy *copy, struct err *err);
    void *arg;
};

static int take_copy(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct copy_loop *loop = arg;
    const struct device_copy copy = {query_integer(row, 0), query_integer(row, 1), query_integer(row, 2),
                                     query_integer(row, 3), query_integer(row, 4)};
    return loop->each(loop->arg, &copy, err);
}

int device_copy_each(sqlite3 *db, const struct execution_range *range,
                     int (*each)(void *arg, const struct device_copy *copy, struct err *err), void *arg,
                     struct err *err)
{
    struct copy_loop loop = {each, arg};
    return run_in_range(db, "SELECT * FROM " COPIES " ORDER BY started, stream_id, task_id", range, take_copy, &loop,
                        err);
}

/* ---- the AI CPU ---- */

struct ai_cpu_loop {
    int (*each)(void *arg, const struct ai_cpu_run *run, struct err *err);
    void *arg;
};

static int take_ai_cpu_run(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct ai_cpu_loop *loop = arg;
    const struct ai_cpu_run run = {
        .start_ns = query_integer(row, 0),
        .duration_ns = query_integer(row, 1),
        .compute_ns = query_integer(row, 2),
        .copy_ns = query_integer(row, 3),
        .dispatch_ns = query_integer(row, 4),
        .total_ns = query_integer(row, 5),
        .op_name = query_text(row, 6),
    };
    return loop->each(loop->arg, &run, err);
}

int ai_cpu_run_each(sqlite3 *db, const struct execution_range *range,
                    int (*each)(void *arg, const struct ai_cpu_run *run, struct err *err), void *arg, struct err *err)
{
    struct ai_cpu_loop loop = {each, arg};
    return run_in_range(db,
                        "SELECT a.start_ns, a.duration_ns, a.compute_ns, a.copy_ns, a.dispatch_ns, a.total_ns, n.text"
                        "  FROM aicpu_node a LEFT JOIN name n ON n.id = a.op_name_id"
                        "  WHERE a.device_id = ?1 AND " IN_RANGE("a.end_tick") " ORDER BY a.start_tick, a.id",
                        range, take_ai_cpu_run, &loop, err);
}

/* ---- what there is ---- */

static int take_counts(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct execution_counts *counts = arg;
    (void)err;
    *counts = (struct execution_counts){
        .tasks = query_integer(row, 0),
        .operators = query_integer(row, 1),
        .copies = query_integer(row, 2),
        .ai_cpu_runs = query_integer(row, 3),
        .tensors = sqlite3_column_int(row, 4) != 0,
        .of_ai_cores = sqlite3_column_int(row, 5) != 0,
        .of_vector_cores = sqlite3_column_int(row, 6) != 0,
    };
    return 0;
}

/* Counters that belong to no task count too: they say what was counted. */
#define COUNTED(cycles, records)                                                                                       \
    "  EXISTS (SELECT 1 FROM device_task WHERE device_id = ?1 AND " cycles " IS NOT NULL)"                             \
    "  OR EXISTS (SELECT 1 FROM " records " WHERE device_id = ?1 AND stream_id IS NOT NULL)"

int execution_count(sqlite3 *db, const struct execution_range *range, struct execution_counts *ret, struct err *err)
{
    return run_in_range(db,
                        "SELECT count(*), count(t.op_name_id), (SELECT count(*) FROM " COPIES "),"
                        "  (SELECT count(*) FROM aicpu_node WHERE device_id = ?1 AND " IN_RANGE(
                            "end_tick") "),"
                                        "  EXISTS (SELECT 1 FROM device_task JOIN tensor_set x ON x.id = tensor_set_id"
                                        "    WHERE device_id = ?1 AND (x.input_shapes IS NOT NULL OR x.output_shapes "
                                        "IS NOT NULL))," COUNTED("aic_total_cycle", "aicore_pmu") "," COUNTED(
                                            "aiv_total_cycle", "aiv_pmu") EXECUTIONS OF_DEVICE,
                        range, take_counts, ret, err);
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
    return run_in_range(db,
                        "SELECT t.stream_id" EXECUTIONS OF_DEVICE " UNION SELECT stream_id FROM " COPIES " ORDER BY 1",
                        range, take_number, &loop, err);
}

int execution_each_device(sqlite3 *db, int (*each)(void *arg, int64_t device_id, struct err *err), void *arg,
                          struct err *err)
{
    struct number_loop loop = {each, arg};
    return query_run(db, "SELECT DISTINCT device_id FROM device_task ORDER BY 1", NULL, 0, take_number, &loop, err);
}

struct type_loop {
    int (*each)(void *arg, const struct type_total *total, struct err *err);
    void *arg;
};

static int take_type(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct type_loop *loop = arg;
    const struct type_total total = {
        .type = query_text(row, 0),
        .count = query_integer(row, 1),
        .total_ns = query_integer(row, 2),
        .min_ns = query_integer(row, 3),
        .max_ns = query_integer(row, 4),
        .report_total_ns = query_integer(row, 5),
    };
    return loop->each(loop->arg, &total, err);
}

int execution_each_type(sqlite3 *db, int64_t device_id,
                        int (*each)(void *arg, const struct type_total *total, struct err *err), void *arg,
                        struct err *err)
{
    struct type_loop loop = {each, arg};
    return query_run(db,
                     "SELECT *, sum(total_ns) OVER () FROM (SELECT y.text AS type, count(*), sum(t.duration_ns)"
                     "  AS total_ns, min(t.duration_ns), max(t.duration_ns)"
                     "  FROM device_task t LEFT JOIN name y ON y.id = t.op_type_id"
                     "  WHERE t.device_id IS ?1 AND t.op_name_id IS NOT NULL GROUP BY 1)"
                     "  ORDER BY total_ns DESC, coalesce(type, 'N/A')",
                     &device_id, 1, take_type, &loop, err);
}

/* ---- iterations ---- */

struct end_loop {
    int (*each)(void *arg, const struct iteration_end *end, struct err *err);
    void *arg;
};

static int take_end(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct end_loop *loop = arg;
    const struct iteration_end end = {query_integer(row, 0), query_integer(row, 1), query_integer(row, 2)};
    return loop->each(loop->arg, &end, err);
}

int iteration_each_end(sqlite3 *db, int64_t device_id,
                       int (*each)(void *arg, const struct iteration_end *end, struct err *err), void *arg,
                       struct err *err)
{
    struct end_loop loop = {each, arg};
    return query_run(db,
                     "SELECT model_id, index_id, max(tick) FROM ts_track WHERE device_id = ?1 AND tag = 10"
                     "  AND step_tag = 1 GROUP BY model_id, index_id ORDER BY model_id, index_id",
                     &device_id, 1, take_end, &loop, err);
}

/* ---- operators by time ---- */

struct operator_finder {
    sqlite3 *db;
    sqlite3_stmt *find;
};

struct operator_finder *operator_finder_new(sqlite3 *db, int64_t device_id, struct err *err)
{
    struct operator_finder *finder = calloc(1, sizeof *finder);
    if (finder == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    finder->db = db;
    if (database_prepare(db,
                         "SELECT t.stream_id, t.task_id FROM framework_task t JOIN source_file f ON f.id = t.file_id"
                         "  WHERE f.device_id = ?1 AND t.time_ns > ?2 AND t.time_ns < ?3"
                         "  ORDER BY t.time_ns, t.stream_id, t.task_id, t.batch_id, t.id LIMIT 1",
                         &finder->find, err) < 0) {
        free(finder);
        return NULL;
    }
    query_bind(finder->find, 1, device_id);
    return finder;
}

void operator_finder_free(struct operator_finder *finder)
{
    if (finder == NULL)
        return;
    sqlite3_finalize(finder->find);
    free(finder);
}

int operator_find(struct operator_finder *finder, int64_t from_ns, int64_t until_ns, bool *ret_found,
                  int64_t *ret_stream_id, int64_t *ret_task_id, struct err *err)
{
    query_bind(finder->find, 2, from_ns);
    query_bind(finder->find, 3, until_ns);
    int code = sqlite3_step(finder->find);
    *ret_found = code == SQLITE_ROW;
    if (*ret_found) {
        *ret_stream_id = query_integer(finder->find, 0);
        *ret_task_id = query_integer(finder->find, 1);
    }
    sqlite3_reset(finder->find);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0
                                                     : database_error(err, finder->db, "the operators cannot be read");
}
