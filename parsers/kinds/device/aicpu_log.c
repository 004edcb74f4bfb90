/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that the AI CPU of a device ran, as it logged them in captures of 2020: DATA_PREPROCESS.dev.AICPU.*, a
 * log of text. */
#include "base/number.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/text/text_log.h"

#include <string.h>

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name; NULL: the host.")          \
    MADE(STAMP, "stamp", "Stamp", NUMBER, "Number in front of the operator.")                                          \
    MADE(NODE, "node", "Operator", TEXT(PLAIN), "Its name; NULL: the log does not name it.")                           \
    MADE(OP_TYPE, "op_type", "Operator type", TEXT(DERIVED), "Its type: the name behind the last '/' up to \"-op\".")  \
    MADE(RUN_START, "run_start", "Run start", NUMBER, "When it began, on a counter of the AI CPU's own.")              \
    MADE(RUN_END, "run_end", "Run end", NUMBER, "When it was done, by the same.")                                      \
    MADE(COMPUTE_START, "compute_start", "Compute start", NUMBER, "When the computation began, by the same.")          \
    MADE(COPY_START, "copy_start", "Copy start", NUMBER, "When the result began to be copied, by the same.")           \
    MADE(COPY_END, "copy_end", "Copy end", NUMBER, "When the result was copied, by the same.")                         \
    MADE(THREAD_ID, "thread_id", "Thread ID", NUMBER, "The thread of the AI CPU.")                                     \
    MADE(PROCESS_DEVICE_ID, "process_device_id", "Process device", NUMBER, "The device, as the process counts.")       \
    MADE(CPU_ID, "cpu_id", "CPU", NUMBER, "The core of the AI CPU.")                                                   \
    MADE(SUBMIT_TICK, "submit_tick", "Submission", INTEGER(TICK, PLAIN),                                               \
         "When the driver received the task, on the counter of the device.")                                           \
    MADE(RECEIVE_TICK, "receive_tick", "Receipt", INTEGER(TICK, PLAIN), "When the driver took it over, by the same.")  \
    MADE(START_TICK, "start_tick", "Start tick", INTEGER(TICK, PLAIN), "When it began, by the same.")                  \
    MADE(END_TICK, "end_tick", "End tick", INTEGER(TICK, PLAIN), "When it was done, by the same.")                     \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED | COLUMN_ORIGIN), "start_tick as a time.")                 \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "From start_tick to end_tick.")                 \
    MADE(DISPATCH_NS, "dispatch_ns", "Dispatch time", INTEGER(NS, PLAIN), "Time to hand the task to the AI CPU.")      \
    MADE(TOTAL_NS, "total_ns", "Total time", INTEGER(NS, PLAIN), "Time from submission to completion.")

MADE_COLUMNS;

#define TASK_END                                                                                                       \
    "Thread[ {thread_id}] process device[ {process_device_id}]:aicpu[ {cpu_id}] task end, "                            \
    "tickDrvTopHalf={submit_tick}, tickDrvBottomHalf={receive_tick}, tickBeforeRun={start_tick}, "                     \
    "tickAfterRun={end_tick}, dispatchTime={dispatch_ns:3} us, totalTime={total_ns:3} us"
#define NODE_RUN(start) "[ {stamp}] Node:{node}, " start ":{run_start}, "
#define NODE_COPY "compute start:{compute_start}, memcpy start:{copy_start}, memcpy end:{copy_end}, "
#define NODE_END "Run end:{run_end}"

/* "Run tart" is how the AI CPU writes it. */

struct state {
    struct text_log log; /* first */
    int64_t khz;
};

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
        *keep = diag_check_span(decoder_diag(decoder), place, "the node", start_ns, end_ns);
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
    return text_log_open(decoder, state, file, err);
}

const struct record_kind kind_aicpu_log = {
    OWN_TABLE("aicpu_log"),
    .families = FAMILY_JOB,
    .title = "Operator of the AI CPU, of 2020",
    .doc = "One execution of an operator on the AI CPU, as that measured it. Text in two entries, \"[<stamp>] "
           "Node:<operator>, Run tart:<start>, ..., Run end:<end>\" and \"Thread[..] process device[..]:aicpu[..] task "
           "end, ...\"; either may be missing.",
    .patterns = (const char *const[]){"DATA_PREPROCESS.dev.AICPU.{device_id}.slice_{slice}", NULL},
    COLUMNS_OF(columns),
    HOOKS(.state_size = sizeof(struct state), .open = open_log, .text = text_log_take, .close = text_log_close),
    .lines = LISTED(line_format, {TASK_END ".", LINE_ROW}, {TASK_END, LINE_ROW},
                    {NODE_RUN("Run tart") NODE_COPY NODE_END, LINE_BLOCK},
                    {NODE_RUN("Run start") NODE_COPY NODE_END, LINE_BLOCK}, {NODE_RUN("Run tart") NODE_END, LINE_BLOCK},
                    {NODE_RUN("Run start") NODE_END, LINE_BLOCK}),
};
