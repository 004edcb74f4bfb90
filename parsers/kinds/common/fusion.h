/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the records of fused operators, before 2023 and since: their memory, and the operators that they
 * were, up to eight a record. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_FUSION_H
#define MSPROF_PARSERS_KINDS_COMMON_FUSION_H

#include "parsers/kinds/common/columns.h"

#define FUSION_BYTES(STORED, at)                                                                                       \
    STORED(INPUT_BYTES, "input_bytes", "Memory input", INTEGER(BYTE, PLAIN), "Memory of inputs.", AT(at, 8))           \
    STORED(OUTPUT_BYTES, "output_bytes", "Memory output", INTEGER(BYTE, PLAIN), "Memory of outputs.", AT((at) + 8, 8)) \
    STORED(WEIGHT_BYTES, "weight_bytes", "Memory weight", INTEGER(BYTE, PLAIN), "Memory of weights.",                  \
           AT((at) + 16, 8))                                                                                           \
    STORED(WORKSPACE_BYTES, "workspace_bytes", "Memory workspace", INTEGER(BYTE, PLAIN), "Memory of workspace.",       \
           AT((at) + 24, 8))                                                                                           \
    STORED(TOTAL_BYTES, "total_bytes", "Memory total", INTEGER(BYTE, PLAIN), "All of its memory.", AT((at) + 32, 8))

#define FUSED_COUNT(STORED, at, bytes)                                                                                 \
    STORED(OP_COUNT, "op_count", "Operators", NUMBER, "How many operators were fused.", AT(at, bytes))

#define FUSED_NAME(STORED, at, n)                                                                                      \
    STORED(OP_NAME##n##_ID, "op_name" #n "_id", "Operator " #n, NUMBER,                                                \
           "Name of a fused operator, as an id of the hash dictionary; 0: none.", SIGNED_AT((at) + 8 * (n), 8))
#define FUSED_NAMES(STORED, at)                                                                                        \
    FUSED_NAME(STORED, at, 0)                                                                                          \
    FUSED_NAME(STORED, at, 1)                                                                                          \
    FUSED_NAME(STORED, at, 2)                                                                                          \
    FUSED_NAME(STORED, at, 3)                                                                                          \
    FUSED_NAME(STORED, at, 4) FUSED_NAME(STORED, at, 5) FUSED_NAME(STORED, at, 6) FUSED_NAME(STORED, at, 7)

#endif
