/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/record_stream.h"

#include <string.h>

int record_stream_open(struct decoder *decoder, void *state, const struct capture_file *file, struct err *err)
{
    (void)err;
    *(struct record_stream *)state = (struct record_stream){
        .part = decoder_part(decoder),
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
