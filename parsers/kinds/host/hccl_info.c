/* SPDX-License-Identifier: Apache-2.0 */
/* Single tasks of communication operators: *.additional.hccl_info. */
#include "parsers/capture/capture.h"
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/hccl_types.h"
#include "parsers/kinds/common/host/host_record.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    STORED(ITEM_ID, "item_id", "Item", NUMBER, "Name of the task, as an id of the hash dictionary.", SIGNED_AT(24, 8)) \
    STORED(CCL_TAG_ID, "ccl_tag_id", "Tag", NUMBER, "The operator's tag, as an id of the hash dictionary.",            \
           SIGNED_AT(32, 8))                                                                                           \
    STORED(GROUP_NAME_ID, "group_name_id", "Group", NUMBER,                                                            \
           "The communication group, as an id of the hash dictionary.", SIGNED_AT(40, 8))                              \
    STORED(LOCAL_RANK, "local_rank", "Local rank", NUMBER, "This side; NULL: not known, here and in the types.",       \
           AT(48, 4))                                                                                                  \
    STORED(REMOTE_RANK, "remote_rank", "Remote rank", NUMBER, "The other side; NULL: none.", AT(52, 4))                \
    STORED(RANK_SIZE, "rank_size", "Ranks", NUMBER, "How many ranks the group has.", AT(56, 4))                        \
    STORED(WORK_FLOW_MODE, "work_flow_mode", "Work flow mode", NUMBER, "How the operator was launched.", AT(60, 4))    \
    STORED(PLANE_ID, "plane_id", "Plane", NUMBER, "The plane of the network.", AT(64, 4))                              \
    STORED(CONTEXT_ID, "context_id", "Context ID", NUMBER,                                                             \
           "Which part of a split task it is about; 4294967295: the task is not split.", AT(68, 4))                    \
    STORED(NOTIFY_ID, "notify_id", "Notify ID", NUMBER, "Notification that it waits for or sends.", SIGNED_AT(72, 8))  \
    STORED(STAGE, "stage", "Stage", NUMBER, "The stage of the algorithm.", AT(80, 4))                                  \
    STORED(ROLE, "role", "Role", NUMBER, "The side's role.", AT(84, 4))                                                \
    STORED(ESTIMATED_US_BITS, "estimated_us_bits", "Estimated duration", INTEGER(NONE, TRANSIENT),                     \
           "Duration as a number in floating point, microseconds.", SIGNED_AT(88, 8))                                  \
    STORED(SOURCE_ADDRESS, "source_address", "Source address", NUMBER, "Where it reads.", SIGNED_AT(96, 8))            \
    STORED(DESTINATION_ADDRESS, "destination_address", "Destination address", NUMBER, "Where it writes.",              \
           SIGNED_AT(104, 8))                                                                                          \
    STORED(DATA_SIZE, "data_size", "Size", INTEGER(BYTE, PLAIN), "Amount transferred; NULL: not known.", AT(112, 8))   \
    STORED(OP_TYPE, "op_type", "Reduction", NUMBER, "The reduction, as a number of HCCL.", AT(120, 4))                 \
    STORED(DATA_TYPE, "data_type", "Data type", NUMBER, "Type of an element, as a number of HCCL.", AT(124, 4))        \
    STORED(LINK_TYPE, "link_type", "Link", NUMBER, "0 on the chip, 1 HCCS, 2 PCIe, 3 RoCE, and so on.", AT(128, 4))    \
    STORED(TRANSPORT_TYPE, "transport_type", "Transport", NUMBER, "0 SDMA, 1 RDMA, 2 local.", AT(132, 4))              \
    STORED(RDMA_TYPE, "rdma_type", "RDMA", NUMBER, "0 notification, 1 payload.", AT(136, 4))                           \
    MADE(ESTIMATED_NS, "estimated_ns", "Estimated duration", INTEGER(NS, DERIVED),                                     \
         "How long HCCL thought that it would take.")

HOST_RECORD_TABLES;

static int take_transfer(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *stream = state;
    const struct cell *cells = row->cells;
    int status = host_record_take(decoder, state, row, keep, err);
    row_set_integer(row, ESTIMATED_NS, hccl_estimate_ns(cells[ESTIMATED_US_BITS].integer));
    static const size_t unknown[] = {LOCAL_RANK, REMOTE_RANK, ROLE,           DATA_SIZE, OP_TYPE,
                                     DATA_TYPE,  LINK_TYPE,   TRANSPORT_TYPE, RDMA_TYPE};
    for (size_t i = 0; i < COUNT_OF(unknown); i++)
        hccl_forget_unknown(row, unknown[i]);
    if (status < 0 || stream->association == NULL)
        return status;
    const struct host_transfer transfer = {
        .time_ns = cells[TIME_NS].integer,
        .item_id = cells[ITEM_ID].integer,
        .group_id = cells[GROUP_NAME_ID].integer,
        .notify_id = cells[NOTIFY_ID].integer,
        .bytes = row_has(row, DATA_SIZE) ? cells[DATA_SIZE].integer : -1,
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

const struct record_kind kind_hccl_info = {
    OWN_TABLE("hccl_info"),
    .title = "Communication task",
    .doc = "Action of a task of a communication operator and its peer, reported inside the communication call that "
           "launches it.",
    ADDITIONAL_RECORD("hccl_info", "hccl-info", take_transfer,
                      "24 bytes of header, item, tag, group, ranks, plane, context, notification, size, types "
                      "(docs/formats/cann.md 3.5)"),
};
