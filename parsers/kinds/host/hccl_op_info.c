/* SPDX-License-Identifier: Apache-2.0 */
/* Collective communication operators: *.compact.hccl_op_info. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(RELAY, "relay", "Relay", NUMBER, "Whether a broken link is gone around.", BITS_AT(24, 1, 0, 1))             \
    STORED(RETRY, "retry", "Retry", NUMBER, "Whether the operator was run again after a failure.",                     \
           BITS_AT(24, 1, 1, 1))                                                                                       \
    STORED(DATA_TYPE, "data_type", "Data type", NUMBER, "Type of an element, as a number of HCCL.", AT(25, 1))         \
    STORED(ALG_TYPE_ID, "alg_type_id", "Algorithm", NUMBER, "The algorithm, as an id of the hash dictionary.",         \
           SIGNED_AT(26, 8))                                                                                           \
    STORED(COUNT, "count", "Count", NUMBER, "How many elements are transferred.", AT(34, 8))                           \
    STORED(GROUP_NAME_ID, "group_name_id", "Group", NUMBER,                                                            \
           "The communication group, as an id of the hash dictionary.", SIGNED_AT(42, 8))

HOST_RECORD_TABLES;

static int take_collective(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    const struct cell *cells = row->cells;
    int status = host_record_take(decoder, state, row, keep, err);
    if (status < 0 || stream->association == NULL)
        return status;
    const struct host_collective collective = {
        .time_ns = cells[TIME_NS].integer,
        .algorithm_id = cells[ALG_TYPE_ID].integer,
        .group_id = cells[GROUP_NAME_ID].integer,
        .count = cells[COUNT].integer,
        .thread_id = row_u32(row, THREAD_ID),
        .relay = row_u32(row, RELAY),
        .retry = row_u32(row, RETRY),
        .data_type = row_u32(row, DATA_TYPE),
    };
    return association_add_collective(stream->association, &collective, err);
}

const struct record_kind kind_hccl_op_info = {
    OWN_TABLE("hccl_op_info"),
    .title = "Communication operator",
    .doc = "Data that a collective communication operator transfers and how, reported inside its node call.",
    COMPACT_RECORD("hccl_op_info", "hccl-op-info", take_collective,
                   "24 bytes of header, flags, data type, algorithm, count, group (docs/formats/cann.md 3.4)"),
};
