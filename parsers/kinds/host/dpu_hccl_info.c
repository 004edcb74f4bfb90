/* SPDX-License-Identifier: Apache-2.0 */
/* Communication on DPUs: *.additional.dpu_hccl_info. */
#include "parsers/capture/capture.h"
#include "parsers/kinds/common/hccl_types.h"
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/sample.h"

enum {
    ITEM = HOST_RECORD_COLUMN_COUNT,
    GROUP,
    ITEM_ID,
    GROUP_NAME_ID,
    LOCAL_RANK,
    REMOTE_RANK,
    RANK_SIZE,
    STAGE,
    NOTIFY_ID,
    START_TICK,
    START_NS,
    DURATION_NS,
    ESTIMATED_BITS,
    ESTIMATED_NS,
    DATA_SIZE,
    TASK_ID,
    AI_CPU_TASK_ID,
    STREAM_ID,
    PLANE_ID,
    NPU_DEVICE_ID,
    DEVICE_ID,
    OP_TYPE,
    DATA_TYPE,
    LINK_TYPE,
    TRANSPORT_TYPE,
    RDMA_TYPE,
    ROLE,
    WORK_FLOW_MODE
};

static const struct column columns[] = {
    HOST_RECORD_COLUMNS,
    [ITEM] = STAMP_COLUMN("item", "Name of the task, as an id of the hash dictionary."),
    [GROUP] = NUMBER_COLUMN("group_hash", "Group", "The group, as an id of the hash dictionary."),
    [ITEM_ID] = {"item_id", "Item", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "Name of the task (name.id)."},
    [GROUP_NAME_ID] = {"group_name_id", "Group", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                       "The group of ranks (name.id)."},
    [LOCAL_RANK] = NUMBER_COLUMN("local_rank", "Local rank", "The rank itself."),
    [REMOTE_RANK] = NUMBER_COLUMN("remote_rank", "Remote rank", "The rank that it exchanges data with."),
    [RANK_SIZE] = NUMBER_COLUMN("rank_size", "Ranks", "How many ranks the group has."),
    [STAGE] = NUMBER_COLUMN("stage", "Stage", "The stage of the algorithm."),
    [NOTIFY_ID] = NUMBER_COLUMN("notify_id", "Notification", "The notification."),
    [START_TICK] = STAMP_COLUMN("start_tick", "When it began, on the host's counter."),
    [START_NS] = {"start_ns", "Start", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL, "When it began, since 1970."},
    [DURATION_NS] = {"duration_ns", "Duration", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,
                     "How long it took: until it was reported."},
    [ESTIMATED_BITS] = STAMP_COLUMN("estimated_us_bits", "The estimate in microseconds, the bits of a double."),
    [ESTIMATED_NS] = {"estimated_ns", "Estimated duration", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,
                      "How long HCCL thought that it would take."},
    [DATA_SIZE] = BYTES_COLUMN("data_size", "Size", "Amount transferred."),
    [TASK_ID] = NUMBER_COLUMN("task_id", "Task ID", "The task."),
    [AI_CPU_TASK_ID] = NUMBER_COLUMN("ai_cpu_task_id", "AI CPU task", "The task of the AI CPU that it is for."),
    [STREAM_ID] = NUMBER_COLUMN("stream_id", "Stream ID", "The stream."),
    [PLANE_ID] = NUMBER_COLUMN("plane_id", "Plane", "The plane of the network."),
    [NPU_DEVICE_ID] = NUMBER_COLUMN("npu_device_id", "NPU", "The device of the AI CPU."),
    [DEVICE_ID] = NUMBER_COLUMN("device_id", "Device ID", "The DPU."),
    [OP_TYPE] = NUMBER_COLUMN("op_type", "Reduction", "The reduction, as a number of HCCL."),
    [DATA_TYPE] = NUMBER_COLUMN("data_type", "Data type", "Type of an element, as a number of HCCL."),
    [LINK_TYPE] = NUMBER_COLUMN("link_type", "Link", "The link, as a number of HCCL."),
    [TRANSPORT_TYPE] = NUMBER_COLUMN("transport_type", "Transport", "The transport, as a number of HCCL."),
    [RDMA_TYPE] = NUMBER_COLUMN("rdma_type", "RDMA", "0 notification, 1 payload."),
    [ROLE] = NUMBER_COLUMN("role", "Role", "Its role."),
    [WORK_FLOW_MODE] = NUMBER_COLUMN("work_flow_mode", "Mode", "How the operator is expanded."),
};

static const struct field fields[] = {
    HOST_RECORD_FIELDS,
    {.column = "item", .offset = 24, .width = 8, .is_signed = true},
    {.column = "group_hash", .offset = 40, .width = 8, .is_signed = true},
    {.column = "local_rank", .offset = 48, .width = 4},
    {.column = "remote_rank", .offset = 52, .width = 4},
    {.column = "rank_size", .offset = 56, .width = 4},
    {.column = "stage", .offset = 60, .width = 4},
    {.column = "notify_id", .offset = 64, .width = 8, .is_signed = true},
    {.column = "start_tick", .offset = 72, .width = 8},
    {.column = "estimated_us_bits", .offset = 80, .width = 8, .is_signed = true},
    {.column = "data_size", .offset = 104, .width = 8},
    {.column = "task_id", .offset = 112, .width = 4},
    {.column = "ai_cpu_task_id", .offset = 116, .width = 4},
    {.column = "stream_id", .offset = 120, .width = 2},
    {.column = "plane_id", .offset = 122, .width = 2},
    {.column = "npu_device_id", .offset = 124, .width = 2},
    {.column = "device_id", .offset = 126, .width = 2, .first_bit = 0, .bit_count = 12},
    {.column = "op_type", .offset = 128, .width = 1},
    {.column = "data_type", .offset = 129, .width = 1},
    {.column = "link_type", .offset = 130, .width = 1},
    {.column = "transport_type", .offset = 131, .width = 1},
    {.column = "rdma_type", .offset = 132, .width = 1},
    {.column = "role", .offset = 133, .width = 1},
    {.column = "work_flow_mode", .offset = 134, .width = 1},
};

