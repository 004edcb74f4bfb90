/* SPDX-License-Identifier: Apache-2.0 */
/* The second generation of task tracks, with wider numbers: *.compact.task_track_v2. */
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/task_track.h"

static const struct field fields[] = {
    HOST_RECORD_FIELDS,
    {.column = "device_id", .offset = 24, .width = 2, .first_bit = 0, .bit_count = 12},
    {.column = "device_type", .offset = 24, .width = 2, .first_bit = 12, .bit_count = 4},
    {.column = "stream_id", .offset = 28, .width = 4},
    {.column = "task_id", .offset = 32, .width = 2},
    {.column = "batch_id", .offset = 34, .width = 2},
    {.column = "task_type_id", .offset = 36, .width = 4},
    {.column = "kernel_name_id", .offset = 40, .width = 8, .is_signed = true},
    {.column = "kernel_block_num", .offset = 48, .width = 2},
};

static const struct layout layouts[] = {
    CANN_LAYOUT("cann-task-track-v2", 64,
                "CANN compact record, 64 bytes: 24 bytes of header, device, 32 bits of stream, task with batch, task "
                "type, kernel name, kernel information (docs/formats/cann.md 3.4)")};

const struct record_kind kind_task_track_v2 = {
    .name = "task_track_v2",
    .families = FAMILY_CANN,
    .title = "Task track, second generation",
    .doc = TASK_TRACK_DOC " Ignored when the capture has records of the first generation, which say the same.",
    .instead_of = "task_track",
    .patterns = (const char *const[]){"{tag}.compact.task_track_v2.slice_{slice}", NULL},
    .columns = task_track_columns,
    .column_count = TASK_TRACK_COLUMNS,
    LAYOUTS_OF(layouts),
    .hooks = &task_track_hooks,
};
