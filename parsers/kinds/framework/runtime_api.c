/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime before 2023: Runtime.api, one record a call. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/record_stream.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    STORED(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The calling thread.", AT(4, 4))                               \
    STORED(START_NS, "start_ns", "Start", INTEGER(NS, PLAIN), "When the call began, monotonic clock of the host.",     \
           AT(8, 8))                                                                                                   \
    STORED(END_NS, "end_ns", "End", INTEGER(NS, PLAIN), "When the call returned, monotonic clock of the host.",        \
           AT(16, 8))                                                                                                  \
    STORED(DATA_BYTES, "data_bytes", "Data size", INTEGER(BYTE, PLAIN), "Bytes that the call moved.", AT(24, 8))       \
    STORED(NAME, "name", "Name", TEXT(PLAIN), "The name of the function.", AT(32, 64))                                 \
    STORED(RETURN_CODE, "return_code", "Return code", NUMBER, "0: success.", AT(96, 4))                                \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream; 65535: none.", AT(100, 4))                        \
    STORED(TASK_COUNT, "task_count", "Tasks", NUMBER, "How many of the tasks that follow are used.", AT(104, 4))       \
    STORED(TASK0_ID, "task0_id", "Task 0", NUMBER, "A task that the call launched.", AT(108, 2))                       \
    STORED(BATCH0_ID, "batch0_id", "Batch 0", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(110, 2))                                                                                                 \
    STORED(TASK1_ID, "task1_id", "Task 1", NUMBER, "A task that the call launched.", AT(112, 2))                       \
    STORED(BATCH1_ID, "batch1_id", "Batch 1", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(114, 2))                                                                                                 \
    STORED(TASK2_ID, "task2_id", "Task 2", NUMBER, "A task that the call launched.", AT(116, 2))                       \
    STORED(BATCH2_ID, "batch2_id", "Batch 2", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(118, 2))                                                                                                 \
    STORED(TASK3_ID, "task3_id", "Task 3", NUMBER, "A task that the call launched.", AT(120, 2))                       \
    STORED(BATCH3_ID, "batch3_id", "Batch 3", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(122, 2))                                                                                                 \
    STORED(TASK4_ID, "task4_id", "Task 4", NUMBER, "A task that the call launched.", AT(124, 2))                       \
    STORED(BATCH4_ID, "batch4_id", "Batch 4", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(126, 2))                                                                                                 \
    STORED(TASK5_ID, "task5_id", "Task 5", NUMBER, "A task that the call launched.", AT(128, 2))                       \
    STORED(BATCH5_ID, "batch5_id", "Batch 5", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(130, 2))                                                                                                 \
    STORED(TASK6_ID, "task6_id", "Task 6", NUMBER, "A task that the call launched.", AT(132, 2))                       \
    STORED(BATCH6_ID, "batch6_id", "Batch 6", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(134, 2))                                                                                                 \
    STORED(TASK7_ID, "task7_id", "Task 7", NUMBER, "A task that the call launched.", AT(136, 2))                       \
    STORED(BATCH7_ID, "batch7_id", "Batch 7", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(138, 2))                                                                                                 \
    STORED(TASK8_ID, "task8_id", "Task 8", NUMBER, "A task that the call launched.", AT(140, 2))                       \
    STORED(BATCH8_ID, "batch8_id", "Batch 8", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(142, 2))                                                                                                 \
    STORED(TASK9_ID, "task9_id", "Task 9", NUMBER, "A task that the call launched.", AT(144, 2))                       \
    STORED(BATCH9_ID, "batch9_id", "Batch 9", NUMBER, "How often the task numbers of the stream had begun again.",     \
           AT(146, 2))                                                                                                 \
    STORED(DIRECTION, "direction", "Direction", NUMBER, "Direction of a copy, from where to where.", AT(148, 2))

COLUMN_TABLES;

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *state = opaque;
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

const struct record_kind kind_runtime_api = {
    OWN_TABLE("runtime_api"),
    .families = FAMILY_2022,
    .title = "Runtime API call",
    .doc = "One call of a function of the runtime by the profiled program: when, in which thread, which tasks it "
           "launched.",
    .patterns = (const char *const[]){"Runtime.api.{device_id}.slice_{slice}", "runtime.api.{device_id}.slice_{slice}",
                                      "Runtime.runtime.data.dev.{device_id}.{slice}",
                                      "Runtime.runtime.data.dev.profiler_default_tag.{device_id}.slice_{slice}",
                                      "Runtime.runtime.data.{device_id}.{slice}", NULL},
    RECORDS_OF(columns, CANN_LAYOUT("cann-runtime-api", 256,
                                    "CANN Runtime.api record, magic 0x5A5A, 256 bytes (docs/formats/cann.md 3.2)")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
};
