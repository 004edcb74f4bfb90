/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of communication of kernels that compute and communicate at once (MC2): records of aicpu.data. */
#include "parsers/kinds/common/kfc_turn.h"

enum { TIMES = 7, FIRST_NS = FIRST_TICK + TIMES };

#define TIME_OF(n, name, title, doc)                                                                                   \
    [FIRST_TICK + (n)] = STAMP_COLUMN(name "_tick", doc " On the counter of the device."),                             \
                  [FIRST_NS + (n)] = COLUMN(name "_ns", title, INTEGER(NS, DERIVED), doc)

static const struct column columns[] = {
    KFC_TURN_COLUMNS("communication"),
    TIME_OF(0, "start", "The turn", "When the AI CPU began to serve the turn."),
    TIME_OF(1, "wait", "StartServer", "When it began to wait for the request."),
    TIME_OF(2, "algorithm", "TaskWaitRequest", "When it began with the algorithm."),
    TIME_OF(3, "send", "TaskOrchestration", "When it began to launch tasks."),
    TIME_OF(4, "sent", "TaskLaunch", "When the tasks were launched."),
    TIME_OF(5, "executed", "TaskExecute", "When they had run."),
    TIME_OF(6, "end", "Finalize", "When it was done with the turn."),
};

static const struct field fields[] = {
    FIELD("start_tick", 24, 8), FIELD("wait_tick", 32, 8), FIELD("algorithm_tick", 40, 8),
    FIELD("send_tick", 48, 8),  FIELD("sent_tick", 56, 8), FIELD("executed_tick", 64, 8),
    FIELD("end_tick", 72, 8),   FIELD("stream_id", 92, 2), FIELD("task_id", 94, 2),
    FIELD("turn_count", 97, 1), FIELD("turn", 98, 1),
};

static const struct report_column values[] = {KFC_TURN_VALUES};

#define PHASE(name, from, to)                                                                                          \
    "SELECT id, device_id, stream_id, task_id, '" name " ' || turn AS name, " from "_ns AS begin_ns, " to              \
    "_ns - " from "_ns AS lasts_ns FROM kfc_comm_turn"

/* clang-format off */
#define PHASES                                                                                                         \
    "(" PHASE("StartServer", "start", "wait") " UNION ALL " PHASE("TaskWaitRequest", "wait", "algorithm")              \
    " UNION ALL " PHASE("TaskOrchestration", "algorithm", "send") " UNION ALL " PHASE("TaskLaunch", "send", "sent")    \
    " UNION ALL " PHASE("TaskExecute", "sent", "executed") " UNION ALL " PHASE("Finalize", "executed", "end") ")"
/* clang-format on */

const struct record_kind kind_kfc_comm_turn = {
    OWN_TABLE("kfc_comm_turn"),
    .families = FAMILY_CANN,
    .title = "Communication turn of MC2",
    .doc = "A turn of communication of a kernel that computes and communicates at once, as the AI CPU served it.",
    RECORDS_OF(columns, AICPU_LAYOUT("cann-kfc-comm-turn-256", 4, "docs/formats/aicpu.md 1: 256 bytes, type 4")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = kfc_turn_take),
    ONE_SERIES(
            .name = "mc2_communication", .title = "Communication turns of MC2",
            .doc =
                "Work of the AI CPU in each turn of communication of a kernel that computes and communicates at once.",
            .layer = "mc2", .process = "MC2", .number = LAYER_MC2,
            .counters =
                ONE_COUNTER(.name = "name", .values = values,
                            .query = {.from = PHASES, .order_by = "device_id, stream_id, begin_ns, lasts_ns DESC, id"},
                            .time = "begin_ns", .duration = "lasts_ns", .thread = "stream_id",
                            .thread_name = "'Stream ' || stream_id || ' Communication'")),
};
