/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/host/captured_op.h"

#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/tensor_columns.h"

#include <stdlib.h>

static const struct value_name states[] = {{0, "static"}, {1, "dynamic"}, {0, NULL}};

#define HASH INTEGER(NONE, TRANSIENT)
#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(MODEL_ID, "model_id", "Model ID", NUMBER, "The model that the graph was captured into.", AT(24, 4))         \
    STORED(DEVICE_ID, "device_id", "Device ID", NUMBER, "The device.", AT(28, 4))                                      \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream that the task is put on.", AT(32, 4))              \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The task.", AT(36, 4))                                              \
    STORED(TASK_TYPE, "task_type", "Task type", NAMES(PLAIN, core_names), "The kind of task that it is.", AT(40, 4))   \
    STORED(BLOCK_NUM, "block_num", "Block num", NUMBER, "How many blocks the task is split into.",                     \
           BITS_AT(44, 4, 0, 16))                                                                                      \
    STORED(MIX_RATIO, "mix_ratio", "Mix ratio", NUMBER,                                                                \
           "Blocks of the other core type for each block; 0: one type of core only.", BITS_AT(44, 4, 16, 16))          \
    STORED(NAME_HASH, "op_name_hash", "Operator", HASH, "The operator, as an id of the hash dictionary.",              \
           SIGNED_AT(48, 8))                                                                                           \
    STORED(TYPE_HASH, "op_type_hash", "Operator type", HASH, "Its type, as an id of the hash dictionary.",             \
           SIGNED_AT(56, 8))                                                                                           \
    STORED(ATTRIBUTE_HASH, "attribute_hash", "Attribute", HASH,                                                        \
           "Its attributes, as an id of the hash dictionary; 0: none.", SIGNED_AT(64, 8))                              \
    MADE(OP_NAME_ID, "op_name_id", "Operator", MADE_NUMBER, "The operator (name.id).")                                 \
    MADE(OP_TYPE_ID, "op_type_id", "Operator type", MADE_NUMBER, "Its type (name.id).")                                \
    MADE(ATTRIBUTE_ID, "attribute_id", "Attribute", MADE_NUMBER, "Its attributes (name.id).")                          \
    STORED(OP_FLAG, "op_flag", "Operator flags", NUMBER, "Not 0: the operator may use HF32.", AT(80, 4))               \
    MADE(OP_STATE, "op_state", "Operator state", NAMES(DERIVED, states),                                               \
         "Whether its shapes were known when it was compiled, as the name of the file says.")                          \
    STORED(TENSOR_COUNT, "tensor_count", "Tensors", NUMBER, "How many tensors follow.", AT(84, 4))

enum { LAST_SHARED = HOST_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER, COLUMN_NUMBER) };

const struct column captured_op_columns[CAPTURED_OP_COLUMNS] = {HOST_RECORD_COLUMNS,
                                                                COLUMNS(COLUMN_STORED, COLUMN_MADE)};
const struct field captured_op_fields[CAPTURED_OP_FIELDS] = {HOST_RECORD_FIELDS,
                                                             COLUMNS(COLUMN_FIELD, COLUMN_NO_FIELD)};
_Static_assert(TENSOR_COUNT + 1 == CAPTURED_OP_COLUMNS, "as the header says");

uint32_t captured_op_tensor_count(const struct row *row)
{
    return row_u32(row, TENSOR_COUNT);
}

static struct host_tensor read_tensor(const unsigned char *bytes)
{
    struct host_tensor tensor = {.kind = (uint32_t)bytes_load(bytes, 4, false),
                                 .format = (uint32_t)bytes_load(bytes + 4, 4, false),
                                 .data_type = (uint32_t)bytes_load(bytes + 8, 4, false)};
    for (size_t d = 0; d < TENSOR_DIMENSIONS; d++)
        tensor.shape[d] = (uint32_t)bytes_load(bytes + 12 + 4 * d, 4, false);
    return tensor;
}

static int join(const struct record_stream *stream, const struct row *row, const struct bytes *bytes, struct err *err)
{
    size_t count = bytes->length / CAPTURED_OP_TENSOR;
    SCOPED_FREE struct host_tensor *tensors = scoped_memory(count + 1, sizeof *tensors);
    if (tensors == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < count; i++)
        tensors[i] = read_tensor(bytes->data + i * CAPTURED_OP_TENSOR);
    const struct host_captured_op op = {
        .node = {.name_id = row->cells[NAME_HASH].integer,
                 .type_id = row->cells[TYPE_HASH].integer,
                 .task_type = row_u32(row, TASK_TYPE),
                 .block_num = row_u32(row, BLOCK_NUM),
                 .mix_ratio = row_u32(row, MIX_RATIO),
                 .op_flag = row_u32(row, OP_FLAG),
                 .op_state = row_u32(row, OP_STATE)},
        .device_id = row_u32(row, DEVICE_ID),
        .stream_id = row_u32(row, STREAM_ID),
        .task_id = row_u32(row, TASK_ID),
        .attribute_id = row->cells[ATTRIBUTE_HASH].integer,
        .tensors = tensors,
        .tensor_count = count,
    };
    return association_add_captured_op(stream->association, &op, err);
}

int captured_op_take(struct decoder *decoder, struct record_stream *stream, struct row *row,
                     const struct bytes *tensors, struct err *err)
{
    int status = host_record_take(decoder, stream, row, NULL, err);
    row_set_integer(row, OP_STATE, stream->ageing);
    if (status == 0)
        status = record_stream_find_name(stream, row, NAME_HASH, OP_NAME_ID, err);
    if (status == 0)
        status = record_stream_find_name(stream, row, TYPE_HASH, OP_TYPE_ID, err);
    if (status == 0)
        status = record_stream_find_name(stream, row, ATTRIBUTE_HASH, ATTRIBUTE_ID, err);
    return status == 0 && stream->association != NULL ? join(stream, row, tensors, err) : status;
}
