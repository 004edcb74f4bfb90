/* SPDX-License-Identifier: Apache-2.0 */
/* Asynchronous copies: *.compact.memcpy_info. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(DATA_SIZE, "data_size", "Size", INTEGER(BYTE, PLAIN), "Bytes that are copied.", AT(24, 8))                  \
    STORED(MAX_SIZE, "max_size", "Largest size", INTEGER(BYTE, PLAIN),                                                 \
           "Bytes that one task may copy; a larger copy is split.", AT(32, 8))                                         \
    STORED(DIRECTION, "direction", "Direction", NAMES(PLAIN, copy_direction_names), "From where to where.", AT(40, 2))

HOST_RECORD_TABLES;

static int take_copy(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    const struct cell *cells = row->cells;
    int status = host_record_take(decoder, state, row, keep, err);
    if (status < 0 || stream->association == NULL)
        return status;
    const struct host_copy copy = {
        .time_ns = cells[TIME_NS].integer,
        .bytes = cells[DATA_SIZE].integer,
        .task_bytes = cells[MAX_SIZE].integer,
        .thread_id = row_u32(row, THREAD_ID),
        .direction = row_u32(row, DIRECTION),
    };
    return association_add_copy(stream->association, &copy, err);
}

const struct record_kind kind_memcpy_info = {
    OWN_TABLE("memcpy_info"),
    .title = "Memory copy",
    .doc = "Size and direction of a copy, reported inside the runtime call that launches it.",
    COMPACT_RECORD("memcpy_info", "memcpy-info", take_copy,
                   "24 bytes of header, size, largest size, direction (docs/formats/cann.md 3.4)"),
};
