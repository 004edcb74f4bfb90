/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/host/host_record.h"

#include "parsers/capture/capture.h"

#include <string.h>

int host_stream_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err)
{
    (void)err;
    struct host_stream *stream = state;
    stream->kind = file->kind;
    stream->ageing = file->identity.tag != NULL && strcmp(file->identity.tag, "aging") == 0;
    stream->part = decoder_part(decoder);
    stream->association = decoder_association(decoder);
    return 0;
}

int host_record_take(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    (void)err;
    const struct host_stream *stream = state;
    if (row_has(row, TICK))
        row_set_integer(row, TIME_NS, part_host_ns(stream->part, row->cells[TICK].integer));
    return 0;
}

const struct kind_hooks host_record_hooks = {
    .state_size = sizeof(struct host_stream),
    .open = host_stream_open,
    .record = host_record_take,
};
