/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of computation of kernels that compute and communicate at once (MC2): records of aicpu.data. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/kfc_turn.h"

enum { TIMES = 3, FIRST_NS = FIRST_TICK + TIMES };

static const struct column columns[] = {
    KFC_TURN_COLUMNS("computation"),
    [FIRST_TICK] = STAMP_COLUMN("wait_tick", "When it began to wait, on the counter of the device."),
    [FIRST_TICK + 1] = STAMP_COLUMN("start_tick", "When the computation began, on the same counter."),
    [FIRST_TICK + 2] = STAMP_COLUMN("end_tick", "When it ended, on the same counter."),
    [FIRST_NS] = {"wait_ns", "Wait", INTEGER(NS, DERIVED), "When the AI CPU began to wait for the computation."},
    [FIRST_NS + 1] = {"start_ns", "WaitCompute", INTEGER(NS, DERIVED), "When the computation began."},
    [FIRST_NS + 2] = {"end_ns", "Compute", INTEGER(NS, DERIVED), "When it ended."},
};

static const struct field fields[] = {
    FIELD("wait_tick", 24, 8), FIELD("start_tick", 32, 8), FIELD("end_tick", 40, 8), FIELD("stream_id", 60, 2),
    FIELD("task_id", 62, 2),   FIELD("turn_count", 65, 1), FIELD("turn", 66, 1),
};

static const struct report_column values[] = {KFC_TURN_VALUES};

const struct record_kind kind_kfc_compute_turn = {
    OWN_TABLE("kfc_compute_turn"),
    .families = FAMILY_CANN,
    .title = "Computation turn of MC2",
    .doc = "A turn of computation of a kernel that computes and communicates at once, as the AI CPU saw it.",
    RECORDS_OF(columns, AICPU_LAYOUT("cann-kfc-compute-turn-256", 5, "docs/formats/aicpu.md 1: 256 bytes, type 5")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = kfc_turn_take),
    ONE_SERIES(.name = "mc2_computation", .title = "Computation turns of MC2",
               .doc = "When a kernel that computes and communicates at once waited for each turn of its computation, "
                      "and ran it.",
               .layer = "mc2", .process = "MC2", .number = LAYER_MC2,
               .counters = ONE_COUNTER(
                       .name = "name", .values = values,
                       .query = {.from =
                                     "(SELECT id, device_id, stream_id, task_id, 'WaitCompute ' || turn AS name, "
                                     "wait_ns AS begin_ns, "
                                     "start_ns - wait_ns AS lasts_ns FROM kfc_compute_turn UNION ALL SELECT id, "
                                     "device_id, stream_id, "
                                     "task_id, 'Compute ' || turn, start_ns, end_ns - start_ns FROM kfc_compute_turn)",
                                 .order_by = "device_id, stream_id, begin_ns, lasts_ns DESC, id"},
                       .time = "begin_ns", .duration = "lasts_ns", .ticks = true, .thread = "65536 + stream_id",
                       .thread_name = "'Stream ' || stream_id || ' Compute'")),
};
