/* SPDX-License-Identifier: Apache-2.0 */
/* fusion_op: which operators the graph compiler fused, and their memory, as Ascend's tool of 2022 has it. */
#include "db/query/operators/query_models.h"
#include "exporters/table/report.h"

enum { MODEL, MODEL_ID, NAME, OPERATORS, INPUT, OUTPUT, WEIGHT, WORKSPACE, TOTAL, COLUMNS };

static const struct report_column columns[] = {
    [MODEL] = {"Model Name", .doc = "The model."},
    [MODEL_ID] = {"Model ID", .flags = REPORT_NUMBER, .doc = "Its number."},
    [NAME] = {"Fusion Op", .doc = "The operator that was made of others."},
    [OPERATORS] = {"Original Ops", .doc = "Those, joined by ';'."},
    [INPUT] = {"Memory Input(Bytes)", .flags = REPORT_NUMBER, .doc = "Memory of its inputs."},
    [OUTPUT] = {"Memory Output(Bytes)", .flags = REPORT_NUMBER, .doc = "Of its outputs."},
    [WEIGHT] = {"Memory Weight(Bytes)", .flags = REPORT_NUMBER, .doc = "Of its weights."},
    [WORKSPACE] = {"Memory Workspace(Bytes)", .flags = REPORT_NUMBER, .doc = "Of its workspace."},
    [TOTAL] = {"Memory Total(Bytes)", .flags = REPORT_NUMBER, .doc = "Of all of that."},
    {.title = NULL},
};

static int put_fusion(void *arg, const struct model_fusion *fusion, struct err *err)
{
    const struct report_value values[COLUMNS] = {
        [MODEL] = value_text(fusion->model),      [MODEL_ID] = value_integer(fusion->model_id),
        [NAME] = value_text(fusion->name),        [OPERATORS] = value_text(fusion->operators),
        [INPUT] = value_integer(fusion->input),   [OUTPUT] = value_integer(fusion->output),
        [WEIGHT] = value_integer(fusion->weight), [WORKSPACE] = value_integer(fusion->workspace),
        [TOTAL] = value_integer(fusion->total),
    };
    return report_row(arg, values, err);
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
