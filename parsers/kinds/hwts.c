/* hwts log of Ascend chips with a hardware task scheduler: hwts.data and its older names, a record for each start and
 * end. */
#include "base/number.h"
#include "parsers/decode.h"
#include "parsers/kinds/task.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const patterns[] = {
    "hwts.data.{device_id}.slice_{slice}",
    "hwts.log.data.{number}.dev.profiler_default_tag.{device_id}.slice_{slice}",
    "hwts.log.data.{number}.{device_id}.{slice}",
    NULL,
};

enum { FILE_ID, TYPE, COUNTER, TASK_ID, STREAM_ID, TICK };
enum { TYPE_START, TYPE_END };

static const struct value_name types[] = {
    {TYPE_START, "start"}, {TYPE_END, "end"}, {2, "block start"}, {3, "block end"}, {0, NULL}};

static const struct column columns[] = {
    [FILE_ID] = {"file_id", "File", COLUMN_INTEGER, UNIT_NONE, COLUMN_FILE, NULL,
                 "The file it came from (source_file.id)."},
    [TYPE] = {"type", "Type", COLUMN_INTEGER, UNIT_NONE, 0, types, "What happened."},
    [COUNTER] = {"counter", "Counter", COLUMN_INTEGER, UNIT_NONE, 0, NULL,
                 "Counts records modulo 16; a gap means lost records."},
    [TASK_ID] = {"task_id", "Task ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The task's number."},
    [STREAM_ID] = {"stream_id", "Stream ID", COLUMN_INTEGER, UNIT_NONE, 0, NULL, "The stream."},
    [TICK] = {"tick", "System counter", COLUMN_INTEGER, UNIT_TICK, 0, NULL, "When, on the device's system counter."},
};

static const struct field fields[] = {
    {.column = "type", .offset = 0, .width = 1, .first_bit = 0, .bit_count = 3},
    {.column = "counter", .offset = 0, .width = 1, .first_bit = 4, .bit_count = 4},
    {.column = "task_id", .offset = 6, .width = 2},
    {.column = "tick", .offset = 8, .width = 8},
    {.column = "stream_id", .offset = 16, .width = 4},
};

static const struct layout layouts[] = {{
    .name = "hwts-64",
    .source = "CANN hwts.data record, chips 1 to 4, 64 bytes, magic 0x6BD3 at 2 (Ascend/msprof of 2022, hwts_log.py); "
              "the counter in bits 4 "
              "to 7 as a real Ascend 910A capture has it",
    .record_size = 64,
    .magics = {{.offset = 2, .width = 2, .value = 0x6bd3}},
    .fields = fields,
    .field_count = sizeof fields / sizeof *fields,
}};

/* Starts that wait for their end. Tasks that are under way at once are few; a damaged file must not take all memory. */
#define MAX_OPEN_STARTS (1u << 18)
#define FREQUENCY_910A_KHZ 100000 /* the 910A's system counter when the capture does not say (cann-formats 2.1) */

struct open_start {
    uint64_t key; /* stream << 32 | task */
    int64_t tick;
    bool taken;
};

struct state {
    const struct capture_file *file;
    int64_t khz;
    struct open_start *starts; /* open addressing, capacity a power of two */
    size_t capacity, used;
    int64_t last_counter, last_tick;
    bool seen;
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    struct capture *capture = decoder_capture(decoder);
    const struct device_info *device = capture_device(capture, file->identity.device_id);
    state->file = file;
    state->khz = capture->options.clock_khz > 0              ? capture->options.clock_khz
                 : device != NULL && device->counter_khz > 0 ? device->counter_khz
                                                             : FREQUENCY_910A_KHZ;
    state->capacity = 1024;
    state->starts = calloc(state->capacity, sizeof *state->starts);
    return state->starts != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

static struct open_start *find_start(const struct state *state, uint64_t key)
{
    size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 20) & (state->capacity - 1);
    while (state->starts[i].taken && state->starts[i].key != key)
        i = (i + 1) & (state->capacity - 1);
    return &state->starts[i];
}

static int grow(struct state *state, struct err *err)
{
    struct state larger = {.capacity = state->capacity * 2};
    larger.starts = calloc(larger.capacity, sizeof *larger.starts);
    if (larger.starts == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < state->capacity; i++) {
        if (state->starts[i].taken)
            *find_start(&larger, state->starts[i].key) = state->starts[i];
    }
    free(state->starts);
    state->starts = larger.starts;
    state->capacity = larger.capacity;
    return 0;
}

/* Removes an entry without leaving a hole that would hide later entries of the same chain. */
static void remove_start(struct state *state, struct open_start *start)
{
    size_t hole = (size_t)(start - state->starts), mask = state->capacity - 1;
    for (size_t i = (hole + 1) & mask; state->starts[i].taken; i = (i + 1) & mask) {
        size_t home = (size_t)((state->starts[i].key * 0x9e3779b97f4a7c15u) >> 20) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            state->starts[hole] = state->starts[i];
            hole = i;
        }
    }
    state->starts[hole].taken = false;
    state->used--;
}

static int64_t nanoseconds(const struct state *state, int64_t tick)
{
    return number_scale(tick, 1000000, state->khz);
}

