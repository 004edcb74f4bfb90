/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that the AI CPU of a device ran, as it tells them in captures of 2020: DATA_PREPROCESS.dev.AICPU.*, a log
 * of text. */
#include "base/number.h"
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_log.h"

#include <string.h>

enum {
    FILE_ID,
    DEVICE_ID,
    STAMP,
    NODE,
    OP_TYPE,
    RUN_START,
    RUN_END,
    COMPUTE_START,
    COPY_START,
    COPY_END,
    THREAD_ID,
    PROCESS_DEVICE_ID,
    CPU_ID,
    SUBMIT_TICK,
    RECEIVE_TICK,
    START_TICK,
    END_TICK,
    START_NS,
    DURATION_NS,
    DISPATCH_NS,
    TOTAL_NS
};

static const struct column columns[] = {
    [FILE_ID] = FILE_COLUMN,
    [DEVICE_ID] = DEVICE_COLUMN,
    [STAMP] = NUMBER_COLUMN("stamp", "Stamp", "Number in front of the operator."),
    [NODE] = TEXT_COLUMN_OF("node", "Operator", "Its name; NULL: the log does not name it."),
    [OP_TYPE] = {"op_type", "Operator type", COLUMN_TEXT, UNIT_NONE, COLUMN_DERIVED, NULL,
                 "Its type: the name behind the last '/' up to \"-op\"."},
    [RUN_START] = NUMBER_COLUMN("run_start", "Run start", "When it began, on a counter of the AI CPU's own."),
    [RUN_END] = NUMBER_COLUMN("run_end", "Run end", "When it was done, by the same."),
    [COMPUTE_START] = NUMBER_COLUMN("compute_start", "Compute start", "When the computation began, by the same."),
    [COPY_START] = NUMBER_COLUMN("copy_start", "Copy start", "When the result began to be copied, by the same."),
    [COPY_END] = NUMBER_COLUMN("copy_end", "Copy end", "When the result was copied, by the same."),
    [THREAD_ID] = NUMBER_COLUMN("thread_id", "Thread ID", "The thread of the AI CPU."),
    [PROCESS_DEVICE_ID] = NUMBER_COLUMN("process_device_id", "Process device", "The device, as the process counts."),
    [CPU_ID] = NUMBER_COLUMN("cpu_id", "CPU", "The core of the AI CPU."),
    [SUBMIT_TICK] = {"submit_tick", "Submission", COLUMN_INTEGER, UNIT_TICK, 0, NULL,
                     "When the driver was told of the task, on the counter of the device."},
    [RECEIVE_TICK] = {"receive_tick", "Receipt", COLUMN_INTEGER, UNIT_TICK, 0, NULL,
                      "When the driver took it over, by the same."},
    [START_TICK] = {"start_tick", "Start tick", COLUMN_INTEGER, UNIT_TICK, 0, NULL, "When it began, by the same."},
    [END_TICK] = {"end_tick", "End tick", COLUMN_INTEGER, UNIT_TICK, 0, NULL, "When it was done, by the same."},
    [START_NS] = {"start_ns", "Start", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED | COLUMN_ORIGIN, NULL,
                  "start_tick as a time."},
    [DURATION_NS] = {"duration_ns", "Duration", COLUMN_INTEGER, UNIT_NS, COLUMN_DERIVED, NULL,
                     "From start_tick to end_tick."},
    [DISPATCH_NS] = {"dispatch_ns", "Dispatch time", COLUMN_INTEGER, UNIT_NS, 0, NULL,
                     "Time to hand the task to the AI CPU."},
    [TOTAL_NS] = {"total_ns", "Total time", COLUMN_INTEGER, UNIT_NS, 0, NULL, "Time from submission to completion."},
};

#define TASK_END                                                                                                       \
    "Thread[ {thread_id}] process device[ {process_device_id}]:aicpu[ {cpu_id}] task end, "                            \
    "tickDrvTopHalf={submit_tick}, tickDrvBottomHalf={receive_tick}, tickBeforeRun={start_tick}, "                     \
    "tickAfterRun={end_tick}, dispatchTime={dispatch_ns:3} us, totalTime={total_ns:3} us"
