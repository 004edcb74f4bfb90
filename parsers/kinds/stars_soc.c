/* Task log of Ascend chips with STARS, the scheduler since the 910B: stars_soc.data, a record for each start and end.
 */
#include "parsers/decode.h"
#include "parsers/device_stream.h"

static const char *const patterns[] = {
    "stars_soc.data.{device_id}.slice_{slice}",
    NULL,
};

static const struct value_name functions[] = {{0, "task start"}, {1, "task end"},     {34, "part start"},
                                              {35, "part end"},  {36, "block start"}, {37, "block end"},
                                              {0, NULL}};

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
    TICK,
    SUB_TASK_TYPE,
    SUB_TASK_ID,
    FFTS_TYPE,
    THREAD_ID
};

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [FUNCTION_TYPE] = {"function_type", "Function", COLUMN_INTEGER, UNIT_NONE, 0, functions, "What happened."},
    [COUNTER] = {"counter", "Counter", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                 "Counts records modulo 16; a gap means lost records."},
    [TASK_TYPE] = {"task_type", "Task type", COLUMN_INTEGER, UNIT_NONE, 0, task_types,
                   "What kind of entry of the submission queue it is."},
    [STREAM_WORD] = {"stream_word", "Stream word", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "The stream, with bits of the task on some chips."},
    [TASK_WORD] = {"task_word", "Task word", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "The task, with bits of the stream on some chips."},
    [TICK] = {"tick", "System counter", COLUMN_INTEGER, UNIT_TICK, 0, NULL, "When, on the counter of the device."},
    [SUB_TASK_TYPE] = {"sub_task_type", "Part type", COLUMN_INTEGER, UNIT_NONE, 0, sub_task_types,
                       "What kind of part it is; of an FFTS+ task."},
    [SUB_TASK_ID] = {"sub_task_id", "Context ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                     "Which part it is; of an FFTS+ task. For a whole task the low 6 bits name the accelerator."},
    [FFTS_TYPE] = {"ffts_type", "FFTS type", COLUMN_INTEGER, UNIT_NONE, 0, ffts_types, "How the task is split."},
    [THREAD_ID] = {"thread_id", "FFTS thread", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                   "The thread of the part; of an FFTS+ task."},
};

static const struct field fields[] = {
    {.column = "function_type", .offset = 0, .width = 2, .first_bit = 0, .bit_count = 6},
    {.column = "counter", .offset = 0, .width = 2, .first_bit = 6, .bit_count = 4},
    {.column = "task_type", .offset = 0, .width = 2, .first_bit = 10, .bit_count = 6},
    {.column = "stream_word", .offset = 4, .width = 2},
    {.column = "task_word", .offset = 6, .width = 2},
    {.column = "tick", .offset = 8, .width = 8},
    {.column = "sub_task_type", .offset = 16, .width = 2, .first_bit = 0, .bit_count = 8},
    {.column = "sub_task_id", .offset = 18, .width = 2},
    {.column = "ffts_type", .offset = 20, .width = 2, .first_bit = 13, .bit_count = 3},
    {.column = "thread_id", .offset = 22, .width = 2},
};

static const struct layout layouts[] = {
    {
        .name = "stars-soc-64",
        .source = "CANN stars_soc.data record, chips 5, 7, 8 and 11, 64 bytes, magic 0x6BD3 at 2 (cann-formats 5.2)",
        .record_size = 64,
        .magics = {{.offset = 2, .width = 2, .value = 0x6bd3}},
        .fields = fields,
        .field_count = sizeof fields / sizeof *fields,
    },
};

enum { TASK_START = 0x00, TASK_END = 0x01, PART_START = 0x22, PART_END = 0x23 };

struct state {
    const struct capture_part *part;
    struct association *association; /* NULL outside of a CANN capture */
    uint32_t device_id;
    struct task_pairs pairs;
    struct sequence sequence;
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    state->part = decoder_part(decoder);
    state->association = decoder_association(decoder);
    state->device_id = (uint32_t)file->identity.device_id;
    return task_pairs_init(&state->pairs, file, err);
}

static int take_end(struct decoder *decoder, struct state *state, const struct task_key *key, int64_t tick,
                    uint32_t type, struct err *err)
{
    int64_t start_tick;
    if (!task_pairs_end(&state->pairs, decoder, key, tick, &start_tick))
        return 0;
    struct device_task task = {
        .start_ns = part_device_ns(state->part, start_tick),
        .end_ns = part_device_ns(state->part, tick),
        .context_id = key->context_id == WHOLE_TASK ? NO_CONTEXT : key->context_id,
        .device_id = state->device_id,
        .stream_id = key->stream_id,
        .task_id = key->task_id,
        .type = type,
    };
    if (!task_pairs_check_span(decoder, key, task.start_ns, task.end_ns) || state->association == NULL)
        return 0;
    return association_add_task(state->association, &task, err);
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    (void)keep;
    struct state *state = opaque;
    const struct cell *cells = row->cells;
    struct task_key key = {.context_id = WHOLE_TASK};
    int64_t function = cells[FUNCTION_TYPE].integer, tick = cells[TICK].integer;
    bool is_part = function == PART_START || function == PART_END;
    sequence_check(&state->sequence, decoder, cells[COUNTER].integer);
    stars_decode_ids((uint32_t)cells[STREAM_WORD].integer, (uint32_t)cells[TASK_WORD].integer, &key.stream_id,
                     &key.task_id);
    if (is_part) {
        key.context_id = (uint32_t)cells[SUB_TASK_ID].integer;
        key.thread_id = (uint32_t)cells[THREAD_ID].integer;
    }
    switch (function) {
    case TASK_START:
    case PART_START:
        return task_pairs_start(&state->pairs, decoder, &key, tick, err);
    case TASK_END:
    case PART_END:
        return take_end(decoder, state, &key, tick, (uint32_t)cells[is_part ? SUB_TASK_TYPE : TASK_TYPE].integer, err);
    default: /* blocks and the load of links and memories say nothing about tasks */
        return 0;
    }
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    task_pairs_finish(&state->pairs, decoder, failed);
    return 0;
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct state),
    .open = open_stream,
    .record = take_record,
    .close = close_stream,
};

const struct record_kind kind_stars_soc = {
    .name = "stars_soc",
    .cann = true,
    .title = "STARS task log",
    .doc = "Starts and ends of tasks, and of the parts of FFTS+ tasks, in the order in which the scheduler wrote them. "
           "They become the tasks of the device.",
    .patterns = patterns,
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .layouts = layouts,
    .layout_count = sizeof layouts / sizeof *layouts,
    .hooks = &hooks,
};
