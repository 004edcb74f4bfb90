/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/operators/query_operators.h"

#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "parsers/record.h"

#include <stdlib.h>

struct duration_reader {
    struct query_scan *scan;
    int (*give)(void *loop, int64_t *row, struct err *err);
};

struct duration_loop {
    int (*each)(void *arg, const struct duration *duration, struct err *err);
    void *arg;
};

static const struct query_field task_fields[] = {
    QUERY_FIELD(struct duration, major, "device_id"),
    QUERY_FIELD(struct duration, minor, "op_task_type"),
    QUERY_FIELD(struct duration, name_id, "op_type_id"),
    QUERY_MEMBERS(struct duration, "", duration_ns, op_name_id),
};
static const struct query_select task_select = {QUERY_FIELDS(task_fields)};

static const struct query_field call_fields[] = {
    QUERY_MEMBERS(struct cann_call, "", level, name_id, item_id, duration_ns),
};
static const struct query_select call_select = {QUERY_FIELDS(call_fields)};

static int give_task(void *arg, int64_t *row, struct err *err)
{
    const struct duration_loop *loop = arg;
    return loop->each(loop->arg, (const struct duration *)(void *)row, err);
}

/* CANN_CALL_NAME of a call. */
static int64_t name_of(const struct cann_call *call)
{
    return call->level == HOST_LEVEL_COMMUNICATION && call->item_id != DB_NULL ? call->item_id : call->name_id;
}

static int give_call(void *arg, int64_t *row, struct err *err)
{
    const struct duration_loop *loop = arg;
    const struct cann_call *call = (const struct cann_call *)(void *)row;
    const struct duration duration = {
        .major = call->level, .name_id = name_of(call), .duration_ns = call->duration_ns, .op_name_id = DB_NULL};
    return loop->each(loop->arg, &duration, err);
}

struct duration_reader *duration_reader_new(sqlite3 *db, enum duration_subject subject, struct err *err)
{
    struct duration_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_no_memory(err);
        return NULL;
    }
    bool of_tasks = subject == DURATION_TASKS;
    reader->give = of_tasks ? give_task : give_call;
    if (query_scan_fields(db, of_tasks ? &task_select : &call_select, NULL, of_tasks ? "device_task" : "host_call",
                          of_tasks ? sizeof(struct duration) : sizeof(struct cann_call), &reader->scan, err) < 0) {
        duration_reader_free(reader);
        return NULL;
    }
    return reader;
}

void duration_reader_free(struct duration_reader *reader)
{
    if (reader != NULL)
        query_scan_free(reader->scan);
    free(reader);
}

int query_read_durations(struct duration_reader *reader, int64_t first, int64_t end,
                         int (*each)(void *arg, const struct duration *duration, struct err *err), void *arg,
                         struct err *err)
{
    struct duration_loop loop = {each, arg};
    return query_scan(reader->scan, first, end, reader->give, &loop, err);
}

/* ---- timed calls ---- */

struct timed_loop {
    int (*each)(void *arg, const struct timed_call *call, struct err *err);
    void *arg;
};

static const struct query_field timed_fields[] = {
    QUERY_MEMBERS(struct cann_call, "", thread_id, start_ns, level, duration_ns, launches, name_id, item_id),
};
static const struct query_select timed_calls = {QUERY_FIELDS(timed_fields)};

static int give_timed_call(void *arg, int64_t *row, struct err *err)
{
    const struct timed_loop *loop = arg;
    const struct cann_call *call = (const struct cann_call *)(void *)row;
    const struct timed_call timed = {.thread_id = call->thread_id != DB_NULL ? call->thread_id : 0,
                                     .start_ns = call->start_ns,
                                     .duration_ns = call->duration_ns,
                                     .launches = call->launches != DB_NULL ? call->launches : 0,
                                     .name_id = name_of(call)};
    return loop->each(loop->arg, &timed, err);
}

int query_read_timed_calls(sqlite3 *db, int (*each)(void *arg, const struct timed_call *call, struct err *err),
                           void *arg, struct err *err)
{
    struct timed_loop loop = {each, arg};
    struct query_scan *scan = NULL;
    int status = query_scan_fields(db, &timed_calls, NULL, "host_call", sizeof(struct cann_call), &scan, err);

    if (status == 0)
        status = query_scan(scan, 0, INT64_MAX, give_timed_call, &loop, err);
    query_scan_free(scan);
    return status;
}

/* One query for each family. Columns: type, name, device_id, model_id, thread_id, start_ns, duration_ns, then what
 * tells operators of the same end apart: a number for the table, the row's id. */
