/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime before 2023: Runtime.api, one record a call. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/execution_file.h"

enum {
    FILE_ID,
    THREAD_ID,
    START_NS,
    END_NS,
    DATA_BYTES,
    NAME,
    RETURN_CODE,
    STREAM_ID,
    TASK_COUNT,
    TASK0_ID,
    BATCH0_ID,
    TASK1_ID,
    BATCH1_ID,
    TASK2_ID,
    BATCH2_ID,
    TASK3_ID,
    BATCH3_ID,
    TASK4_ID,
    BATCH4_ID,
    TASK5_ID,
    BATCH5_ID,
    TASK6_ID,
    BATCH6_ID,
    TASK7_ID,
    BATCH7_ID,
    TASK8_ID,
    BATCH8_ID,
    TASK9_ID,
    BATCH9_ID,
    DIRECTION
};

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [THREAD_ID] = {"thread_id", "Thread ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The calling thread."},
    [START_NS] = {"start_ns", "Start", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                  "When the call began, monotonic clock of the host."},
    [END_NS] = {"end_ns", "End", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                "When the call returned, monotonic clock of the host."},
    [DATA_BYTES] = {"data_bytes", "Data size", COLUMN_INTEGER, UNIT_BYTE, 0, NULL, "Bytes that the call moved."},
    [NAME] = {"name", "Name", COLUMN_TEXT, UNIT_NONE, 0, NULL, "The name of the function."},
    [RETURN_CODE] = {"return_code", "Return code", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "0: success."},
    [STREAM_ID] = {"stream_id", "Stream ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The stream; 65535: none."},
    [TASK_COUNT] = {"task_count", "Tasks", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                    "How many of the tasks that follow are used."},
    [TASK0_ID] = {"task0_id", "Task 0", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH0_ID] = {"batch0_id", "Batch 0", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [TASK1_ID] = {"task1_id", "Task 1", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH1_ID] = {"batch1_id", "Batch 1", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [TASK2_ID] = {"task2_id", "Task 2", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH2_ID] = {"batch2_id", "Batch 2", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [TASK3_ID] = {"task3_id", "Task 3", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH3_ID] = {"batch3_id", "Batch 3", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [TASK4_ID] = {"task4_id", "Task 4", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH4_ID] = {"batch4_id", "Batch 4", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [TASK5_ID] = {"task5_id", "Task 5", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH5_ID] = {"batch5_id", "Batch 5", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [TASK6_ID] = {"task6_id", "Task 6", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH6_ID] = {"batch6_id", "Batch 6", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [TASK7_ID] = {"task7_id", "Task 7", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH7_ID] = {"batch7_id", "Batch 7", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [TASK8_ID] = {"task8_id", "Task 8", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH8_ID] = {"batch8_id", "Batch 8", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [TASK9_ID] = {"task9_id", "Task 9", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "A task that the call launched."},
    [BATCH9_ID] = {"batch9_id", "Batch 9", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "How often the task numbers of the stream had begun again."},
    [DIRECTION] = {"direction", "Direction", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "Direction of a copy, from where to where."},
};

static const struct field fields[] = {
    {.column = "thread_id", .offset = 4, .width = 4},   {.column = "start_ns", .offset = 8, .width = 8},
    {.column = "end_ns", .offset = 16, .width = 8},     {.column = "data_bytes", .offset = 24, .width = 8},
    {.column = "name", .offset = 32, .width = 64},      {.column = "return_code", .offset = 96, .width = 4},
    {.column = "stream_id", .offset = 100, .width = 4}, {.column = "task_count", .offset = 104, .width = 4},
    {.column = "task0_id", .offset = 108, .width = 2},  {.column = "batch0_id", .offset = 110, .width = 2},
    {.column = "task1_id", .offset = 112, .width = 2},  {.column = "batch1_id", .offset = 114, .width = 2},
    {.column = "task2_id", .offset = 116, .width = 2},  {.column = "batch2_id", .offset = 118, .width = 2},
    {.column = "task3_id", .offset = 120, .width = 2},  {.column = "batch3_id", .offset = 122, .width = 2},
    {.column = "task4_id", .offset = 124, .width = 2},  {.column = "batch4_id", .offset = 126, .width = 2},
    {.column = "task5_id", .offset = 128, .width = 2},  {.column = "batch5_id", .offset = 130, .width = 2},
    {.column = "task6_id", .offset = 132, .width = 2},  {.column = "batch6_id", .offset = 134, .width = 2},
    {.column = "task7_id", .offset = 136, .width = 2},  {.column = "batch7_id", .offset = 138, .width = 2},
    {.column = "task8_id", .offset = 140, .width = 2},  {.column = "batch8_id", .offset = 142, .width = 2},
    {.column = "task9_id", .offset = 144, .width = 2},  {.column = "batch9_id", .offset = 146, .width = 2},
    {.column = "direction", .offset = 148, .width = 2},
};

static const struct layout layouts[] = {
    {
        .name = "cann-runtime-api",
        .source = "CANN Runtime.api record, magic 0x5A5A, 256 bytes (docs/formats/cann.md 3.2)",
        .record_size = 256,
        .magics = {{.offset = 0, .width = 2, .value = 0x5a5a}},
        FIELDS_OF(fields),
    },
};

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    const struct execution_file *state = opaque;
    const struct cell *cells = row->cells;
    *keep = decoder_check_span(decoder, "the call", cells[START_NS].integer, cells[END_NS].integer);
    const struct plain_call call = {
        .begin_ns = cells[START_NS].integer,
        .end_ns = cells[END_NS].integer,
        .name = cells[NAME].text,
        .name_length = cells[NAME].length,
        .thread_id = (uint32_t)cells[THREAD_ID].integer,
        .task_count = (uint32_t)cells[TASK_COUNT].integer,
        .level = HOST_LEVEL_RUNTIME,
        .launched = {state->device_id, (uint32_t)cells[STREAM_ID].integer, (uint32_t)cells[TASK0_ID].integer},
    };
    return *keep && state->executions != NULL ? executions_add_call(state->executions, &call, err) : 0;
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct execution_file),
    .open = execution_file_open,
    .record = take_record,
};

const struct record_kind kind_runtime_api = {
    .name = "runtime_api",
    .table = "runtime_api",
    .families = FAMILY_2022,
    .title = "Runtime API call",
    .doc = "One call of a function of the runtime by the profiled program: when, in which thread, which tasks it "
           "launched.",
    .patterns = (const char *const[]){"Runtime.api.{device_id}.slice_{slice}", "runtime.api.{device_id}.slice_{slice}",
                                      "Runtime.runtime.data.dev.{device_id}.{slice}",
                                      "Runtime.runtime.data.dev.profiler_default_tag.{device_id}.slice_{slice}",
                                      "Runtime.runtime.data.{device_id}.{slice}", NULL},
    COLUMNS_OF(columns),
    LAYOUTS_OF(layouts),
    .hooks = &hooks,
};
