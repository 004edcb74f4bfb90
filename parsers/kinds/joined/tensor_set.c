/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs and outputs of operators, each combination once. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {TENSOR_SET_COLUMNS(COLUMN_MADE)};

const struct record_kind kind_tensor_set = {
    OWN_TABLE("tensor_set"),
    .families = FAMILY_ASCEND,
    .title = "Tensors of an operator",
    .doc = "The inputs and outputs of operators, each combination once. Several tensors are joined by ';'.",
    COLUMNS_OF(columns),
};
