/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of communication that the AI CPU launched: records of aicpu.data, of one task or two. */
#include "parsers/join/association.h"
#include "parsers/kinds/common/aicpu_stream.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/hccl_types.h"
#include "parsers/kinds/common/sample.h"

#include <string.h>

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name; NULL: the host.")          \
    STORED(DATA_LENGTH, "data_length", "Stamp", INTEGER(NONE, TRANSIENT), "Used bytes after the header.", AT(12, 4))   \
    STORED(ITEM, "item", "Stamp", INTEGER(NONE, TRANSIENT), "Name of the task, as an id of the hash dictionary.",      \
           SIGNED_AT(24, 8))                                                                                           \
    STORED(TAG, "tag", "Tag", NUMBER, "The operator's tag, as an id of the hash dictionary.", SIGNED_AT(32, 8))        \
    STORED(GROUP, "group_hash", "Group", NUMBER, "The group, as an id of the hash dictionary.", SIGNED_AT(40, 8))      \
    MADE(ITEM_ID, "item_id", "Item", MADE_NUMBER, "Name of the task (name.id).")                                       \
    MADE(GROUP_NAME_ID, "group_name_id", "Group", MADE_NUMBER, "The group of ranks (name.id).")                        \
    STORED(LOCAL_RANK, "local_rank", "Local rank", NUMBER, "The rank itself.", AT(48, 4))                              \
    STORED(REMOTE_RANK, "remote_rank", "Remote rank", NUMBER, "The rank that it exchanges data with.", AT(52, 4))      \
    STORED(RANK_SIZE, "rank_size", "Ranks", NUMBER, "How many ranks the group has.", AT(56, 4))                        \
    STORED(STAGE, "stage", "Stage", NUMBER, "The stage of the algorithm.", AT(60, 4))                                  \
    STORED(NOTIFY_ID, "notify_id", "Notification", NUMBER, "The notification.", SIGNED_AT(64, 8))                      \
    STORED(TICK, "tick", "Stamp", INTEGER(NONE, TRANSIENT), "When it was launched, on the counter of the device.",     \
           AT(72, 8))                                                                                                  \
    MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED), "When it was taken, on the clock of the host.")             \
    STORED(ESTIMATED_BITS, "estimated_us_bits", "Stamp", INTEGER(NONE, TRANSIENT),                                     \
           "The estimate in microseconds, the bits of a double.", SIGNED_AT(80, 8))                                    \
    MADE(ESTIMATED_NS, "estimated_ns", "Estimated duration", INTEGER(NS, DERIVED),                                     \
         "How long HCCL thought that it would take.")                                                                  \
    STORED(DATA_SIZE, "data_size", "Size", INTEGER(BYTE, PLAIN), "Amount transferred.", AT(104, 8))                    \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The task.", AT(112, 4))                                             \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.", AT(120, 2))                                     \
    STORED(PLANE_ID, "plane_id", "Plane", NUMBER, "The plane of the network.", AT(122, 2))                             \
    STORED(OP_TYPE, "op_type", "Reduction", NUMBER, "The reduction, as a number of HCCL.", AT(124, 1))                 \
    STORED(DATA_TYPE, "data_type", "Data type", NUMBER, "Type of an element, as a number of HCCL.", AT(125, 1))        \
    STORED(LINK_TYPE, "link_type", "Link", NUMBER, "The link, as a number of HCCL.", AT(126, 1))                       \
    STORED(TRANSPORT_TYPE, "transport_type", "Transport", NUMBER, "The transport, as a number of HCCL.", AT(127, 1))   \
    STORED(RDMA_TYPE, "rdma_type", "RDMA", NUMBER, "0 notification, 1 payload.", AT(128, 1))                           \
    STORED(ROLE, "role", "Role", NUMBER, "Its role.", AT(129, 1))                                                      \
    STORED(WORK_FLOW_MODE, "work_flow_mode", "Mode", NUMBER, "How the operator is expanded.", AT(130, 1))

