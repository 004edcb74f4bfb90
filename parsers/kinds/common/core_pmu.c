/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/core_pmu.h"

#include "parsers/kinds/common/device_stream.h"

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name.")                          \
    MADE(COUNTER, "counter", "Counter", INTEGER(NONE, TRANSIENT),                                                      \
         "Counts records modulo 16; a gap means lost records.")                                                        \
    MADE(STREAM_ID, "stream_id", "Stream ID", NUMBER, "The stream that the task ran on.")                              \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "The number of the task.")                                             \
    MADE(TOTAL_CYCLE, "total_cycle", "Total cycles", INTEGER(CYCLE, PLAIN), "Cycles of all cores together.")           \
    PMU_EVENTS(MADE)                                                                                                   \
    MADE(BLOCK_NUM, "block_num", "Block num", NUMBER, "How many blocks the task was split into; chip 0 only.")         \
    MADE(TICK, "tick", "System counter", INTEGER(TICK, TRANSIENT),                                                     \
         "When it was written, on the counter of the device; of chip 0 and of samples.")                               \
    MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED), "Time on the clock of the host; of samples.")               \
    MADE(CORE_ID, "core_id", "Core ID", NUMBER, "The core that was sampled; NULL: the counters are those of a task.")  \
    MADE(MODE, "mode", "Mode", INTEGER(NONE, TRANSIENT), "0 ends the samples, though records may follow.")

enum { COLUMNS(COLUMN_NUMBER) };

const struct column core_pmu_columns[] = {COLUMNS(COLUMN_MADE)};

static const struct field task_fields[] = {BITS_FIELD("counter", 0, 1, 4, 4), FIELD("stream_id", 96, 4),
                                           FIELD("task_id", 6, 2), FIELD("total_cycle", 16, 8), PMU_EVENT_FIELDS(32)};

static const struct field event_count_fields[] = {
    FIELD("stream_id", 10, 2), FIELD("task_id", 12, 2),    FIELD("total_cycle", 88, 8),
    PMU_EVENT_FIELDS(24),      FIELD("block_num", 104, 2), FIELD("tick", 96, 8),
};

static const struct field sample_fields[] = {FIELD("mode", 0, 1), PMU_EVENT_FIELDS(8), FIELD("total_cycle", 72, 8),
                                             FIELD("tick", 80, 8), FIELD("core_id", 89, 1)};

static const struct field v6_sample_fields[] = {FIELD("mode", 0, 1), PMU_EVENT_FIELDS_V6(8),
                                                FIELD("total_cycle", 88, 8), FIELD("tick", 96, 8),
                                                FIELD("core_id", 105, 1)};

const struct layout core_pmu_layouts[] = {
    LAYOUT("pmu-task-128", 128, task_fields,
           "CANN aicore.data and aiVectorCore.data record, chips 1 to 4, 128 bytes, magic 0x6BD3 at 2 "
           "(docs/formats/cann.md 4.1)",
           MAGICS(MAGIC(2, 2, 0x6bd3))),
    LAYOUT("pmu-event-count-112", 112, event_count_fields,
           "CANN event count record of chip 0, tag 4, 112 bytes (docs/formats/cann.md 4.2)", .mixed = true,
           MAGICS(MAGIC(1, 3, 0x7004))),
    LAYOUT("pmu-sample-96", 96, sample_fields,
           "CANN sample-based PMU record, 96 bytes, reserved bytes 0 (docs/formats/cann.md 4.3)",
           MAGICS(MAGIC(2, 6, 0), MAGIC(90, 6, 0))),
    LAYOUT("pmu-sample-112", 112, v6_sample_fields,
           "CANN sample-based PMU record of ten counters, chips 15 and 16, 112 bytes (docs/formats/cann.md 4.3)",
           .chips = CHIPS_V6, MAGICS(MAGIC(2, 6, 0), MAGIC(106, 6, 0)))};

_Static_assert(sizeof core_pmu_columns / sizeof *core_pmu_columns == CORE_PMU_COLUMNS, "as the header says");
_Static_assert(sizeof core_pmu_layouts / sizeof *core_pmu_layouts == CORE_PMU_LAYOUTS, "as the header says");

#define MODE_END 0

struct state {
    struct record_stream stream; /* first */
    struct sequence sequence;
    bool ended; /* the record before said that the samples end */
};

/* A sample of one core stays as it is. */
static int take_sample(struct decoder *decoder, struct state *state, struct row *row, bool *keep)
{
    struct place place = decoder_place(decoder, "mode");
    *keep = row->cells[MODE].integer != MODE_END;
    if (!*keep)
        diag_report(decoder_diag(decoder), DIAG_SAMPLE_END, &place, "mode 0");
    else if (state->ended)
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place,
                    "a sample after the record that ends the samples; expected none: one of the two is damaged");
    state->ended = !*keep;
    /* Since 2023 samples count by the device's monotonic clock. */
    row_set_integer(row, TIME_NS,
                    part_clock_ns(state->stream.part,
                                  state->stream.association != NULL ? CLOCK_DEVICE_NS : CLOCK_DEVICE_TICK,
                                  row->cells[TICK].integer));
    return 0;
}

