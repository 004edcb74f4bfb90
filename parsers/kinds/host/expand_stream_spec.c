/* SPDX-License-Identifier: Apache-2.0 */
/* Whether streams have numbers of 15 bits: *.compact.expand_stream_spec. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(EXPANDED, "expanded", "Expanded", NUMBER, "1: numbers of streams have 15 bits, not 11.", AT(24, 1))

HOST_RECORD_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    if (stream->association != NULL)
        association_expand_streams(stream->association, row->cells[EXPANDED].integer == 1);
    return host_record_take(decoder, state, row, keep, err);
}

const struct record_kind kind_expand_stream_spec = {
    OWN_TABLE("expand_stream_spec"),
    .title = "Expanded streams",
    .doc = "Whether the device has more streams than 11 bits can number: then its records put numbers of streams and "
           "tasks together in another way. The first record counts.",
    COMPACT_RECORD("expand_stream_spec", "expand-stream-spec", take_record,
                   "24 bytes of header, whether streams are expanded (docs/formats/cann.md 3.4)"),
};
