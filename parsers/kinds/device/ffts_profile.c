/* SPDX-License-Identifier: Apache-2.0 */
/* PMU of the cores of chips with STARS: ffts_profile.data, a record for each task or block. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/core_pmu.h"
#include "parsers/kinds/common/record_source.h"
#include "parsers/kinds/common/stars/stars_record.h"

static const struct value_name functions[] = {{40, "task"}, {41, "block"}, {0, NULL}};

#define COLUMNS(MADE)                                                                                                  \
    MADE(SUB_TASK_TYPE, "sub_task_type", "Part type", NAMES(PLAIN, device_part_names), "Kind of part.")                \
    MADE(OVERFLOW, "overflow", "Overflow", NUMBER, "1: a counter ran over; the record is dropped. Only for tasks.")    \
    MADE(SUB_TASK_ID, "sub_task_id", "Context ID", NUMBER, "Which part of an FFTS+ task it is.")                       \
    MADE(CORE_TYPE, "core_type", "Core type", NUMBER, "0 cube, 1 vector. Only for blocks.")                            \
    MADE(CORE_ID, "core_id", "Core ID", NUMBER, "The core that ran the block. Only for blocks.")                       \
    MADE(FFTS_TYPE, "ffts_type", "FFTS type", NAMES(PLAIN, stars_split_types), "How the task is split.")               \
    MADE(SUB_BLOCK_ID, "sub_block_id", "Sub-block ID", NUMBER, "Number of the sub-block. Only for blocks.")            \
    MADE(BLOCK_ID, "block_id", "Block ID", NUMBER, "Number of the block. Only for blocks.")                            \
    MADE(TOTAL_CYCLE, "total_cycle", "Total cycles", INTEGER(CYCLE, PLAIN), "Cycles of all cores together.")           \
    PMU_EVENTS(MADE)                                                                                                   \
    MADE(START_TICK, "start_tick", "Start", INTEGER(TICK, PLAIN), "When it began, on the counter of the device.")      \
    MADE(END_TICK, "end_tick", "End", INTEGER(TICK, PLAIN), "When it ended, on the counter of the device.")            \
    MADE(SAMPLE_MODE, "sample_mode", "Mode", NUMBER,                                                                   \
         "0 ends the samples, though records may follow. Only for samples.")                                           \
    MADE(SAMPLE_STAMP, "sample_ns", "Stamp", INTEGER(NS, PLAIN), "The monotonic clock of the device. Only for samples.")

enum { LAST_SHARED = STARS_RECORD_COLUMN_COUNT - 1, COLUMNS(COLUMN_NUMBER) };

static const struct column columns[] = {STARS_RECORD_COLUMNS(functions, "Subject of the counters."),
                                        COLUMNS(COLUMN_MADE)};

static const struct field fields[] = {STARS_RECORD_FIELDS,
                                      BITS_FIELD("sub_task_type", 16, 2, 0, 8),
                                      BITS_FIELD("overflow", 16, 2, 10, 1),
                                      FIELD("sub_task_id", 18, 2),
                                      BITS_FIELD("core_type", 20, 1, 0, 1),
                                      BITS_FIELD("core_id", 20, 1, 1, 7),
                                      BITS_FIELD("ffts_type", 20, 2, 13, 3),
                                      FIELD("sub_block_id", 28, 2),
                                      FIELD("block_id", 30, 2),
                                      FIELD("total_cycle", 32, 8),
                                      PMU_EVENT_FIELDS(48),
                                      FIELD("start_tick", 112, 8),
                                      FIELD("end_tick", 120, 8)};

static const struct field sample_fields[] = {FIELD("sample_mode", 0, 1), PMU_EVENT_FIELDS(8),
                                             FIELD("total_cycle", 72, 8), FIELD("sample_ns", 80, 8),
                                             FIELD("core_id", 89, 1)};

enum { FUNCTION_TASK = 0x28, FUNCTION_BLOCK = 0x29 };
enum { FFTS_AIC = 0, FFTS_AIV = 1, FFTS_PLUS = 4, FFTS_MIX = 5 };
enum { PART_AIV = 1, PART_MIX_AIC = 6, PART_MIX_AIV = 7 };

struct state {
    struct record_stream stream; /* first */
    struct sequence sequence;
    bool ended; /* of samples */
};

/* Which kind of core counted. */
static ALWAYS_INLINE enum pmu_core core_of(const struct record_source *source, bool block)
{
    int64_t part = source_integer(source, SUB_TASK_TYPE);
    if (block)
        return source_integer(source, CORE_TYPE) != 0 ? PMU_CORE_AIV : PMU_CORE_AIC;
    switch (source_integer(source, FFTS_TYPE)) {
    case FFTS_PLUS:
        return part == PART_AIV || part == PART_MIX_AIV ? PMU_CORE_AIV : PMU_CORE_AIC;
    case FFTS_AIV:
    case FFTS_MIX: /* not in parts: as Ascend's tool has it, of the vector cores whatever the part's type says */
        return PMU_CORE_AIV;
    default:
        return PMU_CORE_AIC;
    }
}

/* Blocks say something new only on the kind of core that a mixed task does not begin on: the task's own record has the
 * others in it. */
