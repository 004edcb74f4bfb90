/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of kernels that the runtime hands to DPUs, which task tracks tell. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_HOST_DPU_KERNEL_H
#define MSPROF_PARSERS_KINDS_COMMON_HOST_DPU_KERNEL_H

#include "parsers/record.h"

enum { DPU_KERNEL_DEVICE_ID, DPU_KERNEL_STREAM_ID, DPU_KERNEL_TASK_ID, DPU_KERNEL_KERNEL_NAME_ID };

extern const struct record_kind kind_dpu_kernel;

#endif
