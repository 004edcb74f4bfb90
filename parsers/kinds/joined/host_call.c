/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on the host, from the records of several files. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {
    [HOST_CALL_THREAD_ID] = {"thread_id", "Thread ID", INTEGER(NONE, DERIVED), "The calling thread."},
    [HOST_CALL_LEVEL] = {"level", "Level", INTEGER(NONE, DERIVED),
                         "The layer: 20000 ACL, 15000 model, 10000 node, 5500 communication, 5000 runtime."},
    [HOST_CALL_TYPE] = {"type", "Type", INTEGER(NONE, DERIVED), "The number of the call at its level."},
    [HOST_CALL_NAME_ID] = {"name_id", "Name", INTEGER(NONE, DERIVED), "Name of the call (name.id)."},
    [HOST_CALL_ITEM_ID] = {"item_id", "Item", INTEGER(NONE, DERIVED),
                           "Object that it was called for, such as the operator (name.id)."},
    [HOST_CALL_START_NS] = {"start_ns", "Start", INTEGER(NS, DERIVED), "When it began, since 1970."},
    [HOST_CALL_DURATION_NS] = {"duration_ns", "Duration", INTEGER(NS, DERIVED), "How long it took."},
    [HOST_CALL_PARENT_ID] = {"parent_id", "Parent", INTEGER(NONE, DERIVED),
                             "The call around it (host_call.id); none for an outermost call."},
    [HOST_CALL_CONNECTION_ID] =
        {"connection_id", "Connection ID", INTEGER(NONE, DERIVED),
         "The launch in it: device tasks with the same number were launched here; none when it launched nothing."},
    [HOST_CALL_LAUNCHES] = {"launches", "Launches", INTEGER(NONE, DERIVED),
                            "How many tasks were launched by this call itself, not by one inside of it; none: 0."},
};

const struct record_kind kind_host_call = {
    .name = "host_call",
    .table = "host_call",
    .families = FAMILY_ASCEND,
    .title = "Call on the host",
    .doc = "One call of CANN on the host, ordered by thread and start: a call comes before those inside of it.",
    COLUMNS_OF(columns),
};
