/* PMU of the cores of chips with STARS: ffts_profile.data, a record for each task or block. */
#include "parsers/decode.h"
#include "parsers/device_stream.h"

static const char *const patterns[] = {
    "ffts_profile.data.{device_id}.slice_{slice}",
    NULL,
};

static const struct value_name functions[] = {{40, "task"}, {41, "block"}, {0, NULL}};

static const struct value_name task_types[] = {{0, "AI_CORE"},           {1, "AI_CPU"},
                                               {2, "AIV_SQE"},           {3, "PLACE_HOLDER_SQE"},
                                               {4, "EVENT_RECORD_SQE"},  {5, "EVENT_WAIT_SQE"},
                                               {6, "NOTIFY_RECORD_SQE"}, {7, "NOTIFY_WAIT_SQE"},
                                               {8, "WRITE_VALUE_SQE"},   {9, "VQ6_SQE"},
                                               {10, "TOF_SQE"},          {11, "SDMA_SQE"},
                                               {12, "VPC_SQE"},          {13, "JPEGE_SQE"},
                                               {14, "JPEGD_SQE"},        {15, "DSA_SQE"},
                                               {16, "ROCCE_SQE"},        {17, "PCIE_DMA_SQE"},
                                               {18, "HOST_CPU_SQE"},     {19, "CDQM_SQE"},
                                               {20, "C_CORE_SQE"},       {0, NULL}};

static const struct value_name sub_task_types[] = {{0, "AIC"},
                                                   {1, "AIV"},
                                                   {3, "Notify Wait"},
                                                   {4, "Notify Record"},
                                                   {5, "Write Value"},
                                                   {6, "MIX_AIC"},
                                                   {7, "MIX_AIV"},
                                                   {8, "SDMA"},
                                                   {9, "Data Context"},
                                                   {10, "Invalidate Data Context"},
                                                   {11, "Writeback Data Context"},
                                                   {12, "AI_CPU"},
                                                   {13, "Load Context"},
                                                   {15, "DSA"},
                                                   {0, NULL}};

static const struct value_name ffts_types[] = {{0, "AIC"}, {1, "AIV"}, {4, "FFTS+"}, {5, "MIX"}, {0, NULL}};

