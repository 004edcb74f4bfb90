/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations of models beside the tasks of the devices: forward and backward propagation, all-reduces, fetching of
 * input; of captures of 2020 as a process of their own. */
#include "db/query/operators/query_steps.h"
#include "db/query/query_loop.h"
#include "exporters/cann_report.h"
#include "exporters/timeline/track.h"
#include "features/earlier/timeline/timeline_earlier.h"

#define IN(parts, value) "iif(part IN (" parts "), " value ", NULL)"
#define KNOWN_IN(parts, time) IN(parts, "coalesce(" time ", 'N/A')"), .form = FORM_SCALED_FIXED, .decimals = 3
/* A time since 1970, as a text: readers take numbers for doubles, which round it to a quarter of a microsecond. */
#define TIME_IN(parts, time)                                                                                           \
    IN(parts, "iif(" time " IS NULL, 'N/A', (" time " / 1000) || '.' || substr('00' || (" time " % 1000), -3))"),      \
        .form = FORM_TEXT
#define VALUES                                                                                                         \
    {"Iteration ID", IN("0, 1, 2, 3", "iteration"), .form = FORM_TEXT}, {"FP Start", TIME_IN("0, 1", "forward_ns")},   \
        {"BP End", TIME_IN("0, 1, 2", "backward_ns")}, {"Iteration End", TIME_IN("0, 2", "end_ns")},                   \
        {"Iteration Time(us)", KNOWN_IN("0", "exact_ns(device_id, start_ns, end_ns - start_ns)")},                     \
        {"Data_aug Bound(us)", KNOWN_IN("0", "exact_ns(device_id, forward_ns - augmentation_ns, augmentation_ns)")},   \
        {"FP_BP Time(us)", KNOWN_IN("1", "exact_ns(device_id, forward_ns, backward_ns - forward_ns)")},                \
        {"Iteration Refresh(us)", KNOWN_IN("2", "exact_ns(device_id, backward_ns, end_ns - backward_ns)")},            \
        {"GetNext Start", TIME_IN("4", "from_ns")}, {"GetNext End", TIME_IN("4", "until_ns")},                         \
        {"Reduce Start", TIME_IN("3", "from_ns"), .flags = REPORT_NUMBERED},                                           \
        {"Reduce End", TIME_IN("3", "until_ns"), .flags = REPORT_NUMBERED},                                            \
    {                                                                                                                  \
        "GetNext Time(us)", KNOWN_IN("4", "exact_ns(device_id, from_ns, until_ns - from_ns)")                          \
    }
#define NAME(reduce)                                                                                                   \
    "CASE part WHEN 0 THEN 'Iteration ' || iteration WHEN 1 THEN 'FP_BP Time ' || iteration"                           \
    " WHEN 2 THEN 'Iteration Refresh ' || iteration WHEN 3 THEN 'Reduce_' || iteration || '_' || " reduce              \
    " ELSE 'GetNext' END"
#define BY_START "device_id, model_id, from_ns, until_ns DESC, part"

static const struct report_column values[] = {VALUES, {.title = NULL}};
static const struct value_name categories[] = {{0, "Iteration Time"}, {1, "FP_BP Time"},   {2, "Iteration Refresh"},
                                               {3, "Reduce"},         {4, "GetNext Time"}, {0, NULL}};

#define NO_MODEL SQL_NUMBER(CANN_NO_ID)
/* As Ascend's tool numbers threads: 70000 plus the model, which is -1 of steps that have none (CANN_NO_ID). */
#define THREAD                                                                                                         \
    "CASE WHEN model_id = " NO_MODEL " THEN 69999 WHEN model_id BETWEEN 0 AND " NO_MODEL                               \
    " THEN 70000 + model_id ELSE 70000 END"
#define OF_MODEL "'Step Trace(Model ID:' || model_id || ')'"
/* Ascend's tool numbers all reductions one behind the other on some chips, and writes the number to their times. */
#define VENDOR_PLACE                                                                                                   \
    "iif((SELECT max(chip) FROM capture_part WHERE NOT is_host) IN " CHIPS_OF_CPP                                      \
    ", row_number() OVER (PARTITION BY part = 3 ORDER BY " BY_START ") - 1, place)"
#define EVENTS(thread_is_called, reduce, times_of_reduce, which)                                                       \
    {                                                                                                                  \
        .name = NAME(reduce), .number = (times_of_reduce), .values = values,                                           \
        .query = {.from = "temp.step_piece", .order_by = BY_START}, .time = "from_ns",                                 \
        .duration = "until_ns - from_ns", .ticks = true, .thread = THREAD, .thread_name = thread_is_called,            \
        .last_thread = "max(" THREAD ") FROM temp.step_piece", .category = "part", .categories = categories,           \
        .only = which                                                                                                  \
    }
