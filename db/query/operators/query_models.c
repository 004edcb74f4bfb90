#include "db/query/operators/query_models.h"

#include "db/query/query_loop.h"

struct loop {
    void *arg;
    int (*fusion)(void *arg, const struct legacy_fusion *fusion, struct err *err);
    int (*phase)(void *arg, const struct legacy_model_phase *phase, struct err *err);
};

#define HASHES                                                                                                         \
    "WITH hash AS MATERIALIZED (SELECT h.hash_id, h.name, min(h.id) FROM framework_hash h"                             \
    "  JOIN source_file s ON s.id = h.file_id WHERE coalesce(s.device_id, ?1) = ?1 GROUP BY h.hash_id)"

static int take_fusion(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct loop *loop = arg;
    const struct legacy_fusion fusion = {
        .model_id = query_integer(row, 0),
        .model = query_text(row, 1),
        .name = query_text(row, 2),
        .operators = query_text(row, 3),
        .input = query_integer(row, 4),
        .output = query_integer(row, 5),
        .weight = query_integer(row, 6),
        .workspace = query_integer(row, 7),
        .total = query_integer(row, 8),
    };
    return loop->fusion(loop->arg, &fusion, err);
}

int legacy_each_fusion(sqlite3 *db, int64_t device_id,
                       int (*each)(void *arg, const struct legacy_fusion *fusion, struct err *err), void *arg,
                       struct err *err)
{
    struct loop loop = {.arg = arg, .fusion = each};
    return query_run(db,
                     HASHES
                     ", load AS MATERIALIZED (SELECT l.model_id, min(l.id),"
                     "  coalesce(l.model_name, n.name, CAST(l.model_name_id AS TEXT)) AS name"
                     "  FROM framework_model_load l JOIN source_file s ON s.id = l.file_id"
                     "  LEFT JOIN hash n ON n.hash_id = l.model_name_id WHERE s.device_id = ?1 GROUP BY l.model_id)"
                     " SELECT f.model_id, l.name, coalesce(f.fusion_name, n.name, CAST(f.fusion_name_id AS TEXT)),"
                     "  (SELECT group_concat(coalesce(o.name, CAST(v.id AS TEXT)), ';') FROM ("
                     "    SELECT 0 AS place, f.op_name0_id AS id UNION ALL SELECT 1, f.op_name1_id"
                     "    UNION ALL SELECT 2, f.op_name2_id UNION ALL SELECT 3, f.op_name3_id"
                     "    UNION ALL SELECT 4, f.op_name4_id UNION ALL SELECT 5, f.op_name5_id"
                     "    UNION ALL SELECT 6, f.op_name6_id UNION ALL SELECT 7, f.op_name7_id ORDER BY place) v"
                     "    LEFT JOIN hash o ON o.hash_id = v.id WHERE v.place < f.op_count),"
                     "  f.input_bytes, f.output_bytes, f.weight_bytes, f.workspace_bytes, f.total_bytes"
                     "  FROM framework_fusion f JOIN source_file s ON s.id = f.file_id"
                     "  LEFT JOIN load l ON l.model_id = f.model_id LEFT JOIN hash n ON n.hash_id = f.fusion_name_id"
                     "  WHERE s.device_id = ?1 ORDER BY f.model_id, f.id",
                     &device_id, 1, take_fusion, &loop, err);
}

static int take_phase(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct loop *loop = arg;
    const struct legacy_model_phase phase = {
        .model_id = query_integer(row, 0),
        .thread_id = query_integer(row, 1),
        .model = query_text(row, 2),
        .phase = (int)query_integer(row, 3),
        .start_ns = query_integer(row, 4),
        .end_ns = query_integer(row, 5),
    };
    return loop->phase(loop->arg, &phase, err);
}

#define PHASES                                                                                                         \
    HASHES " SELECT t.model_id, t.thread_id, coalesce(t.model_name, n.name, CAST(t.model_name_id AS TEXT)), p.phase,"  \
           "  CASE p.phase WHEN 0 THEN t.input_start_ns WHEN 1 THEN t.inference_start_ns ELSE t.output_start_ns END,"  \
           "  CASE p.phase WHEN 0 THEN t.input_end_ns WHEN 1 THEN t.inference_end_ns ELSE t.output_end_ns END"         \
           "  FROM framework_model_time t JOIN source_file s ON s.id = t.file_id"                                      \
           "  JOIN (SELECT 0 AS phase UNION ALL SELECT 1 UNION ALL SELECT 2) p"                                        \
           "  LEFT JOIN hash n ON n.hash_id = t.model_name_id WHERE s.device_id = ?1"

int legacy_each_model_phase(sqlite3 *db, int64_t device_id, enum model_order order,
                            int (*each)(void *arg, const struct legacy_model_phase *phase, struct err *err), void *arg,
                            struct err *err)
{
    struct loop loop = {.arg = arg, .phase = each};
    return query_run(db,
                     order == MODELS_BY_START ? PHASES " ORDER BY 5, 6 DESC, t.id, p.phase"
                                              : PHASES " ORDER BY t.input_start_ns, t.id, p.phase",
                     &device_id, 1, take_phase, &loop, err);
}
