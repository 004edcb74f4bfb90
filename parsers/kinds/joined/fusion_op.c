/* SPDX-License-Identifier: Apache-2.0 */
/* Fused operators with their names and models, from the records of several files. */
#include "parsers/join/association.h"
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

#define FUSED_OPERATOR(i, name, title)                                                                                 \
    [FUSION_OP_FIRST_ID + (i)] = COLUMN(name, title, INTEGER(NONE, DERIVED), "An operator that went into it (name.id).")

static const struct column columns[] = {
    [FUSION_OP_MODEL_ID] = {"model_id", "Model ID", INTEGER(NONE, DERIVED),
                            "The model that was being loaded; 4294967295: none."},
    [FUSION_OP_MODEL_NAME_ID] = {"model_name_id", "Model name", INTEGER(NONE, DERIVED), "The model's name (name.id)."},
    [FUSION_OP_NAME_ID] = {"name_id", "Fused operator", INTEGER(NONE, DERIVED), "Its name (name.id)."},
    [FUSION_OP_COUNT] = {"op_count", "Operators", INTEGER(NONE, DERIVED), "How many operators went into it."},
    [FUSION_OP_INPUT_BYTES] = {"input_bytes", "Memory input", INTEGER(BYTE, DERIVED), "Memory of inputs."},
    [FUSION_OP_OUTPUT_BYTES] = {"output_bytes", "Memory output", INTEGER(BYTE, DERIVED), "Memory of outputs."},
    [FUSION_OP_WEIGHT_BYTES] = {"weight_bytes", "Memory weight", INTEGER(BYTE, DERIVED), "Memory of weights."},
    [FUSION_OP_WORKSPACE_BYTES] = {"workspace_bytes", "Memory workspace", INTEGER(BYTE, DERIVED),
                                   "Memory of workspace."},
    [FUSION_OP_TOTAL_BYTES] = {"total_bytes", "Memory total", INTEGER(BYTE, DERIVED), "All of its memory."},
    FUSED_OPERATOR(0, "op0_id", "Operator 0"),
    FUSED_OPERATOR(1, "op1_id", "Operator 1"),
    FUSED_OPERATOR(2, "op2_id", "Operator 2"),
    FUSED_OPERATOR(3, "op3_id", "Operator 3"),
    FUSED_OPERATOR(4, "op4_id", "Operator 4"),
    FUSED_OPERATOR(5, "op5_id", "Operator 5"),
    FUSED_OPERATOR(6, "op6_id", "Operator 6"),
    FUSED_OPERATOR(7, "op7_id", "Operator 7"),
};
_Static_assert(sizeof columns / sizeof *columns == FUSION_OP_FIRST_ID + FUSED_PER_RECORD, "one column for each");

const struct record_kind kind_fusion_op = {
    .name = "fusion_op",
    .table = "fusion_op",
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Fused operator",
    .doc = "An operator that the graph compiler made of several, with its names and the model whose loading reported "
           "it.",
    COLUMNS_OF(columns),
};
