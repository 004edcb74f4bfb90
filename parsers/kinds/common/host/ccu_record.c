/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/host/ccu_record.h"

#include "base/bytes.h"
#include "parsers/kinds/common/host/host_record.h"

#include <stdio.h>

enum { CHANNELS_AT = 80, RANKS_AT = 112, PLACES = 16, LIST_MAX = PLACES * 11 + 1 };

/* The numbers of a list that are given: not all bits set. */
static void put_list(struct decoder *decoder, const struct record_kind *kind, struct row *row, size_t column,
                     size_t offset, unsigned width)
{
    const struct bytes bytes = decoder_bytes(decoder);
    char text[LIST_MAX] = "";
    size_t length = 0;
    for (size_t i = 0; i < PLACES; i++) {
        uint64_t number;
        if (!bytes_read(&bytes, offset + i * width, width, false, &number) ||
            number == (width == 2 ? 0xffffU : 0xffffffffU))
            continue;
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s%u", length > 0 ? "," : "", (unsigned)number);
    }
    if (length > 0)
        decoder_set_text(decoder, kind, row, column, text, length);
}

int ccu_record_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    bool failed = host_record_take(decoder, state, row, keep, err) < 0 ||
                  record_stream_find_name(stream, row, CCU_ITEM, CCU_ITEM_ID, err) < 0 ||
                  record_stream_find_name(stream, row, CCU_GROUP, CCU_GROUP_ID, err) < 0;
    if (!failed && stream->kind->column_count > CCU_RECORD_COLUMN_COUNT) {
        put_list(decoder, stream->kind, row, stream->kind->column_count - 2, CHANNELS_AT, 2);
        put_list(decoder, stream->kind, row, stream->kind->column_count - 1, RANKS_AT, 4);
    }
    return failed ? err_status(err) : 0;
}
