/* SPDX-License-Identifier: Apache-2.0 */
/* Points of iterations in captures of 2020: training_trace.*, a record for each point that a device passes. */
#include "base/number.h"
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(STORED, MADE)                                                                                          \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name; NULL: the host.")          \
    STORED(POINT, "point", "Point", NAMES(PLAIN, points),                                                              \
           "Point that was passed: 3 to 254 the begin (odd) and end (even) of what runs beside the propagations, "     \
           "from 256 on the start of an iteration.",                                                                   \
           AT(0, 8))                                                                                                   \
    STORED(TASK_ID, "task_id", "Task ID", NUMBER, "The task that passed it.", AT(8, 2))                                \
    STORED(STREAM_ID, "stream_id", "Stream ID", NUMBER, "Its stream.", AT(10, 2))                                      \
    STORED(TICK, "tick", "System counter", INTEGER(TICK, PLAIN), "When, on the device's system counter.", AT(12, 8))   \
    MADE(TIME_NS, "time_ns", "Time", INTEGER(NS, DERIVED | COLUMN_ORIGIN), "Counter as a time.")

enum { COLUMNS(COLUMN_NUMBER, COLUMN_NUMBER) };

static const struct value_name points[] = {
    {1, "forward begins"}, {2, "backward ends"}, {255, "iteration ends"}, {0, NULL}};

static const struct column columns[] = {COLUMNS(COLUMN_STORED, COLUMN_MADE)};

static const struct field fields[] = {COLUMNS(COLUMN_FIELD, COLUMN_NO_FIELD)};

enum { FORWARD = 1, ITERATION_END = 255 };

struct state {
    const struct capture_file *file;
    int64_t khz, last_tick;
    int64_t begun_tick; /* of the running iteration; -1: none runs */
};

static int open_stream(struct decoder *decoder, void *opaque, const struct capture_file *file, struct err *err)
{
    struct state *state = opaque;
    (void)err;
    state->file = file;
    state->khz = capture_counter_khz(decoder_capture(decoder), file->identity.device_id);
    state->begun_tick = -1;
    return 0;
}

/* Reports an iteration that begins and never ends. */
static void end_iteration(struct state *state, struct decoder *decoder, const struct place *place)
{
    if (state->begun_tick >= 0)
        diag_report(decoder_capture(decoder)->diag, DIAG_ITERATION_OPEN, place,
                    "the iteration of point 1 at tick %lld has no point 255", (long long)state->begun_tick);
    state->begun_tick = -1;
}

/* Follows the iterations as steps are made of them: a start, like the next point 1, says that the one before has no
 * end. */
static void follow(struct state *state, struct decoder *decoder, int64_t point, int64_t tick)
{
    struct place place = decoder_place(decoder, "point");
    if (point == FORWARD || point == 0 || point > ITERATION_END)
        end_iteration(state, decoder, &place);
    if (point == FORWARD)
        state->begun_tick = tick;
    if (point == ITERATION_END && state->begun_tick < 0)
        diag_report(decoder_capture(decoder)->diag, DIAG_ITERATION_HEADLESS, &place,
                    "the iteration that ends at tick %lld has no point 1", (long long)tick);
    if (point == ITERATION_END)
        state->begun_tick = -1;
    if (tick < state->last_tick)
        diag_report(decoder_capture(decoder)->diag, DIAG_RECORD_ORDER, &place,
                    "tick %lld after %lld; expected later ones to follow", (long long)tick,
                    (long long)state->last_tick);
    state->last_tick = tick;
}

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    struct state *state = opaque;
    (void)err;
    if (!row_has(row, TICK) || !row_has(row, POINT)) {
        *keep = false; /* beyond 63 bits, which has been reported */
        return 0;
    }
    int64_t time_ns = number_scale(row->cells[TICK].integer, 1000000, state->khz);
    row_set_integer(row, DEVICE_ID, state->file->identity.device_id);
    row_set_integer(row, TIME_NS, time_ns);
    *keep = decoder_check_span(decoder, "a point of an iteration", time_ns, time_ns);
    if (*keep)
        follow(state, decoder, row->cells[POINT].integer, row->cells[TICK].integer);
    return 0;
}

static int close_stream(struct decoder *decoder, void *opaque, bool failed, struct err *err)
{
    struct state *state = opaque;
    struct place place = {state->file->name, -1, -1, NULL};
    (void)err;
    if (!failed)
        end_iteration(state, decoder, &place);
    return 0;
}

const struct record_kind kind_training_trace = {
    OWN_TABLE("training_trace"),
    .families = FAMILY_JOB,
    .title = "Point of a training iteration",
    .doc =
        "The points of iterations that a device passed. Point 1 is where forward propagation begins, 2 where backward "
        "propagation ends, 255 the end of the iteration; others come in pairs, (3, 4), (5, 6) and so on, the begin and "
        "end of what step_point names.",
    .patterns =
        (const char *const[]){"training_trace.{number}.dev.profiler_default_tag.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("training-trace-20", 20, fields,
                               "docs/formats/cann.md 4.2.1: 20 bytes, no magic, as a real Ascend 910A capture has it")),
    HOOKS(.state_size = sizeof(struct state), .open = open_stream, .record = take_record, .close = close_stream),
};
