/* SPDX-License-Identifier: Apache-2.0 */
/* Physical streams of logic streams: *.additional.logic_stream_info. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

/* A row has 64 columns at most, and the head takes seven: two streams share one. */
/* clang-format off */
#define PAIRS(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) \
    X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27)
/* clang-format on */
#define STREAM_PAIRS 28

#define COLUMNS(STORED)                                                                                                \
    STORED(LOGIC_STREAM, "logic_stream_id", "Logic stream", NUMBER,                                                    \
           "The stream that tasks of the physical ones are shown under.", AT(24, 4))                                   \
    STORED(STREAM_COUNT, "stream_count", "Streams", NUMBER, "How many of the physical streams that follow are used.",  \
           AT(28, 4))

enum { LAST_SHARED = HOST_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER) FIRST_PAIR };

#define PAIR_COLUMN(i)                                                                                                 \
    [FIRST_PAIR + (i)] = COLUMN("streams" #i, "Streams " #i, INTEGER(NONE, TRANSIENT),                                 \
                                "Two physical streams, the first in the lower 32 bits."),
#define PAIR_FIELD(i) SIGNED_FIELD("streams" #i, 32 + 8 * (i), 8),

static const struct column columns[] = {HOST_RECORD_COLUMNS, COLUMNS(COLUMN_STORED) PAIRS(PAIR_COLUMN)};

static const struct field fields[] = {HOST_RECORD_FIELDS, COLUMNS(COLUMN_FIELD) PAIRS(PAIR_FIELD)};

static int take_streams(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    const struct cell *cells = row->cells;
    int64_t count = cells[STREAM_COUNT].integer;
    int status = host_record_take(decoder, state, row, keep, err);
    if (count > 2 * STREAM_PAIRS) {
        decoder_report(decoder, DIAG_RECORD_VALUE, "stream_count", "%lld streams; expected at most %d",
                       (long long)count, 2 * STREAM_PAIRS);
        *keep = false;
        return status;
    }
    for (int64_t i = 0; status == 0 && stream->association != NULL && i < count; i++) {
        uint64_t pair = (uint64_t)cells[FIRST_PAIR + i / 2].integer;
        status = association_add_logic_stream(stream->association, (uint32_t)(i % 2 == 0 ? pair : pair >> 32),
                                              row_u32(row, LOGIC_STREAM), err);
    }
    return status;
}

const struct record_kind kind_logic_stream_info = {
    OWN_TABLE("logic_stream_info"),
    .title = "Logic stream",
    .doc = "Which physical streams of devices a logic stream has: their tasks are shown under it.",
    ADDITIONAL_RECORD("logic_stream_info", "logic-stream-info", take_streams,
                      "24 bytes of header, logic stream, count, up to 56 physical streams (docs/formats/cann.md 3.5)"),
};
