/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs and outputs of operators, each combination once. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {
    [TENSOR_SET_ID] = {"id", "ID", INTEGER(NONE, DERIVED | COLUMN_KEY),
                       "Number to which device_task.tensor_set_id refers."},
    [TENSOR_SET_INPUT_SHAPES] = {"input_shapes", "Input shapes", TEXT(DERIVED), "Shapes of the inputs."},
    [TENSOR_SET_INPUT_DATA_TYPES] = {"input_data_types", "Input data types", TEXT(DERIVED),
                                     "Data types of the inputs."},
    [TENSOR_SET_INPUT_FORMATS] = {"input_formats", "Input formats", TEXT(DERIVED), "Formats of the inputs."},
    [TENSOR_SET_OUTPUT_SHAPES] = {"output_shapes", "Output shapes", TEXT(DERIVED), "Shapes of the outputs."},
    [TENSOR_SET_OUTPUT_DATA_TYPES] = {"output_data_types", "Output data types", TEXT(DERIVED),
                                      "Data types of the outputs."},
    [TENSOR_SET_OUTPUT_FORMATS] = {"output_formats", "Output formats", TEXT(DERIVED), "Formats of the outputs."},
};

const struct record_kind kind_tensor_set = {
    .name = "tensor_set",
    .table = "tensor_set",
    .families = FAMILY_ASCEND,
    .title = "Tensors of an operator",
    .doc = "The inputs and outputs of operators, each combination once. Several tensors are joined by ';'.",
    COLUMNS_OF(columns),
};
