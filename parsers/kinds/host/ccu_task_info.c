/* SPDX-License-Identifier: Apache-2.0 */
/* Task of the CCU: *.additional.ccu_task_info. */
#include "parsers/kinds/common/host/ccu_record.h"
#include "parsers/kinds/common/sample.h"

static const struct column columns[] = {CCU_RECORD_COLUMNS};

static const struct field fields[] = {CCU_RECORD_FIELDS FIELD("work_flow_mode", 25, 1), FIELD("stream_id", 56, 2),
                                      FIELD("mission_id", 65, 1)};

const struct record_kind kind_ccu_task_info = {
    OWN_TABLE("ccu_task_info"),
    .title = "Task of the CCU",
    .doc = "The communication operator of a task of the CCU, as the host launched it.",
    ADDITIONAL_RECORD("ccu_task_info", "ccu-task-info", ccu_record_take,
                      "operator, group, rank, stream, task, die, mission, instruction (docs/formats/cann.md 3.7)"),
};
