/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that the runtime launched, before 2023: Runtime.task_track. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    STORED(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The launching thread.", AT(4, 4))                             \
    STORED(TIME_NS, "time_ns", "Time", INTEGER(NS, PLAIN), "When it was launched, monotonic clock of the host.",       \
           AT(8, 8))                                                                                                   \
    STORED(TASK_TYPE, "task_type", "Task type", TEXT(PLAIN), "KERNEL_AICORE, KERNEL_AICPU and the like.", AT(16, 32))  \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the task.", AT(48, 2))                                \
    STORED(BATCH_ID, "batch_id", "Batch ID", NUMBER, "How often the task numbers of the stream had begun again.",      \
           AT(50, 2))                                                                                                  \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.", AT(52, 2))

COLUMN_TABLES;

const struct record_kind kind_runtime_task_track = {
    OWN_TABLE("runtime_task_track"),
    .families = FAMILY_2022,
    .title = "Runtime task track",
    .doc = "A task that the runtime handed to a device and its type.",
    .patterns =
        (const char *const[]){"Runtime.task_track.{device_id}.slice_{slice}",
                              "runtime.task_track.{device_id}.slice_{slice}", "Runtime.runtime.dev.{device_id}.{slice}",
                              "Runtime.runtime.dev.profiler_default_tag.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns,
               CANN_LAYOUT("cann-runtime-task-track", 64,
                           "CANN Runtime.task_track record, magic 0x5A5A, 64 bytes (docs/formats/cann.md 5.3)")),
};
