/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/record_stream.h"

#include <string.h>

int record_stream_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err)
{
    (void)err;
    const struct capture_part *part = decoder_part(decoder);
    *(struct record_stream *)state = (struct record_stream){
        .part = part,
        .host = part_host_ticks(part),
        .device = part_device_ticks(part),
        .kind = file->kind,
        .join = decoder_join(decoder),
        .association = decoder_association(decoder),
        .executions = decoder_executions(decoder),
        .device_id = file->identity.device_id,
        .group_id = file->identity.group_id,
        .ageing = file->identity.tag != NULL && strcmp(file->identity.tag, "aging") == 0,
    };
    return 0;
}

int record_stream_find_name(const struct record_stream *stream, struct row *row, size_t hash, size_t name,
                            struct err *err)
{
    int64_t name_id;
    if (stream->association == NULL || !row_has(row, hash) || row->cells[hash].integer == 0)
        return 0;
    if (association_find_name(stream->association, row->cells[hash].integer, stream->kind->columns[hash].name, &name_id,
                              err) < 0)
        return err_status(err);
    row_set_integer(row, name, name_id);
    return 0;
}