static int take_task(struct decoder *decoder, const struct state *state, const struct row *row, struct err *err)
{
    const struct cell *cells = row->cells;
    if (state->stream.join == NULL)
        return 0;
    struct device_pmu pmu = {
        .start_ns = -1,
        .context_id = NO_CONTEXT,
        .device_id = (uint32_t)state->stream.device_id,
        .stream_id = (uint32_t)cells[STREAM_ID].integer,
        .task_id = (uint32_t)cells[TASK_ID].integer,
        .core = state->stream.kind == &kind_aiv_pmu ? PMU_CORE_AIV : PMU_CORE_AIC,
        .total_cycle = cells[TOTAL_CYCLE].integer,
        .counter_count = PMU_COUNTERS,
        .file_id = cells[FILE_ID].integer,
        .block_num = row_has(row, BLOCK_NUM) ? cells[BLOCK_NUM].integer : -1,
    };
    for (size_t i = 0; i < PMU_COUNTERS; i++)
        pmu.counters[i] = cells[EVENT0 + i].integer;
    decoder_consume(decoder);
    return association_add_pmu(state->stream.join, &pmu, err);
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    if (row_has(row, COUNTER))
        sequence_check(&state->sequence, decoder, row->cells[COUNTER].integer);
    row_set_integer(row, DEVICE_ID, state->stream.device_id);
    return row_has(row, CORE_ID) ? take_sample(decoder, state, row, keep) : take_task(decoder, state, row, err);
}

const struct kind_hooks core_pmu_hooks = {
    .state_size = sizeof(struct state),
    .open = record_stream_open,
    .record = take_record,
};

int core_pmu_emit(struct decoder *decoder, const struct device_pmu *pmu, struct err *err)
{
    struct row row;
    if (decoder_emit(decoder, pmu->core == PMU_CORE_AIV ? &kind_aiv_pmu : &kind_aicore_pmu, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FILE_ID, pmu->file_id);
    row_set_integer(&row, DEVICE_ID, (int32_t)pmu->device_id);
    row_set_integer(&row, STREAM_ID, pmu->stream_id);
    row_set_integer(&row, TASK_ID, pmu->task_id);
    row_set_integer(&row, TOTAL_CYCLE, pmu->total_cycle);
    for (size_t i = 0; i < PMU_COUNTERS; i++)
        row_set_integer(&row, EVENT0 + i, pmu->counters[i]);
    if (pmu->block_num >= 0)
        row_set_integer(&row, BLOCK_NUM, pmu->block_num);
    return 0;
}

int core_sample_emit(struct decoder *decoder, const struct core_sample *sample, struct err *err)
{
    struct row row;
    if (decoder_emit(decoder, sample->vector ? &kind_aiv_pmu : &kind_aicore_pmu, &row, err) < 0)
        return err_status(err);
    row_set_integer(&row, FILE_ID, decoder_file_id(decoder));
    row_set_integer(&row, DEVICE_ID, sample->device_id);
    row_set_integer(&row, TIME_NS, sample->time_ns);
    row_set_integer(&row, CORE_ID, sample->core_id);
    row_set_integer(&row, TOTAL_CYCLE, sample->total_cycle);
    for (size_t i = 0; i < PMU_COUNTERS; i++)
        row_set_integer(&row, EVENT0 + i, sample->counters[i].integer);
    return 0;
}

const struct report_column core_sample_table[] = {
    {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    {"Core ID", "core", .doc = "The core; Average: the mean of all."},
    {"vec_ratio", "vec", FORM_SHORTEST, 3, .doc = "Share of cycles that the vector pipe worked."},
    {"mac_ratio", "mac", FORM_SHORTEST, 3, .doc = "The cube pipe."},
    {"scalar_ratio", "scalar", FORM_SHORTEST, 3, .doc = "The scalar pipe."},
    {"mte1_ratio", "mte1", FORM_SHORTEST, 3, .doc = "The first pipe that moves data."},
    {"mte2_ratio", "mte2", FORM_SHORTEST, 3, .doc = "The second."},
    {"mte3_ratio", "mte3", FORM_SHORTEST, 3, .doc = "The third."},
    {"icache_miss_rate", "icache", FORM_SHORTEST, 3, .doc = "Misses of the instruction cache among requests."},
    {"memory_bound", "ratio(printed(mte2, 3), max(printed(vec, 3), printed(mac, 3)))", FORM_SHORTEST, 3,
     .doc = "Movement of data against computation."},
    {.title = NULL},
};
