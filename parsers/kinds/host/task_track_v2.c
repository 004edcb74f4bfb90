/* SPDX-License-Identifier: Apache-2.0 */
/* The second generation of task tracks, with wider numbers: *.compact.task_track_v2. */
#include "parsers/kinds/common/host/host_record.h"
#include "parsers/kinds/common/task_track.h"

static const struct field fields[] = {HOST_RECORD_FIELDS,
                                      BITS_FIELD("device_id", 24, 2, 0, 12),
                                      BITS_FIELD("device_type", 24, 2, 12, 4),
                                      FIELD("stream_id", 28, 4),
                                      FIELD("task_id", 32, 2),
                                      FIELD("batch_id", 34, 2),
                                      FIELD("task_type_id", 36, 4),
                                      SIGNED_FIELD("kernel_name_id", 40, 8),
                                      FIELD("kernel_block_num", 48, 2)};

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
