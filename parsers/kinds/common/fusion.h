/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the records of fused operators, before 2023 and since: their memory, and the operators that they
 * were, up to eight a record. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_FUSION_H
#define MSPROF_PARSERS_KINDS_COMMON_FUSION_H

#include "parsers/kinds/common/columns.h"

/* Columns have the places that the kind's enum gives them, whose names these are. */
#define FUSED_PLACES                                                                                                   \
    OP_NAME0_ID, OP_NAME1_ID, OP_NAME2_ID, OP_NAME3_ID, OP_NAME4_ID, OP_NAME5_ID, OP_NAME6_ID, OP_NAME7_ID

#define FUSION_BYTES(place, name, title, doc) [place] = COLUMN(name, title, INTEGER(BYTE, PLAIN), doc)
#define FUSION_BYTES_COLUMNS                                                                                           \
    FUSION_BYTES(INPUT_BYTES, "input_bytes", "Memory input", "Memory of inputs."),                                     \
        FUSION_BYTES(OUTPUT_BYTES, "output_bytes", "Memory output", "Memory of outputs."),                             \
        FUSION_BYTES(WEIGHT_BYTES, "weight_bytes", "Memory weight", "Memory of weights."),                             \
        FUSION_BYTES(WORKSPACE_BYTES, "workspace_bytes", "Memory workspace", "Memory of workspace."),                  \
        FUSION_BYTES(TOTAL_BYTES, "total_bytes", "Memory total", "All of its memory.")
#define FUSION_BYTES_FIELDS(at)                                                                                        \
    {.column = "input_bytes", .offset = (at), .width = 8}, {.column = "output_bytes", .offset = (at) + 8, .width = 8}, \
        {.column = "weight_bytes", .offset = (at) + 16, .width = 8},                                                   \
        {.column = "workspace_bytes", .offset = (at) + 24, .width = 8},                                                \
    {                                                                                                                  \
        .column = "total_bytes", .offset = (at) + 32, .width = 8                                                       \
    }

#define FUSED_COUNT_COLUMN [OP_COUNT] = COLUMN("op_count", "Operators", NUMBER, "How many operators were fused.")

#define FUSED_COLUMN(n)                                                                                                \
    [OP_NAME##n##_ID] = COLUMN("op_name" #n "_id", "Operator " #n, NUMBER,                                             \
                               "Name of a fused operator, as an id of the hash dictionary; 0: none.")
#define FUSED_COLUMNS                                                                                                  \
    FUSED_COLUMN(0), FUSED_COLUMN(1), FUSED_COLUMN(2), FUSED_COLUMN(3), FUSED_COLUMN(4), FUSED_COLUMN(5),              \
        FUSED_COLUMN(6), FUSED_COLUMN(7)
#define FUSED_FIELD(at, n)                                                                                             \
    {                                                                                                                  \
        .column = "op_name" #n "_id", .offset = (at) + 8 * (n), .width = 8, .is_signed = true                          \
    }
#define FUSED_FIELDS(at)                                                                                               \
    FUSED_FIELD(at, 0), FUSED_FIELD(at, 1), FUSED_FIELD(at, 2), FUSED_FIELD(at, 3), FUSED_FIELD(at, 4),                \
        FUSED_FIELD(at, 5), FUSED_FIELD(at, 6), FUSED_FIELD(at, 7)

#endif
