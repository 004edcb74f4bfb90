/* SPDX-License-Identifier: Apache-2.0 */
/* State of an open file whose name tells a device and one of its groups (of cores, a die). */
#ifndef MSPROF_PARSERS_KINDS_COMMON_GROUP_FILE_H
#define MSPROF_PARSERS_KINDS_COMMON_GROUP_FILE_H

#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"

struct group_file {
    const struct record_kind *kind;
    const struct capture_part *part;
    int64_t device_id, group_id;
};

/* A kind's hook: its state is a struct group_file. */
static inline int group_file_open(struct decoder *decoder, void *opaque, const struct capture_file *file,
                                  struct err *err)
{
    (void)err;
    *(struct group_file *)opaque =
        (struct group_file){file->kind, decoder_part(decoder), file->identity.device_id, file->identity.group_id};
    return 0;
}

#endif
