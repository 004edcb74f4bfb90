/* SPDX-License-Identifier: Apache-2.0 */
/* Task of the CCU: *.additional.ccu_task_info. */
#include "parsers/kinds/common/host/ccu_record.h"
#include "parsers/kinds/common/sample.h"

static const struct column columns[] = {
    CCU_RECORD_COLUMNS,
};

static const struct field fields[] = {CCU_RECORD_FIELDS, FIELD("work_flow_mode", 25, 1), FIELD("stream_id", 56, 2),
                                      FIELD("mission_id", 65, 1)};

static int take_record(struct decoder *decoder, void *state, struct row *row, bool *keep, struct err *err)
{
    static const struct ccu_lists lists = {0, 0};
    return ccu_record_take(decoder, state, row, keep, &lists, err);
}

const struct record_kind kind_ccu_task_info = {
    OWN_TABLE("ccu_task_info"),
    .families = FAMILY_CANN,
    .title = "Task of the CCU",
    .doc = "Which communication operator a task of the CCU is of, as the host handed it out.",
    .patterns = (const char *const[]){"{tag}.additional.ccu_task_info.slice_{slice}", NULL},
    RECORDS_OF(
        columns,
        CANN_LAYOUT("cann-ccu-task-info", 256,
                    "CANN additional record, 256 bytes: operator, group, rank, stream, task, die, mission, instruction "
                    "(docs/formats/cann.md 3.7)")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
