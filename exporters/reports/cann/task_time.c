/* SPDX-License-Identifier: Apache-2.0 */
/* task_time: when every task of the devices ran. */
#include "base/file/spool.h"
#include "base/number.h"
#include "db/query/cann_version.h"
#include "exporters/cann_report.h"
#include "exporters/counters/pmu_rounding.h"
#include "exporters/reports/cann/device_2022.h"
#include "exporters/table/report.h"
#include "parsers/record.h"

#include <math.h>
#include <stdio.h>

enum {
    DEVICE,
    NAME,
    TYPE,
    STREAM,
    TASK,
    DURATION,
    START,
    STOP,
    OPERATOR,
    OPERATOR_TYPE,
    CORE,
    HOST_TYPE,
    DEVICE_TYPE,
    CONTEXT,
    SPLIT
};

static const struct report_column columns[] = {
    [DEVICE] = {"Device_id", "device_id", .flags = REPORT_NUMBER, .doc = "The device."},
    [NAME] = {"kernel_name", "kernel_name_id", FORM_NAME,
              .doc = "The kernel, or the operator where no kernel is known."},
    [TYPE] = {"kernel_type", .flags = REPORT_NARROW,
              .doc = "The core of an operator's task; else the kind of the task according to host or device."},
    [STREAM] = {"stream_id", "stream_id", .flags = REPORT_NUMBER, .doc = "The stream."},
    [TASK] = {"task_id", "task_id", .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Its number in the stream."},
    [DURATION] = {"task_time(us)", "duration_ns", FORM_SCALED, 3, .doc = "Its duration."},
    [START] = {"task_start(us)", "start_ns", FORM_TIME, .doc = "Start, since 1970."},
    [STOP] = {"task_stop(us)", .form = FORM_TIME, .flags = REPORT_NARROW, .doc = "End, since 1970."},
    [OPERATOR] = {"", "op_name_id", .flags = REPORT_INPUT},
    [OPERATOR_TYPE] = {"", "op_type_id", .flags = REPORT_INPUT},
    [CORE] = {"", "op_task_type", .flags = REPORT_INPUT},
    [HOST_TYPE] = {"", "host_type_id", .flags = REPORT_INPUT},
    [DEVICE_TYPE] = {"", "type", .flags = REPORT_INPUT},
    [CONTEXT] = {"", "context_id", .flags = REPORT_INPUT},
    [SPLIT] = {"", "split", .flags = REPORT_INPUT},
    {.title = NULL},
};

/* A mixed kernel stands once: its part 0, of older versions the whole. */
static bool stands_elsewhere(const struct report_run *run, const struct report_value *split)
{
    const bool whole = cann_version_has(run->session->options->cann_version, NAMING_MIXED_WHOLE);
    if (split->kind == VALUE_MISSING)
        return false;
    return split->integer == CANN_SPLIT_MIXED_HIDDEN ||
           split->integer == (whole ? CANN_SPLIT_MIXED_PART : CANN_SPLIT_MIXED_WHOLE);
}

static int take_task(struct report_worker *worker, struct report_value *values, struct err *err)
{
    const struct cann_clocks *const *clocks = worker->run->state;
    bool timed = values[START].kind != VALUE_MISSING && values[DURATION].kind != VALUE_MISSING;
    bool described = values[OPERATOR_TYPE].kind != VALUE_MISSING; /* at level 0 no operator is */
    (void)err;
    if (stands_elsewhere(worker->run, &values[SPLIT]))
        return REPORT_SKIP;
    if (timed) {
        const int64_t hz = cann_clock_hz(*clocks, values[DEVICE].integer);
        values[STOP] = value_integer(number_add(values[START].integer, values[DURATION].integer));
        values[DURATION].integer = ticks_span_ns(hz, values[START].integer, values[DURATION].integer);
    }
    if (values[NAME].kind == VALUE_MISSING && described)
        values[NAME] = values[OPERATOR];
    const bool launched = cann_version_has(worker->run->session->options->cann_version, NAMING_LAUNCHED);
    if (described && !(launched && values[HOST_TYPE].kind != VALUE_MISSING))
        values[TYPE] = value_text(cann_core_type(worker->run->session->options->cann_version,
                                                 values[CORE].kind != VALUE_MISSING ? values[CORE].integer : -1));
    else if (values[HOST_TYPE].kind != VALUE_MISSING)
        values[TYPE] = value_name(values[HOST_TYPE].integer);
    else
        values[TYPE] = value_text(cann_device_type(values[DEVICE_TYPE].integer, values[CONTEXT].kind != VALUE_MISSING));
    return 0;
}

static int open_clocks(struct report_run *run, struct err *err)
{
    const struct cann_clocks **clocks = run->state;
    *clocks = report_clocks(run->session, err);
    return *clocks != NULL ? 0 : err_status(err);
}

static const struct report_scan scan = {.table = "device_task", .row = take_task};

const struct report report_task_time = {
    .name = "task_time",
    .title = "Tasks",
    .doc = "Time and kind of every task of the devices.",
    .families = FAMILY_CANN,
    .columns = columns,
    .state_size = sizeof(const struct cann_clocks *),
    .open = open_clocks,
    .scan = &scan,
};

/* task_time: when every task ran, as Ascend's tool of 2022 has it: on chip 0 with its states. */
struct shown {
    const char *type;
    struct report_value name;
    int64_t api_id, stream_id, task_id, count;
    struct report_value time, start, stop, share, waiting, pending;
};

#define ON_CHIP_0 "EXISTS (SELECT 1 FROM capture_part WHERE NOT is_host AND chip = 0)"
#define ELSEWHERE .when = "NOT " ON_CHIP_0
#define HERE .when = ON_CHIP_0

/* On chip 0 a row is one task, so its count is 1 and its mean, shortest and longest are its time. */
struct tasks {
    struct device_2022 device;
    double all_time;      /* of all tasks */
    bool quotes;          /* the tool put some times in quotes, which only files have */
    struct spool *sorted; /* struct sorted_task: as the table has them */
    struct spool *spans;
    struct query_window window; /* of copies, which are no rows of narrowed tables */
};

struct sorted_task {
    double start, end, waiting, pending;
    int64_t name_id, api_id, stream_id, task_id;
    const char *type;
};

static void close_tasks(struct report_run *run)
{
    const struct tasks *tasks = run->state;
    spool_free(tasks->sorted);
}

static struct sorted_task sorted_task(const struct span_2022 *span, const struct cann_task *task)
{
    return (struct sorted_task){
        .start = span->start,
        .end = span->end,
        .name_id = task->op_name_id,
        .api_id = DB_NULL,
        .stream_id = task->stream_id,
        .task_id = task->task_id,
    };
}

static uint64_t numbers_of(int64_t first, int64_t second)
{
    return (uint64_t)first << 32 | (uint32_t)second;
}

/* ---- chip 0 ---- */

/* The largest share that is shown first. */
static int sort_state(void *arg, const struct cann_task *task, struct err *err)
{
    static const char *const types[] = {"kernel AI core task", "kernel AI cpu task", "event record",
                                        "stream wait event",   "fusion issue",       "memory async copy"};
    const struct tasks *tasks = ((struct report_run *)arg)->state;
    struct span_2022 span;
    if (span_2022_next(&span, tasks->spans, &tasks->device, task, err) < 0)
        return err_status(err);
    struct sorted_task sorted = sorted_task(&span, task);
    const double share = tasks->all_time > 0 ? (sorted.end - sorted.start) / tasks->all_time * 100 : 0;
    const struct spool_key key = {~spool_key_part(pmu_round_decimal(share, 6)),
                                  numbers_of(task->task_id, task->stream_id)};
    /* NAN: it did not come into the state */
    const double wait = time_2022(&tasks->device, task->wait_tick);
    const double pending = time_2022(&tasks->device, task->pending_tick);
    sorted.waiting = isnan(wait) ? 0 : (isnan(pending) ? sorted.start : pending) - wait;
    sorted.pending = isnan(pending) ? 0 : sorted.start - pending;
    sorted.api_id = task->launch_name_id;
    sorted.type = task->type >= 0 && (size_t)task->type < sizeof types / sizeof *types ? types[task->type] : NULL;
    return spool_add(tasks->sorted, &key, &sorted, sizeof sorted, err);
}

static int put_state(void *arg, const void *record, struct err *err)
{
    struct report_run *run = arg;
    const struct tasks *tasks = run->state;
    const struct sorted_task *task = record;
    const struct shown row = {
        .name = value_name(task->name_id),
        .type = task->type,
        .api_id = task->api_id,
        .stream_id = task->stream_id,
        .task_id = task->task_id,
        .count = 1,
        .time = microseconds_2022(task->end - task->start),
        .share = percent_2022(task->end - task->start, tasks->all_time),
        .waiting = microseconds_2022(task->waiting),
        .pending = microseconds_2022(task->pending),
    };
    return report_put(run, &row, err);
}

static int put_all_states(struct report_run *run, struct err *err)
{
    struct tasks *tasks = run->state;
    const struct sums_2022 *sums = device_2022_sums(run, err);
    if (sums == NULL || device_2022_spans(&tasks->spans, run, err) < 0)
        return err_status(err);
    tasks->all_time = sums->all_time;
    return execution_each(run->session->db, &tasks->device.range.ticks, CANN_TICK_STATES, sort_state, run, err) < 0 ||
                   spool_finish(tasks->sorted, err) < 0 || spool_each(tasks->sorted, put_state, run, err) < 0
               ? err_status(err)
               : 0;
}

/* ---- the others ---- */

enum { TIME_MAX = 64 };

static struct report_value whole_time(const struct tasks *tasks, double time, char text[TIME_MAX])
{
    if (!(time >= 1 && time < 1e18)) {
        snprintf(text, TIME_MAX, tasks->quotes ? "\"%.0f\"" : "%.0f", trunc(time));
        return value_text(text);
    }
    char *end = number_put_signed(text + tasks->quotes, (int64_t)time);
    if (tasks->quotes)
        text[0] = *end++ = '"';
    return value_text_of(text, (size_t)(end - text));
}

static int sort_kernel(void *arg, const struct cann_task *task, struct err *err)
{
    const struct tasks *tasks = ((struct report_run *)arg)->state;
    const struct spool_key key = {spool_key_part(task->end_tick), numbers_of(task->stream_id, task->task_id)};
    struct span_2022 span;
    if (span_2022_next(&span, tasks->spans, &tasks->device, task, err) < 0)
        return err_status(err);
    struct sorted_task sorted = sorted_task(&span, task);
    sorted.type = task_2022_type(&tasks->device, task);
    return spool_add(tasks->sorted, &key, &sorted, sizeof sorted, err);
}

static int put_kernel(void *arg, const void *record, struct err *err)
{
    struct report_run *run = arg;
    const struct tasks *tasks = run->state;
    const struct sorted_task *kernel = record;
    char start[TIME_MAX], stop[TIME_MAX];
    const struct shown row = {
        .name = value_name(kernel->name_id),
        .type = kernel->type,
        .api_id = DB_NULL,
        .stream_id = kernel->stream_id,
        .task_id = kernel->task_id,
        .time = microseconds_2022(kernel->end - kernel->start),
        .start = whole_time(tasks, kernel->start, start),
        .stop = whole_time(tasks, kernel->end, stop),
    };
    return report_put(run, &row, err);
}

/* All its times stand in quotes, the duration with one or two decimals as Python prints them. */
static int put_copy(void *arg, const struct device_copy *copy, struct err *err)
{
    struct report_run *run = arg;
    const struct tasks *tasks = run->state;
    double start_ns = time_2022(&tasks->device, copy->start_tick), end_ns = time_2022(&tasks->device, copy->end_tick);
    int64_t hundredths = (int64_t)pmu_round_decimal((end_ns - start_ns) / 1000, 2);
    char duration[TIME_MAX], start[TIME_MAX], stop[TIME_MAX];
    if (!query_window_has(&tasks->window, tasks->device.part->device_id, number_from_real(start_ns)))
        return 0;
    snprintf(duration, sizeof duration, hundredths % 10 == 0 ? "\"%.1f\"" : "\"%.2f\"", (double)hundredths / 100);
    const struct shown row = {
        .name = value_text(COPY_NAME_2022),
        .api_id = DB_NULL,
        .type = COPY_TYPE_2022,
        .stream_id = copy->stream_id,
        .task_id = copy->task_id,
        .time = tasks->quotes ? value_text(duration) : value_real((double)hundredths / 100),
        .start = whole_time(tasks, start_ns, start),
        .stop = whole_time(tasks, end_ns, stop),
    };
    return report_put(run, &row, err);
}

#define SORT_MEMORY ((size_t)4 * 1024 * 1024)

static int put_rows(struct report_run *run, struct err *err)
{
    struct tasks *tasks = run->state;
    const struct execution_range *range = &tasks->device.range.ticks;
    tasks->quotes = run->session->options->format != TABLE_TERMINAL;
    if (query_window_read(run->session->db, &tasks->window, err) < 0 || device_2022_of(&tasks->device, run, err) < 0 ||
        (tasks->sorted = spool_new(SORT_MEMORY, NULL, err)) == NULL)
        return err_status(err);
    if (tasks->device.part->chip == 0)
        return put_all_states(run, err);
    if (device_2022_spans(&tasks->spans, run, err) < 0)
        return err_status(err);
    return execution_each(run->session->db, range, CANN_TICK_STATES, sort_kernel, run, err) < 0 ||
                   spool_finish(tasks->sorted, err) < 0 || spool_each(tasks->sorted, put_kernel, run, err) < 0 ||
                   device_copy_each(run->session->db, range, put_copy, run, err) < 0
               ? err_status(err)
               : 0;
}

const struct report report_task_time_2022 = {
    .name = "task_time",
    .title = "Tasks",
    .doc = "Time and kind of every task of a device in an iteration; on chip 0 also the time in each state.",
    .families = FAMILY_2022,
    .of_device = true,
    .narrowed = {"device_task"},
    .columns = VALUE_LIST(
        {"kernel_name", SHOWN(name), ELSEWHERE, .doc = "The operator."},
        {"kernel_type", SHOWN(type), ELSEWHERE, .flags = REPORT_NARROW, .doc = "The core it ran on."},
        {"stream_id", SHOWN(stream_id), ELSEWHERE, .flags = REPORT_NUMBER, .doc = "The stream."},
        {"task_id", SHOWN(task_id), ELSEWHERE, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Its number there."},
        {"task_time(us)", SHOWN(time), ELSEWHERE, .flags = REPORT_NUMBER, .doc = "Its duration."},
        {"task_start(ns)", SHOWN(start), ELSEWHERE, .flags = REPORT_NUMBER, .doc = "Start."},
        {"task_stop(ns)", SHOWN(stop), ELSEWHERE, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "End."},
        {"Time(%)", SHOWN(share), HERE, .flags = REPORT_NUMBER, .id = "share",
         .doc = "Its share of the time of all tasks."},
        {"Time(us)", SHOWN(time), HERE, .flags = REPORT_NUMBER | REPORT_NARROW, .id = "time", .doc = "Its duration."},
        {"Count", SHOWN(count), HERE, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL, .doc = "Always 1."},
        {"Avg(us)", SHOWN(time), HERE, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL, .doc = "Equal to its time."},
        {"Min(us)", SHOWN(time), HERE, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL, .doc = "Equal to its time."},
        {"Max(us)", SHOWN(time), HERE, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL, .doc = "Equal to its time."},
        {"Waiting(us)", SHOWN(waiting), HERE, .flags = REPORT_NUMBER, .doc = "Waiting time."},
        {"Running(us)", SHOWN(time), HERE, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Its duration."},
        {"Pending(us)", SHOWN(pending), HERE, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Time in state pending."},
        {"Type", SHOWN(type), HERE, .doc = "Kind of task."},
        {"API", SHOWN(api_id), FORM_NAME, HERE, .flags = REPORT_NARROW,
         .doc = "The function of the runtime that launched it."},
        {"Task ID", SHOWN(task_id), HERE, .flags = REPORT_NUMBER, .doc = "Its number in the stream."},
        {"Op Name", SHOWN(name), HERE, .doc = "The operator."},
        {"Stream ID", SHOWN(stream_id), HERE, .flags = REPORT_NUMBER, .doc = "The stream."}),
    .state_size = sizeof(struct tasks),
    .close = close_tasks,
    .rows = put_rows,
};
