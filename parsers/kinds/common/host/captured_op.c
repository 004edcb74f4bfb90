/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/host/captured_op.h"

#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/tensor_columns.h"

#include <stdlib.h>

enum {
    MODEL_ID = HOST_RECORD_COLUMN_COUNT,
    DEVICE_ID,
    STREAM_ID,
    TASK_ID,
    TASK_TYPE,
    BLOCK_NUM,
    MIX_RATIO,
    NAME_HASH,
    TYPE_HASH,
    ATTRIBUTE_HASH,
    OP_NAME_ID,
    OP_TYPE_ID,
    ATTRIBUTE_ID,
    OP_FLAG,
    OP_STATE,
    TENSOR_COUNT
};

static const struct value_name states[] = {{0, "static"}, {1, "dynamic"}, {0, NULL}};

#define HASH_COLUMN(name, title, doc) COLUMN(name, title, INTEGER(NONE, TRANSIENT), doc)
#define NAME_COLUMN(name, title, doc) COLUMN(name, title, MADE_NUMBER, doc)

const struct column captured_op_columns[] = {
    HOST_RECORD_COLUMNS,
    [MODEL_ID] = NUMBER_COLUMN("model_id", "Model ID", "The model that the graph was captured into."),
    [DEVICE_ID] = NUMBER_COLUMN("device_id", "Device ID", "The device."),
    [STREAM_ID] = NUMBER_COLUMN("stream_id", "Stream ID", "The stream that the task is put on."),
    [TASK_ID] = NUMBER_COLUMN("task_id", "Task ID", "The task."),
    [TASK_TYPE] = {"task_type", "Task type", NAMES(PLAIN, core_names), "The kind of task that it is."},
    [BLOCK_NUM] = NUMBER_COLUMN("block_num", "Block num", "How many blocks the task is split into."),
    [MIX_RATIO] = NUMBER_COLUMN("mix_ratio", "Mix ratio",
                                "Blocks of the other core type for each block; 0: one type of core only."),
    [NAME_HASH] = HASH_COLUMN("op_name_hash", "Operator", "The operator, as an id of the hash dictionary."),
    [TYPE_HASH] = HASH_COLUMN("op_type_hash", "Operator type", "Its type, as an id of the hash dictionary."),
    [ATTRIBUTE_HASH] =
        HASH_COLUMN("attribute_hash", "Attribute", "Its attributes, as an id of the hash dictionary; 0: none."),
    [OP_NAME_ID] = NAME_COLUMN("op_name_id", "Operator", "The operator (name.id)."),
    [OP_TYPE_ID] = NAME_COLUMN("op_type_id", "Operator type", "Its type (name.id)."),
    [ATTRIBUTE_ID] = NAME_COLUMN("attribute_id", "Attribute", "Its attributes (name.id)."),
    [OP_FLAG] = NUMBER_COLUMN("op_flag", "Operator flags", "Not 0: the operator may use HF32."),
    [OP_STATE] = {"op_state", "Operator state", NAMES(DERIVED, states),
                  "Whether its shapes were known when it was compiled, as the name of the file says."},
    [TENSOR_COUNT] = NUMBER_COLUMN("tensor_count", "Tensors", "How many tensors follow."),
};
_Static_assert(sizeof captured_op_columns / sizeof *captured_op_columns == CAPTURED_OP_COLUMNS, "as the header says");

const struct field captured_op_fields[] = {HOST_RECORD_FIELDS,
                                           FIELD("model_id", 24, 4),
                                           FIELD("device_id", 28, 4),
                                           FIELD("stream_id", 32, 4),
                                           FIELD("task_id", 36, 4),
                                           FIELD("task_type", 40, 4),
                                           BITS_FIELD("block_num", 44, 4, 0, 16),
                                           BITS_FIELD("mix_ratio", 44, 4, 16, 16),
                                           SIGNED_FIELD("op_name_hash", 48, 8),
                                           SIGNED_FIELD("op_type_hash", 56, 8),
                                           SIGNED_FIELD("attribute_hash", 64, 8),
                                           FIELD("op_flag", 80, 4),
                                           FIELD("tensor_count", 84, 4)};
_Static_assert(sizeof captured_op_fields / sizeof *captured_op_fields == CAPTURED_OP_FIELDS, "as the header says");

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
