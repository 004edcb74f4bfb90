/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of 2022: executions of models, and steps of the host for them, which are few. */
#include "features/earlier/timeline/timeline_earlier.h"

/* Members that both layers have. */
#define OF_GE(table, columns, order, which)                                                                            \
    .query = {.with = HASHES_2022, .from = table, .where = "s.device_id = :device", .order_by = order},                \
    .values = columns, .device = "NULL", .thread = "t.thread_id", .thread_name = "'Thread ' || t.thread_id",           \
    .program = "(SELECT process_id FROM capture_part WHERE device_id = :device AND NOT is_host)", .only = which
#define OF_PHASE(time)                                                                                                 \
    "CASE p.phase WHEN 0 THEN t.input_" time "_ns WHEN 1 THEN t.inference_" time "_ns ELSE t.output_" time "_ns END"
#define PARTS(order, which)                                                                                            \
    {                                                                                                                  \
        .name = "CASE p.phase WHEN 0 THEN 'Input' WHEN 1 THEN 'Infer' ELSE 'Output' END", .time = OF_PHASE("start"),   \
        .duration = OF_PHASE("end") " - " OF_PHASE("start"), .last_thread = LAST_THREAD("framework_model_time"),       \
        OF_GE("framework_model_time t JOIN source_file s ON s.id = t.file_id"                                          \
              "  JOIN (SELECT 0 AS phase UNION ALL SELECT 1 UNION ALL SELECT 2) p"                                     \
              "  LEFT JOIN hash n ON n.hash_id = t.model_name_id",                                                     \
              model_values, order, which)                                                                              \
    }
#define LAST_THREAD(table)                                                                                             \
    "coalesce(max(t.thread_id), -1) FROM " table " t JOIN source_file s ON s.id = t.file_id WHERE s.device_id = "      \
    ":device"

static const struct report_column model_values[] = {
    {"Model Name", "coalesce(t.model_name, n.name, CAST(t.model_name_id AS TEXT), 'N/A')", .form = FORM_TEXT},
    {"Model Id", "t.model_id", .form = FORM_TEXT},
    {.title = NULL},
};
static const struct series_counter model_parts[] = {
    PARTS("t.input_start_ns, t.id, p.phase", COUNTER_VENDOR),
    PARTS(OF_PHASE("start") ", " OF_PHASE("end") " DESC, t.id, p.phase", COUNTER_OURS),
    {.name = NULL},
};
static const struct series_counter host_steps[] = {
    {.name = "coalesce(o.name, CAST(t.op_type_id AS TEXT)) || '_' || coalesce(n.name, CAST(t.event_type_id AS TEXT))",
     .time = "t.start_ns",
     .duration = "t.end_ns - t.start_ns",
     .last_thread = LAST_THREAD("framework_op_execute"),
     OF_GE("framework_op_execute t JOIN source_file s ON s.id = t.file_id"
           "  LEFT JOIN hash o ON o.hash_id = t.op_type_id LEFT JOIN hash n ON n.hash_id = t.event_type_id",
           NULL, "t.id", COUNTER_ANY)},
    {.name = NULL},
};

const struct track track_models_2022 = {.name = "ge", .process = "GE", .events = model_parts};
const struct track track_host_steps_2022 = {.name = "ge_op_execute", .process = "GE", .events = host_steps};
