/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime before 2023: Runtime.api, one record a call. */
#include "parsers/decode/decode.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/record_stream.h"

// clang-format off
#define LAUNCHED(STORED, n)                                                                                            \
    STORED(TASK##n##_ID, "task" #n "_id", "Task " #n, NUMBER, "A task that the call launched.", AT(108 + 4 * n, 2))    \
    STORED(BATCH##n##_ID, "batch" #n "_id", "Batch " #n, NUMBER,                                                       \
           "How often the task numbers of the stream had begun again.", AT(110 + 4 * n, 2))
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
    LAUNCHED(STORED, 0) LAUNCHED(STORED, 1) LAUNCHED(STORED, 2) LAUNCHED(STORED, 3) LAUNCHED(STORED, 4)                \
    LAUNCHED(STORED, 5) LAUNCHED(STORED, 6) LAUNCHED(STORED, 7) LAUNCHED(STORED, 8) LAUNCHED(STORED, 9)                \
    STORED(DIRECTION, "direction", "Direction", NUMBER, "Direction of a copy, from where to where.", AT(148, 2))
// clang-format on

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