COLUMN_TABLES;

static const struct layout layouts[] = {
    AICPU_LAYOUT("cann-kfc-hccl-info-256", 13, "docs/formats/aicpu.md 1: 256 bytes, type 13")};

/* Where the tasks of a record begin, and how long one is. */
enum { FIRST = 24, LENGTH = 116 };

struct state {
    struct record_stream stream; /* first */
    struct decode_plan plan;
};

static int open_file(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    decode_plan_init(&state->plan, file->kind, &layouts[0]);
    return record_stream_open(decoder, &state->stream, file, err);
}

static int derive(const struct record_stream *stream, struct row *row, struct err *err)
{
    row_set_integer(row, DEVICE_ID, stream->device_id);
    row_set_integer(row, TIME_NS, part_device_ns(stream->part, row->cells[TICK].integer));
    row_set_integer(row, ESTIMATED_NS, hccl_estimate_ns(row->cells[ESTIMATED_BITS].integer));
    hccl_forget_unknown(row, DATA_SIZE);
    hccl_forget_unknown(row, LOCAL_RANK);
    hccl_forget_unknown(row, REMOTE_RANK);
    aicpu_put_ids(stream, row, STREAM_ID, TASK_ID);
    if (record_stream_find_name(stream, row, ITEM, ITEM_ID, err) < 0 ||
        record_stream_find_name(stream, row, GROUP, GROUP_NAME_ID, err) < 0)
        return err_status(err);
    if (stream->association == NULL || stream->device_id < 0)
        return 0;
    const struct host_transfer transfer = {
        .time_ns = row->cells[TIME_NS].integer,
        .item_id = row->cells[ITEM].integer,
        .group_id = row->cells[GROUP].integer,
        .notify_id = row->cells[NOTIFY_ID].integer,
        .bytes = row_has(row, DATA_SIZE) ? row->cells[DATA_SIZE].integer : -1,
        .estimated_ns = row->cells[ESTIMATED_NS].integer,
        .local_rank = row_u32(row, LOCAL_RANK),
        .remote_rank = row_u32(row, REMOTE_RANK),
        .rank_size = row_u32(row, RANK_SIZE),
        .data_type = row_u32(row, DATA_TYPE),
        .link_type = row_u32(row, LINK_TYPE),
        .transport_type = row_u32(row, TRANSPORT_TYPE),
        .rdma_type = row_u32(row, RDMA_TYPE),
    };
    return association_add_expanded_task(stream->association, &transfer, row_u32(row, STREAM_ID), row_u32(row, TASK_ID),
                                         err);
}

/* The second task of the record becomes a row as if it stood in a record of its own. */
static int add_second(struct decoder *decoder, struct state *state, const unsigned char *bytes, struct err *err)
{
    unsigned char alone[256] = {0};
    struct cell cells[COUNT_OF(columns)];
    uint64_t present = 0;
    struct row decoded = {cells, &present}, row = {NULL, NULL};
    int bad_column;
    memcpy(alone, bytes, FIRST);
    memcpy(alone + FIRST, bytes + FIRST + LENGTH, LENGTH);
    decode_record(&state->plan, alone, &decoded, &bad_column);
    if (bad_column >= 0) {
        decoder_report(decoder, DIAG_RECORD_VALUE, columns[bad_column].name,
                       "a value of 2^63 or more in the second task; expected less");
        return 0;
    }
    decode_put_file(&state->plan, decoder_file_id(decoder), &decoded);
    if (derive(&state->stream, &decoded, err) < 0 || decoder_emit(decoder, state->stream.kind, &row, err) < 0)
        return err_status(err);
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

const struct record_kind kind_kfc_hccl_info = {
    OWN_TABLE("kfc_hccl_info"),
    .families = FAMILY_CANN,
    .title = "Communication launched by the AI CPU",
    .doc = "A task of communication that the AI CPU launched: what it moves, with whom and how.",
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    HOOKS(.state_size = sizeof(struct state), .open = open_file, .record = take_record),
};
