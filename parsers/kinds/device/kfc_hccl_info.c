/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of communication that the AI CPU launched: records of aicpu.data, of one task or two. */
#include "parsers/join/association.h"
#include "parsers/kinds/common/aicpu_stream.h"
#include "parsers/kinds/common/hccl_types.h"
#include "parsers/kinds/common/sample.h"

#include <string.h>

enum {
    FILE_ID,
    DEVICE_ID,
    DATA_LENGTH,
    ITEM,
    TAG,
    GROUP,
    ITEM_ID,
    GROUP_NAME_ID,
    LOCAL_RANK,
    REMOTE_RANK,
    RANK_SIZE,
    STAGE,
    NOTIFY_ID,
    TICK,
    TIME_NS,
    ESTIMATED_BITS,
    ESTIMATED_NS,
    DATA_SIZE,
    TASK_ID,
    STREAM_ID,
    PLANE_ID,
    OP_TYPE,
    DATA_TYPE,
    LINK_TYPE,
    TRANSPORT_TYPE,
    RDMA_TYPE,
    ROLE,
    WORK_FLOW_MODE,
    COLUMN_COUNT
};

static const struct column columns[] = {
    [FILE_ID] = FILE_COLUMN,
    [DEVICE_ID] = DEVICE_COLUMN,
    [DATA_LENGTH] = STAMP_COLUMN("data_length", "Bytes behind the header that are used."),
    [ITEM] = STAMP_COLUMN("item", "Name of the task, as an id of the hash dictionary."),
    [TAG] = NUMBER_COLUMN("tag", "Tag", "The operator's tag, as an id of the hash dictionary."),
    [GROUP] = NUMBER_COLUMN("group_hash", "Group", "The group, as an id of the hash dictionary."),
    [ITEM_ID] = {"item_id", "Item", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL, "Name of the task (name.id)."},
    [GROUP_NAME_ID] = {"group_name_id", "Group", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                       "The group of ranks (name.id)."},
    [LOCAL_RANK] = NUMBER_COLUMN("local_rank", "Local rank", "The rank itself."),
    [REMOTE_RANK] = NUMBER_COLUMN("remote_rank", "Remote rank", "The rank that it exchanges data with."),
    [RANK_SIZE] = NUMBER_COLUMN("rank_size", "Ranks", "How many ranks the group has."),
    [STAGE] = NUMBER_COLUMN("stage", "Stage", "The stage of the algorithm."),
    [NOTIFY_ID] = NUMBER_COLUMN("notify_id", "Notification", "The notification."),
    [TICK] = STAMP_COLUMN("tick", "When it was launched, on the counter of the device."),
    [TIME_NS] = TIME_COLUMN,
    [ESTIMATED_BITS] = STAMP_COLUMN("estimated_us_bits", "The estimate in microseconds, the bits of a double."),
    [ESTIMATED_NS] = {"estimated_ns", "Estimated duration", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,
                      "How long HCCL thought that it would take."},
    [DATA_SIZE] = BYTES_COLUMN("data_size", "Size", "Amount transferred."),
    [TASK_ID] = NUMBER_COLUMN("task_id", "Task ID", "The task."),
    [STREAM_ID] = NUMBER_COLUMN("stream_id", "Stream ID", "The stream."),
    [PLANE_ID] = NUMBER_COLUMN("plane_id", "Plane", "The plane of the network."),
    [OP_TYPE] = NUMBER_COLUMN("op_type", "Reduction", "The reduction, as a number of HCCL."),
    [DATA_TYPE] = NUMBER_COLUMN("data_type", "Data type", "Type of an element, as a number of HCCL."),
    [LINK_TYPE] = NUMBER_COLUMN("link_type", "Link", "The link, as a number of HCCL."),
    [TRANSPORT_TYPE] = NUMBER_COLUMN("transport_type", "Transport", "The transport, as a number of HCCL."),
    [RDMA_TYPE] = NUMBER_COLUMN("rdma_type", "RDMA", "0 notification, 1 payload."),
    [ROLE] = NUMBER_COLUMN("role", "Role", "Its role."),
    [WORK_FLOW_MODE] = NUMBER_COLUMN("work_flow_mode", "Mode", "How the operator is expanded."),
};

