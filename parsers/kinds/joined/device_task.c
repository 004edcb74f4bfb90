/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of tasks, from the records of host and device. */
#include "parsers/kinds/common/cann_rows.h"
#include "parsers/kinds/common/columns.h"

static const struct column columns[] = {DEVICE_TASK_COLUMNS(COLUMN_MADE)};

const struct record_kind kind_device_task = {
    OWN_TABLE("device_task"),
    .families = FAMILY_ASCEND,
    .title = "Task of a device",
    .doc = "One execution of a task on a device, ordered by device and start, with what the host said of it and the "
           "counters of its cores.",
    COLUMNS_OF(columns),
};
