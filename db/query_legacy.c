#include "db/query_legacy.h"

#include "db/database.h"
#include "db/query_loop.h"

/* Every loop: how a row becomes what the caller is given. */
struct loop {
    int (*call)(struct loop *loop, sqlite3_stmt *row, struct err *err);
    void *arg;
    union {
        int (*part)(void *arg, const struct legacy_part *part, struct err *err);
        legacy_call_each each_call;
        legacy_total_each total;
        int (*run)(void *arg, const struct legacy_run *run, struct err *err);
        int (*copy)(void *arg, const struct legacy_copy *copy, struct err *err);
        int (*ai_cpu_run)(void *arg, const struct legacy_ai_cpu_run *run, struct err *err);
        int (*operator_)(void *arg, const struct legacy_operator *operator_, struct err *err);
        int (*counters)(void *arg, const struct legacy_counters *counters, struct err *err);
        int (*step)(void *arg, const struct legacy_step *step, struct err *err);
        int (*launch)(void *arg, const struct legacy_launch *launch, struct err *err);
    } each;
    struct legacy_run run; /* of chip 0, being put together */
};

static int take_row(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct loop *loop = arg;
    return loop->call(loop, row, err);
}

static int run_for_device(sqlite3 *db, const char *sql, int64_t device_id, struct loop *loop, struct err *err)
{
    return query_run(db, sql, &device_id, 1, take_row, loop, err);
}

static int take_part(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct legacy_part part = {
        .device_id = query_integer(row, 0),
        .chip = query_integer(row, 1),
        .process_id = query_integer(row, 2),
        .host_monotonic_ns = query_integer(row, 3),
        .device_tick = query_integer(row, 4),
        .device_hz = query_integer(row, 5),
        .aic_hz = query_integer(row, 6),
        .ai_core_num = query_integer(row, 7),
        .metrics = query_text(row, 8),
        .events = query_text(row, 9),
        .aiv_hz = query_integer(row, 10),
        .aiv_num = query_integer(row, 11),
        .aiv_metrics = query_text(row, 12),
        .aiv_events = query_text(row, 13),
    };
    return loop->each.part(loop->arg, &part, err);
}

int legacy_each_part(sqlite3 *db, int (*each)(void *arg, const struct legacy_part *part, struct err *err), void *arg,
                     struct err *err)
{
    struct loop loop = {.call = take_part, .arg = arg, .each.part = each};
    return query_run(db,
                     "SELECT device_id, chip, process_id, coalesce(host_monotonic_ns, 0), coalesce(device_tick, 0),"
                     "  device_hz, aic_hz, ai_core_num, metrics, events, aiv_hz, aiv_num, aiv_metrics, aiv_events"
                     "  FROM capture_part"
                     "  WHERE NOT is_host AND device_id IS NOT NULL ORDER BY device_id",
                     NULL, 0, take_row, &loop, err);
}

static int take_call(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct legacy_call call = {
        .name = query_text(row, 0),
        .start_ns = query_integer(row, 1),
        .end_ns = query_integer(row, 2),
        .process_id = query_integer(row, 3),
        .thread_id = query_integer(row, 4),
        .api_type = query_integer(row, 5),
    };
    return loop->each.each_call(loop->arg, &call, err);
}

int legacy_each_acl_call(sqlite3 *db, int64_t device_id, legacy_call_each each, void *arg, struct err *err)
{
    struct loop loop = {.call = take_call, .arg = arg, .each.each_call = each};
    return run_for_device(db,
                          "SELECT c.name, c.start_ns, c.end_ns, c.process_id, c.thread_id, c.api_type"
                          "  FROM acl_call c JOIN source_file f ON f.id = c.file_id"
                          "  WHERE f.device_id = ?1 ORDER BY c.start_ns, c.id",
                          device_id, &loop, err);
}

int legacy_each_runtime_call(sqlite3 *db, int64_t device_id, legacy_call_each each, void *arg, struct err *err)
{
    struct loop loop = {.call = take_call, .arg = arg, .each.each_call = each};
    return run_for_device(db,
                          "SELECT c.name, c.start_ns, c.end_ns, NULL, c.thread_id, NULL"
                          "  FROM runtime_api c JOIN source_file f ON f.id = c.file_id"
                          "  WHERE f.device_id = ?1 ORDER BY c.start_ns, c.id",
                          device_id, &loop, err);
}

