/* SPDX-License-Identifier: Apache-2.0 */
/* task_time: when every task ran, as Ascend's tool of 2022 has it: on chip 0 with its states. */
#include "exporters/counters/pmu_rounding.h"
#include "exporters/reports/earlier/device_2022.h"

#include <math.h>
#include <stdio.h>

enum {
    KERNEL_NAME,
    KERNEL_TYPE,
    KERNEL_STREAM,
    KERNEL_TASK,
    KERNEL_TIME,
    KERNEL_START,
    KERNEL_STOP,
    SHARE,
    TIME,
    COUNT,
    MEAN,
    MIN,
    MAX,
    WAITING,
    RUNNING,
    PENDING,
    TYPE,
    API,
    TASK,
    NAME,
    STREAM,
    COLUMNS
};

#define ON_CHIP_0 "EXISTS (SELECT 1 FROM capture_part WHERE NOT is_host AND chip = 0)"
#define ELSEWHERE .when = "NOT " ON_CHIP_0
#define HERE .when = ON_CHIP_0

/* On chip 0 a row is one task, so its count is 1 and its mean, shortest and longest are its time. */
static const struct report_column columns[] = {
    [KERNEL_NAME] = {"kernel_name", ELSEWHERE, .doc = "The operator."},
    [KERNEL_TYPE] = {"kernel_type", ELSEWHERE, .flags = REPORT_NARROW, .doc = "The core that it ran on."},
    [KERNEL_STREAM] = {"stream_id", ELSEWHERE, .flags = REPORT_NUMBER, .doc = "The stream."},
    [KERNEL_TASK] = {"task_id", ELSEWHERE, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "Its number there."},
    [KERNEL_TIME] = {"task_time(us)", ELSEWHERE, .flags = REPORT_NUMBER, .doc = "How long it ran."},
    [KERNEL_START] = {"task_start(ns)", ELSEWHERE, .flags = REPORT_NUMBER, .doc = "When it began."},
    [KERNEL_STOP] = {"task_stop(ns)", ELSEWHERE, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "When it ended."},
    [SHARE] = {"Time(%)", HERE, .flags = REPORT_NUMBER, .id = "share", .doc = "Its share of the time of all tasks."},
    [TIME] = {"Time(us)", HERE, .flags = REPORT_NUMBER | REPORT_NARROW, .id = "time", .doc = "How long it ran."},
    [COUNT] = {"Count", HERE, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL, .doc = "Always 1."},
    [MEAN] = {"Avg(us)", HERE, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL, .doc = "The same as its time."},
    [MIN] = {"Min(us)", HERE, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL, .doc = "The same as its time."},
    [MAX] = {"Max(us)", HERE, .flags = REPORT_NUMBER | REPORT_NO_TERMINAL, .doc = "The same as its time."},
    [WAITING] = {"Waiting(us)", HERE, .flags = REPORT_NUMBER, .doc = "How long it waited."},
    [RUNNING] = {"Running(us)", HERE, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "How long it ran."},
    [PENDING] = {"Pending(us)", HERE, .flags = REPORT_NUMBER | REPORT_NARROW, .doc = "How long it was pending."},
    [TYPE] = {"Type", HERE, .doc = "What kind of task it is."},
    [API] = {"API", HERE, .flags = REPORT_NARROW, .doc = "The function of the runtime that launched it."},
    [TASK] = {"Task ID", HERE, .flags = REPORT_NUMBER, .doc = "Its number in the stream."},
    [NAME] = {"Op Name", HERE, .doc = "The operator."},
    [STREAM] = {"Stream ID", HERE, .flags = REPORT_NUMBER, .doc = "The stream."},
    {.title = NULL},
};

struct tasks {
    struct device_2022 device;
    double all_time; /* of all tasks */
    bool quotes;     /* the tool put some times in quotes, which only files have */
};

/* ---- chip 0 ---- */

static double duration_of(const struct device_2022 *device, int64_t start_tick, int64_t end_tick)
{
    return time_2022(device, end_tick) - time_2022(device, start_tick);
}

static int add_duration(void *arg, const struct execution *execution, struct err *err)
{
    struct tasks *tasks = arg;
    (void)err;
    tasks->all_time += duration_of(&tasks->device, execution->start_tick, execution->end_tick);
    return 0;
}

/* The share that is shown. */
static double share(void *arg, int64_t start_tick, int64_t end_tick)
{
    const struct tasks *tasks = arg;
    double duration = duration_of(&tasks->device, start_tick, end_tick);
    return pmu_round_binary(tasks->all_time > 0 ? duration / tasks->all_time * 100 : 0, 6);
}

