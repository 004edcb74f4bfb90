/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes, types and formats of operators' tensors: *.additional.tensor_info, up to five tensors a record. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/tensor_columns.h"

#define COLUMNS(STORED)                                                                                                \
    STORED(OP_NAME_ID, "op_name_id", "Operator name", NUMBER, "The name, as an id of the hash dictionary.",            \
           SIGNED_AT(24, 8))                                                                                           \
    STORED(TENSOR_COUNT, "tensor_count", "Tensors", NUMBER, "How many of the tensors that follow are used.", AT(32, 4))

enum { LAST_SHARED = HOST_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER) FIRST_TENSOR };

static const struct column columns[] = {HOST_RECORD_COLUMNS, COLUMNS(COLUMN_STORED) TENSOR_COLUMNS(FIRST_TENSOR)};

static const struct field fields[] = {HOST_RECORD_FIELDS, COLUMNS(COLUMN_FIELD) TENSOR_FIELDS(36)};

_Static_assert(TENSORS_PER_RECORD == TENSORS_OF_A_RECORD, "the association takes every tensor of a record");

static ALWAYS_INLINE int take_tensors(struct decoder *decoder, void *state, const struct record_source *source,
                                      bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    uint32_t count = source_u32(source, TENSOR_COUNT);
    if (count > TENSORS_PER_RECORD)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "tensor_count", "%u tensors; expected at most %d",
                              count, TENSORS_PER_RECORD);
    if (stream->association == NULL)
        return 0;
    struct host_tensors tensors = {
        .time_ns = part_ticks_ns(&stream->host, source_integer(source, TICK)),
        .name_id = source_integer(source, OP_NAME_ID),
        .thread_id = source_u32(source, THREAD_ID),
        .count = count,
    };
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = i * TENSOR_COLUMN_COUNT;
        tensors.tensors[i] = (struct host_tensor){.kind = (uint32_t)source_run(source, FIRST_TENSOR, at),
                                                  .format = (uint32_t)source_run(source, FIRST_TENSOR, at + 1),
                                                  .data_type = (uint32_t)source_run(source, FIRST_TENSOR, at + 2)};
        for (size_t d = 0; d < TENSOR_DIMENSIONS; d++)
            tensors.tensors[i].shape[d] = (uint32_t)source_run(source, FIRST_TENSOR, at + 3 + d);
    }
    return association_add_tensors(stream->association, &tensors, err);
}

RECORD_HOOKS(take_tensors, fields, TIME_NS, 1)

const struct record_kind kind_tensor_info = {
    .name = "tensor_info",
    .title = "Tensor description",
    .doc = "Shapes, data types and formats of an operator's tensors, reported inside the node call that launches it "
           "and joined with it.",
    DIRECT_ADDITIONAL_RECORD(
        "tensor_info", "tensor-info", take_tensors,
        "24 bytes of header, operator name, count, 5 tensors of 44 bytes (docs/formats/cann.md 3.5)"),
};
