/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that the AI CPU of a device ran, as it recorded them before 2023: DATA_PREPROCESS.AICPU. */
#include "parsers/decode/decode.h"
#include "parsers/join/execution.h"
#include "parsers/kinds/common/aicpu_stream.h"
#include "parsers/kinds/common/columns.h"

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name.")                          \
    MADE(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.")                                                   \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the task.")                                             \
    MADE(START_TICK, "start_tick", "Start tick", INTEGER(TICK, PLAIN),                                                 \
         "When it began to run, on the counter of the device.")                                                        \
    MADE(END_TICK, "end_tick", "End tick", INTEGER(TICK, PLAIN), "When it was done, on the counter of the device.")    \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began to run, on the clock of the host.")       \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "From start to end.")                           \
    MADE(COMPUTE_START, "compute_start", "Compute start", INTEGER(NONE, TRANSIENT),                                    \
         "When the computation began, in microseconds.")                                                               \
    MADE(COPY_START, "copy_start", "Copy start", INTEGER(NONE, TRANSIENT),                                             \
         "When the result began to be copied, in microseconds.")                                                       \
    MADE(COPY_END, "copy_end", "Copy end", INTEGER(NONE, TRANSIENT), "When the result was copied, in microseconds.")   \
    MADE(COMPUTE_NS, "compute_ns", "Compute time", INTEGER(NS, DERIVED),                                               \
         "How long it computed; NULL: the times contradict each other.")                                               \
    MADE(COPY_NS, "copy_ns", "Copy time", INTEGER(NS, DERIVED),                                                        \
         "How long it copied the result; NULL: the times contradict each other.")                                      \
    MADE(DISPATCH_NS, "dispatch_ns", "Dispatch time", INTEGER(NS, PLAIN), "Time to hand the task to the AI CPU.")      \
    MADE(TOTAL_NS, "total_ns", "Total time", INTEGER(NS, PLAIN), "Time from submission to completion.")                \
    MADE(SUBMIT_TICK, "submit_tick", "Submission", INTEGER(TICK, TRANSIENT),                                           \
         "When it was submitted, on the counter of the device.")                                                       \
    MADE(AFTER_TICK, "after_tick", "Completion", INTEGER(TICK, TRANSIENT),                                             \
         "When its completion was reported, on the counter of the device.")                                            \
    MADE(TURNAROUND_NS, "turnaround_ns", "Turnaround", INTEGER(NS, DERIVED),                                           \
         "From its submission until its completion was reported; NULL: the counters contradict each other.")           \
    MADE(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The thread of the AI CPU.")                                     \
    MADE(OP_NAME_ID, "op_name_id", "Operator", MADE_NUMBER, "The operator that it ran, as the host named it (name.id).")

MADE_COLUMNS;

/* Both layouts have the same behind heads of different lengths. */
#define NODE_FIELDS(head, body)                                                                                        \
    FIELD("stream_id", (head), 2), FIELD("task_id", (head) + 2, 2), FIELD("start_tick", (body), 8),                    \
        FIELD("compute_start", (body) + 8, 8), FIELD("copy_start", (body) + 16, 8), FIELD("copy_end", (body) + 24, 8), \
        FIELD("end_tick", (body) + 40, 8), FIELD("thread_id", (body) + 48, 4), FIELD("submit_tick", (body) + 56, 8),   \
        FIELD("after_tick", (body) + 80, 8), {.column = "dispatch_ns", AT((body) + 92, 4), .multiply = 1000},          \
    {                                                                                                                  \
        .column = "total_ns", AT((body) + 96, 4), .multiply = 1000                                                     \
    }

static const struct field fields[] = {NODE_FIELDS(4, 16)};

static const struct field record_fields[] = {NODE_FIELDS(24, 40)};

/* Times inside a task that contradict each other: the task's own are right, and it is kept. */
static void report_span(struct decoder *decoder, size_t column, int64_t start, int64_t end)
{
    decoder_report(decoder, DIAG_VALUE_ODD, columns[column].name, "from %lld to %lld; it is left empty",
                   (long long)start, (long long)end);
}

static void set_span(struct decoder *decoder, struct row *row, size_t column, int64_t start_us, int64_t end_us)
{
    if (start_us >= 0 && end_us >= start_us && end_us - start_us <= DURATION_LIMIT_NS / 1000)
        row_set_integer(row, column, (end_us - start_us) * 1000);
    else
        report_span(decoder, column, start_us, end_us);
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *state = opaque;
    const struct cell *cells = row->cells;
    int64_t start_ns = part_device_ns(state->part, cells[START_TICK].integer),
            end_ns = part_device_ns(state->part, cells[END_TICK].integer);
    *keep = decoder_check_span(decoder, "the AI CPU's task", start_ns, end_ns);
    if (!*keep)
        return 0;
    if (state->association != NULL)
        aicpu_put_ids(state, row, STREAM_ID, TASK_ID);
    row_set_integer(row, DEVICE_ID, state->device_id);
    row_set_integer(row, START_NS, start_ns);
    row_set_integer(row, DURATION_NS, end_ns - start_ns);
    set_span(decoder, row, COMPUTE_NS, cells[COMPUTE_START].integer, cells[COPY_START].integer);
    int64_t submitted_ns = part_device_ns(state->part, cells[SUBMIT_TICK].integer),
            after_ns = part_device_ns(state->part, cells[AFTER_TICK].integer);
    if (span_is_sound(submitted_ns, after_ns))
        row_set_integer(row, TURNAROUND_NS, after_ns - submitted_ns);
    else
        report_span(decoder, TURNAROUND_NS, submitted_ns, after_ns);
    set_span(decoder, row, COPY_NS, cells[COPY_START].integer, cells[COPY_END].integer);
    if (state->executions == NULL)
        return 0;
    const struct task_numbers task = {state->device_id, (uint32_t)cells[STREAM_ID].integer,
                                      (uint32_t)cells[TASK_ID].integer};
    decoder_consume(decoder);
    return executions_add_ai_cpu(state->executions, &task, cells[START_TICK].integer, row, err);
}

/* The operator: that of the execution that the end lies in, where the import did not find it. */
#define WITH_OPERATORS                                                                                                 \
    "(SELECT a.*, coalesce(min(n.text), (SELECT text FROM name WHERE name.id = a.op_name_id)) AS op FROM aicpu_node"   \
    " AS a LEFT JOIN device_task AS t ON t.device_id = a.device_id AND t.stream_id = a.stream_id AND t.task_id ="      \
    " a.task_id AND t.start_ns <= a.start_ns + a.duration_ns AND t.start_ns + t.duration_ns >= a.start_ns +"           \
    " a.duration_ns LEFT JOIN name AS n ON n.id = t.op_name_id GROUP BY a.id)"

const struct record_kind kind_aicpu_node = {
    OWN_TABLE("aicpu_node"),
    .families = FAMILY_2022 | FAMILY_CANN,
    .title = "Operator of the AI CPU",
    .doc = "One execution of an operator on the AI CPU, as the AI CPU itself measured it. Computation and copy are "
           "measured in whole microseconds, the whole with the counter of the device.",
    .patterns = (const char *const[]){"DATA_PREPROCESS.AICPU.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(
        columns,
        LAYOUT(
            "cann-aicpu-node", 128, fields,
            "CANN DATA_PREPROCESS.AICPU record, magic 0x5A5A, tag 60, 128 bytes (docs/formats/cann.md 7: ticks of the "
            "run at 16 and 56, microseconds of computation and copy at 24 to 40)",
            MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(2, 2, 60))),
        LAYOUT("cann-aicpu-node-256", 256, record_fields, "docs/formats/aicpu.md 1: 256 bytes, type 0", .part = true,
               MAGICS(MAGIC(0, 2, 0x5a5a), MAGIC(4, 4, 0)))),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
    ONE_SERIES(.name = "aicpu", .title = "Operators of the AI CPU",
               .doc = "How long each operator ran on the AI CPU, as the AI CPU itself measured it.",
               .query = {.from = WITH_OPERATORS, .order_by = "device_id, start_ns, id"},
               .columns = VALUE_LIST(
                   {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
                   {"Timestamp(us)", "start_ns", .form = FORM_TIME, .doc = "When it began to run."},
                   {"Node", "op", .doc = "The operator."},
                   {"Compute_time(us)", "compute_ns", FORM_SCALED, 3, .doc = "How long it computed."},
                   {"Memcpy_time(us)", "copy_ns", FORM_SCALED, 3, .doc = "How long it copied the result."},
                   {"Task_time(us)", "exact_ns(device_id, start_ns, duration_ns)", FORM_SCALED, 3,
                    .doc = "From start to end."},
                   {"Dispatch_time(us)", "dispatch_ns", FORM_SCALED, 3, .doc = "Time to hand the task to the AI CPU."},
                   {"Total_time(us)", "turnaround_ns", FORM_SCALED, 3,
                    .doc = "From its submission until its completion was reported."},
                   {"Stream ID", "stream_id", .flags = REPORT_NUMBER, .doc = "The stream."},
                   {"Task ID", "task_id", .flags = REPORT_NUMBER, .doc = "The number of the task."})),
};