enum {
    FILE_ID,
    FUNCTION_TYPE,
    COUNTER,
    TASK_TYPE,
    STREAM_WORD,
    TASK_WORD,
    SUB_TASK_TYPE,
    OVERFLOW,
    SUB_TASK_ID,
    CORE_TYPE,
    CORE_ID,
    FFTS_TYPE,
    SUB_BLOCK_ID,
    BLOCK_ID,
    TOTAL_CYCLE,
    EVENT0,
    EVENT1,
    EVENT2,
    EVENT3,
    EVENT4,
    EVENT5,
    EVENT6,
    EVENT7,
    START_TICK,
    END_TICK
};

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [FUNCTION_TYPE] = {"function_type", "Function", COLUMN_INTEGER, UNIT_NONE, 0, functions,
                       "What the counters are of."},
    [COUNTER] = {"counter", "Counter", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                 "Counts records modulo 16; a gap means lost records."},
    [TASK_TYPE] = {"task_type", "Task type", COLUMN_INTEGER, UNIT_NONE, 0, task_types,
                   "What kind of entry of the submission queue it is."},
    [STREAM_WORD] = {"stream_word", "Stream word", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "The stream, with bits of the task on some chips."},
    [TASK_WORD] = {"task_word", "Task word", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "The task, with bits of the stream on some chips."},
    [SUB_TASK_TYPE] = {"sub_task_type", "Part type", COLUMN_INTEGER, UNIT_NONE, 0, sub_task_types,
                       "What kind of part it is."},
    [OVERFLOW] = {"overflow", "Overflow", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                  "1: a counter ran over; the record is dropped. Of tasks."},
    [SUB_TASK_ID] = {"sub_task_id", "Context ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Which part of an FFTS+ task it is."},
    [CORE_TYPE] = {"core_type", "Core type", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "0 cube, 1 vector. Of blocks."},
    [CORE_ID] = {"core_id", "Core ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The core that ran the block. Of blocks."},
    [FFTS_TYPE] = {"ffts_type", "FFTS type", COLUMN_INTEGER, UNIT_NONE, 0, ffts_types, "How the task is split."},
    [SUB_BLOCK_ID] = {"sub_block_id", "Sub-block ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "Of blocks."},
    [BLOCK_ID] = {"block_id", "Block ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "Of blocks."},
    [TOTAL_CYCLE] = {"total_cycle", "Total cycles", COLUMN_INTEGER, UNIT_CYCLE, 0, NULL,
                     "Cycles of all cores together."},
    [EVENT0] = {"event0", "Event 0", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                "The counter of event 0 of the profiled group."},
    [EVENT1] = {"event1", "Event 1", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                "The counter of event 1 of the profiled group."},
    [EVENT2] = {"event2", "Event 2", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                "The counter of event 2 of the profiled group."},
    [EVENT3] = {"event3", "Event 3", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                "The counter of event 3 of the profiled group."},
    [EVENT4] = {"event4", "Event 4", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                "The counter of event 4 of the profiled group."},
    [EVENT5] = {"event5", "Event 5", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                "The counter of event 5 of the profiled group."},
    [EVENT6] = {"event6", "Event 6", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                "The counter of event 6 of the profiled group."},
    [EVENT7] = {"event7", "Event 7", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                "The counter of event 7 of the profiled group."},
    [START_TICK] = {"start_tick", "Start", COLUMN_INTEGER, UNIT_TICK, 0, NULL,
                    "When it began, on the counter of the device."},
    [END_TICK] = {"end_tick", "End", COLUMN_INTEGER, UNIT_TICK, 0, NULL,
                  "When it ended, on the counter of the device."},
};

static const struct field fields[] = {
    {.column = "function_type", .offset = 0, .width = 2, .first_bit = 0, .bit_count = 6},
    {.column = "counter", .offset = 0, .width = 2, .first_bit = 6, .bit_count = 4},
    {.column = "task_type", .offset = 0, .width = 2, .first_bit = 10, .bit_count = 6},
    {.column = "stream_word", .offset = 4, .width = 2},
    {.column = "task_word", .offset = 6, .width = 2},
    {.column = "sub_task_type", .offset = 16, .width = 2, .first_bit = 0, .bit_count = 8},
    {.column = "overflow", .offset = 16, .width = 2, .first_bit = 10, .bit_count = 1},
    {.column = "sub_task_id", .offset = 18, .width = 2},
    {.column = "core_type", .offset = 20, .width = 1, .first_bit = 0, .bit_count = 1},
    {.column = "core_id", .offset = 20, .width = 1, .first_bit = 1, .bit_count = 7},
    {.column = "ffts_type", .offset = 20, .width = 2, .first_bit = 13, .bit_count = 3},
    {.column = "sub_block_id", .offset = 28, .width = 2},
    {.column = "block_id", .offset = 30, .width = 2},
    {.column = "total_cycle", .offset = 32, .width = 8},
    {.column = "event0", .offset = 48, .width = 8},
    {.column = "event1", .offset = 56, .width = 8},
    {.column = "event2", .offset = 64, .width = 8},
    {.column = "event3", .offset = 72, .width = 8},
    {.column = "event4", .offset = 80, .width = 8},
    {.column = "event5", .offset = 88, .width = 8},
    {.column = "event6", .offset = 96, .width = 8},
    {.column = "event7", .offset = 104, .width = 8},
    {.column = "start_tick", .offset = 112, .width = 8},
    {.column = "end_tick", .offset = 120, .width = 8},
};

static const struct layout layouts[] = {
    {
        .name = "ffts-profile-128",
        .source =
            "CANN ffts_profile.data record, chips 5, 7, 8 and 11, 128 bytes, magic 0x6BD3 at 2 (cann-formats 4.4)",
        .record_size = 128,
        .magics = {{.offset = 2, .width = 2, .value = 0x6bd3}},
        .fields = fields,
        .field_count = sizeof fields / sizeof *fields,
    },
};

enum { FUNCTION_TASK = 0x28, FUNCTION_BLOCK = 0x29 };
enum { FFTS_AIC = 0, FFTS_AIV = 1, FFTS_PLUS = 4, FFTS_MIX = 5 };
enum { PART_AIV = 1, PART_MIX_AIC = 6, PART_MIX_AIV = 7 };

struct state {
    const struct capture_part *part;
    struct association *association; /* NULL outside of a CANN capture */
    uint32_t device_id;
    struct sequence sequence;
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    state->part = decoder_part(decoder);
    state->association = decoder_association(decoder);
    state->device_id = (uint32_t)file->identity.device_id;
    return 0;
}

/* Which kind of core counted. */
static enum pmu_core core_of(const struct row *row, bool block)
{
    int64_t part = row->cells[SUB_TASK_TYPE].integer;
    if (block)
        return row->cells[CORE_TYPE].integer != 0 ? PMU_CORE_AIV : PMU_CORE_AIC;
    switch (row->cells[FFTS_TYPE].integer) {
    case FFTS_PLUS:
    case FFTS_MIX:
        return part == PART_AIV || part == PART_MIX_AIV ? PMU_CORE_AIV : PMU_CORE_AIC;
    case FFTS_AIV:
        return PMU_CORE_AIV;
    default:
        return PMU_CORE_AIC;
    }
}

/* Blocks say something new only on the kind of core that a mixed task does not begin on: the task's own record has the
 * others in it. */
static bool is_of_other_core(const struct row *row)
{
    int64_t part = row->cells[SUB_TASK_TYPE].integer;
    return part == PART_MIX_AIC   ? row->cells[CORE_TYPE].integer != 0
           : part == PART_MIX_AIV ? row->cells[CORE_TYPE].integer == 0
                                  : false;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    const struct cell *cells = row->cells;
    bool block = cells[FUNCTION_TYPE].integer == FUNCTION_BLOCK;
    sequence_check(&state->sequence, decoder, cells[COUNTER].integer);
    if (block ? !is_of_other_core(row) : cells[FUNCTION_TYPE].integer != FUNCTION_TASK)
        return 0;
    if (!block && cells[OVERFLOW].integer != 0) {
        struct place place = decoder_place(decoder, "overflow");
        diag_report(decoder_diag(decoder), DIAG_RECORD_VALUE, &place, "counters that ran over; expected none");
        *keep = false;
        return 0;
    }
    struct device_pmu pmu = {
        .start_ns = part_device_ns(state->part, cells[START_TICK].integer),
        .context_id = cells[FFTS_TYPE].integer == FFTS_PLUS ? cells[SUB_TASK_ID].integer : NO_CONTEXT,
        .device_id = state->device_id,
        .core = core_of(row, block),
        .block = block,
        .total_cycle = cells[TOTAL_CYCLE].integer,
    };
    stars_decode_ids((uint32_t)cells[STREAM_WORD].integer, (uint32_t)cells[TASK_WORD].integer, &pmu.stream_id,
                     &pmu.task_id);
    for (size_t i = 0; i < PMU_COUNTERS; i++)
        pmu.counters[i] = cells[EVENT0 + i].integer;
    return state->association != NULL ? association_add_pmu(state->association, &pmu, err) : 0;
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct state),
    .open = open_stream,
    .record = take_record,
};

const struct record_kind kind_ffts_profile = {
    .name = "ffts_profile",
    .cann = true,
    .stage = 1,
    .title = "Core PMU of STARS chips",
    .doc = "Cycles and eight event counters of a task, of a part of an FFTS+ task, or of one block of it. They are "
           "joined with the task.",
    .patterns = patterns,
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .layouts = layouts,
    .layout_count = sizeof layouts / sizeof *layouts,
    .hooks = &hooks,
};
