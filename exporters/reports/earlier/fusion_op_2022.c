/* SPDX-License-Identifier: Apache-2.0 */
/* fusion_op: which operators the graph compiler fused, and their memory, as Ascend's tool of 2022 has it. */
#include "db/query/operators/query_models.h"
#include "exporters/table/report.h"

static const struct report_column columns[] = {
    {"Model Name", REPORT_FIELD(struct model_fusion, model), .doc = "The model."},
    {"Model ID", REPORT_FIELD(struct model_fusion, model_id), .flags = REPORT_NUMBER, .doc = "Its number."},
    {"Fusion Op", REPORT_FIELD(struct model_fusion, name), .doc = "The operator that was made of others."},
    {"Original Ops", REPORT_FIELD(struct model_fusion, operators), .doc = "Those, joined by ';'."},
    {"Memory Input(Bytes)", REPORT_FIELD(struct model_fusion, input), .flags = REPORT_NUMBER,
     .doc = "Memory of its inputs."},
    {"Memory Output(Bytes)", REPORT_FIELD(struct model_fusion, output), .flags = REPORT_NUMBER,
     .doc = "Of its outputs."},
    {"Memory Weight(Bytes)", REPORT_FIELD(struct model_fusion, weight), .flags = REPORT_NUMBER,
     .doc = "Of its weights."},
    {"Memory Workspace(Bytes)", REPORT_FIELD(struct model_fusion, workspace), .flags = REPORT_NUMBER,
     .doc = "Of its workspace."},
    {"Memory Total(Bytes)", REPORT_FIELD(struct model_fusion, total), .flags = REPORT_NUMBER, .doc = "Of all of that."},
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
    .columns = columns,
    .rows = put_rows,
};
