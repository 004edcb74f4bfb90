/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that the runtime hands to DPUs: of records of *.compact.task_track. */
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/task_track.h"

static const struct column columns[] = {DPU_KERNEL_COLUMNS(COLUMN_MADE)};

const struct record_kind kind_dpu_kernel = {
    .name = "dpu_kernel",
    .table = "dpu_kernel",
    .families = FAMILY_CANN,
    .title = "Kernel of a DPU",
    .doc = "The kernel of a task of a DPU, as the runtime launched it.",
    COLUMNS_OF(columns),
};
