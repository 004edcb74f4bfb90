/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that CANN launches: *.compact.node_basic_info, one record a launch. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/host/host_record.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(OP_NAME_ID, "op_name_id", "Operator name", NUMBER, "The name, as an id of the hash dictionary.",            \
           SIGNED_AT(24, 8))                                                                                           \
    STORED(TASK_TYPE, "task_type", "Task type", NAMES(PLAIN, core_names), "The kind of task that it becomes.",         \
           AT(32, 4))                                                                                                  \
    STORED(OP_TYPE_ID, "op_type_id", "Operator type", NUMBER, "The type, as an id of the hash dictionary.",            \
           SIGNED_AT(36, 8))                                                                                           \
    STORED(BLOCK_NUM, "block_num", "Block num", NUMBER, "How many blocks the task is split into.",                     \
           BITS_AT(44, 4, 0, 16))                                                                                      \
    STORED(MIX_RATIO, "mix_ratio", "Mix ratio", NUMBER,                                                                \
           "Blocks of the other core type for each block; 0: one type of core only.", BITS_AT(44, 4, 16, 16))          \
    STORED(OP_FLAG, "op_flag", "Operator flags", NUMBER, "Not 0: the operator may use HF32.", AT(48, 4))

HOST_RECORD_TABLES;

/* The name of the file says it: operators of static shapes are described once and must not age. */
enum { OP_STATE_STATIC, OP_STATE_DYNAMIC };

static ALWAYS_INLINE int take_node(struct decoder *decoder, void *state, const struct record_source *source, bool *keep,
                                   struct err *err)
{
    (void)decoder;
    (void)keep;
    const struct record_stream *stream = state;
    if (stream->association == NULL)
        return 0;
    struct host_node node = {
        .time_ns = part_ticks_ns(&stream->host, source_integer(source, TICK)),
        .name_id = source_integer(source, OP_NAME_ID),
        .type_id = source_integer(source, OP_TYPE_ID),
        .thread_id = source_u32(source, THREAD_ID),
        .task_type = source_u32(source, TASK_TYPE),
        .block_num = source_u32(source, BLOCK_NUM),
        .mix_ratio = source_u32(source, MIX_RATIO),
        .op_flag = source_u32(source, OP_FLAG),
        .op_state = stream->ageing ? OP_STATE_DYNAMIC : OP_STATE_STATIC,
    };
    return association_add_node(stream->association, &node, err);
}

RECORD_HOOKS(take_node, fields, TIME_NS, 1)

const struct record_kind kind_node_basic_info = {
    .name = "node_basic_info",
    .title = "Node description",
    .doc = "Name, type and blocks of an operator, reported inside the node call that launches it. It is joined with "
           "that call and its task.",
    DIRECT_COMPACT_RECORD(
        "node_basic_info", "node-basic-info", take_node,
        "24 bytes of header, operator name, task type, operator type, blocks, flags (docs/formats/cann.md 3.4)"),
};
