/* SPDX-License-Identifier: Apache-2.0 */
/* Which tasks the runtime hands to a device: *.compact.task_track. */
#include "parsers/kinds/common/task_track.h"
#include "parsers/kinds/common/host/host_record.h"

static const struct field fields[] = {
    TASK_TRACK_FIELDS,        FIELD("stream_id", 26, 2),           FIELD("task_id", 28, 2),
    FIELD("batch_id", 30, 2), SIGNED_FIELD("task_type_id", 32, 8), TASK_TRACK_KERNEL_FIELDS};

const struct record_kind kind_task_track = {
    .name = "task_track",
    .families = FAMILY_CANN,
    .title = "Task track",
    .doc = TASK_TRACK_DOC,
    .patterns = (const char *const[]){"{tag}.compact.task_track.slice_{slice}", NULL},
    RECORDS_OF(
        task_track_columns,
        CANN_LAYOUT("cann-task-track", 64,
                    "CANN compact record, 64 bytes: 24 bytes of header, device, stream, task, batch, task type, kernel "
                    "name, kernel information (docs/formats/cann.md 3.4)")),
    .hooks = &task_track_hooks,
};
