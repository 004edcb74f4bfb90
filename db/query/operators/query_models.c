/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/operators/query_models.h"

#include "db/query/query_fields.h"

#define HASHES                                                                                                         \
    "WITH hash AS MATERIALIZED (SELECT h.hash_id, h.name, min(h.id) FROM framework_hash h"                             \
    "  JOIN source_file s ON s.id = h.file_id WHERE coalesce(s.device_id, ?1) = ?1 GROUP BY h.hash_id)"

static const struct query_field fusion_fields[] = {
    QUERY_FIELD(struct model_fusion, model_id, "f.model_id"),
    QUERY_FIELD(struct model_fusion, model, "l.name"),
    QUERY_FIELD(struct model_fusion, name, "coalesce(f.fusion_name, n.name, CAST(f.fusion_name_id AS TEXT))"),
    QUERY_FIELD(struct model_fusion, operators,
                "(SELECT group_concat(coalesce(o.name, CAST(v.id AS TEXT)), ';') FROM ("
                "  SELECT 0 AS place, f.op_name0_id AS id UNION ALL SELECT 1, f.op_name1_id"
                "  UNION ALL SELECT 2, f.op_name2_id UNION ALL SELECT 3, f.op_name3_id"
                "  UNION ALL SELECT 4, f.op_name4_id UNION ALL SELECT 5, f.op_name5_id"
                "  UNION ALL SELECT 6, f.op_name6_id UNION ALL SELECT 7, f.op_name7_id ORDER BY place) v"
                "  LEFT JOIN hash o ON o.hash_id = v.id WHERE v.place < f.op_count)"),
    QUERY_FIELD(struct model_fusion, input, "f.input_bytes"),
    QUERY_FIELD(struct model_fusion, output, "f.output_bytes"),
    QUERY_FIELD(struct model_fusion, weight, "f.weight_bytes"),
    QUERY_FIELD(struct model_fusion, workspace, "f.workspace_bytes"),
    QUERY_FIELD(struct model_fusion, total, "f.total_bytes"),
};
static const struct query_select fusions = {
    QUERY_FIELDS(fusion_fields),
    .with = HASHES ", load AS MATERIALIZED (SELECT l.model_id, min(l.id),"
                   "  coalesce(l.model_name, n.name, CAST(l.model_name_id AS TEXT)) AS name"
                   "  FROM framework_model_load l JOIN source_file s ON s.id = l.file_id"
                   "  LEFT JOIN hash n ON n.hash_id = l.model_name_id WHERE s.device_id = ?1 GROUP BY l.model_id)",
    .from = "FROM framework_fusion f JOIN source_file s ON s.id = f.file_id"
            "  LEFT JOIN load l ON l.model_id = f.model_id LEFT JOIN hash n ON n.hash_id = f.fusion_name_id"
            "  WHERE s.device_id = ?1 ORDER BY f.model_id, f.id"};

QUERY_EACH_OF_DEVICE(model_each_fusion, struct model_fusion, fusions)

#define OF_PHASE(time)                                                                                                 \
    "CASE p.phase WHEN 0 THEN t.input_" time "_ns WHEN 1 THEN t.inference_" time "_ns"                                 \
    " ELSE t.output_" time "_ns END"
static const struct query_field phase_fields[] = {
    QUERY_MEMBERS(struct model_phase, "t.", model_id, thread_id),
    QUERY_FIELD(struct model_phase, model, "coalesce(t.model_name, n.name, CAST(t.model_name_id AS TEXT))"),
    QUERY_FIELD(struct model_phase, phase, "p.phase"),
    QUERY_FIELD(struct model_phase, start_ns, OF_PHASE("start") " AS start_ns"),
    QUERY_FIELD(struct model_phase, end_ns, OF_PHASE("end") " AS end_ns"),
};
#define PHASES                                                                                                         \
    "FROM framework_model_time t JOIN source_file s ON s.id = t.file_id"                                               \
    "  JOIN (SELECT 0 AS phase UNION ALL SELECT 1 UNION ALL SELECT 2) p"                                               \
    "  LEFT JOIN hash n ON n.hash_id = t.model_name_id WHERE s.device_id = ?1"
static const struct query_select phases[] = {
    [MODELS_BY_EXECUTION] = {QUERY_FIELDS(phase_fields), .with = HASHES,
                             .from = PHASES " ORDER BY t.input_start_ns, t.id, p.phase"},
    [MODELS_BY_START] = {QUERY_FIELDS(phase_fields), .with = HASHES,
                         .from = PHASES " ORDER BY start_ns, end_ns DESC, t.id, p.phase"},
};

QUERY_GIVE(phase, struct model_phase, phases[0])

int model_each_phase(sqlite3 *db, int64_t device_id, enum model_order order,
                     int (*each)(void *arg, const struct model_phase *phase, struct err *err), void *arg,
                     struct err *err)
{
    struct phase_loop loop = {each, arg};
    return query_select(db, &phases[order], &device_id, 1, give_phase, &loop, err);
}

static const struct query_field host_step_fields[] = {
    QUERY_FIELD(struct model_host_step, thread_id, "e.thread_id"),
    QUERY_FIELD(struct model_host_step, op_type, "coalesce(t.name, CAST(e.op_type_id AS TEXT))"),
    QUERY_FIELD(struct model_host_step, event, "coalesce(n.name, CAST(e.event_type_id AS TEXT))"),
    QUERY_MEMBERS(struct model_host_step, "e.", start_ns, end_ns),
};
static const struct query_select host_steps = {
    QUERY_FIELDS(host_step_fields), .with = HASHES,
    .from = "FROM framework_op_execute e JOIN source_file s ON s.id = e.file_id"
            "  LEFT JOIN hash t ON t.hash_id = e.op_type_id LEFT JOIN hash n ON n.hash_id = e.event_type_id"
            "  WHERE s.device_id = ?1 ORDER BY e.id"};

QUERY_EACH_OF_DEVICE(model_each_host_step, struct model_host_step, host_steps)
