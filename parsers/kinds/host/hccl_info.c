/* SPDX-License-Identifier: Apache-2.0 */
/* Single tasks of communication operators: *.additional.hccl_info. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/hccl_types.h"
#include "parsers/kinds/common/host/host_record.h"
enum {
    ITEM_ID = HOST_RECORD_COLUMN_COUNT,
    CCL_TAG_ID,
    GROUP_NAME_ID,
    LOCAL_RANK,
    REMOTE_RANK,
    RANK_SIZE,
    WORK_FLOW_MODE,
    PLANE_ID,
    CONTEXT_ID,
    NOTIFY_ID,
    STAGE,
    ROLE,
    ESTIMATED_US_BITS,
    SOURCE_ADDRESS,
    DESTINATION_ADDRESS,
    DATA_SIZE,
    OP_TYPE,
    DATA_TYPE,
    LINK_TYPE,
    TRANSPORT_TYPE,
    RDMA_TYPE,
    ESTIMATED_NS
};

static const struct column columns[] = {
    HOST_RECORD_COLUMNS,
    [ITEM_ID] = {"item_id", "Item", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                 "Name of the task, as an id of the hash dictionary."},
    [CCL_TAG_ID] = {"ccl_tag_id", "Tag", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                    "The operator's tag, as an id of the hash dictionary."},
    [GROUP_NAME_ID] = {"group_name_id", "Group", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                       "The communication group, as an id of the hash dictionary."},
    [LOCAL_RANK] = {"local_rank", "Local rank", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "This side."},
    [REMOTE_RANK] = {"remote_rank", "Remote rank", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The other side."},
    [RANK_SIZE] = {"rank_size", "Ranks", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "How many ranks the group has."},
    [WORK_FLOW_MODE] = {"work_flow_mode", "Work flow mode", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                        "How the operator was launched."},
    [PLANE_ID] = {"plane_id", "Plane", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The plane of the network."},
    [CONTEXT_ID] = {"context_id", "Context ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                    "Which part of a split task it is about; 4294967295: the task is not split."},
    [NOTIFY_ID] = {"notify_id", "Notify ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "Notification that it waits for or sends."},
    [STAGE] = {"stage", "Stage", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The stage of the algorithm."},
    [ROLE] = {"role", "Role", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The side's role."},
    [ESTIMATED_US_BITS] = {"estimated_us_bits", "Estimated duration", COLUMN_INTEGER, UNIT_NONE, COLUMN_TRANSIENT, NULL,
                           "Duration as a number in floating point, microseconds."},
    [SOURCE_ADDRESS] = {"source_address", "Source address", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "Where it reads."},
    [DESTINATION_ADDRESS] = {"destination_address", "Destination address", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                             "Where it writes."},
    [DATA_SIZE] = {"data_size", "Size", COLUMN_INTEGER, UNIT_BYTE, 0, NULL, "Amount transferred."},
    [OP_TYPE] = {"op_type", "Reduction", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The reduction, as a number of HCCL."},
    [DATA_TYPE] = {"data_type", "Data type", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "Type of an element, as a number of HCCL."},
    [LINK_TYPE] = {"link_type", "Link", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "0 on the chip, 1 HCCS, 2 PCIe, 3 RoCE, and so on."},
    [TRANSPORT_TYPE] = {"transport_type", "Transport", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "0 SDMA, 1 RDMA, 2 local."},
    [RDMA_TYPE] = {"rdma_type", "RDMA", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "0 notification, 1 payload."},
    [ESTIMATED_NS] = {"estimated_ns", "Estimated duration", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,
                      "How long HCCL thought that it would take."},
};

static const struct field fields[] = {
    HOST_RECORD_FIELDS,
    {.column = "item_id", .offset = 24, .width = 8, .is_signed = true},
    {.column = "ccl_tag_id", .offset = 32, .width = 8, .is_signed = true},
    {.column = "group_name_id", .offset = 40, .width = 8, .is_signed = true},
    {.column = "local_rank", .offset = 48, .width = 4},
    {.column = "remote_rank", .offset = 52, .width = 4},
    {.column = "rank_size", .offset = 56, .width = 4},
    {.column = "work_flow_mode", .offset = 60, .width = 4},
    {.column = "plane_id", .offset = 64, .width = 4},
    {.column = "context_id", .offset = 68, .width = 4},
    {.column = "notify_id", .offset = 72, .width = 8, .is_signed = true},
    {.column = "stage", .offset = 80, .width = 4},
    {.column = "role", .offset = 84, .width = 4},
    {.column = "estimated_us_bits", .offset = 88, .width = 8, .is_signed = true},
    {.column = "source_address", .offset = 96, .width = 8, .is_signed = true},
    {.column = "destination_address", .offset = 104, .width = 8, .is_signed = true},
    {.column = "data_size", .offset = 112, .width = 8},
    {.column = "op_type", .offset = 120, .width = 4},
    {.column = "data_type", .offset = 124, .width = 4},
    {.column = "link_type", .offset = 128, .width = 4},
    {.column = "transport_type", .offset = 132, .width = 4},
    {.column = "rdma_type", .offset = 136, .width = 4},
};

static const struct layout layouts[] = {
    {
        .name = "cann-hccl-info",
        .source = "CANN additional record, 256 bytes: 24 bytes of header, item, tag, group, ranks, plane, context, "
                  "notification, size, types (docs/formats/cann.md 3.5)",
        .record_size = 256,
        .magics = HOST_RECORD_MAGICS,
        FIELDS_OF(fields),
    },
};

static int take_transfer(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct host_stream *stream = state;
    const struct cell *cells = row->cells;
    int status = host_record_take(decoder, state, row, keep, err);
    row_set_integer(row, ESTIMATED_NS, hccl_estimate_ns(cells[ESTIMATED_US_BITS].integer));
    if (status < 0 || stream->association == NULL)
        return status;
    const struct host_transfer transfer = {
        .time_ns = cells[TIME_NS].integer,
        .item_id = cells[ITEM_ID].integer,
        .group_id = cells[GROUP_NAME_ID].integer,
        .notify_id = cells[NOTIFY_ID].integer,
        .bytes = cells[DATA_SIZE].integer,
        .estimated_ns = cells[ESTIMATED_NS].integer,
        .thread_id = row_u32(row, THREAD_ID),
        .local_rank = row_u32(row, LOCAL_RANK),
        .remote_rank = row_u32(row, REMOTE_RANK),
        .rank_size = row_u32(row, RANK_SIZE),
        .plane_id = row_u32(row, PLANE_ID),
        .context_id = row_u32(row, CONTEXT_ID),
        .data_type = row_u32(row, DATA_TYPE),
        .link_type = row_u32(row, LINK_TYPE),
        .transport_type = row_u32(row, TRANSPORT_TYPE),
        .rdma_type = row_u32(row, RDMA_TYPE),
    };
    return association_add_transfer(stream->association, &transfer, err);
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct host_stream),
    .open = host_stream_open,
    .record = take_transfer,
};

const struct record_kind kind_hccl_info = {
    .name = "hccl_info",
    .table = "hccl_info",
    .families = FAMILY_CANN,
    .title = "Communication task",
    .doc = "Action of a task of a communication operator and its peer, reported inside the communication call that "
           "launches it.",
    .patterns = (const char *const[]){"{tag}.additional.hccl_info.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &hooks,
};