static const struct field fields[] = {
    {.column = "data_length", .offset = 12, .width = 4},
    {.column = "item", .offset = 24, .width = 8, .is_signed = true},
    {.column = "tag", .offset = 32, .width = 8, .is_signed = true},
    {.column = "group_hash", .offset = 40, .width = 8, .is_signed = true},
    {.column = "local_rank", .offset = 48, .width = 4},
    {.column = "remote_rank", .offset = 52, .width = 4},
    {.column = "rank_size", .offset = 56, .width = 4},
    {.column = "stage", .offset = 60, .width = 4},
    {.column = "notify_id", .offset = 64, .width = 8, .is_signed = true},
    {.column = "tick", .offset = 72, .width = 8},
    {.column = "estimated_us_bits", .offset = 80, .width = 8, .is_signed = true},
    {.column = "data_size", .offset = 104, .width = 8},
    {.column = "task_id", .offset = 112, .width = 4},
    {.column = "stream_id", .offset = 120, .width = 2},
    {.column = "plane_id", .offset = 122, .width = 2},
    {.column = "op_type", .offset = 124, .width = 1},
    {.column = "data_type", .offset = 125, .width = 1},
    {.column = "link_type", .offset = 126, .width = 1},
    {.column = "transport_type", .offset = 127, .width = 1},
    {.column = "rdma_type", .offset = 128, .width = 1},
    {.column = "role", .offset = 129, .width = 1},
    {.column = "work_flow_mode", .offset = 130, .width = 1},
};

static const struct layout layouts[] = {{
    .name = "cann-kfc-hccl-info-256",
    .source = "docs/formats/aicpu.md 1: 256 bytes, type 13",
    .part = true,
    .record_size = 256,
    .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}, {.offset = 4, .width = 4, .value = 13}},
    FIELDS_OF(fields),
}};

/* Where the tasks of a record begin, and how long one is. */
enum { FIRST = 24, LENGTH = 116 };

struct state {
    struct aicpu_stream stream; /* first */
    struct decode_plan plan;
};

static int open_file(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    decode_plan_init(&state->plan, file->kind, &layouts[0]);
    return aicpu_stream_open(decoder, &state->stream, file, err);
}

static int name_of(const struct aicpu_stream *stream, struct row *row, size_t hash, size_t name, struct err *err)
{
    int64_t name_id;
    if (stream->association == NULL || row->cells[hash].integer == 0)
        return 0;
    if (association_find_name(stream->association, row->cells[hash].integer, columns[hash].name, &name_id, err) < 0)
        return -(int)err->code;
    row_set_integer(row, name, name_id);
    return 0;
}

static int derive(const struct aicpu_stream *stream, struct row *row, struct err *err)
{
    row_set_integer(row, DEVICE_ID, stream->device_id);
    row_set_integer(row, TIME_NS, part_device_ns(stream->part, row->cells[TICK].integer));
    row_set_integer(row, ESTIMATED_NS, hccl_estimate_ns(row->cells[ESTIMATED_BITS].integer));
    aicpu_put_ids(stream, row, STREAM_ID, TASK_ID);
    int status = name_of(stream, row, ITEM, ITEM_ID, err);
    return status == 0 ? name_of(stream, row, GROUP, GROUP_NAME_ID, err) : status;
}

/* The second task of the record becomes a row as if it stood in a record of its own. */
static int add_second(struct decoder *decoder, struct state *state, const unsigned char *bytes, struct err *err)
{
    unsigned char alone[256] = {0};
    struct cell cells[COLUMN_COUNT];
    uint64_t present = 0;
    struct row decoded = {cells, &present}, row = {NULL, NULL};
    int bad_column;
    memcpy(alone, bytes, FIRST);
    memcpy(alone + FIRST, bytes + FIRST + LENGTH, LENGTH);
    decode_record(&state->plan, alone, &decoded, &bad_column);
    if (bad_column >= 0) {
        struct place place = decoder_place(decoder, columns[bad_column].name);
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place,
                    "a value of 2^63 or more in the second task; expected less");
        return 0;
    }
    decode_put_file(&state->plan, decoder_file_id(decoder), &decoded);
    if (derive(&state->stream, &decoded, err) < 0 || decoder_emit(decoder, state->stream.kind, &row, err) < 0)
        return -(int)err->code;
    memcpy(row.cells, cells, sizeof cells);
    *row.present = present;
    return 0;
}

/* A record for one task says so by its length; behind it there may be what an earlier one left. */
static bool has_second(const struct row *row, const unsigned char *bytes)
{
    return row->cells[DATA_LENGTH].integer != LENGTH && bytes_load(bytes + FIRST + LENGTH, 8, false) != 0;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    (void)keep;
    struct state *state = opaque;
    const unsigned char *bytes = decoder_bytes(decoder).data;
    int status = derive(&state->stream, row, err);
    return status == 0 && has_second(row, bytes) ? add_second(decoder, state, bytes, err) : status;
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct state),
    .open = open_file,
    .record = take_record,
};

const struct record_kind kind_kfc_hccl_info = {
    .name = "kfc_hccl_info",
    .table = "kfc_hccl_info",
    .families = FAMILY_CANN,
    .title = "Communication launched by the AI CPU",
    .doc = "A task of communication that the AI CPU launched: what it moves, with whom and how.",
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &hooks,
};