static const struct layout layouts[] = {{
    .name = "cann-dpu-hccl-info",
    .source =
        "CANN additional record, 256 bytes: item, group, ranks, times, size, tasks, types (docs/formats/cann.md 3.8)",
    .record_size = 256,
    .magics = HOST_RECORD_MAGICS,
    FIELDS_OF(fields),
}};

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct host_stream *stream = state;
    int status = host_record_take(decoder, state, row, keep, err);
    int64_t start_ns = part_host_ns(stream->part, row->cells[START_TICK].integer), end_ns = row->cells[TIME_NS].integer;
    if (status < 0)
        return status;
    *keep = decoder_check_span(decoder, "the task", start_ns, end_ns);
    if (!*keep)
        return 0;
    row_set_integer(row, START_NS, start_ns);
    row_set_integer(row, DURATION_NS, end_ns - start_ns);
    row_set_integer(row, ESTIMATED_NS, hccl_estimate_ns(row->cells[ESTIMATED_BITS].integer));
    status = named_host_record_find(stream, row, ITEM, ITEM_ID, err);
    return status == 0 ? named_host_record_find(stream, row, GROUP, GROUP_NAME_ID, err) : status;
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct host_stream),
    .open = host_stream_open,
    .record = take_record,
};

static const struct report_column values[] = {
    {"Thread Id", "thread_id", .form = FORM_TEXT},
    {"Physic Stream Id", "stream_id", .form = FORM_TEXT},
    {"Task Id", "task_id", .form = FORM_TEXT},
    {"OP Type", "op_type", .form = FORM_TEXT},
    {"AI CPU Device Id", "npu_device_id", .form = FORM_TEXT},
    {"AI CPU Task Id", "ai_cpu_task_id", .form = FORM_TEXT},
    {"Group Name", "coalesce(g.text, 'N/A') || '(' || group_hash || ')'", .form = FORM_TEXT},
    {"Plane Id", "plane_id", .form = FORM_TEXT},
    {"Notify Id", "notify_id", .form = FORM_TEXT},
    {"Duration Estimated(us)", "estimated_ns / 1000.0", .form = FORM_FLOAT},
    {"Rank Size", "rank_size", .form = FORM_TEXT},
    {"Src Rank", "local_rank", .form = FORM_TEXT},
    {"Dst Rank", "remote_rank", .form = FORM_TEXT},
    {"Transport Type", HCCL_NAME_SQL("transport_type", EACH_HCCL_TRANSPORT_TYPE), .form = FORM_TEXT},
    {"Size(Byte)", "data_size", .form = FORM_TEXT},
    {"Bandwidth(GB/s)", "CASE WHEN duration_ns > 0 THEN data_size * 1.0 / duration_ns ELSE 0.0 END",
     .form = FORM_FLOAT},
    {"Data Type", HCCL_NAME_SQL("data_type", EACH_HCCL_DATA_TYPE), .form = FORM_TEXT},
    {"Link Type", HCCL_NAME_SQL("link_type", EACH_HCCL_LINK_TYPE), .form = FORM_TEXT},
    {"Rdma Type", HCCL_NAME_SQL("rdma_type", EACH_HCCL_RDMA_TYPE), .form = FORM_TEXT},
    {.title = NULL},
};

static const struct series_counter slices[] = {
    {.name = "coalesce(n.text, 'N/A')",
     .values = values,
     .query = {.from =
                   "dpu_hccl_info LEFT JOIN name AS n ON n.id = item_id LEFT JOIN name AS g ON g.id = group_name_id",
               .order_by = "device_id, stream_id, start_ns, duration_ns DESC"},
     .time = "start_ns",
     .duration = "duration_ns",
     .thread = "stream_id",
     .thread_name = "'Stream ' || stream_id"},
    {.name = NULL},
};

static const struct series_report series[] = {
    {
        .name = "dpu_communication",
        .title = "Communication on DPUs",
        .doc = "From when to when each task of communication on a DPU ran, by stream.",
        .layer = "dpu",
        .process = "DPU",
        .process_order = 8,
        .counters = slices,
    },
    {.name = NULL},
};

const struct record_kind kind_dpu_hccl_info = {
    .name = "dpu_hccl_info",
    .table = "dpu_hccl_info",
    .families = FAMILY_CANN,
    .title = "Communication on a DPU",
    .doc = "A task of communication that ran on a DPU: what it moved, with whom and how.",
    .patterns = (const char *const[]){"{tag}.additional.dpu_hccl_info.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &hooks,
    .series = series,
};
