/* SPDX-License-Identifier: Apache-2.0 */
/* Common parts of the two generations of task tracks: everything but where the bytes are. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TASK_TRACK_H
#define MSPROF_PARSERS_KINDS_COMMON_TASK_TRACK_H

#include "parsers/kinds/common/columns.h"

/* The columns of kernels that the runtime hands to DPUs, which task tracks contain. */

#define DPU_KERNEL_COLUMNS(MADE)                                                                                       \
    MADE(DPU_KERNEL_DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The DPU.")                                      \
    MADE(DPU_KERNEL_STREAM_ID, "stream_id", "Stream ID", MADE_NUMBER, "The stream.")                                   \
    MADE(DPU_KERNEL_TASK_ID, "task_id", "Task ID", MADE_NUMBER, "The task.")                                           \
    MADE(DPU_KERNEL_KERNEL_NAME_ID, "kernel_name_id", "Kernel", MADE_NUMBER, "Its kernel (name.id).")
enum { DPU_KERNEL_COLUMNS(COLUMN_NUMBER) };

extern const struct record_kind kind_dpu_kernel;

#define TASK_TRACK_COLUMNS 20

extern const struct column task_track_columns[TASK_TRACK_COLUMNS];
/* Those of the first generation: of all columns but the file and the time. */
extern const struct field task_track_fields[TASK_TRACK_COLUMNS - 2];
extern const struct kind_hooks task_track_hooks;

/* Fields that stand alike in both. */
#define TASK_TRACK_FIELDS                                                                                              \
    HOST_RECORD_FIELDS, BITS_FIELD("device_id", 24, 2, 0, 12), BITS_FIELD("device_type", 24, 2, 12, 4)
#define TASK_TRACK_KERNEL_FIELDS                                                                                       \
    SIGNED_FIELD("kernel_name_id", 40, 8), FIELD("kernel_block_num", 48, 2), FIELD("kernel_grid_y", 50, 2),            \
        FIELD("kernel_grid_z", 52, 2), FIELD("kernel_block_x", 54, 2), FIELD("kernel_block_y", 56, 2),                 \
        FIELD("kernel_block_z", 58, 2)

#define TASK_TRACK_DOC                                                                                                 \
    "A task that the runtime handed to a device, reported inside the runtime call that launches it. It is joined "     \
    "with that call and with the execution on the device."

#endif
