/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that the runtime hands to DPUs: of records of *.compact.task_track. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/task_track.h"

#define DERIVED(name, title, doc) COLUMN(name, title, INTEGER(NONE, DERIVED), doc)

static const struct column columns[] = {
    [DPU_KERNEL_DEVICE_ID] = DERIVED("device_id", "Device ID", "The DPU."),
    [DPU_KERNEL_STREAM_ID] = DERIVED("stream_id", "Stream ID", "The stream."),
    [DPU_KERNEL_TASK_ID] = DERIVED("task_id", "Task ID", "The task."),
    [DPU_KERNEL_KERNEL_NAME_ID] = DERIVED("kernel_name_id", "Kernel", "Its kernel (name.id)."),
};

const struct record_kind kind_dpu_kernel = {
    .name = "dpu_kernel",
    .table = "dpu_kernel",
    .families = FAMILY_CANN,
    .title = "Kernel of a DPU",
    .doc = "Which kernel a task of a DPU is, as the runtime says when it hands it out.",
    COLUMNS_OF(columns),
};
