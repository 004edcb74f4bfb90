/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that the runtime launched, before 2023: Runtime.task_track. */
#include "parsers/decode/decode.h"

enum { FILE_ID, THREAD_ID, TIME_NS, TASK_TYPE, TASK_ID, BATCH_ID, STREAM_ID };

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [THREAD_ID] = {"thread_id", "Thread ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The launching thread."},
    [TIME_NS] = {"time_ns", "Time", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                 "When it was launched, monotonic clock of the host."},
    [TASK_TYPE] = {"task_type", "Task type", COLUMN_TEXT, UNIT_NONE, 0, NULL,
                   "KERNEL_AICORE, KERNEL_AICPU and the like."},
    [TASK_ID] = {"task_id", "Task ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The number of the task."},
    [BATCH_ID] = {"batch_id", "Batch ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                  "How often the task numbers of the stream had begun again."},
    [STREAM_ID] = {"stream_id", "Stream ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The stream."},
};

static const struct field fields[] = {
    {.column = "thread_id", .offset = 4, .width = 4},   {.column = "time_ns", .offset = 8, .width = 8},
    {.column = "task_type", .offset = 16, .width = 32}, {.column = "task_id", .offset = 48, .width = 2},
    {.column = "batch_id", .offset = 50, .width = 2},   {.column = "stream_id", .offset = 52, .width = 2},
};

static const struct layout layouts[] = {
    {
        .name = "cann-runtime-task-track",
        .source = "CANN Runtime.task_track record, magic 0x5A5A, 64 bytes (docs/formats/cann.md 5.3)",
        .record_size = 64,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        FIELDS_OF(fields),
    },
};

const struct record_kind kind_runtime_task_track = {
    .name = "runtime_task_track",
    .table = "runtime_task_track",
    .families = FAMILY_2022,
    .title = "Runtime task track",
    .doc = "A task that the runtime handed to a device and its type.",
    .patterns =
        (const char *const[]){"Runtime.task_track.{device_id}.slice_{slice}",
                              "runtime.task_track.{device_id}.slice_{slice}", "Runtime.runtime.dev.{device_id}.{slice}",
                              "Runtime.runtime.dev.profiler_default_tag.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
};