/* A task at the record of its end. */
static int emit_task(struct decoder *decoder, const struct state *state, uint64_t key, int64_t start_ns, int64_t end_ns,
                     int64_t file_id, struct err *err)
{
    struct row row;
    int status = decoder_emit(decoder, &kind_task, &row, err);
    if (status < 0)
        return status;
    row_set_integer(&row, TASK_FILE_ID, file_id);
    row_set_integer(&row, TASK_DEVICE_ID, state->file->identity.device_id);
    row_set_integer(&row, TASK_STREAM_ID, (int64_t)(key >> 32));
    row_set_integer(&row, TASK_TASK_ID, (int64_t)(key & 0xffffffff));
    row_set_integer(&row, TASK_START_NS, start_ns);
    row_set_integer(&row, TASK_DURATION_NS, end_ns - start_ns);
    return 0;
}

static int take_start(struct decoder *decoder, struct state *state, uint64_t key, int64_t tick, struct err *err)
{
    struct open_start *start = find_start(state, key);
    struct place place = decoder_place(decoder, NULL);
    if (start->taken) {
        diag_report(decoder_diag(decoder), DIAG_TASK_UNMATCHED_START, &place,
                    "stream %lld task %lld starts again; the start at tick %lld has no end", (long long)(key >> 32),
                    (long long)(key & 0xffffffff), (long long)start->tick);
        start->tick = tick;
        return 0;
    }
    if (state->used >= MAX_OPEN_STARTS) {
        diag_report(decoder_diag(decoder), DIAG_TASK_UNMATCHED_START, &place, "more than %u tasks under way at once",
                    MAX_OPEN_STARTS);
        return 0;
    }
    *start = (struct open_start){key, tick, true};
    state->used++;
    return state->used * 2 > state->capacity ? grow(state, err) : 0;
}

static int take_end(struct decoder *decoder, struct state *state, uint64_t key, const struct row *row, struct err *err)
{
    char task[64];
    struct open_start *start = find_start(state, key);
    struct place place = decoder_place(decoder, NULL);
    snprintf(task, sizeof task, "stream %lld task %lld", (long long)(key >> 32), (long long)(key & 0xffffffff));
    if (!start->taken) {
        diag_report(decoder_diag(decoder), DIAG_TASK_UNMATCHED_END, &place, "%s ends without a start", task);
        return 0;
    }
    int64_t start_ns = nanoseconds(state, start->tick), end_ns = nanoseconds(state, row->cells[TICK].integer);
    remove_start(state, start);
    if (!decoder_check_span(decoder, task, start_ns, end_ns))
        return 0;
    return emit_task(decoder, state, key, start_ns, end_ns, row->cells[FILE_ID].integer, err);
}

static void check_sequence(struct decoder *decoder, struct state *state, const struct row *row)
{
    struct diagnostics *diag = decoder_diag(decoder);
    if (row_has(row, COUNTER)) {
        int64_t counter = row->cells[COUNTER].integer;
        if (state->seen && counter != ((state->last_counter + 1) & 15)) {
            struct place place = decoder_place(decoder, "counter");
            diag_report(diag, DIAG_RECORD_LOST, &place, "counter %lld after %lld; expected %lld", (long long)counter,
                        (long long)state->last_counter, (long long)((state->last_counter + 1) & 15));
        }
        state->last_counter = counter;
    }
    int64_t tick = row->cells[TICK].integer;
    if (state->seen && tick < state->last_tick) {
        struct place place = decoder_place(decoder, "tick");
        diag_report(diag, DIAG_RECORD_ORDER, &place, "tick %lld after %lld", (long long)tick,
                    (long long)state->last_tick);
    }
    state->last_tick = tick;
    state->seen = true;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    (void)keep;
    if (!row_has(row, TYPE) || !row_has(row, TICK) || !row_has(row, STREAM_ID) || !row_has(row, TASK_ID))
        return 0;
    check_sequence(decoder, state, row);
    uint64_t key =
        ((uint64_t)row->cells[STREAM_ID].integer << 32 | (uint64_t)(row->cells[TASK_ID].integer & 0xffffffff));
    switch (row->cells[TYPE].integer) {
    case TYPE_START:
        return take_start(decoder, state, key, row->cells[TICK].integer, err);
    case TYPE_END:
        return take_end(decoder, state, key, row, err);
    default: /* blocks of a task; the task's own start and end say all that is reported */
        return 0;
    }
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    (void)err;
    struct state *state = opaque;
    struct place place = {state->file->name, -1, -1, NULL};
    for (size_t i = 0; !failed && i < state->capacity; i++) {
        const struct open_start *start = &state->starts[i];
        if (start->taken)
            diag_report(decoder_diag(decoder), DIAG_TASK_UNMATCHED_START, &place,
                        "stream %lld task %lld started at tick %lld and did not end", (long long)(start->key >> 32),
                        (long long)(start->key & 0xffffffff), (long long)start->tick);
    }
    free(state->starts);
    return 0;
}

static const struct kind_hooks hooks = {
    .state_size = sizeof(struct state),
    .open = open_stream,
    .record = take_record,
    .close = close_stream,
};

const struct record_kind kind_hwts = {
    .name = "hwts",
    .table = "hwts_log",
    .title = "Hardware task scheduler log",
    .doc = "Starts and ends of tasks on an Ascend device, in the order in which the scheduler wrote them.",
    .patterns = patterns,
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .layouts = layouts,
    .layout_count = 1,
    .hooks = &hooks,
};
