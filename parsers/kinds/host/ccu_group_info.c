/* SPDX-License-Identifier: Apache-2.0 */
/* Loop of the CCU: *.additional.ccu_group_info. */
#include "parsers/kinds/common/host/ccu_record.h"
#include "parsers/kinds/common/sample.h"

static const struct column columns[] = {
    CCU_RECORD_COLUMNS NUMBER_COLUMN("reduce_op", "Reduction", "0 sum, 1 product, 2 largest, 3 smallest; 255: none."),
    NUMBER_COLUMN("input_type", "Input type", "Type of an element, as a number of HCCL."),
    NUMBER_COLUMN("output_type", "Output type", "Data type of the result."),
    BYTES_COLUMN("data_size", "Size", "Amount moved."),
    CCU_LISTS_COLUMNS,
};

static const struct field fields[] = {CCU_LISTS_FIELDS, FIELD("reduce_op", 69, 1), FIELD("input_type", 70, 1),
                                      FIELD("output_type", 71, 1), FIELD("data_size", 72, 8)};

const struct record_kind kind_ccu_group_info = {
    OWN_TABLE("ccu_group_info"),
    .title = "Loop of the CCU",
    .doc = "Data that an instruction of the CCU moves and reduces, and over which channels.",
    ADDITIONAL_RECORD("ccu_group_info", "ccu-group-info", ccu_record_take,
                      "operator, group, rank, stream, task, die, mission, instruction, reduction, size, channels, "
                      "ranks (docs/formats/cann.md 3.7)"),
};