static const struct series_counter events[] = {
    EVENTS("iif(model_id = " NO_MODEL ", 'Step Trace', " OF_MODEL ")", "place", NULL, COUNTER_OURS),
    EVENTS(OF_MODEL, VENDOR_PLACE, VENDOR_PLACE, COUNTER_VENDOR),
    {.name = NULL},
};

static int begin(struct track_run *run, void *state, struct err *err)
{
    bool any;
    (void)state;
    int status = cann_steps_attach(run->run->db, &any, err);
    return status == 0 && !any ? TRACK_HAS_NONE : status;
}

/* ---- arrows: from the end of backward propagation to the beginning of forward propagation of the iteration behind,
 * which waits for its input ---- */

static const char bounds[] =
    "SELECT device_id, iteration, backward_ns, augmentation_ns, next, next_ns, " THREAD " FROM (SELECT *,"
    "  lead(iteration) OVER one AS next, lead(forward_ns) OVER one AS next_ns FROM temp.step"
    "  WINDOW one AS (PARTITION BY device_id, model_id ORDER BY start_ns, end_ns DESC)) WHERE backward_ns <= next_ns";
enum { DEVICE, ITERATION, BACKWARD, AUGMENTATION, NEXT, NEXT_FORWARD, THREAD_OF };

/* One end, without its argument. */
static void begin_bound(struct event *event, const struct track_run *run, sqlite3_stmt *row, char phase,
                        int64_t time_ns)
{
    event_begin(event, phase, track_pid(run, LAYER_HARDWARE, query_integer(row, DEVICE)), query_integer(row, THREAD_OF),
                time_ns);
    event_name_format(event, "Data_aug Bound %lld", (long long)query_integer(row, ITERATION));
    event_category_first(event, "Data_aug Bound");
    event->head.id_form = EVENT_ID_THREAD;
}

static int draw_bound(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct track_run *run = arg;
    struct event event;
    begin_bound(&event, run, row, 's', query_integer(row, BACKWARD));
    event_us(&event, "Data_aug Bound(us)", sqlite3_column_int64(row, AUGMENTATION));
    if (trace_put(&run->trace, &event, err) < 0)
        return err_status(err);
    begin_bound(&event, run, row, 't', query_integer(row, NEXT_FORWARD));
    event_integer(&event, "Iteration ID", query_integer(row, NEXT));
    return trace_put(&run->trace, &event, err);
}

static int end(struct track_run *run, void *state, struct err *err)
{
    (void)state;
    return query_run(run->run->db, bounds, NULL, 0, draw_bound, run, err);
}

const struct track track_step_trace = {
    .name = "step_trace",
    .process = "Ascend Hardware",
    .doc = "Iterations of models, beside the tasks of the devices.",
    .report = "step_trace",
    .number = LAYER_HARDWARE,
    .events = events,
    .begin = begin,
    .end = end,
};

/* ---- captures of 2020: behind the tasks of a device ---- */

/* The operator that a point is about. */
#define POINT(parts, number)                                                                                           \
    IN(parts, "(SELECT name FROM step_point WHERE device_id IS :device AND point = " number                            \
              " AND name IS NOT NULL ORDER BY id LIMIT 1)")
static const struct series_counter events_job[] = {
    {.name = NAME("pair"),
     .values = VALUE_LIST(VALUES, {"Op Name", POINT("3", "3 + 2 * pair"), .form = FORM_TEXT},
                          {"FP Op Name", POINT("1", "1"), .form = FORM_TEXT},
                          {"BP Op Name", POINT("1", "2"), .form = FORM_TEXT}),
     .query = {.from = "temp.step_piece", .where = "device_id IS :device", .order_by = BY_START},
     .time = "from_ns",
     .duration = "until_ns - from_ns",
     .device = "NULL",
     .thread = "iif(part = 3, stream_id + 1, 0)",
     .thread_name = "iif(part = 3, 'Stream ' || stream_id, 'Iterations')",
     .last_thread = "max(iif(part = 3, stream_id + 1, 0)) FROM temp.step_piece WHERE device_id IS :device",
     .program = "1"},
    {.name = NULL},
};

const struct track track_steps_job = {.name = "iterations", .process = "Iterations", .events = events_job};