static int take_total(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct legacy_call_total total = {
        .name = query_text(row, 0),
        .stream_id = query_integer(row, 1),
        .total_ns = query_integer(row, 2),
        .count = query_integer(row, 3),
        .min_ns = query_integer(row, 4),
        .max_ns = query_integer(row, 5),
        .api_type = query_integer(row, 6),
        .process_id = query_integer(row, 7),
        .thread_id = query_integer(row, 8),
    };
    return loop->each.total(loop->arg, &total, err);
}

int legacy_each_acl_total(sqlite3 *db, int64_t device_id, legacy_total_each each, void *arg, struct err *err)
{
    struct loop loop = {.call = take_total, .arg = arg, .each.total = each};
    return run_for_device(db,
                          "SELECT c.name, NULL, sum(c.end_ns - c.start_ns), count(*), min(c.end_ns - c.start_ns),"
                          "  max(c.end_ns - c.start_ns), c.api_type, c.process_id, c.thread_id"
                          "  FROM acl_call c JOIN source_file f ON f.id = c.file_id"
                          "  WHERE f.device_id = ?1 GROUP BY c.name ORDER BY c.name",
                          device_id, &loop, err);
}

/* The stream and thread are those of the longest call. */
int legacy_each_runtime_total(sqlite3 *db, int64_t device_id, legacy_total_each each, void *arg, struct err *err)
{
    struct loop loop = {.call = take_total, .arg = arg, .each.total = each};
    return run_for_device(db,
                          "SELECT c.name, c.stream_id, sum(c.end_ns - c.start_ns), count(*),"
                          "  min(c.end_ns - c.start_ns), max(c.end_ns - c.start_ns), NULL, NULL, c.thread_id"
                          "  FROM runtime_api c JOIN source_file f ON f.id = c.file_id"
                          "  WHERE f.device_id = ?1 GROUP BY c.name ORDER BY c.name",
                          device_id, &loop, err);
}

enum { STATE_WAITING = 1, STATE_RUNNING = 2, STATE_COMPLETE = 3, STATE_PENDING = 4 };

/* Chip 0 records the states of a task one by one; the record of its end completes it. */
static int take_state(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    struct legacy_run *run = &loop->run;
    int64_t stream_id = query_integer(row, 0), task_id = query_integer(row, 1), tick = query_integer(row, 4);
    if (stream_id != run->stream_id || task_id != run->task_id)
        *run = (struct legacy_run){stream_id, task_id, DB_NULL, DB_NULL, DB_NULL, DB_NULL, DB_NULL};
    run->task_type = query_integer(row, 2);
    switch (query_integer(row, 3)) {
    case STATE_WAITING:
        run->wait_tick = tick;
        return 0;
    case STATE_PENDING:
        run->pending_tick = tick;
        return 0;
    case STATE_RUNNING:
        run->start_tick = tick;
        return 0;
    case STATE_COMPLETE:
        break;
    default:
        return 0;
    }
    run->end_tick = tick;
    int status = run->start_tick != DB_NULL ? loop->each.run(loop->arg, run, err) : 0;
    run->wait_tick = run->pending_tick = run->start_tick = DB_NULL;
    return status;
}

static int take_run(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct legacy_run run = {
        .stream_id = query_integer(row, 0),
        .task_id = query_integer(row, 1),
        .task_type = DB_NULL,
        .wait_tick = DB_NULL,
        .pending_tick = DB_NULL,
        .start_tick = query_integer(row, 2),
        .end_tick = query_integer(row, 3),
    };
    return loop->each.run(loop->arg, &run, err);
}

int legacy_each_run(sqlite3 *db, const struct legacy_part *part,
                    int (*each)(void *arg, const struct legacy_run *run, struct err *err), void *arg, struct err *err)
{
    struct loop loop = {.arg = arg, .each.run = each, .run = {.stream_id = DB_NULL}};
    loop.call = part->chip == 0 ? take_state : take_run;
    return run_for_device(db,
                          part->chip == 0 ? "SELECT stream_id, task_id, task_type, task_state, tick FROM ts_track"
                                            "  WHERE device_id = ?1 AND tag = 3"
                                            "  ORDER BY task_id, stream_id, tick, task_state, id"
                                          : "SELECT stream_id, task_id, start_tick, end_tick FROM task"
                                            "  WHERE device_id = ?1 ORDER BY end_tick, id",
                          part->device_id, &loop, err);
}

