/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the two kinds of records about operators of captured graphs: everything but how long they are. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_HOST_CAPTURED_OP_H
#define MSPROF_PARSERS_KINDS_COMMON_HOST_CAPTURED_OP_H

#include "parsers/kinds/common/host/host_record.h"

#define CAPTURED_OP_COLUMNS (HOST_RECORD_COLUMN_COUNT + 16)
#define CAPTURED_OP_FIELDS 17

/* Bytes in front of the tensors, those of a tensor, and how many stand in a record of 256 bytes at most. */
#define CAPTURED_OP_HEAD 88
#define CAPTURED_OP_TENSOR 44
#define CAPTURED_OP_TENSORS ((256 - CAPTURED_OP_HEAD) / CAPTURED_OP_TENSOR)

extern const struct column captured_op_columns[CAPTURED_OP_COLUMNS];
extern const struct field captured_op_fields[CAPTURED_OP_FIELDS];

/* How many tensors the decoded record says that it has. */
uint32_t captured_op_tensor_count(const struct row *row);
/* Fills what is derived of a decoded record, and hands it to the association; tensors: the bytes of all of them. */
int captured_op_take(struct decoder *decoder, struct record_stream *stream, struct row *row,
                     const struct bytes *tensors, struct err *err);

#endif
