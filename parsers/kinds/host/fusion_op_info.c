/* SPDX-License-Identifier: Apache-2.0 */
/* Which operators were fused into one: *.additional.fusion_op_info. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/fusion.h"
#include "parsers/kinds/common/host/host_record.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(FUSION_NAME_ID, "fusion_name_id", "Fused operator", NUMBER, "Its name, as an id of the hash dictionary.",   \
           SIGNED_AT(24, 8))                                                                                           \
    FUSED_COUNT(STORED, 32, 4)                                                                                         \
    FUSION_BYTES(STORED, 36)                                                                                           \
    FUSED_NAMES(STORED, 76)

HOST_RECORD_TABLES;

/* Places before the count name operators; those behind it may hold anything. */
static bool is_sound(struct decoder *decoder, const struct row *row)
{
    struct place place = decoder_place(decoder, "op_count");
    uint32_t count = row_u32(row, OP_COUNT), named = 0;
    while (named < FUSED_PER_RECORD && row->cells[OP_NAME0_ID + named].integer != 0)
        named++;
    if (count > named) {
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place,
                    "%u operators; expected at most %u, which have names", count, named);
        return false;
    }
    return true;
}

static int take_fusion(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    const struct cell *cells = row->cells;
    *keep = is_sound(decoder, row);
    if (!*keep)
        return 0;
    int status = host_record_take(decoder, state, row, keep, err);
    if (status < 0 || stream->association == NULL)
        return status;
    struct host_fusion fusion = {
        .time_ns = cells[TIME_NS].integer,
        .name_id = cells[FUSION_NAME_ID].integer,
        .input_bytes = cells[INPUT_BYTES].integer,
        .output_bytes = cells[OUTPUT_BYTES].integer,
        .weight_bytes = cells[WEIGHT_BYTES].integer,
        .workspace_bytes = cells[WORKSPACE_BYTES].integer,
        .total_bytes = cells[TOTAL_BYTES].integer,
        .thread_id = row_u32(row, THREAD_ID),
        .op_count = row_u32(row, OP_COUNT),
    };
    for (uint32_t i = 0; i < fusion.op_count; i++)
        fusion.op_ids[i] = cells[OP_NAME0_ID + i].integer;
    return association_add_fusion(stream->association, &fusion, err);
}

const struct record_kind kind_fusion_op_info = {
    OWN_TABLE("fusion_op_info"),
    .title = "Operator fusion",
    .doc = "An operator that the graph compiler made of several, with its memory.",
    ADDITIONAL_RECORD(
        "fusion_op_info", "fusion-op-info", take_fusion,
        "24 bytes of header, fused name, count, memory sizes, names of up to 8 operators (docs/formats/cann.md 3.5)"),
};
