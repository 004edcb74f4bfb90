/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes, types and formats of operators' tensors before 2023: Framework.tensor_data_info, up to five tensors a record.
 */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/record_stream.h"
#include "parsers/kinds/common/tensor_columns.h"
#include "parsers/kinds/common/text/tensor_names.h"

#define COLUMNS(STORED)                                                                                                \
    STORED(MODEL_ID, "model_id", "Model ID", NUMBER, "The model; 4294967295: none.", AT(4, 4))                         \
    STORED(ITERATION, "iteration", "Iteration", NUMBER, "The iteration of the model.", AT(8, 8))                       \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.", AT(16, 4))                                      \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the task.", AT(20, 2))                                \
    STORED(BATCH_ID, "batch_id", "Batch ID", NUMBER, "How often the task numbers of the stream had begun again.",      \
           AT(22, 2))                                                                                                  \
    STORED(TENSOR_COUNT, "tensor_count", "Tensors", NUMBER, "How many of the tensors that follow are used.",           \
           AT(24, 4))                                                                                                  \
    STORED(TIME_NS, "time_ns", "Time", INTEGER(NS, PLAIN),                                                             \
           "When it was reported, monotonic clock of the host; the same as of the task's framework_task.", AT(248, 8))

enum { COLUMNS(COLUMN_NUMBER) FIRST_TENSOR };

static const struct column columns[] = {COLUMNS(COLUMN_STORED) TENSOR_COLUMNS(FIRST_TENSOR)};

static const struct field fields[] = {COLUMNS(COLUMN_FIELD) TENSOR_FIELDS(28)};

static struct host_tensor tensor_of(const struct cell *cells)
{
    struct host_tensor tensor = {.kind = (uint32_t)cells[0].integer,
                                 .format = (uint32_t)cells[1].integer,
                                 .data_type = (uint32_t)cells[2].integer};
    if (tensor_type_is_mindspores(tensor.data_type)) {
        tensor.data_type |= TENSOR_OF_MINDSPORE;
        tensor.format |= tensor.format < TENSOR_OF_MINDSPORE ? TENSOR_OF_MINDSPORE : 0;
    }
    for (size_t i = 0; i < TENSOR_DIMENSIONS; i++)
        tensor.shape[i] = (uint32_t)cells[3 + i].integer;
    return tensor;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *record, bool *keep, struct err *err)
{
    const struct record_stream *state = opaque;
    const struct cell *cells = record->cells;
    int64_t count = cells[TENSOR_COUNT].integer;
    if (count > TENSORS_OF_A_RECORD)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "tensor_count", "%lld tensors; expected at most %d",
                              (long long)count, TENSORS_OF_A_RECORD);
    struct described_tensors tensors = {
        .task = {state->device_id, (uint32_t)cells[STREAM_ID].integer, (uint32_t)cells[TASK_ID].integer},
        .time_ns = cells[TIME_NS].integer,
        .iteration = cells[ITERATION].integer,
        .model_id = (uint32_t)cells[MODEL_ID].integer,
        .batch_id = (uint32_t)cells[BATCH_ID].integer,
        .count = (uint32_t)count,
    };
    for (int64_t i = 0; i < count; i++)
        tensors.tensors[i] = tensor_of(&cells[FIRST_TENSOR + i * TENSOR_COLUMN_COUNT]);
    return state->executions != NULL ? executions_add_tensors(state->executions, &tensors, err) : 0;
}

const struct record_kind kind_framework_tensor = {
    .name = "framework_tensor",
    .families = FAMILY_2022,
    .title = "Tensors of an operator",
    .doc = "Shapes, data types and formats of the tensors of the operator that a task runs. They become rows of "
           "tensor_set.",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.tensor_data_info"),
                                      FILES_OF_2022("Framework.single_op_tensor_info"), NULL},
    RECORDS_OF(columns, FRAMEWORK_LAYOUT("cann-framework-tensor", "Framework.tensor_data_info", 256)),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
