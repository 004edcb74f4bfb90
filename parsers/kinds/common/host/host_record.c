/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/host/host_record.h"

int host_record_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    (void)err;
    const struct record_stream *stream = state;
    if (row_has(row, TICK))
        row_set_integer(row, TIME_NS, part_host_ns(stream->part, row->cells[TICK].integer));
    return 0;
}

int host_record_take_span(struct decoder *decoder, void *state, struct row *row, size_t start_tick, size_t start_ns,
                          bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    int status = host_record_take(decoder, state, row, keep, err);
    int64_t start = part_host_ns(stream->part, row->cells[start_tick].integer), end = row->cells[TIME_NS].integer;
    *keep = status == 0 && decoder_check_span(decoder, "the task", start, end);
    if (!*keep)
        return status;
    row_set_integer(row, start_ns, start);
    row_set_integer(row, start_ns + 1, end - start);
    return 0;
}
