/* SPDX-License-Identifier: Apache-2.0 */
/* Communication on DPUs: *.additional.dpu_hccl_info. */
#include "base/number.h"
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/hccl_types.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(ITEM, "item", "Stamp", INTEGER(NONE, TRANSIENT), "Name of the task, as an id of the hash dictionary.",      \
           SIGNED_AT(24, 8))                                                                                           \
    STORED(GROUP, "group_hash", "Group", NUMBER, "The group, as an id of the hash dictionary.", SIGNED_AT(40, 8))      \
    MADE(ITEM_ID, "item_id", "Item", MADE_NUMBER, "Name of the task (name.id).")                                       \
    MADE(GROUP_NAME_ID, "group_name_id", "Group", MADE_NUMBER, "The group of ranks (name.id).")                        \
    STORED(LOCAL_RANK, "local_rank", "Local rank", NUMBER, "The rank itself.", AT(48, 4))                              \
    STORED(REMOTE_RANK, "remote_rank", "Remote rank", NUMBER, "The rank that it exchanges data with.", AT(52, 4))      \
    STORED(RANK_SIZE, "rank_size", "Ranks", NUMBER, "How many ranks the group has.", AT(56, 4))                        \
    STORED(STAGE, "stage", "Stage", NUMBER, "The stage of the algorithm.", AT(60, 4))                                  \
    STORED(NOTIFY_ID, "notify_id", "Notification", NUMBER, "The notification.", SIGNED_AT(64, 8))                      \
    STORED(START_TICK, "start_tick", "Stamp", INTEGER(NONE, TRANSIENT), "When it began, on the host's counter.",       \
           AT(72, 8))                                                                                                  \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began, since 1970.")                            \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "How long it took: until it was reported.")     \
    STORED(ESTIMATED_BITS, "estimated_us_bits", "Stamp", INTEGER(NONE, TRANSIENT),                                     \
           "The estimate in microseconds, the bits of a double.", SIGNED_AT(80, 8))                                    \
    MADE(ESTIMATED_NS, "estimated_ns", "Estimated duration", INTEGER(NS, DERIVED),                                     \
         "How long HCCL thought that it would take.")                                                                  \
    STORED(DATA_SIZE, "data_size", "Size", INTEGER(BYTE, PLAIN), "Amount transferred.", AT(104, 8))                    \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The task.", AT(112, 4))                                             \
    STORED(AI_CPU_TASK_ID, "ai_cpu_task_id", "AI CPU task", NUMBER, "The task of the AI CPU that it is for.",          \
           AT(116, 4))                                                                                                 \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.", AT(120, 2))                                     \
    STORED(PLANE_ID, "plane_id", "Plane", NUMBER, "The plane of the network.", AT(122, 2))                             \
    STORED(NPU_DEVICE_ID, "npu_device_id", "NPU", NUMBER, "The device of the AI CPU.", AT(124, 2))                     \
    STORED(DEVICE_ID, "device_id", "Device ID", NUMBER, "The DPU.", BITS_AT(126, 2, 0, 12))                            \
    STORED(OP_TYPE, "op_type", "Reduction", NUMBER, "The reduction, as a number of HCCL.", AT(128, 1))                 \
    STORED(DATA_TYPE, "data_type", "Data type", NUMBER, "Type of an element, as a number of HCCL.", AT(129, 1))        \
    STORED(LINK_TYPE, "link_type", "Link", NUMBER, "The link, as a number of HCCL.", AT(130, 1))                       \
    STORED(TRANSPORT_TYPE, "transport_type", "Transport", NUMBER, "The transport, as a number of HCCL.", AT(131, 1))   \
    STORED(RDMA_TYPE, "rdma_type", "RDMA", NUMBER, "0 notification, 1 payload.", AT(132, 1))                           \
    STORED(ROLE, "role", "Role", NUMBER, "Its role.", AT(133, 1))                                                      \
    STORED(WORK_FLOW_MODE, "work_flow_mode", "Mode", NUMBER, "How the operator is expanded.", AT(134, 1))

