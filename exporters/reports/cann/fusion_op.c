/* SPDX-License-Identifier: Apache-2.0 */
/* fusion_op: which operators the graph compiler fused, and their memory. */
#include "exporters/table/report.h"
#include "features/earlier/reports/device_2022.h"

#define OPERATOR(n) "coalesce(';' || (SELECT text FROM name WHERE id = op" n "_id), '')"
#define KILOBYTES(column) column " / 1024.0", FORM_SHORTEST, 10

static const struct report_column columns[] = {
    {"Device_id", "device", .doc = "Chip 5: host; else each device of the capture has all rows."},
    {"Model Name", "model_name_id", FORM_NAME, .doc = "The model."},
    {"Model ID", "model_id", .flags = REPORT_NUMBER, .doc = "Its number."},
    {"Fusion Op", "name_id", FORM_NAME, .doc = "The operator that was made of others."},
    {"Original Ops",
     "substr(" OPERATOR("0") " || " OPERATOR("1") " || " OPERATOR("2") " || " OPERATOR("3") " || " OPERATOR(
         "4") " || " OPERATOR("5") " || " OPERATOR("6") " || " OPERATOR("7") ", 2)",
     .doc = "These, joined by ';'."},
    {"Memory Input(KB)", KILOBYTES("input_bytes"), .doc = "Memory of its inputs."},
    {"Memory Output(KB)", KILOBYTES("output_bytes"), .doc = "Memory of its outputs."},
    {"Memory Weight(KB)", KILOBYTES("weight_bytes"), .doc = "Memory of its weights."},
    {"Memory Workspace(KB)", KILOBYTES("workspace_bytes"), .doc = "Memory of its workspace."},
    {"Memory Total(KB)", KILOBYTES("total_bytes"), .doc = "Memory of all of that."},
    {.title = NULL},
};

const struct report report_fusion_op = {
    .name = "fusion_op",
    .title = "Fused operators",
    .doc = "Operators that the graph compiler fused into one, with the memory of the result.",
    .families = FAMILY_CANN,
    .query = {.with = "d AS (SELECT DISTINCT CASE WHEN p.chip = 5 THEN 'host' ELSE p.device_id END AS device FROM"
                      " capture_part AS p WHERE NOT p.is_host UNION ALL SELECT 'host' WHERE NOT EXISTS (SELECT 1 FROM"
                      " capture_part WHERE NOT is_host))",
              .from = "d, fusion_op",
              .order_by = "device, id"},
    .columns = columns,
};

/* fusion_op: which operators the graph compiler fused, and their memory, as Ascend's tool of 2022 has it. */
const struct report report_fusion_op_2022 = {
    .name = "fusion_op",
    .title = "Fused operators",
    .doc = "Operators of a device's models that the graph compiler fused into one, with the memory of the result.",
    .families = FAMILY_2022,
    .of_device = true,
    .query = {.with = HASHES_2022
              ", load AS MATERIALIZED (SELECT l.model_id, min(l.id),"
              "  coalesce(l.model_name, n.name, CAST(l.model_name_id AS TEXT)) AS name"
              "  FROM framework_model_load l JOIN source_file s ON s.id = l.file_id"
              "  LEFT JOIN hash n ON n.hash_id = l.model_name_id WHERE s.device_id = :device GROUP BY l.model_id)",
              .from = "framework_fusion f JOIN source_file s ON s.id = f.file_id"
                      "  LEFT JOIN load l ON l.model_id = f.model_id LEFT JOIN hash n ON n.hash_id = f.fusion_name_id",
              .where = "s.device_id = :device",
              .order_by = "f.model_id, f.id"},
    .columns = VALUE_LIST(
        {"Model Name", "l.name", .doc = "The model."},
        {"Model ID", "f.model_id", .flags = REPORT_NUMBER, .doc = "Its number."},
        {"Fusion Op", "coalesce(f.fusion_name, n.name, CAST(f.fusion_name_id AS TEXT))",
         .doc = "The operator that was made of others."},
        {"Original Ops",
         "(SELECT group_concat(coalesce(o.name, CAST(v.id AS TEXT)), ';') FROM ("
         "  SELECT 0 AS place, f.op_name0_id AS id UNION ALL SELECT 1, f.op_name1_id"
         "  UNION ALL SELECT 2, f.op_name2_id UNION ALL SELECT 3, f.op_name3_id"
         "  UNION ALL SELECT 4, f.op_name4_id UNION ALL SELECT 5, f.op_name5_id"
         "  UNION ALL SELECT 6, f.op_name6_id UNION ALL SELECT 7, f.op_name7_id ORDER BY place) v"
         "  LEFT JOIN hash o ON o.hash_id = v.id WHERE v.place < f.op_count)",
         .doc = "These, joined by ';'."},
        {"Memory Input(Bytes)", "f.input_bytes", .flags = REPORT_NUMBER, .doc = "Memory of its inputs."},
        {"Memory Output(Bytes)", "f.output_bytes", .flags = REPORT_NUMBER, .doc = "Memory of its outputs."},
        {"Memory Weight(Bytes)", "f.weight_bytes", .flags = REPORT_NUMBER, .doc = "Memory of its weights."},
        {"Memory Workspace(Bytes)", "f.workspace_bytes", .flags = REPORT_NUMBER, .doc = "Memory of its workspace."},
        {"Memory Total(Bytes)", "f.total_bytes", .flags = REPORT_NUMBER, .doc = "Memory of all of that."}),
};
