/* SPDX-License-Identifier: Apache-2.0 */
/* Which operator a task runs, before 2023: Framework.task_desc_info. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/record_stream.h"
#include "parsers/kinds/common/text/mixed_text.h"

static const struct value_name shape_types[] = {{0, "static"}, {1, "dynamic"}, {0, NULL}};

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    STORED(TASK_TYPE, "task_type", "Task type", NAMES(PLAIN, core_names_2022), "The kind of task.", AT(4, 4))          \
    MIXED_TEXT(STORED, OP_NAME, "op_name", "Operator", "The name of the operator", 8, 120)                             \
    MIXED_TEXT(STORED, OP_TYPE, "op_type", "Operator type", "The type of the operator", 136, 56)                       \
    STORED(ITERATION, "iteration", "Iteration", NUMBER, "The iteration of the model.", AT(200, 8))                     \
    STORED(TIME_NS, "time_ns", "Time", INTEGER(NS, PLAIN), "When it was reported, monotonic clock of the host.",       \
           AT(208, 8))                                                                                                 \
    STORED(SHAPE_TYPE, "shape_type", "Shapes", NAMES(PLAIN, shape_types), "How the shapes are known.", AT(216, 4))     \
    STORED(BLOCK_DIM, "block_dim", "Block dim", NUMBER, "How many blocks the task is split into.", AT(220, 4))         \
    STORED(MODEL_ID, "model_id", "Model ID", NUMBER, "The model; 4294967295: none.", AT(224, 4))                       \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.", AT(228, 4))                                     \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the task.", AT(232, 2))                               \
    STORED(BATCH_ID, "batch_id", "Batch ID", NUMBER, "How often the task numbers of the stream had begun again.",      \
           AT(234, 2))                                                                                                 \
    STORED(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The reporting thread.", AT(236, 4))

COLUMN_TABLES;

static uint32_t number(const struct row *row, size_t column)
{
    return (uint32_t)row->cells[column].integer;
}

extern const struct record_kind kind_framework_task;

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    (void)keep;
    const struct record_stream *state = opaque;
    const struct cell *cells = row->cells, *name = &cells[OP_NAME + 2], *type = &cells[OP_TYPE + 2];
    mixed_text_resolve(row, OP_NAME);
    mixed_text_resolve(row, OP_TYPE);
    const struct task_description description = {
        .task = {state->device_id, number(row, STREAM_ID), number(row, TASK_ID)},
        .time_ns = cells[TIME_NS].integer,
        .iteration = cells[ITERATION].integer,
        .name_id = cells[OP_NAME + 1].integer,
        .type_id = cells[OP_TYPE + 1].integer,
        .name = row_has(row, OP_NAME + 2) ? name->text : NULL,
        .name_length = name->length,
        .type = row_has(row, OP_TYPE + 2) ? type->text : NULL,
        .type_length = type->length,
        .model_id = number(row, MODEL_ID),
        .batch_id = number(row, BATCH_ID),
        .block_num = number(row, BLOCK_DIM),
        .task_type = number(row, TASK_TYPE),
        .op_state = number(row, SHAPE_TYPE),
    };
    if (executions_expect_names(decoder, &kind_framework_task, row, OP_NAME + 1, 1, err) < 0 ||
        executions_expect_names(decoder, &kind_framework_task, row, OP_TYPE + 1, 1, err) < 0 ||
        (state->executions != NULL && executions_add_description(state->executions, &description, err) < 0))
        return err_status(err);
    return 0;
}

const struct record_kind kind_framework_task = {
    OWN_TABLE("framework_task"),
    .families = FAMILY_2022,
    .title = "Operator of a task",
    .doc = "Name, type and blocks of the operator that a task runs.",
    .patterns = (const char *const[]){FILES_OF_2022("Framework.task_desc_info"),
                                      FILES_OF_2022("Framework.single_op_task_info"), NULL},
    RECORDS_OF(columns, FRAMEWORK_LAYOUT("cann-framework-task", "Framework.task_desc_info", 256)),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