HOST_RECORD_TABLES;

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    int status = host_record_take_span(decoder, state, row, START_TICK, START_NS, keep, err);
    if (status < 0 || !*keep)
        return status;
    row_set_integer(row, ESTIMATED_NS, hccl_estimate_ns(row->cells[ESTIMATED_BITS].integer));
    hccl_forget_unknown(row, DATA_SIZE);
    hccl_forget_unknown(row, LOCAL_RANK);
    hccl_forget_unknown(row, REMOTE_RANK);
    status = record_stream_find_name(stream, row, ITEM, ITEM_ID, err);
    return status == 0 ? record_stream_find_name(stream, row, GROUP, GROUP_NAME_ID, err) : status;
}

const struct record_kind kind_dpu_hccl_info = {
    OWN_TABLE("dpu_hccl_info"),
    .title = "Communication on a DPU",
    .doc = "A task of communication that ran on a DPU: what it moved, with whom and how.",
    ADDITIONAL_RECORD("dpu_hccl_info", "dpu-hccl-info", take_record,
                      "item, group, ranks, times, size, tasks, types (docs/formats/cann.md 3.8)"),
    ONE_SERIES(.name = "dpu_communication", .title = "Communication on DPUs",
               .doc = "From when to when each task of communication on a DPU ran, by stream.", .layer = "dpu",
               .process = "DPU", .number = LAYER_DPU,
               .counters = ONE_COUNTER(
                       .name = "coalesce(n.text, 'N/A')",
                       .values = VALUE_LIST(
                           {"Thread Id", "thread_id", .form = FORM_TEXT},
                           {"Physic Stream Id", "stream_id", .form = FORM_TEXT},
                           {"Task Id", "task_id", .form = FORM_TEXT}, {"OP Type", "op_type", .form = FORM_TEXT},
                           {"AI CPU Device Id", "npu_device_id", .form = FORM_TEXT},
                           {"AI CPU Task Id", "ai_cpu_task_id", .form = FORM_TEXT},
                           {"Group Name", "coalesce(g.text, 'N/A') || '(' || group_hash || ')'", .form = FORM_TEXT},
                           {"Plane Id", "plane_id", .form = FORM_TEXT}, {"Notify Id", "notify_id", .form = FORM_TEXT},
                           {"Duration Estimated(us)", "estimated_ns / 1000.0", .form = FORM_FLOAT},
                           {"Rank Size", "rank_size", .form = FORM_TEXT},
                           {"Src Rank", "coalesce(local_rank, 'N/A')", .form = FORM_TEXT},
                           {"Dst Rank", "coalesce(remote_rank, 'N/A')", .form = FORM_TEXT},
                           {"Transport Type", HCCL_NAME_SQL("transport_type", EACH_HCCL_TRANSPORT_TYPE),
                            .form = FORM_TEXT},
                           {"Size(Byte)", "data_size", .form = FORM_TEXT},
                           {"Bandwidth(GB/s)",
                            "CASE WHEN duration_ns > 0 OR data_size IS NULL THEN data_size * 1.0 / duration_ns ELSE "
                            "0.0 END",
                            .form = FORM_FLOAT},
                           {"Data Type", HCCL_NAME_SQL("data_type", EACH_HCCL_DATA_TYPE), .form = FORM_TEXT},
                           {"Link Type", HCCL_NAME_SQL("link_type", EACH_HCCL_LINK_TYPE), .form = FORM_TEXT},
                           {"Rdma Type", HCCL_NAME_SQL("rdma_type", EACH_HCCL_RDMA_TYPE), .form = FORM_TEXT}),
                       .query = {.from = "dpu_hccl_info LEFT JOIN name AS n ON n.id = item_id LEFT "
                                         "JOIN name AS g ON g.id = group_name_id",
                                 .order_by = "device_id, stream_id, start_ns, duration_ns DESC"},
                       .time = "start_ns", .duration = "duration_ns", .thread = "stream_id",
                       .thread_name = "'Stream ' || stream_id")),
};