static int take_copy(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct legacy_copy copy = {query_integer(row, 0), query_integer(row, 1), query_integer(row, 2),
                                     query_integer(row, 3), query_integer(row, 4)};
    return loop->each.copy(loop->arg, &copy, err);
}

/* A copy ends (state 2) after it was received (0) and started (1). */
int legacy_each_copy(sqlite3 *db, int64_t device_id,
                     int (*each)(void *arg, const struct legacy_copy *copy, struct err *err), void *arg,
                     struct err *err)
{
    struct loop loop = {.call = take_copy, .arg = arg, .each.copy = each};
    return run_for_device(db,
                          "SELECT stream_id, task_id, received, started, tick FROM (SELECT stream_id, task_id,"
                          "  task_state, tick, lag(task_state, 2) OVER task AS state0, lag(tick, 2) OVER task AS"
                          "  received, lag(task_state) OVER task AS state1, lag(tick) OVER task AS started"
                          "  FROM ts_track WHERE device_id = ?1 AND tag = 11"
                          "  WINDOW task AS (PARTITION BY stream_id, task_id ORDER BY tick, task_state, id))"
                          "  WHERE task_state = 2 AND state1 = 1 AND state0 = 0 ORDER BY started, stream_id, task_id",
                          device_id, &loop, err);
}

static int take_ai_cpu_run(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct legacy_ai_cpu_run run = {
        .stream_id = query_integer(row, 0),
        .task_id = query_integer(row, 1),
        .end_tick = query_integer(row, 2),
        .start_ns = query_integer(row, 3),
        .duration_ns = query_integer(row, 4),
        .compute_ns = query_integer(row, 5),
        .copy_ns = query_integer(row, 6),
        .dispatch_ns = query_integer(row, 7),
        .total_ns = query_integer(row, 8),
        .number = query_integer(row, 9),
    };
    return loop->each.ai_cpu_run(loop->arg, &run, err);
}

int legacy_each_ai_cpu_run(sqlite3 *db, int64_t device_id,
                           int (*each)(void *arg, const struct legacy_ai_cpu_run *run, struct err *err), void *arg,
                           struct err *err)
{
    struct loop loop = {.call = take_ai_cpu_run, .arg = arg, .each.ai_cpu_run = each};
    return run_for_device(db,
                          "SELECT stream_id, task_id, end_tick, start_ns, duration_ns, compute_ns, copy_ns,"
                          "  dispatch_ns, total_ns,"
                          "  row_number() OVER (PARTITION BY stream_id, task_id ORDER BY start_tick, id)"
                          "  FROM aicpu_node WHERE device_id = ?1 ORDER BY start_tick, id",
                          device_id, &loop, err);
}

static int take_operator(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct legacy_operator operator_ = {
        .stream_id = query_integer(row, 0),
        .task_id = query_integer(row, 1),
        .model_id = query_integer(row, 2),
        .time_ns = query_integer(row, 3),
        .block_dim = query_integer(row, 4),
        .task_type = query_integer(row, 5),
        .name = query_text(row, 6),
        .type = query_text(row, 7),
        .input_shapes = query_text(row, 8),
        .input_types = query_text(row, 9),
        .input_formats = query_text(row, 10),
        .output_shapes = query_text(row, 11),
        .output_types = query_text(row, 12),
        .output_formats = query_text(row, 13),
    };
    return loop->each.operator_(loop->arg, &operator_, err);
}

#define OPERATORS                                                                                                      \
    "WITH hash AS MATERIALIZED (SELECT h.hash_id, h.name, min(h.id) FROM framework_hash h"                             \
    "    JOIN source_file s ON s.id = h.file_id WHERE coalesce(s.device_id, ?1) = ?1 GROUP BY h.hash_id)"              \
    " SELECT t.stream_id, t.task_id, t.model_id, t.time_ns, t.block_dim, t.task_type,"                                 \
    "  coalesce(t.op_name, n.name, CAST(t.op_name_id AS TEXT)),"                                                       \
    "  coalesce(t.op_type, y.name, CAST(t.op_type_id AS TEXT)), "
#define OF_DEVICE                                                                                                      \
    "  FROM framework_task t JOIN source_file f ON f.id = t.file_id"                                                   \
    "  LEFT JOIN hash n ON n.hash_id = t.op_name_id"                                                                   \
    "  LEFT JOIN hash y ON y.hash_id = t.op_type_id"
#define IN_ORDER " ORDER BY t.stream_id, t.task_id, t.batch_id, t.id"

