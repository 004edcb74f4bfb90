/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the kinds that the association emits. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_CANN_ROWS_H
#define MSPROF_PARSERS_KINDS_COMMON_CANN_ROWS_H

#include "parsers/kinds/common/columns.h"

#define NAME_COLUMNS(MADE)                                                                                             \
    MADE(NAME_ID, "id", "ID", INTEGER(NONE, DERIVED | COLUMN_KEY), "Number by which other tables refer to it.")        \
    MADE(NAME_TEXT, "text", "Text", TEXT(DERIVED), "The text.")
enum { NAME_COLUMNS(COLUMN_NUMBER) };

#define TENSOR_SET_COLUMNS(MADE)                                                                                       \
    MADE(TENSOR_SET_ID, "id", "ID", INTEGER(NONE, DERIVED | COLUMN_KEY),                                               \
         "Number to which device_task.tensor_set_id refers.")                                                          \
    MADE(TENSOR_SET_INPUT_SHAPES, "input_shapes", "Input shapes", TEXT(DERIVED), "Shapes of the inputs.")              \
    MADE(TENSOR_SET_INPUT_DATA_TYPES, "input_data_types", "Input data types", TEXT(DERIVED),                           \
         "Data types of the inputs.")                                                                                  \
    MADE(TENSOR_SET_INPUT_FORMATS, "input_formats", "Input formats", TEXT(DERIVED), "Formats of the inputs.")          \
    MADE(TENSOR_SET_OUTPUT_SHAPES, "output_shapes", "Output shapes", TEXT(DERIVED), "Shapes of the outputs.")          \
    MADE(TENSOR_SET_OUTPUT_DATA_TYPES, "output_data_types", "Output data types", TEXT(DERIVED),                        \
         "Data types of the outputs.")                                                                                 \
    MADE(TENSOR_SET_OUTPUT_FORMATS, "output_formats", "Output formats", TEXT(DERIVED), "Formats of the outputs.")
enum { TENSOR_SET_COLUMNS(COLUMN_NUMBER) };

