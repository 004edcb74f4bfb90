/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of fusion tasks, which the task log of chips 15 and 16 has. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_STARS_FUSION_TASK_H
#define MSPROF_PARSERS_KINDS_COMMON_STARS_FUSION_TASK_H

#include "parsers/kinds/common/sample_columns.h"

enum {
    FUSION_TASK_DEVICE_ID,
    FUSION_TASK_TASK_ID,
    FUSION_TASK_ACCELERATOR_ID,
    FUSION_TASK_TYPE,
    FUSION_TASK_MISSION_ID,
    FUSION_TASK_START_NS,
    FUSION_TASK_DURATION_NS
};

extern const struct record_kind kind_fusion_task;

#endif
