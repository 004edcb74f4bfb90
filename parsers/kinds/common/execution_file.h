/* SPDX-License-Identifier: Apache-2.0 */
/* State of an open file whose records tell of executions, which captures from before 2023 join. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_EXECUTION_FILE_H
#define MSPROF_PARSERS_KINDS_COMMON_EXECUTION_FILE_H

#include "parsers/capture/capture.h"
#include "parsers/join/execution.h"

struct execution_file {
    struct executions *executions; /* NULL: not of a capture from before 2023 */
    int64_t device_id;
};

/* A kind's hook: its state is a struct execution_file. */
static inline int execution_file_open(struct decoder *decoder, void *opaque, const struct capture_file *file,
                                      struct err *err)
{
    (void)err;
    *(struct execution_file *)opaque = (struct execution_file){decoder_executions(decoder), file->identity.device_id};
    return 0;
}

#endif
