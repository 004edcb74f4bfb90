/* SPDX-License-Identifier: Apache-2.0 */
/* hwts log of Ascend chips with a hardware task scheduler: hwts.data and its older names, a record for each start and
 * end. */
#include "base/number.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/device_stream.h"

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(TYPE, "type", "Type", NAMES(PLAIN, types), "Kind of event.")                                                  \
    MADE(COUNTER, "counter", "Counter", NUMBER, "Counts records modulo 16; a gap means lost records.")                 \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "The task's number.")                                                  \
    MADE(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream.")                                                   \
    MADE(TICK, "tick", "System counter", INTEGER(TICK, PLAIN), "When, on the device's system counter.")                \
    MADE(TASK_TYPE, "task_type", "Task type", INTEGER(NONE, TRANSIENT),                                                \
         "Kind of task: 0 AI_CORE, 1 AI_CPU, as for stars_soc.")

enum { TYPE_START, TYPE_END, TYPE_BLOCK_START, TYPE_BLOCK_END };

static const struct value_name types[] = {{TYPE_START, "start"},
                                          {TYPE_END, "end"},
                                          {TYPE_BLOCK_START, "block start"},
                                          {TYPE_BLOCK_END, "block end"},
                                          {0, NULL}};

MADE_COLUMNS;

static const struct field fields[] = {BITS_FIELD("type", 0, 1, 0, 3),
                                      BITS_FIELD("counter", 0, 1, 4, 4),
                                      FIELD("task_type", 1, 1),
                                      FIELD("task_id", 6, 2),
                                      FIELD("tick", 8, 8),
                                      FIELD("stream_id", 16, 4)};

/* Captures with clocks on both sides count from the host's; the others from the device's counter. */
static int64_t nanoseconds(struct decoder *decoder, const struct paired_stream *state, int64_t tick)
{
    return decoder_capture(decoder)->family == CAPTURE_JOB || decoder_capture(decoder)->family == CAPTURE_SVP
               ? number_scale(tick, 1000000, capture_counter_khz(decoder_capture(decoder), state->stream.device_id))
               : part_device_ns(state->stream.part, tick);
}

/* A task at the record of its end. */
static int add_task(const struct paired_stream *state, const struct task_key *key, int64_t start_ns, int64_t end_ns,
                    int64_t start_tick, const struct row *record, struct err *err)
{
    const struct device_task task = {
        .start_ns = start_ns,
        .end_ns = end_ns,
        .start_tick = start_tick,
        .end_tick = record->cells[TICK].integer,
        .context_id = NO_CONTEXT,
        .device_id = (uint32_t)state->stream.device_id,
        .stream_id = key->stream_id,
        .task_id = key->task_id,
        .type = (uint32_t)record->cells[TASK_TYPE].integer,
    };
    return state->stream.join != NULL ? association_add_task(state->stream.join, &task, err) : 0;
}

static int take_end(struct decoder *decoder, struct paired_stream *state, const struct task_key *key,
                    const struct row *row, bool *keep, struct err *err)
{
    struct open_half start;
    int64_t end_tick = row->cells[TICK].integer;
    if (!task_pairs_end(&state->pairs, decoder, key, end_tick, &start, keep))
        return 0;
    int64_t start_ns = nanoseconds(decoder, state, start.tick), end_ns = nanoseconds(decoder, state, end_tick);
    if (!task_pairs_check_span(decoder, key, &start, start_ns, end_ns, keep))
        return 0;
    return add_task(state, key, start_ns, end_ns, start.tick, row, err);
}

/* Where it is a row of its own it stays one. */
static int refuse_type(struct decoder *decoder, const struct row *row, bool *keep)
{
    decoder_report(decoder, DIAG_RECORD_VALUE, "type", "type %lld; expected 0 to 3",
                   (long long)row->cells[TYPE].integer);
    *keep = decoder_joined_file(decoder) == NULL;
    return 0;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct paired_stream *state = opaque;
    if (state->stream.association != NULL)
        decoder_consume(decoder);
    if (!row_has(row, TYPE) || !row_has(row, TICK) || !row_has(row, STREAM_ID) || !row_has(row, TASK_ID))
        return 0;
    if (row_has(row, COUNTER))
        sequence_check(&state->sequence, decoder, row->cells[COUNTER].integer);
    struct task_key key = {(uint32_t)row->cells[STREAM_ID].integer, (uint32_t)row->cells[TASK_ID].integer, WHOLE_TASK,
                           0};
    switch (row->cells[TYPE].integer) {
    case TYPE_START:
        return task_pairs_start(&state->pairs, decoder, &key, row->cells[TICK].integer, keep, err);
    case TYPE_END:
        return take_end(decoder, state, &key, row, keep, err);
    case TYPE_BLOCK_START: /* the task's own start and end say all that is reported */
    case TYPE_BLOCK_END:
        return 0;
    default:
        return refuse_type(decoder, row, keep);
    }
}

const struct record_kind kind_hwts = {
    .name = "hwts",
    .table = "hwts_log",
    .families = FAMILY_ASCEND,
    .of_device_join = true,
    .title = "Hardware task scheduler log",
    .doc = "Starts and ends of tasks on an Ascend device, in the order in which the scheduler wrote them.",
    .patterns = (const char *const[]){"hwts.data.{device_id}.slice_{slice}",
                                      "hwts.log.data.{number}.dev.profiler_default_tag.{device_id}.slice_{slice}",
                                      "hwts.log.data.{number}.{device_id}.{slice}", NULL},
    RECORDS_OF(
        columns,
        LAYOUT("hwts-64", 64, fields,
               "CANN hwts.data record, chips 1 to 4, 64 bytes, magic 0x6BD3 at 2 (Ascend/msprof of 2022, hwts_log.py); "
               "the counter in bits 4 to 7 as a real Ascend 910A capture has it",
               MAGICS(MAGIC(2, 2, 0x6bd3)))),
    HOOKS(.state_size = sizeof(struct paired_stream), .open = paired_stream_open, .record = take_record,
          .close = paired_stream_close),
};