#define NODE_RUN(start) "[ {stamp}] Node:{node}, " start ":{run_start}, "
#define NODE_COPY "compute start:{compute_start}, memcpy start:{copy_start}, memcpy end:{copy_end}, "
#define NODE_END "Run end:{run_end}"

/* "Run tart" is how the AI CPU writes it. */
static const struct line_format lines[] = {
    {TASK_END ".", LINE_ROW},
    {TASK_END, LINE_ROW},
    {NODE_RUN("Run tart") NODE_COPY NODE_END, LINE_BLOCK},
    {NODE_RUN("Run start") NODE_COPY NODE_END, LINE_BLOCK},
    {NODE_RUN("Run tart") NODE_END, LINE_BLOCK},
    {NODE_RUN("Run start") NODE_END, LINE_BLOCK},
    {NULL, 0},
};

struct state {
    struct text_log log;
    int64_t khz;
};

extern const struct record_kind kind_aicpu_log;

/* The type is in the name: "Default/TruncatedNormal-op0". */
static void set_type(struct row *row)
{
    const struct cell *node = &row->cells[NODE];
    const char *slash = memrchr(node->text, '/', node->length);
    const char *start = slash != NULL ? slash + 1 : node->text, *end = node->text + node->length;
    const char *number = memmem(start, (size_t)(end - start), "-op", 3);
    row->cells[OP_TYPE].text = start;
    row->cells[OP_TYPE].length = (uint32_t)((number != NULL ? number : end) - start);
    *row->present |= UINT64_C(1) << OP_TYPE;
}

static void finish(struct decoder *decoder, const void *arg, const struct place *place, struct row *row, bool *keep)
{
    const struct state *state = arg;
    if (row_has(row, NODE))
        set_type(row);
    if (row_has(row, RUN_START) && row_has(row, RUN_END) &&
        !span_is_sound(row->cells[RUN_START].integer, row->cells[RUN_END].integer)) {
        struct place at = *place;
        at.field = "run_end";
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &at,
                    "the run ends at %lld; expected its start %lld or later", (long long)row->cells[RUN_END].integer,
                    (long long)row->cells[RUN_START].integer);
        *keep = false;
        return;
    }
    if (!row_has(row, START_TICK) || !row_has(row, END_TICK))
        return;
    int64_t start_ns = number_scale(row->cells[START_TICK].integer, 1000000, state->khz),
            end_ns = number_scale(row->cells[END_TICK].integer, 1000000, state->khz);
    if (!span_is_sound(start_ns, end_ns)) {
        *keep = span_check(decoder_diag(decoder), place, "the node", start_ns, end_ns);
        return;
    }
    row_set_integer(row, START_NS, start_ns);
    row_set_integer(row, DURATION_NS, end_ns - start_ns);
}

static int open_log(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    state->khz = capture_counter_khz(decoder_capture(decoder), file->identity.device_id);
    state->log.finish = finish;
    state->log.arg = state;
    return text_log_open(&state->log, &kind_aicpu_log, err);
}

static int take_text(struct decoder *decoder, void *opaque, const struct capture_file *file, const char *data,
                     size_t length, struct err *err)
{
    struct state *state = opaque;
    return text_log_take(&state->log, decoder, file, data, length, err);
}

static int close_log(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    struct state *state = opaque;
    int status = failed ? 0 : text_log_end(&state->log, decoder, err);
    text_log_release(&state->log);
    return status;
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct state),
    .open = open_log,
    .text = take_text,
    .close = close_log,
};

const struct record_kind kind_aicpu_log = {
    .name = "aicpu_log",
    .table = "aicpu_log",
    .families = FAMILY_JOB,
    .title = "Operator of the AI CPU, of 2020",
    .doc = "One execution of an operator on the AI CPU, as that measured it. Text in two entries, \"[<stamp>] "
           "Node:<operator>, Run tart:<start>, ..., Run end:<end>\" and \"Thread[..] process device[..]:aicpu[..] task "
           "end, ...\"; either may be missing.",
    .patterns = (const char *const[]){"DATA_PREPROCESS.dev.AICPU.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    .hooks = &hooks,
    .lines = lines,
};
