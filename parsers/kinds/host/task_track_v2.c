/* SPDX-License-Identifier: Apache-2.0 */
/* The second generation of task tracks, with wider numbers: *.compact.task_track_v2. */
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/task_track.h"

static const struct field fields[] = {TASK_TRACK_FIELDS,        FIELD("stream_id", 28, 4),    FIELD("task_id", 32, 2),
                                      FIELD("batch_id", 34, 2), FIELD("task_type_id", 36, 4), TASK_TRACK_KERNEL_FIELDS};

const struct record_kind kind_task_track_v2 = {
    .name = "task_track_v2",
    .families = FAMILY_CANN,
    .title = "Task track, second generation",
    .doc = TASK_TRACK_DOC " Ignored when the capture has records of the first generation, which say the same.",
    .instead_of = "task_track",
    .patterns = (const char *const[]){"{tag}.compact.task_track_v2.slice_{slice}", NULL},
    RECORDS_OF(
        task_track_columns,
        CANN_LAYOUT(
            "cann-task-track-v2", 64,
            "CANN compact record, 64 bytes: 24 bytes of header, device, 32 bits of stream, task with batch, task "
            "type, kernel name, kernel information (docs/formats/cann.md 3.4)")),
    .hooks = &task_track_hooks,
};