#define HOST_CALL_COLUMNS(MADE)                                                                                        \
    MADE(HOST_CALL_THREAD_ID, "thread_id", "Thread ID", MADE_NUMBER, "The calling thread.")                            \
    MADE(HOST_CALL_LEVEL, "level", "Level", MADE_NUMBER,                                                               \
         "The layer: 20000 ACL, 15000 model, 10000 node, 5500 communication, 5000 runtime.")                           \
    MADE(HOST_CALL_TYPE, "type", "Type", MADE_NUMBER, "The number of the call at its level.")                          \
    MADE(HOST_CALL_NAME_ID, "name_id", "Name", MADE_NUMBER, "Name of the call (name.id).")                             \
    MADE(HOST_CALL_ITEM_ID, "item_id", "Item", MADE_NUMBER,                                                            \
         "Object that it was called for, such as the operator (name.id).")                                             \
    MADE(HOST_CALL_START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began, since 1970.")                  \
    MADE(HOST_CALL_DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "How long it took.")                  \
    MADE(HOST_CALL_PARENT_ID, "parent_id", "Parent", MADE_NUMBER,                                                      \
         "The call around it (host_call.id); none for an outermost call.")                                             \
    MADE(HOST_CALL_CONNECTION_ID, "connection_id", "Connection ID", MADE_NUMBER,                                       \
         "The launch in it: device tasks with the same number were launched here; NULL: it launched nothing.")         \
    MADE(HOST_CALL_LAUNCHES, "launches", "Launches", MADE_NUMBER,                                                      \
         "How many tasks were launched by this call itself, not by one inside of it; none: 0.")
enum { HOST_CALL_COLUMNS(COLUMN_NUMBER) };

#define EVENT_COLUMN(MADE, core, name, title, n, of)                                                                   \
    MADE(DEVICE_TASK_##core##_EVENT##n, name "_event" #n, title " event " #n, MADE_NUMBER,                             \
         "Counter " #n " of the " title "s" of)
#define SET_EVENT_COLUMN(MADE, core, name, title, n)                                                                   \
    EVENT_COLUMN(MADE, core, name, title, n, " (capture_part says which event).")
#define NEW_EVENT_COLUMN(MADE, core, name, title, n) EVENT_COLUMN(MADE, core, name, title, n, "; of chips 15 and 16.")
#define EVENT_COLUMNS(MADE, core, name, title)                                                                         \
    SET_EVENT_COLUMN(MADE, core, name, title, 0)                                                                       \
    SET_EVENT_COLUMN(MADE, core, name, title, 1)                                                                       \
    SET_EVENT_COLUMN(MADE, core, name, title, 2)                                                                       \
    SET_EVENT_COLUMN(MADE, core, name, title, 3)                                                                       \
    SET_EVENT_COLUMN(MADE, core, name, title, 4)                                                                       \
    SET_EVENT_COLUMN(MADE, core, name, title, 5)                                                                       \
    SET_EVENT_COLUMN(MADE, core, name, title, 6)                                                                       \
    SET_EVENT_COLUMN(MADE, core, name, title, 7)                                                                       \
    NEW_EVENT_COLUMN(MADE, core, name, title, 8)                                                                       \
    NEW_EVENT_COLUMN(MADE, core, name, title, 9)
#define DEVICE_TASK_COLUMNS(MADE)                                                                                      \
    MADE(DEVICE_TASK_DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device.")                                  \
    MADE(DEVICE_TASK_STREAM_ID, "stream_id", "Stream ID", MADE_NUMBER, "The stream that it ran on.")                   \
    MADE(DEVICE_TASK_TASK_ID, "task_id", "Task ID", MADE_NUMBER, "Its number in the stream.")                          \
    MADE(DEVICE_TASK_BATCH_ID, "batch_id", "Batch ID", MADE_NUMBER,                                                    \
         "How often the numbers of the stream had begun again.")                                                       \
    MADE(DEVICE_TASK_CONTEXT_ID, "context_id", "Context ID", MADE_NUMBER,                                              \
         "Which part of a split task it is; none for a whole task.")                                                   \
    MADE(DEVICE_TASK_TYPE, "type", "Type", MADE_NUMBER,                                                                \
         "Engine that ran it, as the device says: 0 AI core, 1 AI CPU, 2 AI vector core, and so on.")                  \
    MADE(DEVICE_TASK_START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began, since 1970.")                \
    MADE(DEVICE_TASK_DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "From start to end.")               \
    MADE(DEVICE_TASK_CONNECTION_ID, "connection_id", "Connection ID", MADE_NUMBER,                                     \
         "The launch on the host (host_call.connection_id).")                                                          \
    MADE(DEVICE_TASK_THREAD_ID, "thread_id", "Thread ID", MADE_NUMBER, "The thread that launched it.")                 \
    MADE(DEVICE_TASK_HOST_TYPE_ID, "host_type_id", "Host type", MADE_NUMBER,                                           \
         "Kind of task that the host launched (name.id).")                                                             \
    MADE(DEVICE_TASK_KERNEL_NAME_ID, "kernel_name_id", "Kernel name", MADE_NUMBER, "The kernel (name.id).")            \
    MADE(DEVICE_TASK_OP_NAME_ID, "op_name_id", "Operator name", MADE_NUMBER,                                           \
         "The operator (name.id); NULL: the task computes none.")                                                      \
    MADE(DEVICE_TASK_OP_TYPE_ID, "op_type_id", "Operator type", MADE_NUMBER, "Its type (name.id).")                    \
    MADE(DEVICE_TASK_OP_TASK_TYPE, "op_task_type", "Core type", MADE_NUMBER,                                           \
         "Engine that the operator was compiled for: 0 AI core, 1 AI CPU, 2 AI vector core, 4 MIX_AIC, 5 MIX_AIV, "    \
         "and so on; 9 and 12: a kernel on AI core or AI CPU that communicates.")                                      \
    MADE(DEVICE_TASK_OP_STATE, "op_state", "Operator state", MADE_NUMBER, "0 static, 1 dynamic.")                      \
    MADE(DEVICE_TASK_OP_FLAG, "op_flag", "Operator flags", MADE_NUMBER, "Not 0: HF32 may be used.")                    \
    MADE(DEVICE_TASK_BLOCK_NUM, "block_num", "Blocks", MADE_NUMBER, "How many cores it ran on.")                       \
    MADE(DEVICE_TASK_MIX_BLOCK_NUM, "mix_block_num", "Blocks of the other core", MADE_NUMBER,                          \
         "How many cores of the other kind it ran on.")                                                                \
    MADE(DEVICE_TASK_TENSOR_SET_ID, "tensor_set_id", "Tensors", MADE_NUMBER,                                           \
         "Its inputs and outputs (tensor_set.id).")                                                                    \
    MADE(DEVICE_TASK_ATTRIBUTE_ID, "attribute_id", "Attributes", MADE_NUMBER, "The operator's attributes (name.id).")  \
    MADE(DEVICE_TASK_MODEL_ID, "model_id", "Model ID", MADE_NUMBER,                                                    \
         "The model that was being executed, or whose tasks the stream took.")                                         \
    MADE(DEVICE_TASK_AIC_TOTAL_CYCLE, "aic_total_cycle", "AI core cycles", INTEGER(CYCLE, DERIVED),                    \
         "Cycles on AI cores.")                                                                                        \
    EVENT_COLUMNS(MADE, AIC, "aic", "AI core")                                                                         \
    MADE(DEVICE_TASK_AIV_TOTAL_CYCLE, "aiv_total_cycle", "AI vector core cycles", INTEGER(CYCLE, DERIVED),             \
         "Cycles on AI vector cores.")                                                                                 \
    EVENT_COLUMNS(MADE, AIV, "aiv", "AI vector core")                                                                  \
    MADE(DEVICE_TASK_COPY_BYTES, "copy_bytes", "Bytes copied", INTEGER(BYTE, DERIVED),                                 \
         "Amount moved when it is an asynchronous copy.")                                                              \
    MADE(DEVICE_TASK_COPY_DIRECTION, "copy_direction", "Copy direction", MADE_NUMBER,                                  \
         "Direction of a copy: 0 host to host, 1 host to device, 2 device to host, 3 device to device, and so on.")    \
    MADE(DEVICE_TASK_ACCELERATOR_ID, "accelerator_id", "Accelerator", MADE_NUMBER,                                     \
         "The accelerator that the scheduler gave it to; of whole tasks on chips with STARS.")                         \
    MADE(DEVICE_TASK_AIC_TIME_NS, "aic_time_ns", "AI core time", INTEGER(NS, DERIVED),                                 \
         "How long the AI cores counted, where the device measures it: chips 15 and 16.")                              \
    MADE(DEVICE_TASK_AIV_TIME_NS, "aiv_time_ns", "AI vector core time", INTEGER(NS, DERIVED),                          \
         "How long the AI vector cores counted, in ns.")                                                               \
    MADE(DEVICE_TASK_GRID_DIM_ID, "grid_dim_id", "Grid", MADE_NUMBER,                                                  \
         "The grid that a kernel of type KERNEL_SIMT was launched with, as x,y,z (name.id).")                          \
    MADE(DEVICE_TASK_BLOCK_DIM_ID, "block_dim_id", "Block", MADE_NUMBER, "Its block (name.id).")                       \
    MADE(DEVICE_TASK_START_TICK, "start_tick", "Start tick", INTEGER(TICK, DERIVED),                                   \
         "When it began to run, on the counter of the device; this and the following columns: of captures from "       \
         "before 2023.")                                                                                               \
    MADE(DEVICE_TASK_END_TICK, "end_tick", "End tick", INTEGER(TICK, DERIVED),                                         \
         "When it was done, on the counter of the device.")                                                            \
    MADE(DEVICE_TASK_WAIT_TICK, "wait_tick", "Waiting since", INTEGER(TICK, DERIVED),                                  \
         "When it began to wait, on the counter of the device; chip 0 only.")                                          \
    MADE(DEVICE_TASK_PENDING_TICK, "pending_tick", "Pending since", INTEGER(TICK, DERIVED),                            \
         "When it became pending, on the counter of the device; chip 0 only.")                                         \
    MADE(DEVICE_TASK_COUNTED_BLOCKS, "counted_blocks", "Counted blocks", MADE_NUMBER,                                  \
         "Number of blocks in its counters; chip 0 only.")                                                             \
    MADE(DEVICE_TASK_LAUNCH_NAME_ID, "launch_name_id", "Launch", MADE_NUMBER,                                          \
         "The function of the runtime that launched it (name.id).")                                                    \
    MADE(DEVICE_TASK_SPLIT, "split", "Split", MADE_NUMBER,                                                             \
         "1: its parts are rows, too; 2: it is a mixed kernel whose part 0 is a row, too; 3: it is that part; 4: it "  \
         "is that part, and the whole is the operator.")                                                               \
    MADE(DEVICE_TASK_COLLECTIVE, "collective", "Collective", MADE_NUMBER,                                              \
         "1: it is a kernel of a collective, and communicates as long as it runs; 2: likewise, of a communication "    \
         "operator that has the duration.")                                                                            \
    MADE(DEVICE_TASK_ORIGIN_NS, "origin_ns", "Origin", INTEGER(NS, DERIVED | COLUMN_TRANSIENT | COLUMN_ORIGIN),        \
         "Its start, on the same clock.")
enum { DEVICE_TASK_COLUMNS(COLUMN_NUMBER) };

#define FUSION_OP_COLUMNS(MADE)                                                                                        \
    MADE(FUSION_OP_MODEL_ID, "model_id", "Model ID", MADE_NUMBER,                                                      \
         "The model that was being loaded; 4294967295: none.")                                                         \
    MADE(FUSION_OP_MODEL_NAME_ID, "model_name_id", "Model name", MADE_NUMBER, "The model's name (name.id).")           \
    MADE(FUSION_OP_NAME_ID, "name_id", "Fused operator", MADE_NUMBER, "Its name (name.id).")                           \
    MADE(FUSION_OP_COUNT, "op_count", "Operators", MADE_NUMBER, "Number of operators that were fused.")                \
    MADE(FUSION_OP_INPUT_BYTES, "input_bytes", "Memory input", INTEGER(BYTE, DERIVED), "Memory of inputs.")            \
    MADE(FUSION_OP_OUTPUT_BYTES, "output_bytes", "Memory output", INTEGER(BYTE, DERIVED), "Memory of outputs.")        \
    MADE(FUSION_OP_WEIGHT_BYTES, "weight_bytes", "Memory weight", INTEGER(BYTE, DERIVED), "Memory of weights.")        \
    MADE(FUSION_OP_WORKSPACE_BYTES, "workspace_bytes", "Memory workspace", INTEGER(BYTE, DERIVED),                     \
         "Memory of workspace.")                                                                                       \
    MADE(FUSION_OP_TOTAL_BYTES, "total_bytes", "Memory total", INTEGER(BYTE, DERIVED), "All of its memory.")
enum { FUSION_OP_COLUMNS(COLUMN_NUMBER) FUSION_OP_FIRST_ID };

#define COMMUNICATION_OP_COLUMNS(MADE)                                                                                 \
    MADE(COMMUNICATION_OP_DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device.")                             \
    MADE(COMMUNICATION_OP_NAME_ID, "name_id", "Name", MADE_NUMBER,                                                     \
         "The operator, the end of its group's number, which of the group and which run of it this is (name.id).")     \
    MADE(COMMUNICATION_OP_TYPE_ID, "type_id", "Type", MADE_NUMBER, "The operator's type (name.id).")                   \
    MADE(COMMUNICATION_OP_GROUP_NAME_ID, "group_name_id", "Group", MADE_NUMBER, "The communication group (name.id).")  \
    MADE(COMMUNICATION_OP_GROUP_ID, "group_id", "Group ID", MADE_NUMBER,                                               \
         "The number of the group's name, 64 bits unsigned.")                                                          \
    MADE(COMMUNICATION_OP_ALGORITHM_ID, "algorithm_id", "Algorithm", MADE_NUMBER, "The algorithm (name.id).")          \
    MADE(COMMUNICATION_OP_DATA_TYPE, "data_type", "Data type", MADE_NUMBER,                                            \
         "Type of an element, as a number of HCCL.")                                                                   \
    MADE(COMMUNICATION_OP_COUNT, "count", "Count", MADE_NUMBER, "How many elements are transferred.")                  \
    MADE(COMMUNICATION_OP_RELAY, "relay", "Relay", MADE_NUMBER, "Whether a broken link is gone around.")               \
    MADE(COMMUNICATION_OP_RETRY, "retry", "Retry", MADE_NUMBER, "Whether it was run again after a failure.")           \
    MADE(COMMUNICATION_OP_RANK_SIZE, "rank_size", "Ranks", MADE_NUMBER, "How many ranks take part.")                   \
    MADE(COMMUNICATION_OP_MODEL_ID, "model_id", "Model ID", MADE_NUMBER,                                               \
         "The model that it was launched for; 4294967295: none.")                                                      \
    MADE(COMMUNICATION_OP_THREAD_ID, "thread_id", "Thread ID", MADE_NUMBER, "The thread that launched it.")            \
    MADE(COMMUNICATION_OP_CONNECTION_ID, "connection_id", "Connection ID", MADE_NUMBER,                                \
         "The first launch in it (host_call.connection_id).")                                                          \
    MADE(COMMUNICATION_OP_HOST_START_NS, "host_start_ns", "Host start", INTEGER(NS, DERIVED),                          \
         "When its call on the host began, since 1970.")                                                               \
    MADE(COMMUNICATION_OP_START_NS, "start_ns", "Start", INTEGER(NS, DERIVED),                                         \
         "When its first task on its main stream began on the device, since 1970.")                                    \
    MADE(COMMUNICATION_OP_DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED),                                \
         "To the end of the last task on its main stream.")                                                            \
    MADE(COMMUNICATION_OP_ALL_DURATION_NS, "all_duration_ns", "Duration of all", INTEGER(NS, DERIVED),                 \
         "From its first task to the end of its last one, on any stream.")                                             \
    MADE(                                                                                                              \
        COMMUNICATION_OP_KERNEL, "kernel_row_id", "Kernel", MADE_NUMBER,                                               \
        "The kernel on the AI CPU that it is (device_task.id), with what that launched; none where the host launched " \
        "its tasks.")
enum { COMMUNICATION_OP_COLUMNS(COLUMN_NUMBER) };

#define COMMUNICATION_TASK_COLUMNS(MADE)                                                                               \
    MADE(COMMUNICATION_TASK_TASK_ID, "task_row_id", "Task", MADE_NUMBER, "The task (device_task.id).")                 \
    MADE(COMMUNICATION_TASK_OP_ID, "op_id", "Operator", MADE_NUMBER,                                                   \
         "Its operator (communication_op.id); NULL: no task of the operator was on its main stream.")                  \
    MADE(COMMUNICATION_TASK_TYPE_ID, "type_id", "Type", MADE_NUMBER,                                                   \
         "Name of the task (name.id); none when nothing was reported of it, as in all of the following columns but "   \
         "one.")                                                                                                       \
    MADE(COMMUNICATION_TASK_MASTER, "master", "Main stream", MADE_NUMBER,                                              \
         "1: it runs on the main stream of the operator; always known.")                                               \
    MADE(COMMUNICATION_TASK_GROUP_NAME_ID, "group_name_id", "Group", MADE_NUMBER,                                      \
         "The communication group (name.id).")                                                                         \
    MADE(COMMUNICATION_TASK_PLANE_ID, "plane_id", "Plane", MADE_NUMBER, "The plane of the network.")                   \
    MADE(COMMUNICATION_TASK_NOTIFY_ID, "notify_id", "Notify ID", MADE_NUMBER,                                          \
         "Notification that it waits for or sends.")                                                                   \
    MADE(COMMUNICATION_TASK_LOCAL_RANK, "local_rank", "Local rank", MADE_NUMBER, "This side; NULL: not known.")        \
    MADE(COMMUNICATION_TASK_REMOTE_RANK, "remote_rank", "Remote rank", MADE_NUMBER, "The other side; NULL: none.")     \
    MADE(COMMUNICATION_TASK_TRANSPORT_TYPE, "transport_type", "Transport", MADE_NUMBER,                                \
         "0 SDMA, 1 RDMA, 2 local; NULL: not known, as in the types that follow.")                                     \
    MADE(COMMUNICATION_TASK_LINK_TYPE, "link_type", "Link", MADE_NUMBER,                                               \
         "0 on the chip, 1 HCCS, 2 PCIe, 3 RoCE, and so on.")                                                          \
    MADE(COMMUNICATION_TASK_RDMA_TYPE, "rdma_type", "RDMA", MADE_NUMBER, "0 notification, 1 payload.")                 \
    MADE(COMMUNICATION_TASK_DATA_TYPE, "data_type", "Data type", MADE_NUMBER,                                          \
         "Type of an element, as a number of HCCL.")                                                                   \
    MADE(COMMUNICATION_TASK_BYTES, "bytes", "Size", INTEGER(BYTE, DERIVED), "Amount transferred.")                     \
    MADE(COMMUNICATION_TASK_ESTIMATED_NS, "estimated_ns", "Estimated duration", INTEGER(NS, DERIVED),                  \
         "How long HCCL thought that it would take.")
enum { COMMUNICATION_TASK_COLUMNS(COLUMN_NUMBER) };

extern const struct record_kind kind_name, kind_tensor_set, kind_host_call, kind_device_task, kind_fusion_op,
    kind_communication_op, kind_communication_task, kind_aicpu_node;

#endif
