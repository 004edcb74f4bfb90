/* SPDX-License-Identifier: Apache-2.0 */
/* fusion_op: which operators the graph compiler fused, and their memory. */
#include "db/query/operators/query_models.h"
#include "exporters/table/report.h"

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
     .doc = "Those, joined by ';'."},
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
    .doc = "Which operators the graph compiler fused into one, and how much memory that takes.",
    .families = FAMILY_CANN,
    .query = {.with = "d AS (SELECT DISTINCT CASE WHEN p.chip = 5 THEN 'host' ELSE p.device_id END AS device FROM"
                      " capture_part AS p WHERE NOT p.is_host UNION ALL SELECT 'host' WHERE NOT EXISTS (SELECT 1 FROM"
                      " capture_part WHERE NOT is_host))",
              .from = "d, fusion_op",
              .order_by = "device, id"},
    .columns = columns,
};

/* fusion_op: which operators the graph compiler fused, and their memory, as Ascend's tool of 2022 has it. */
static const struct report_column columns_2022[] = {
    {"Model Name", REPORT_FIELD(struct model_fusion, model), .doc = "The model."},
    {"Model ID", REPORT_FIELD(struct model_fusion, model_id), .flags = REPORT_NUMBER, .doc = "Its number."},
    {"Fusion Op", REPORT_FIELD(struct model_fusion, name), .doc = "The operator that was made of others."},
    {"Original Ops", REPORT_FIELD(struct model_fusion, operators), .doc = "Those, joined by ';'."},
    {"Memory Input(Bytes)", REPORT_FIELD(struct model_fusion, input), .flags = REPORT_NUMBER,
     .doc = "Memory of its inputs."},
    {"Memory Output(Bytes)", REPORT_FIELD(struct model_fusion, output), .flags = REPORT_NUMBER,
     .doc = "Memory of its outputs."},
    {"Memory Weight(Bytes)", REPORT_FIELD(struct model_fusion, weight), .flags = REPORT_NUMBER,
     .doc = "Memory of its weights."},
    {"Memory Workspace(Bytes)", REPORT_FIELD(struct model_fusion, workspace), .flags = REPORT_NUMBER,
     .doc = "Memory of its workspace."},
    {"Memory Total(Bytes)", REPORT_FIELD(struct model_fusion, total), .flags = REPORT_NUMBER,
     .doc = "Memory of all of that."},
    {.title = NULL},
};

static int put_fusion(void *arg, const struct model_fusion *fusion, struct err *err)
{
    return report_put((struct report_run *)arg, fusion, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    return model_each_fusion(run->session->db, run->scope->device_id, put_fusion, run, err);
}

const struct report report_fusion_op_2022 = {
    .name = "fusion_op",
    .title = "Fused operators",
    .doc = "Which operators of a device's models the graph compiler fused into one, and how much memory that takes.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns_2022,
    .rows = put_rows,
};
