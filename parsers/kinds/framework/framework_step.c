/* SPDX-License-Identifier: Apache-2.0 */
/* Begins and ends of iterations, before 2023: Framework.step_info. */
#include "parsers/decode/decode.h"

static const struct value_name marks[] = {{0, "begin"}, {1, "end"}, {0, NULL}};

enum { FILE_ID, MODEL_ID, STREAM_ID, TASK_ID, BATCH_ID, TIME_NS, ITERATION, THREAD_ID, MARK };

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [MODEL_ID] = {"model_id", "Model ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The model."},
    [STREAM_ID] = {"stream_id", "Stream ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The stream."},
    [TASK_ID] = {"task_id", "Task ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The number of the task."},
    [BATCH_ID] = {"batch_id", "Batch ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                  "How often the task numbers of the stream had begun again."},
    [TIME_NS] = {"time_ns", "Time", COLUMN_INTEGER, UNIT_NS, 0, NULL, "When, monotonic clock of the host."},
    [ITERATION] = {"iteration", "Iteration", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The iteration."},
    [THREAD_ID] = {"thread_id", "Thread ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The reporting thread."},
    [MARK] = {"mark", "Mark", COLUMN_INTEGER, UNIT_NONE, 0, marks, "Kind of event."},
};

static const struct field fields[] = {
    {.column = "model_id", .offset = 4, .width = 4},   {.column = "stream_id", .offset = 8, .width = 4},
    {.column = "task_id", .offset = 12, .width = 2},   {.column = "batch_id", .offset = 14, .width = 2},
    {.column = "time_ns", .offset = 16, .width = 8},   {.column = "iteration", .offset = 24, .width = 8},
    {.column = "thread_id", .offset = 32, .width = 4}, {.column = "mark", .offset = 36, .width = 1},
};

static const struct layout layouts[] = {
    {
        .name = "cann-framework-step",
        .source = "CANN Framework.step_info record, magic 0x5A5A, 64 bytes (docs/formats/cann.md 5.4)",
        .record_size = 64,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        FIELDS_OF(fields),
    },
};

const struct record_kind kind_framework_step = {
    .name = "framework_step",
    .table = "framework_step",
    .families = FAMILY_2022,
    .title = "Iteration mark",
    .doc = "The begin or end of an iteration of a model.",
    .patterns = (const char *const[]){"Framework.step_info.{device_id}.slice_{slice}",
                                      "Framework.step_info.dev.{device_id}.{slice}",
                                      "Framework.step_info.dev.profiler_default_tag.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
};