static int put_states(void *arg, const struct execution *execution, struct err *err)
{
    static const char *const types[] = {"kernel AI core task", "kernel AI cpu task", "event record",
                                        "stream wait event",   "fusion issue",       "memory async copy"};
    struct report_run *run = arg;
    const struct tasks *tasks = run->state;
    const struct task_2022 task = task_2022_of(&tasks->device, execution);
    double duration = task.end - task.start, next = isnan(task.pending) ? task.start : task.pending;
    int64_t type = execution->type;
    const struct report_value time = microseconds_2022(duration);
    const struct report_value values[COLUMNS] = {
        [SHARE] = percent_2022(duration, tasks->all_time),
        [TIME] = time,
        [COUNT] = value_integer(1),
        [MEAN] = time,
        [MIN] = time,
        [MAX] = time,
        [WAITING] = microseconds_2022(isnan(task.wait) ? 0 : next - task.wait),
        [RUNNING] = time,
        [PENDING] = microseconds_2022(isnan(task.pending) ? 0 : task.start - task.pending),
        [TYPE] = value_text(type >= 0 && (size_t)type < sizeof types / sizeof *types ? types[type] : NULL),
        [API] = value_text(execution->launch),
        [TASK] = value_integer(execution->task_id),
        [NAME] = value_text(execution->op_name),
        [STREAM] = value_integer(execution->stream_id),
    };
    return report_row(run, values, err);
}

static int put_all_states(struct report_run *run, struct err *err)
{
    struct tasks *tasks = run->state;
    struct execution_query query = {.range = tasks->device.range.ticks};
    int status = execution_each(run->session->db, &query, add_duration, tasks, err);
    query.parts = EXECUTION_LAUNCH;
    query.order = EXECUTIONS_BY_KEY;
    query.key = share;
    query.key_arg = tasks;
    return status == 0 ? execution_each(run->session->db, &query, put_states, run, err) : status;
}

/* ---- the others ---- */

enum { TIME_MAX = 64 };

static struct report_value whole_time(const struct tasks *tasks, double time, char text[TIME_MAX])
{
    snprintf(text, TIME_MAX, tasks->quotes ? "\"%.0f\"" : "%.0f", trunc(time));
    return value_text(text);
}

static int put_kernel(void *arg, const struct execution *execution, struct err *err)
{
    struct report_run *run = arg;
    const struct tasks *tasks = run->state;
    const struct task_2022 task = task_2022_of(&tasks->device, execution);
    char start[TIME_MAX], stop[TIME_MAX];
    const struct report_value values[COLUMNS] = {
        [KERNEL_NAME] = value_text(execution->op_name),
        [KERNEL_TYPE] = value_text(task_2022_type(&tasks->device, execution)),
        [KERNEL_STREAM] = value_integer(execution->stream_id),
        [KERNEL_TASK] = value_integer(execution->task_id),
        [KERNEL_TIME] = microseconds_2022(task.end - task.start),
        [KERNEL_START] = whole_time(tasks, task.start, start),
        [KERNEL_STOP] = whole_time(tasks, task.end, stop),
    };
    return report_row(run, values, err);
}

/* All its times stand in quotes, the duration with one or two decimals as Python prints them. */
static int put_copy(void *arg, const struct device_copy *copy, struct err *err)
{
    struct report_run *run = arg;
    const struct tasks *tasks = run->state;
    double start_ns = time_2022(&tasks->device, copy->start_tick), end_ns = time_2022(&tasks->device, copy->end_tick);
    int64_t hundredths = (int64_t)pmu_round_decimal((end_ns - start_ns) / 1000, 2);
    char duration[TIME_MAX], start[TIME_MAX], stop[TIME_MAX];
    snprintf(duration, sizeof duration, hundredths % 10 == 0 ? "\"%.1f\"" : "\"%.2f\"", (double)hundredths / 100);
    const struct report_value values[COLUMNS] = {
        [KERNEL_NAME] = value_text(COPY_NAME_2022),
        [KERNEL_TYPE] = value_text(COPY_TYPE_2022),
        [KERNEL_STREAM] = value_integer(copy->stream_id),
        [KERNEL_TASK] = value_integer(copy->task_id),
        [KERNEL_TIME] = tasks->quotes ? value_text(duration) : value_real((double)hundredths / 100),
        [KERNEL_START] = whole_time(tasks, start_ns, start),
        [KERNEL_STOP] = whole_time(tasks, end_ns, stop),
    };
    return report_row(run, values, err);
}

static int put_rows(struct report_run *run, struct err *err)
{
    struct tasks *tasks = run->state;
    int status = device_2022_of(&tasks->device, run, err);
    if (status < 0)
        return status;
    const struct execution_query query = {.range = tasks->device.range.ticks, .order = EXECUTIONS_BY_END};
    tasks->quotes = run->session->options->format != TABLE_TERMINAL;
    if (tasks->device.part->chip == 0)
        return put_all_states(run, err);
    status = execution_each(run->session->db, &query, put_kernel, run, err);
    return status == 0 ? device_copy_each(run->session->db, &query.range, put_copy, run, err) : status;
}

const struct report report_task_time_2022 = {
    .name = "task_time",
    .title = "Tasks",
    .doc = "When every task of a device ran in an iteration, and what it was; on chip 0 how long it was in each state.",
    .families = FAMILY_2022,
    .of_device = true,
    .columns = columns,
    .state_size = sizeof(struct tasks),
    .rows = put_rows,
};