#define FROM_SVP                                                                                                       \
    "SELECT g.layer_types AS type, g.layer_names AS name, i.device_id AS device_id, i.model_id AS model_id,"           \
    "  NULL AS thread_id, t.start_ns + CASE WHEN i.start_known THEN 0 ELSE (SELECT CAST(value AS INTEGER) FROM meta"   \
    "    WHERE key = 'origin_ns') END AS start_ns, t.duration_ns AS duration_ns, 1 AS source, t.id AS id"              \
    "  FROM ai_core_task t JOIN inference i ON i.inference_id = t.inference_id LEFT JOIN layer_group g"                \
    "    ON g.model_name = i.model_name AND g.model_id IS i.model_id AND g.task_id = t.task_id"                        \
    "    AND g.engine = 'AI_CORE'"                                                                                     \
    " UNION ALL SELECT g.layer_types, g.layer_names, f.device_id, f.model_id, NULL, t.start_ns, t.duration_ns, 2, "    \
    "t.id"                                                                                                             \
    "  FROM ai_cpu_task t JOIN source_file f ON f.id = t.file_id LEFT JOIN layer_group g"                              \
    "    ON g.model_name = f.model_name AND g.model_id IS f.model_id AND g.task_id = t.task_id"                        \
    "    AND g.engine = 'AI_CPU'"

/* Models of Ascend devices. Only captures before 2023 tell the model of each run; the greatest number stands for none.
 */
#define NO_MODEL "4294967295"
#define FROM_TASKS(model)                                                                                              \
    "SELECT y.text AS type, o.text AS name, t.device_id AS device_id, " model " AS model_id,"                          \
    "  t.thread_id AS thread_id, t.start_ns AS start_ns, t.duration_ns AS duration_ns, 1 AS source, t.id AS id"        \
    "  FROM device_task t LEFT JOIN name o ON o.id = t.op_name_id LEFT JOIN name y ON y.id = t.op_type_id"             \
    "  WHERE t.op_name_id IS NOT NULL AND " CANN_OPERATOR_RUNS("coalesce(t.op_task_type, 0)")
#define FROM_JOB FROM_TASKS("NULL")
#define FROM_2022 FROM_TASKS("nullif(t.model_id, " NO_MODEL ")")
#define FROM_CANN FROM_TASKS("NULL")

static const struct query_field run_fields[] = {
    QUERY_FIELD(struct operator_run, type, "coalesce(type, 'N/A')"),
    QUERY_FIELD(struct operator_run, name, "coalesce(name, 'N/A')"),
    QUERY_MEMBERS(struct operator_run, "", device_id, model_id, thread_id, start_ns, duration_ns),
};

#define ALL_OF(query)                                                                                                  \
    {                                                                                                                  \
        QUERY_FIELDS(run_fields), .from = "FROM (" query ") WHERE ?1 IS NULL OR model_id IS NULL OR model_id = ?1"     \
                                          " ORDER BY start_ns + coalesce(duration_ns, 0), start_ns, source, id"        \
    }
#define MODELS_OF(query) "SELECT DISTINCT model_id FROM (" query ") WHERE model_id IS NOT NULL ORDER BY 1"

static const struct {
    struct query_select all;
    const char *models;
} queries[] = {
    [CAPTURE_SVP] = {ALL_OF(FROM_SVP), MODELS_OF(FROM_SVP)},
    [CAPTURE_JOB] = {ALL_OF(FROM_JOB), MODELS_OF(FROM_JOB)},
    [CAPTURE_2022] = {ALL_OF(FROM_2022), MODELS_OF(FROM_2022)},
    [CAPTURE_CANN] = {ALL_OF(FROM_CANN), MODELS_OF(FROM_CANN)},
    [CAPTURE_UNKNOWN] = {ALL_OF(FROM_SVP), MODELS_OF(FROM_SVP)}, /* none */
};

QUERY_GIVE(run, struct operator_run, run_fields)

int operators_each(sqlite3 *db, int64_t model_id,
                   int (*each)(void *arg, const struct operator_run *run, struct err *err), void *arg, struct err *err)
{
    struct run_loop loop = {each, arg};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);
    return status < 0 ? status : query_select(db, &queries[facts.family].all, &model_id, 1, give_run, &loop, err);
}

struct model_loop {
    int (*each)(void *arg, int64_t model_id, struct err *err);
    void *arg;
};

static int give_model(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct model_loop *loop = arg;
    return loop->each(loop->arg, query_integer(row, 0), err);
}

int operators_each_model(sqlite3 *db, int (*each)(void *arg, int64_t model_id, struct err *err), void *arg,
                         struct err *err)
{
    struct model_loop loop = {each, arg};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);
    return status < 0 ? status : query_run(db, queries[facts.family].models, NULL, 0, give_model, &loop, err);
}
