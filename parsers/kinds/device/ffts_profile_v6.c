/* SPDX-License-Identifier: Apache-2.0 */
/* PMU of the cores of chips 15 and 16: ffts_profile.data with ten counters, a record for each task or block. */
#include "base/number.h"
#include "parsers/kinds/common/core_pmu.h"
#include "parsers/kinds/common/sample.h"
#include "parsers/kinds/common/stars/stars_record.h"

enum { FUNCTION_TASK = 0x2a, FUNCTION_BLOCK = 0x29 };
static const struct value_name functions[] = {{FUNCTION_TASK, "task"}, {FUNCTION_BLOCK, "block"}, {0, NULL}};

#define COLUMNS(MADE)                                                                                                  \
    MADE(DEVICE_ID, "device_id", "Device ID", INTEGER(NONE, DERIVED),                                                  \
         "The device, from the file name; NULL: the host.")                                                            \
    MADE(TASK_ID, "task_id", "Task ID", MADE_NUMBER, "The number of the task, of 32 bits.")                            \
    MADE(CONTEXT_TYPE, "context_type", "Context type", NUMBER, "Kind of part.")                                        \
    MADE(IS_MAIN, "is_main", "Main", NUMBER, "1: of the core that the task begins on.")                                \
    MADE(IS_MIX, "is_mix", "Mix", NUMBER, "1: of a task on both kinds of cores.")                                      \
    MADE(OVERFLOW, "overflow", "Overflow", INTEGER(NONE, TRANSIENT),                                                   \
         "1: a counter ran over; the record of a task is dropped.")                                                    \
    MADE(CORE_TYPE, "core_type", "Core type", NAMES(PLAIN, cores), "Which kind of core counted.")                      \
    MADE(CORE_ID, "core_id", "Core ID", NUMBER, "The core that ran the block.")                                        \
    MADE(SUB_BLOCK_ID, "sub_block_id", "Sub-block ID", NUMBER, "The part of the block.")                               \
    MADE(BLOCK_ID, "block_id", "Block ID", NUMBER, "The block.")                                                       \
    MADE(TOTAL_CYCLE, "total_cycle", "Total cycles", INTEGER(CYCLE, PLAIN), "Cycles of the core.")                     \
    PMU_EVENTS(MADE)                                                                                                   \
    MADE(START_TICK, "start_tick", "Start", INTEGER(TICK, TRANSIENT), "When it began, on the counter of the device.")  \
    MADE(END_TICK, "end_tick", "End", INTEGER(TICK, TRANSIENT), "When it ended, on the counter of the device.")        \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began, since 1970.")                            \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "How long it ran.")

enum { LAST_SHARED = STARS_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER) };

static const struct value_name cores[] = {{0, "AIC"}, {1, "AIV"}, {0, NULL}};

static const struct column columns[] = {STARS_RECORD_COLUMNS(functions, "Subject of the counters."),
                                        COLUMNS(COLUMN_MADE)};

static const struct field fields[] = {STARS_RECORD_FIELDS,
                                      FIELD("total_cycle", 8, 8),
                                      FIELD("context_type", 16, 1),
                                      BITS_FIELD("is_main", 17, 1, 0, 1),
                                      BITS_FIELD("is_mix", 17, 1, 1, 1),
                                      BITS_FIELD("overflow", 17, 1, 2, 1),
                                      BITS_FIELD("core_type", 20, 1, 0, 1),
                                      FIELD("core_id", 21, 1),
                                      FIELD("sub_block_id", 24, 2),
                                      FIELD("block_id", 26, 2),
                                      PMU_EVENT_FIELDS_V6(32),
                                      FIELD("start_tick", 112, 8),
                                      FIELD("end_tick", 120, 8)};

struct state {
    struct record_stream stream; /* first */
    struct sequence sequence;
};

