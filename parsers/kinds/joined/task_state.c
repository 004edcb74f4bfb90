/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about an execution that devices before 2023 tell on their own counter, joined from other records. */
#include "parsers/kinds/common/cann_rows.h"

static const struct column columns[] = {
    [TASK_STATE_TASK_ROW_ID] = {"task_row_id", "Task", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED | COLUMN_KEY, NULL,
                                "The execution (device_task.id)."},
    [TASK_STATE_WAIT_TICK] = {"wait_tick", "Waiting since", COLUMN_INTEGER, UNIT_TICK, COLUMN_DERIVED, NULL,
                              "When it began to wait, on the counter of the device; chip 0 only."},
    [TASK_STATE_PENDING_TICK] = {"pending_tick", "Pending since", COLUMN_INTEGER, UNIT_TICK, COLUMN_DERIVED, NULL,
                                 "When it became pending, on the counter of the device; chip 0 only."},
    [TASK_STATE_START_TICK] = {"start_tick", "Start tick", COLUMN_INTEGER, UNIT_TICK, COLUMN_DERIVED, NULL,
                               "When it began to run, on the counter of the device."},
    [TASK_STATE_END_TICK] = {"end_tick", "End tick", COLUMN_INTEGER, UNIT_TICK, COLUMN_DERIVED, NULL,
                             "When it was done, on the counter of the device."},
    [TASK_STATE_COUNTED_BLOCKS] = {"counted_blocks", "Counted blocks", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                                   "How many blocks its counters are of, where they say it: on chip 0."},
    [TASK_STATE_LAUNCH_ID] = {"launch_id", "Launch", COLUMN_INTEGER, UNIT_NONE, COLUMN_DERIVED, NULL,
                              "The call of the runtime that launched it (host_call.id)."},
    [TASK_STATE_START_NS] = {"start_ns", "Start", COLUMN_INTEGER, UNIT_NS,
                             COLUMN_DERIVED | COLUMN_TRANSIENT | COLUMN_ORIGIN, NULL, "device_task.start_ns."},
};

const struct record_kind kind_task_state = {
    .name = "task_state",
    .families = FAMILY_JOB | FAMILY_2022,
    .table = "task_state",
    .title = "States of a task",
    .doc = "When a task of a capture from before 2023 came into its states, in ticks of the device: what its times in "
           "device_task are made of.",
    COLUMNS_OF(columns),
};
