/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of communication operators on devices, from the records of host and device. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {
    [COMMUNICATION_OP_DEVICE_ID] = {"device_id", "Device ID", INTEGER(NONE, DERIVED), "The device."},
    [COMMUNICATION_OP_NAME_ID] =
        {"name_id", "Name", INTEGER(NONE, DERIVED),
         "The operator, the end of its group's number, which of the group and which run of it this is (name.id)."},
    [COMMUNICATION_OP_TYPE_ID] = {"type_id", "Type", INTEGER(NONE, DERIVED), "The operator's type (name.id)."},
    [COMMUNICATION_OP_GROUP_NAME_ID] = {"group_name_id", "Group", INTEGER(NONE, DERIVED),
                                        "The communication group (name.id)."},
    [COMMUNICATION_OP_GROUP_ID] = {"group_id", "Group ID", INTEGER(NONE, DERIVED),
                                   "The number that stands for the group's name, 64 bits without a sign."},
    [COMMUNICATION_OP_ALGORITHM_ID] = {"algorithm_id", "Algorithm", INTEGER(NONE, DERIVED), "The algorithm (name.id)."},
    [COMMUNICATION_OP_DATA_TYPE] = {"data_type", "Data type", INTEGER(NONE, DERIVED),
                                    "Type of an element, as a number of HCCL."},
    [COMMUNICATION_OP_COUNT] = {"count", "Count", INTEGER(NONE, DERIVED), "How many elements are transferred."},
    [COMMUNICATION_OP_RELAY] = {"relay", "Relay", INTEGER(NONE, DERIVED), "Whether a broken link is gone around."},
    [COMMUNICATION_OP_RETRY] = {"retry", "Retry", INTEGER(NONE, DERIVED), "Whether it was run again after a failure."},
    [COMMUNICATION_OP_RANK_SIZE] = {"rank_size", "Ranks", INTEGER(NONE, DERIVED), "How many ranks take part."},
    [COMMUNICATION_OP_MODEL_ID] = {"model_id", "Model ID", INTEGER(NONE, DERIVED),
                                   "The model that it was launched for; 4294967295: none."},
    [COMMUNICATION_OP_THREAD_ID] = {"thread_id", "Thread ID", INTEGER(NONE, DERIVED), "The thread that launched it."},
    [COMMUNICATION_OP_CONNECTION_ID] = {"connection_id", "Connection ID", INTEGER(NONE, DERIVED),
                                        "The first launch in it (host_call.connection_id)."},
    [COMMUNICATION_OP_HOST_START_NS] = {"host_start_ns", "Host start", INTEGER(NS, DERIVED),
                                        "When its call on the host began, since 1970."},
    [COMMUNICATION_OP_START_NS] = {"start_ns", "Start", INTEGER(NS, DERIVED),
                                   "When its first task began on the device, since 1970."},
    [COMMUNICATION_OP_DURATION_NS] = {"duration_ns", "Duration", INTEGER(NS, DERIVED),
                                      "To the end of its first task and of those on its main stream."},
    [COMMUNICATION_OP_ALL_DURATION_NS] = {"all_duration_ns", "Duration of all", INTEGER(NS, DERIVED),
                                          "To the end of all of its tasks."},
};

const struct record_kind kind_communication_op = {
    .name = "communication_op",
    .table = "communication_op",
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Run of a communication operator",
    .doc = "One run of a communication operator on a device: the tasks that were launched by communication calls "
           "inside of one node call; by device and start.",
    COLUMNS_OF(columns),
};
