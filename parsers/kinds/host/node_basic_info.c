/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that CANN launches: *.compact.node_basic_info, one record a launch. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/host/host_record.h"

enum { OP_NAME_ID = HOST_RECORD_COLUMN_COUNT, TASK_TYPE, OP_TYPE_ID, BLOCK_NUM, MIX_RATIO, OP_FLAG };

static const struct column columns[] = {
    HOST_RECORD_COLUMNS,
    [OP_NAME_ID] = {"op_name_id", "Operator name", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                    "The name, as an id of the hash dictionary."},
    [TASK_TYPE] = {"task_type", "Task type", COLUMN_INTEGER, UNIT_NONE, 0, core_names,
                   "The kind of task that it becomes."},
    [OP_TYPE_ID] = {"op_type_id", "Operator type", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                    "The type, as an id of the hash dictionary."},
    [BLOCK_NUM] = {"block_num", "Block num", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How many blocks the task is split into."},
    [MIX_RATIO] = {"mix_ratio", "Mix ratio", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "Blocks of the other core type for each block; 0: one type of core only."},
    [OP_FLAG] = {"op_flag", "Operator flags", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "Not 0: the operator may use HF32."},
};

static const struct field fields[] = {
    HOST_RECORD_FIELDS,
    {.column = "op_name_id", .offset = 24, .width = 8, .is_signed = true},
    {.column = "task_type", .offset = 32, .width = 4},
    {.column = "op_type_id", .offset = 36, .width = 8, .is_signed = true},
    {.column = "block_num", .offset = 44, .width = 4, .first_bit = 0, .bit_count = 16},
    {.column = "mix_ratio", .offset = 44, .width = 4, .first_bit = 16, .bit_count = 16},
    {.column = "op_flag", .offset = 48, .width = 4},
};

static const struct layout layouts[] = {
    {
        .name = "cann-node-basic-info",
        .source = "CANN compact record, 64 bytes: 24 bytes of header, operator name, task type, operator type, blocks, "
                  "flags (docs/formats/cann.md 3.4)",
        .record_size = 64,
        .magics = HOST_RECORD_MAGICS,
        FIELDS_OF(fields),
    },
};

/* The name of the file says it: operators of static shapes are described once and must not age. */
enum { OP_STATE_STATIC, OP_STATE_DYNAMIC };

static int take_node(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    (void)decoder;
    (void)keep;
    const struct host_stream *stream = state;
    if (stream->association == NULL)
        return 0;
    struct host_node node = {
        .time_ns = part_host_ns(stream->part, row->cells[TICK].integer),
        .name_id = row->cells[OP_NAME_ID].integer,
        .type_id = row->cells[OP_TYPE_ID].integer,
        .thread_id = row_u32(row, THREAD_ID),
        .task_type = row_u32(row, TASK_TYPE),
        .block_num = row_u32(row, BLOCK_NUM),
        .mix_ratio = row_u32(row, MIX_RATIO),
        .op_flag = row_u32(row, OP_FLAG),
        .op_state = stream->ageing ? OP_STATE_DYNAMIC : OP_STATE_STATIC,
    };
    return association_add_node(stream->association, &node, err);
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct host_stream),
    .open = host_stream_open,
    .record = take_node,
};

const struct record_kind kind_node_basic_info = {
    .name = "node_basic_info",
    .families = FAMILY_CANN,
    .title = "Node description",
    .doc = "Name, type and blocks of an operator, reported inside the node call that launches it. It is joined with "
           "that call and its task.",
    .patterns = (const char *const[]){"{tag}.compact.node_basic_info.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &hooks,
};
