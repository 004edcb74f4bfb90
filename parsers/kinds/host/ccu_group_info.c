/* SPDX-License-Identifier: Apache-2.0 */
/* Loop of the CCU: *.additional.ccu_group_info. */
#include "parsers/kinds/common/host/ccu_record.h"
#include "parsers/kinds/common/sample.h"

enum { REDUCE = CCU_RECORD_COLUMN_COUNT, INPUT, OUTPUT, BYTES, CHANNELS, RANKS };

static const struct column columns[] = {
    CCU_RECORD_COLUMNS,
    [REDUCE] = CCU_NUMBER("reduce_op", "Reduction", "0 sum, 1 product, 2 largest, 3 smallest; 255: none."),
    [INPUT] = CCU_NUMBER("input_type", "Input type", "Type of an element, as a number of HCCL."),
    [OUTPUT] = CCU_NUMBER("output_type", "Output type", "Data type of the result."),
    [BYTES] = BYTES_COLUMN("data_size", "Size", "Amount moved."),
    [CHANNELS] = CCU_CHANNELS_COLUMN,
    [RANKS] = CCU_RANKS_COLUMN,
};

static const struct field fields[] = {CCU_LISTS_FIELDS, FIELD("reduce_op", 69, 1), FIELD("input_type", 70, 1),
                                      FIELD("output_type", 71, 1), FIELD("data_size", 72, 8)};

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    static const struct ccu_lists lists = {CHANNELS, RANKS};
    return ccu_record_take(decoder, state, row, keep, &lists, err);
}

const struct record_kind kind_ccu_group_info = {
    OWN_TABLE("ccu_group_info"),
    .families = FAMILY_CANN,
    .title = "Loop of the CCU",
    .doc = "Data that an instruction of the CCU moves and reduces, and over which channels.",
    .patterns = (const char *const[]){"{tag}.additional.ccu_group_info.slice_{slice}", NULL},
    RECORDS_OF(columns,
               CANN_LAYOUT(
                   "cann-ccu-group-info", 256,
                   "CANN additional record, 256 bytes: operator, group, rank, stream, task, die, mission, instruction, "
                   "reduction, size, channels, ranks (docs/formats/cann.md 3.7)")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
