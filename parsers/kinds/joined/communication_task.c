/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of communication operators, from the records of host and device. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {
    [COMMUNICATION_TASK_TASK_ID] = {"task_row_id", "Task", INTEGER(NONE, DERIVED), "The task (device_task.id)."},
    [COMMUNICATION_TASK_OP_ID] = {"op_id", "Operator", INTEGER(NONE, DERIVED),
                                  "Operator that it is part of (communication_op.id)."},
    [COMMUNICATION_TASK_TYPE_ID] = {"type_id", "Type", INTEGER(NONE, DERIVED),
                                    "Name of the task (name.id); none when nothing was reported of it, as in all of "
                                    "the following columns but one."},
    [COMMUNICATION_TASK_MASTER] = {"master", "Main stream", INTEGER(NONE, DERIVED),
                                   "1: it runs on the main stream of the operator; always known."},
    [COMMUNICATION_TASK_GROUP_NAME_ID] = {"group_name_id", "Group", INTEGER(NONE, DERIVED),
                                          "The communication group (name.id)."},
    [COMMUNICATION_TASK_PLANE_ID] = {"plane_id", "Plane", INTEGER(NONE, DERIVED), "The plane of the network."},
    [COMMUNICATION_TASK_NOTIFY_ID] = {"notify_id", "Notify ID", INTEGER(NONE, DERIVED),
                                      "Notification that it waits for or sends."},
    [COMMUNICATION_TASK_LOCAL_RANK] = {"local_rank", "Local rank", INTEGER(NONE, DERIVED), "This side."},
    [COMMUNICATION_TASK_REMOTE_RANK] = {"remote_rank", "Remote rank", INTEGER(NONE, DERIVED), "The other side."},
    [COMMUNICATION_TASK_TRANSPORT_TYPE] = {"transport_type", "Transport", INTEGER(NONE, DERIVED),
                                           "0 SDMA, 1 RDMA, 2 local."},
    [COMMUNICATION_TASK_LINK_TYPE] = {"link_type", "Link", INTEGER(NONE, DERIVED),
                                      "0 on the chip, 1 HCCS, 2 PCIe, 3 RoCE, and so on."},
    [COMMUNICATION_TASK_RDMA_TYPE] = {"rdma_type", "RDMA", INTEGER(NONE, DERIVED), "0 notification, 1 payload."},
    [COMMUNICATION_TASK_DATA_TYPE] = {"data_type", "Data type", INTEGER(NONE, DERIVED),
                                      "Type of an element, as a number of HCCL."},
    [COMMUNICATION_TASK_BYTES] = {"bytes", "Size", INTEGER(BYTE, DERIVED), "Amount transferred."},
    [COMMUNICATION_TASK_ESTIMATED_NS] = {"estimated_ns", "Estimated duration", INTEGER(NS, DERIVED),
                                         "How long HCCL thought that it would take."},
};

const struct record_kind kind_communication_task = {
    .name = "communication_task",
    .table = "communication_task",
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Task of a communication operator",
    .doc = "Which tasks a communication operator consists of, and what was reported of them.",
    COLUMNS_OF(columns),
};
