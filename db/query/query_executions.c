/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_executions.h"

#include "db/database.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "parsers/record.h"

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

/* ---- tasks ---- */

struct task_scan {
    const struct execution_range *range;
    int (*each)(void *arg, const struct cann_task *task, struct err *err);
    void *arg;
};

/* Whole tasks: the parts of split ones have rows of their own. */
static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    const struct task_scan *scan = arg;
    const struct execution_range *range = scan->range;
    return task->device_id == range->device_id && task->context_id == DB_NULL && task->end_tick != DB_NULL &&
                   task->end_tick > range->after_tick && task->end_tick <= range->until_tick
               ? scan->each(scan->arg, task, err)
               : 0;
}

int execution_each(sqlite3 *db, const struct execution_range *range, enum cann_rows ticks,
                   int (*each)(void *arg, const struct cann_task *task, struct err *err), void *arg, struct err *err)
{
    struct task_scan scan = {range, each, arg};
    return cann_each_task(db, ticks, take_task, &scan, err);
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

QUERY_GIVE(copy, struct device_copy, copies)

int device_copy_each(sqlite3 *db, const struct execution_range *range,
                     int (*each)(void *arg, const struct device_copy *copy, struct err *err), void *arg,
                     struct err *err)
{
    struct copy_loop loop = {each, arg};
    return select_in_range(db, &copies, range, give_copy, &loop, err);
}

/* ---- the AI CPU ---- */

static const struct query_field ai_cpu_fields[] = {
    QUERY_MEMBERS(struct ai_cpu_run, "a.", start_ns, duration_ns, compute_ns, copy_ns, dispatch_ns, total_ns,
                  op_name_id),
};
static const struct query_select ai_cpu_runs = {
    QUERY_FIELDS(ai_cpu_fields),
    .from = "FROM aicpu_node a WHERE a.device_id = ?1 AND " IN_RANGE("a.end_tick") " ORDER BY a.start_tick, a.id"};

QUERY_GIVE(ai_cpu, struct ai_cpu_run, ai_cpu_runs)

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
    "SELECT EXISTS (SELECT 1 FROM " records " WHERE device_id = ?1 AND stream_id IS NOT NULL) OR EXISTS (SELECT 1"     \
    " FROM device_task WHERE device_id = ?1 AND " cycles " IS NOT NULL)"

static int take_flag(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    *(bool *)arg = query_integer(row, 0) > 0;
    return 0;
}

int execution_cores(sqlite3 *db, int64_t device_id, bool *ret_ai_cores, bool *ret_vector_cores, struct err *err)
{
    *ret_vector_cores = false;
    int status = query_run(db, COUNTED("aicore_pmu", "aic_total_cycle"), &device_id, 1, take_flag, ret_ai_cores, err);
    return status < 0 || *ret_ai_cores
               ? status
               : query_run(db, COUNTED("aiv_pmu", "aiv_total_cycle"), &device_id, 1, take_flag, ret_vector_cores, err);
}

static int count_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct execution_counts *ret = arg;
    (void)err;
    ret->tasks++;
    ret->operators += task->op_name_id != DB_NULL;
    return 0;
}

static int count_copy(void *arg, const struct device_copy *copy, struct err *err)
{
    struct execution_counts *ret = arg;
    (void)copy;
    (void)err;
    ret->copies++;
    return 0;
}

int execution_count(sqlite3 *db, const struct execution_range *range, struct execution_counts *ret, struct err *err)
{
    *ret = (struct execution_counts){.tasks = 0};
    int status = device_copy_each(db, range, count_copy, ret, err);
    return status == 0 ? execution_each(db, range, CANN_TICKS, count_task, ret, err) : status;
}

int execution_each_device(sqlite3 *db, int (*each)(void *arg, int64_t device_id, struct err *err), void *arg,
                          struct err *err)
{
    return query_each_number(db,
                             "SELECT device_id FROM device_task UNION SELECT device_id FROM training_trace"
                             " UNION SELECT device_id FROM aicpu_log UNION SELECT device_id FROM data_queue_log"
                             " ORDER BY 1",
                             each, arg, err);
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

QUERY_EACH_OF_DEVICE(iteration_each_end, struct iteration_end, ends)
