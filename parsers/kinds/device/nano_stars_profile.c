/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of chip 9 with their counters: nano_stars_profile.data. */
#include "parsers/kinds/common/columns.h"
#include "parsers/kinds/common/record_stream.h"
#include "parsers/kinds/common/sample.h"

#define COLUMNS(MADE)                                                                                                  \
    MADE(FILE_ID, "file_id", "File", INTEGER(NONE, FILE), "The file it came from (source_file.id).")                   \
    MADE(DEVICE_ID, "device_id", "Device ID", MADE_NUMBER, "The device, from the file name; NULL: the host.")          \
    MADE(MODEL_ID, "model_id", "Model ID", NUMBER, "The model.")                                                       \
    MADE(TASK_ID, "task_id", "Task ID", NUMBER, "The task of the model.")                                              \
    MADE(TASK_TYPE, "task_type", "Task type", NAMES(PLAIN, core_names), "Core that it runs on.")                       \
    MADE(TICK_LOW, "start_tick_low", "Stamp", INTEGER(NONE, TRANSIENT),                                                \
         "The lowest 32 bits of when it began, on the counter of the device.")                                         \
    MADE(TICK_MIDDLE, "start_tick_middle", "Stamp", INTEGER(NONE, TRANSIENT), "Bits 32 to 47 of it.")                  \
    MADE(TICK_HIGH, "start_tick_high", "Stamp", INTEGER(NONE, TRANSIENT), "Bits 48 to 55 of it.")                      \
    MADE(DURATION_TICKS, "duration_ticks", "Stamp", INTEGER(NONE, TRANSIENT),                                          \
         "How long it ran, on the counter of the device.")                                                             \
    MADE(CYCLES_LOW, "total_cycle_low", "Stamp", INTEGER(NONE, TRANSIENT), "The lowest 32 bits of the cycles.")        \
    MADE(CYCLES_HIGH, "total_cycle_high", "Stamp", INTEGER(NONE, TRANSIENT), "Bits 32 to 39 of them.")                 \
    MADE(START_NS, "start_ns", "Start", INTEGER(NS, DERIVED), "When it began, since 1970.")                            \
    MADE(DURATION_NS, "duration_ns", "Duration", INTEGER(NS, DERIVED), "How long it ran.")                             \
    MADE(TOTAL_CYCLE, "total_cycle", "Cycles", INTEGER(CYCLE, DERIVED), "The cycles that the core counted.")

#define EACH_EVENT(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)
#define EVENT(n) NUMBER_COLUMN("event" #n, "Event " #n, "Counter of the event of that place."),
#define EVENT_FIELD(n) FIELD("event" #n, 24 + 4 * (n), 4),

enum { COLUMNS(COLUMN_NUMBER) };
static const struct column columns[] = {COLUMNS(COLUMN_MADE) EACH_EVENT(EVENT)};

static const struct field fields[] = {BITS_FIELD("task_type", 0, 1, 1, 3),
                                      FIELD("model_id", 1, 1),
                                      FIELD("task_id", 6, 2),
                                      FIELD("start_tick_low", 8, 4),
                                      FIELD("duration_ticks", 12, 4),
                                      FIELD("total_cycle_low", 16, 4),
                                      FIELD("start_tick_middle", 20, 2),
                                      FIELD("start_tick_high", 22, 1),
                                      FIELD("total_cycle_high", 23, 1),
                                      EACH_EVENT(EVENT_FIELD)};

#define NO_STREAM 65535

static int take_record(struct decoder *decoder, void *opaque, struct row *row, bool *keep, struct err *err)
{
    const struct record_stream *state = opaque;
    const struct cell *cells = row->cells;
    int64_t start_tick = cells[TICK_HIGH].integer << 48 | cells[TICK_MIDDLE].integer << 32 | cells[TICK_LOW].integer;
    struct device_task task = {
        .start_ns = part_device_ns(state->part, start_tick),
        .end_ns = part_device_ns(state->part, start_tick + cells[DURATION_TICKS].integer),
        .context_id = NO_CONTEXT,
        .device_id = (uint32_t)state->device_id,
        .stream_id = NO_STREAM,
        .task_id = (uint32_t)cells[TASK_ID].integer,
    };
    *keep = decoder_check_span(decoder, "the task", task.start_ns, task.end_ns);
    if (!*keep)
        return 0;
    row_set_integer(row, DEVICE_ID, state->device_id);
    row_set_integer(row, START_NS, task.start_ns);
    row_set_integer(row, DURATION_NS, task.end_ns - task.start_ns);
    row_set_integer(row, TOTAL_CYCLE, cells[CYCLES_HIGH].integer << 32 | cells[CYCLES_LOW].integer);
    return state->association != NULL ? association_add_task(state->association, &task, err) : 0;
}

#define EVENT_CELL(n)                                                                                                  \
    {                                                                                                                  \
        "Event " #n, "event" #n, .flags = REPORT_NUMBER, .doc = "Counter of the event of that place."                  \
    }

const struct record_kind kind_nano_stars_profile = {
    .name = "nano_stars_profile",
    .table = "nano_task",
    .families = FAMILY_CANN,
    .of_device_join = true,
    .title = "Task of chip 9",
    .doc = "When a task of a model ran on a device of chip 9, and what its core counted. Which stream it was on and "
           "which operator, the device does not say: it is a task of stream 65535.",
    .patterns = (const char *const[]){"nano_stars_profile.data.{device_id}.slice_{slice}", NULL},
    RECORDS_OF(columns, LAYOUT("nano-stars-profile-64", 64, fields,
                               "CANN nano_stars_profile.data record, chip 9, 64 bytes (docs/formats/cann.md 4.5)")),
    HOOKS(.state_size = sizeof(struct record_stream), .open = record_stream_open, .record = take_record),
    ONE_SERIES(.name = "nano_task", .title = "Tasks of chip 9",
               .doc = "When each task of a model ran, with its counters.",
               .query = {.order_by = "device_id, start_ns, id"},
               .columns = VALUE_LIST(
                   {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
                   {"Model ID", "model_id", .flags = REPORT_NUMBER, .doc = "The model."},
                   {"Task ID", "task_id", .flags = REPORT_NUMBER, .doc = "The task of the model."},
                   {"Task Type", "task_type", .names = core_names, .doc = "Core that it ran on."},
                   {"Task Start Time(us)", "start_ns", .form = FORM_TIME, .doc = "When it began."},
                   {"Task Duration(us)", "exact_ns(device_id, start_ns, duration_ns)", FORM_SCALED, 3,
                    .doc = "How long it ran."},
                   {"total_cycles", "total_cycle", .flags = REPORT_NUMBER, .doc = "The cycles that the core counted."},
                   EVENT_CELL(0), EVENT_CELL(1), EVENT_CELL(2), EVENT_CELL(3), EVENT_CELL(4), EVENT_CELL(5),
                   EVENT_CELL(6), EVENT_CELL(7), EVENT_CELL(8), EVENT_CELL(9))),
};
