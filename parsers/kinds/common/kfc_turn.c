/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/kfc_turn.h"

int kfc_turn_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)err;
    const struct record_stream *stream = state;
    size_t count = (stream->kind->column_count - FIRST_TICK) / 2, first_ns = FIRST_TICK + count;
    row_set_integer(row, DEVICE_ID, stream->device_id);
    aicpu_put_ids(stream, row, STREAM_ID, TASK_ID);
    for (size_t i = 0; *keep && i < count; i++) {
        int64_t time_ns = part_device_ns(stream->part, row->cells[FIRST_TICK + i].integer);
        *keep = i == 0 || decoder_check_span(decoder, stream->kind->columns[first_ns + i].title,
                                             row->cells[first_ns + i - 1].integer, time_ns);
        row_set_integer(row, first_ns + i, time_ns);
    }
    return 0;
}
