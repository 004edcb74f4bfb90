/* SPDX-License-Identifier: Apache-2.0 */
/* Which tasks the runtime hands to a device: *.compact.task_track. */
#include "parsers/kinds/common/task_track.h"
#include "parsers/kinds/common/host/host_record.h"

const struct record_kind kind_task_track = {
    .name = "task_track",
    .families = FAMILY_CANN,
    .title = "Task track",
    .doc = TASK_TRACK_DOC,
    .patterns = (const char *const[]){"{tag}.compact.task_track.slice_{slice}", NULL},
    RECORDS_OF(
        task_track_columns,
        LAYOUT("cann-task-track", 64, task_track_fields,
               "CANN compact record, 64 bytes: 24 bytes of header, device, stream, task, batch, task type, kernel "
               "name, kernel information (docs/formats/cann.md 3.4)",
               MAGICS(MAGIC(0, 2, 0x5a5a)))),
    .hooks = &task_track_hooks,
};