static ALWAYS_INLINE bool is_of_other_core(const struct record_source *source)
{
    int64_t part = source_integer(source, SUB_TASK_TYPE);
    if (source_integer(source, FFTS_TYPE) != FFTS_PLUS)
        return false;
    return part == PART_MIX_AIC   ? source_integer(source, CORE_TYPE) != 0
           : part == PART_MIX_AIV ? source_integer(source, CORE_TYPE) == 0
                                  : false;
}

/* A sample of a core instead of the counters of a task. */
static int take_sample(struct decoder *decoder, struct state *state, const struct row *row, bool *keep, struct err *err)
{
    const struct cell *cells = row->cells;
    struct place place = decoder_place(decoder, "mode");
    bool ends = cells[SAMPLE_MODE].integer == 0;
    *keep = !ends && !state->ended;
    if (ends)
        diag_report(decoder_diag(decoder), DIAG_SAMPLE_END, &place, "mode 0");
    else if (state->ended)
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place,
                    "a sample after the record that ends the samples; expected none");
    state->ended |= ends;
    if (!*keep)
        return 0;
    const struct core_sample sample = {
        .vector = cells[CORE_ID].integer > (state->stream.part->chip == 5 ? 24 : 0), /* the last cube core */
        .device_id = state->stream.device_id,
        .time_ns = part_clock_ns(state->stream.part, CLOCK_DEVICE_NS, cells[SAMPLE_STAMP].integer),
        .core_id = cells[CORE_ID].integer,
        .total_cycle = cells[TOTAL_CYCLE].integer,
        .counters = &cells[EVENT0],
    };
    return core_sample_emit(decoder, &sample, err);
}

static ALWAYS_INLINE int take_counters(struct decoder *decoder, void *opaque, const struct record_source *source,
                                       bool *keep, struct err *err)
{
    struct state *state = opaque;
    if (!source->direct && row_has(source->row, SAMPLE_MODE))
        return take_sample(decoder, state, source->row, keep, err);
    bool block = source_integer(source, FUNCTION_TYPE) == FUNCTION_BLOCK;
    sequence_check(&state->sequence, decoder, source_integer(source, COUNTER));
    if (!block && source_integer(source, FUNCTION_TYPE) != FUNCTION_TASK)
        return decoder_refuse(decoder, keep, DIAG_RECORD_UNKNOWN, "function_type",
                              "function type %lld; expected %d or %d", (long long)source_integer(source, FUNCTION_TYPE),
                              FUNCTION_TASK, FUNCTION_BLOCK);
    int64_t start_ns = part_ticks_ns(&state->stream.device, source_integer(source, START_TICK));
    int64_t end_ns = part_ticks_ns(&state->stream.device, source_integer(source, END_TICK));
    *keep = decoder_check_span(decoder, "the task", start_ns, end_ns);
    if (!*keep || (block && !is_of_other_core(source)))
        return 0;
    if (!block && source_integer(source, OVERFLOW) != 0)
        return decoder_refuse(decoder, keep, DIAG_RECORD_VALUE, "overflow", "counters that ran over; expected none");
    struct device_pmu pmu = {
        .start_ns = start_ns,
        .duration_ns = end_ns - start_ns,
        .context_id = source_integer(source, FFTS_TYPE) == FFTS_PLUS ? source_integer(source, SUB_TASK_ID) : NO_CONTEXT,
        .device_id = (uint32_t)state->stream.device_id,
        .core = core_of(source, block),
        .block = block,
        .total_cycle = source_integer(source, TOTAL_CYCLE),
        .file_id = decoder_file_id(decoder),
        .block_num = -1,
    };
    stars_ids(state->stream.association, source_integer(source, TASK_TYPE), source_integer(source, STREAM_WORD),
              source_integer(source, TASK_WORD), &pmu.stream_id, &pmu.task_id);
    pmu.counter_count = PMU_COUNTERS;
    for (size_t i = 0; i < PMU_COUNTERS; i++)
        pmu.counters[i] = source_run(source, EVENT0, i);
    return state->stream.join != NULL ? association_add_pmu(state->stream.join, &pmu, err) : 0;
}

RECORD_HOOKS(take_counters, fields, EVENT0 + PMU_COUNTERS, START_TICK - EVENT0 - PMU_COUNTERS)

const struct record_kind kind_ffts_profile = {
    .name = "ffts_profile",
    .families = FAMILY_2022 | FAMILY_CANN,
    .stage = 1,
    .of_device_join = true,
    .title = "Core PMU of STARS chips",
    .doc = "Cycles and eight event counters of a task, of a part of an FFTS+ task, or of one block of it. They are "
           "joined with the task.",
    .patterns = (const char *const[]){"ffts_profile.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns,
               LAYOUT("ffts-profile-128", 128, fields,
                      "CANN ffts_profile.data record, chips 5, 7, 8 and 11, 128 bytes, magic 0x6BD3 at 2 "
                      "(docs/formats/cann.md 4.4)",
                      STARS_RECORD_MAGICS),
               LAYOUT("ffts-profile-sample-96", 96, sample_fields,
                      "CANN sample of a core, 96 bytes, reserved bytes 0 (docs/formats/cann.md 4.3)",
                      MAGICS(MAGIC(2, 6, 0), MAGIC(90, 6, 0)))),
    HOOKS(.state_size = sizeof(struct state), .open = record_stream_open, .record = take_counters_row,
          DIRECT(take_counters, fields)),
};
