/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the records of aicpu.data: whose they are, and how they number streams and tasks. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_AICPU_STREAM_H
#define MSPROF_PARSERS_KINDS_COMMON_AICPU_STREAM_H

#include "parsers/kinds/common/record_stream.h"

/* Puts the numbers of stream and task, decoded as the chip's scheduler codes them, in place of the recorded words. */
void aicpu_put_ids(const struct record_stream *stream, struct row *row, size_t stream_column, size_t task_column);

/* The layout of a kind by the type of its records: name, type and where it is described. */
#define AICPU_LAYOUT(title, type, text)                                                                                \
    LAYOUT(title, 256, fields, text, .part = true, MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(4, 4, type)))

#endif