int legacy_each_operator(sqlite3 *db, int64_t device_id, bool with_tensors,
                         int (*each)(void *arg, const struct legacy_operator *operator_, struct err *err), void *arg,
                         struct err *err)
{
    struct loop loop = {.call = take_operator, .arg = arg, .each.operator_ = each};
    return run_for_device(db,
                          with_tensors ? OPERATORS
                              "group_concat(x.input_shapes, ';'), group_concat(x.input_data_types, ';'),"
                              "  group_concat(x.input_formats, ';'), group_concat(x.output_shapes, ';'),"
                              "  group_concat(x.output_data_types, ';'), group_concat(x.output_formats, ';')" OF_DEVICE
                              "  LEFT JOIN operator_tensor x ON x.time_ns = t.time_ns AND x.stream_id = t.stream_id"
                              "    AND x.task_id = t.task_id AND x.batch_id = t.batch_id AND x.model_id = t.model_id"
                              "    AND x.iteration = t.iteration"
                              "    AND (SELECT s.device_id FROM source_file s WHERE s.id = x.file_id) = ?1"
                              "  WHERE f.device_id = ?1 GROUP BY t.id" IN_ORDER
                                       : OPERATORS "NULL, NULL, NULL, NULL, NULL, NULL" OF_DEVICE
                                                   "  WHERE f.device_id = ?1" IN_ORDER,
                          device_id, &loop, err);
}

static int take_counters(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    struct legacy_counters counters = {
        .stream_id = query_integer(row, 0),
        .task_id = query_integer(row, 1),
        .total_cycle = query_integer(row, 2),
        .block_num = query_integer(row, 3),
        .of_vector_core = query_integer(row, 12) != 0,
    };
    for (int i = 0; i < 8; i++)
        counters.counters[i] = query_integer(row, 4 + i);
    return loop->each.counters(loop->arg, &counters, err);
}

#define COUNTER_COLUMNS                                                                                                \
    "stream_id, task_id, total_cycle, block_num, event0, event1, event2, event3, event4, event5, event6, event7"
#define OF_TASK_OF_DEVICE "device_id = ?1 AND stream_id IS NOT NULL"

int legacy_each_counters(sqlite3 *db, int64_t device_id,
                         int (*each)(void *arg, const struct legacy_counters *counters, struct err *err), void *arg,
                         struct err *err)
{
    struct loop loop = {.call = take_counters, .arg = arg, .each.counters = each};
    return run_for_device(db,
                          "SELECT " COUNTER_COLUMNS ", 0, id FROM aicore_pmu WHERE " OF_TASK_OF_DEVICE
                          " UNION ALL SELECT " COUNTER_COLUMNS ", 1, id FROM aiv_pmu WHERE " OF_TASK_OF_DEVICE
                          " ORDER BY 1, 2, 13, 14",
                          device_id, &loop, err);
}

static int take_step(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct legacy_step step = {query_integer(row, 0), query_integer(row, 1), query_integer(row, 2)};
    return loop->each.step(loop->arg, &step, err);
}

int legacy_each_step(sqlite3 *db, int64_t device_id,
                     int (*each)(void *arg, const struct legacy_step *step, struct err *err), void *arg,
                     struct err *err)
{
    struct loop loop = {.call = take_step, .arg = arg, .each.step = each};
    return run_for_device(db,
                          "SELECT model_id, index_id, max(tick) FROM ts_track WHERE device_id = ?1 AND tag = 10"
                          "  AND step_tag = 1 GROUP BY model_id, index_id ORDER BY model_id, index_id",
                          device_id, &loop, err);
}

static int take_launch(struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct legacy_launch launch = {query_integer(row, 0), query_integer(row, 1), query_text(row, 2)};
    return loop->each.launch(loop->arg, &launch, err);
}

int legacy_each_launch(sqlite3 *db, int64_t device_id,
                       int (*each)(void *arg, const struct legacy_launch *launch, struct err *err), void *arg,
                       struct err *err)
{
    struct loop loop = {.call = take_launch, .arg = arg, .each.launch = each};
    return run_for_device(db,
                          "SELECT c.stream_id, c.task0_id, c.name FROM runtime_api c"
                          "  JOIN source_file f ON f.id = c.file_id WHERE f.device_id = ?1 AND c.task_count > 0"
                          "  ORDER BY c.stream_id, c.task0_id, c.id",
                          device_id, &loop, err);
}
