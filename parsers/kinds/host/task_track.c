/* SPDX-License-Identifier: Apache-2.0 */
/* Which tasks the runtime hands to a device: *.compact.task_track. */
#include "parsers/kinds/common/task_track.h"
#include "parsers/kinds/common/host/host_record.h"

static const struct field fields[] = {
    HOST_RECORD_FIELDS,
    {.column = "device_id", .offset = 24, .width = 2, .first_bit = 0, .bit_count = 12},
    {.column = "device_type", .offset = 24, .width = 2, .first_bit = 12, .bit_count = 4},
    {.column = "stream_id", .offset = 26, .width = 2},
    {.column = "task_id", .offset = 28, .width = 2},
    {.column = "batch_id", .offset = 30, .width = 2},
    {.column = "task_type_id", .offset = 32, .width = 8, .is_signed = true},
    {.column = "kernel_name_id", .offset = 40, .width = 8, .is_signed = true},
    {.column = "kernel_block_num", .offset = 48, .width = 2},
};

static const struct layout layouts[] = {
    CANN_LAYOUT("cann-task-track", 64,
                "CANN compact record, 64 bytes: 24 bytes of header, device, stream, task, batch, task type, kernel "
                "name, kernel information (docs/formats/cann.md 3.4)")};

const struct record_kind kind_task_track = {
    .name = "task_track",
    .families = FAMILY_CANN,
    .title = "Task track",
    .doc = TASK_TRACK_DOC,
    .patterns = (const char *const[]){"{tag}.compact.task_track.slice_{slice}", NULL},
    .columns = task_track_columns,
    .column_count = TASK_TRACK_COLUMNS,
    LAYOUTS_OF(layouts),
    .hooks = &task_track_hooks,
};
