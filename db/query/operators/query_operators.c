/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/operators/query_operators.h"

#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_cann.h"
#include "db/query/query_fields.h"
#include "db/query/query_loop.h"
#include "parsers/record.h"

#include <stdlib.h>

/* One query for each family. Columns: type, name, device_id, model_id, thread_id, start_ns, duration_ns, then what
 * distinguishes operators with the same end: a number for the table, the row's id. */
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

/* Models of Ascend devices. Only captures before 2023 have the model of each run; the greatest number stands for none.
 */
#define NO_MODEL "4294967295"
#define FROM_TASKS(model)                                                                                              \
    "SELECT y.text AS type, o.text AS name, t.device_id AS device_id, " model " AS model_id,"                          \
    "  t.thread_id AS thread_id, t.start_ns AS start_ns, t.duration_ns AS duration_ns, 1 AS source, t.id AS id"        \
    "  FROM device_task t LEFT JOIN name o ON o.id = t.op_name_id LEFT JOIN name y ON y.id = t.op_type_id"             \
    "  WHERE t.op_name_id IS NOT NULL AND " CANN_OPERATOR_RUNS("coalesce(t.op_task_type, 0)")
#define FROM_2022 FROM_TASKS("nullif(t.model_id, " NO_MODEL ")")
#define FROM_OTHERS FROM_TASKS("NULL")

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
    [CAPTURE_JOB] = {ALL_OF(FROM_OTHERS), MODELS_OF(FROM_OTHERS)},
    [CAPTURE_2022] = {ALL_OF(FROM_2022), MODELS_OF(FROM_2022)},
    [CAPTURE_CANN] = {ALL_OF(FROM_OTHERS), MODELS_OF(FROM_OTHERS)},
    [CAPTURE_OPPROF] = {ALL_OF(FROM_SVP), MODELS_OF(FROM_SVP)},  /* none */
    [CAPTURE_UNKNOWN] = {ALL_OF(FROM_SVP), MODELS_OF(FROM_SVP)}, /* none */
};

QUERY_GIVE(run, struct operator_run, queries[0].all)

int operators_each(sqlite3 *db, int64_t model_id,
                   int (*each)(void *arg, const struct operator_run *run, struct err *err), void *arg, struct err *err)
{
    struct run_loop loop = {each, arg};
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);
    return status < 0 ? status : query_select(db, &queries[facts.family].all, &model_id, 1, give_run, &loop, err);
}

int operators_each_model(sqlite3 *db, int (*each)(void *arg, int64_t model_id, struct err *err), void *arg,
                         struct err *err)
{
    struct db_facts facts;
    int status = db_read_facts(db, &facts, err);
    return status < 0 ? status : query_each_number(db, queries[facts.family].models, each, arg, err);
}
