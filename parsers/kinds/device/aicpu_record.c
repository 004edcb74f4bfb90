/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the AI CPU of a device, of several kinds: aicpu.data. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/split_record.h"

static const struct column columns[] = {
    {"record_type", "Type", INTEGER(NONE, TRANSIENT),
     "0 an operator, 1 a queue of data, 3 a wait of the model for data; of MC2 4 a turn of communication, 5 of "
     "computation, 13 tasks of communication; of collectives that the AI CPU expands 10 the operator, 11 a flip, "
     "12 the first and the last task."},
};

static const struct field fields[] = {FIELD("record_type", 4, 4)};

extern const struct record_kind kind_aicpu_node, kind_data_queue, kind_data_wait, kind_kfc_comm_turn,
    kind_kfc_compute_turn, kind_kfc_hccl_info, kind_expanded_op, kind_expanded_flip, kind_expanded_end;

static const struct record_kind *const parts[] = {
    &kind_aicpu_node,    &kind_data_queue,  &kind_data_wait,     &kind_kfc_comm_turn, &kind_kfc_compute_turn,
    &kind_kfc_hccl_info, &kind_expanded_op, &kind_expanded_flip, &kind_expanded_end,  NULL};

const struct record_kind kind_aicpu_record = {
    .name = "aicpu_record",
    .families = FAMILY_CANN,
    .title = "Records of the AI CPU",
    .doc = "Operators that the AI CPU ran, what it waited for, and what it did for kernels that compute and "
           "communicate at once. Each record becomes a row of its kind.",
    .patterns = (const char *const[]){"aicpu.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, CANN_LAYOUT("cann-aicpu-256", 256, "docs/formats/aicpu.md 1: 256 bytes")),
    .hooks = &split_hooks,
    .parts = parts,
};