/* The counters of a task become columns of it. */
static int take_task(struct decoder *decoder, const struct state *state, const struct row *row, bool *keep,
                     struct err *err)
{
    const struct cell *cells = row->cells;
    if (cells[OVERFLOW].integer != 0)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "overflow", "counters that ran over; expected none");
    struct device_pmu pmu = {
        .start_ns = cells[START_NS].integer,
        .context_id = NO_CONTEXT,
        .device_id = (uint32_t)state->stream.device_id,
        .task_id = (uint32_t)cells[TASK_ID].integer,
        .core = cells[CORE_TYPE].integer != 0 ? PMU_CORE_AIV : PMU_CORE_AIC,
        .timed = true,
        .duration_ns = cells[DURATION_NS].integer,
        .total_cycle = cells[TOTAL_CYCLE].integer,
        .counter_count = PMU_COUNTERS_MOST,
    };
    for (size_t i = 0; i < PMU_COUNTERS_MOST; i++)
        pmu.counters[i] = cells[EVENT0 + i].integer;
    decoder_consume(decoder);
    return state->stream.association != NULL ? association_add_pmu(state->stream.association, &pmu, err) : 0;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    const struct cell *cells = row->cells;
    int64_t start = cells[START_TICK].integer, end = cells[END_TICK].integer, function = cells[FUNCTION_TYPE].integer;
    if (function == FUNCTION_TASK)
        sequence_check(&state->sequence, decoder, cells[COUNTER].integer);
    if (function != FUNCTION_TASK && function != FUNCTION_BLOCK)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "function_type",
                              "neither of a task nor of a block; expected 42 or 41");
    int64_t start_ns = part_device_ns(state->stream.part, start), end_ns = part_device_ns(state->stream.part, end);
    *keep = decoder_check_span(decoder, "the task", start_ns, end_ns);
    if (!*keep)
        return 0;
    row_set_integer(row, DEVICE_ID, state->stream.device_id);
    row_set_integer(row, TASK_ID, cells[TASK_WORD].integer << 16 | cells[STREAM_WORD].integer);
    row_set_integer(row, START_NS, start_ns);
    row_set_integer(row, DURATION_NS, end_ns - start_ns);
    return function == FUNCTION_TASK ? take_task(decoder, state, row, keep, err) : 0;
}

/* Blocks, each with the tasks that ran at the same time, and its place among a task's blocks on its kind of core. */
#define BLOCKS                                                                                                         \
    "d AS (SELECT b.device_id AS device, t.stream_id AS stream, t.task_id AS task, t.batch_id AS batch,"               \
    " coalesce(t.context_id, 4294967295) AS context, b.core_type AS type, b.core_id AS core, b.start_ns AS start,"     \
    " b.duration_ns AS duration, coalesce(n.text, '') AS op,"                                                          \
    " row_number() OVER (PARTITION BY t.id, b.core_type ORDER BY b.start_ns, b.id) AS place,"                          \
    " count(*) OVER (PARTITION BY t.id, b.core_type) AS places FROM device_task AS t JOIN block_pmu AS b"              \
    " ON b.device_id = t.device_id AND b.task_id = t.task_id AND b.start_ns <= t.start_ns + t.duration_ns"             \
    " AND t.start_ns <= b.start_ns + b.duration_ns LEFT JOIN name AS n ON n.id = t.op_name_id)"

static const struct report_column values[] = {
    {"Physic Stream Id", "stream", .form = FORM_TEXT},
    {"Task Id", "task", .form = FORM_TEXT},
    {"Batch Id", "batch", .form = FORM_TEXT},
    {"Subtask Id", "context", .form = FORM_TEXT},
    {"Core Id", "core", .form = FORM_TEXT},
    {.title = NULL},
};

#define SLICES(core, which, number, name_of_thread)                                                                    \
    {                                                                                                                  \
        .name = "'Stream ' || stream || ' ' || op", .values = values,                                                  \
        .query = {.with = BLOCKS,                                                                                      \
                  .from = "d",                                                                                         \
                  .where = "type = " core " AND place = " which,                                                       \
                  .order_by = "device, start, duration DESC"},                                                         \
        .time = "start", .duration = "duration", .ticks = true, .device = "device", .thread = number,                  \
        .thread_name = "'" name_of_thread "'"                                                                          \
    }

const struct record_kind kind_ffts_profile_v6 = {
    .name = "ffts_profile_v6",
    .table = "block_pmu",
    .families = FAMILY_CANN,
    .chips = CHIPS_V6,
    .stage = 1,
    .option = "task_block",
    .of_device_join = true,
    .title = "Core PMU of chips 15 and 16",
    .doc = "Cycles and ten event counters of a task, which are joined with it, or of one block of it, which are rows.",
    .patterns = (const char *const[]){"ffts_profile.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(
        columns,
        LAYOUT(
            "ffts-profile-v6-128", 128, fields,
            "CANN ffts_profile.data record, chips 15 and 16, 128 bytes, magic 0x6BD3 at 2 (docs/formats/cann.md 4.4)",
            STARS_RECORD_MAGICS)),
    HOOKS(.state_size = sizeof(struct state), .open = record_stream_open, .record = take_record),
    ONE_SERIES(.name = "block_detail", .title = "Blocks of tasks",
               .doc = "The block of each task that began first and the one that began last, by kind of core.",
               .process = "Block Detail", .number = LAYER_BLOCK_DETAIL,
               .counters =
                   COUNTER_LIST(SLICES("0", "1", "1", "AIC Earliest"), SLICES("0", "places", "2", "AIC Latest"),
                                SLICES("1", "1", "3", "AIV Earliest"), SLICES("1", "places", "4", "AIV Latest"))),
};
