/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"
#include "exporters/timeline/draw_earlier.h"

#include "db/database.h"
#include "exporters/counters/pmu_rounding.h"

#include <stdio.h>

/* Processes, as Ascend's tool of 2022 numbers them. */
enum { SCHEDULER, AI_CPU };

struct tasks {
    struct draw_2022 *draw;
    struct trace_lanes copies; /* they have threads of their own: they come behind all tasks */
    bool ai_cpu;               /* a process of the AI CPU is wanted */
};

static void put_counted(struct draw_2022 *draw, const struct execution *task)
{
    if (!task->counted) {
        strbuf_adds(&draw->text, ",\"Aicore Time(ms)\":\"N/A\",\"Total Cycle\":\"N/A\"");
        return;
    }
    char text[NUMBER_MAX + 1];
    *number_put_shortest(text, pmu_round_decimal(task_2022_milliseconds(&draw->counters, task), 6), 6) = '\0';
    strbuf_adds(&draw->text, ",\"Aicore Time(ms)\":");
    strbuf_adds(&draw->text, text);
    draw_2022_integer(draw, ",\"Total Cycle\":", task->total_cycle);
}

static int draw_task(void *arg, const struct execution *execution, struct err *err)
{
    const struct tasks *tasks = arg;
    struct draw_2022 *draw = tasks->draw;
    const struct task_2022 task = task_2022_of(draw->device, execution);
    struct trace_slice slice = {.pid = draw_2022_pid(draw, SCHEDULER),
                                .start_ns = number_from_real(task.start),
                                .duration_ns = number_from_real(task.end - task.start)};
    int status = draw_2022_begin_operator(draw, execution->op_name, &draw->lanes, execution->stream_id, &slice, err);
    if (status < 0)
        return status;
    const char *type = task_2022_type(draw->device, execution);
    draw_2022_task(draw, type != NULL ? type : "N/A", execution->stream_id, execution->task_id);
    put_counted(draw, execution);
    draw_2022_operator(draw, execution);
    status = draw_2022_end(draw, &slice, err);
    return status == 0 && draw->flows ? draw_2022_flow(draw, 'f', execution->stream_id, execution->task_id, &slice, err)
                                      : status;
}

static int draw_copy(void *arg, const struct device_copy *copy, struct err *err)
{
    struct tasks *tasks = arg;
    struct draw_2022 *draw = tasks->draw;
    double start = time_2022(draw->device, copy->start_tick), end = time_2022(draw->device, copy->end_tick);
    struct trace_slice slice = {.pid = draw_2022_pid(draw, SCHEDULER),
                                .start_ns = number_from_real(start),
                                .duration_ns = number_from_real(end - start)};
    int status = draw_2022_begin(draw, COPY_NAME_2022, &tasks->copies, copy->stream_id, &slice, err);
    if (status < 0)
        return status;
    draw_2022_task(draw, COPY_TYPE_2022, copy->stream_id, copy->task_id);
    draw_2022_time(draw, "Receive Time", number_from_real(time_2022(draw->device, copy->receive_tick)));
    draw_2022_time(draw, "Start Time", number_from_real(start));
    draw_2022_time(draw, "End Time", number_from_real(end));
    return draw_2022_end(draw, &slice, err);
}

static int draw_ai_cpu_run(void *arg, const struct ai_cpu_run *times, struct err *err)
{
    const struct tasks *tasks = arg;
    struct draw_2022 *draw = tasks->draw;
    const struct {
        const char *key;
        int64_t ns;
    } arguments[] = {{"Compute Time(us)", times->compute_ns},
                     {"Memcpy Time(us)", times->copy_ns},
                     {"Task Time(us)", times->duration_ns},
                     {"Dispatch Time(us)", times->dispatch_ns},
                     {"Total Time(us)", times->total_ns}};
    struct trace_slice slice = {
        .pid = draw_2022_pid(draw, AI_CPU), .start_ns = times->start_ns, .duration_ns = times->duration_ns};
    int status = draw_2022_begin_operator(draw, times->op_name, &draw->lanes, 0, &slice, err);
    if (status < 0)
        return status;
    strbuf_adds(&draw->text, "\"Task Type\":\"AI_CPU\"");
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        if (arguments[i].ns != DB_NULL)
            draw_2022_time(draw, arguments[i].key, arguments[i].ns);
    }
    draw_2022_whole_name(draw, times->op_name);
    return draw_2022_end(draw, &slice, err);
}

/* ---- chip 0 shows the tasks of the AI CPU a second time where that did not measure them itself ---- */

static bool is_on_ai_cpu(const struct draw_2022 *draw, const struct execution *task)
{
    return draw->device->part->chip == 0 && task->type == 1;
}

static int find_ai_cpu_task(void *arg, const struct execution *task, struct err *err)
{
    struct tasks *tasks = arg;
    (void)err;
    tasks->ai_cpu |= is_on_ai_cpu(tasks->draw, task);
    return 0;
}

static int draw_ai_cpu_task(void *arg, const struct execution *execution, struct err *err)
{
    const struct tasks *tasks = arg;
    const struct task_2022 task = task_2022_of(tasks->draw->device, execution);
    const struct ai_cpu_run times = {.start_ns = number_from_real(task.start),
                                     .duration_ns = number_from_real(task.end - task.start),
                                     .compute_ns = DB_NULL,
                                     .copy_ns = DB_NULL,
                                     .dispatch_ns = DB_NULL,
                                     .total_ns = DB_NULL,
                                     .op_name = execution->op_name};
    return is_on_ai_cpu(tasks->draw, execution) ? draw_ai_cpu_run(arg, &times, err) : 0;
}

/* ---- names ---- */

static int take_stream(void *arg, int64_t stream_id, struct err *err)
{
    const struct tasks *tasks = arg;
    char name[64];
    (void)err;
    draw_2022_count_thread(tasks->draw, stream_id);
    snprintf(name, sizeof name, "Stream %lld", (long long)stream_id);
    if (tasks->draw->compat)
        draw_2022_name_thread(tasks->draw, SCHEDULER, stream_id, name, false);
    return 0;
}

static void name_task_thread(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    if (pid == draw_2022_pid(arg, AI_CPU))
        strbuf_adds(ret, "AI CPU");
    else
        strbuf_addf(ret, "Stream %lld", (long long)number);
}

static void name_copies(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)arg;
    (void)pid;
    strbuf_addf(ret, "Stream %lld copies", (long long)number);
}

/* ---- the layer ---- */

static int name_all(struct tasks *tasks, const struct execution_query *query, struct err *err)
{
    struct draw_2022 *draw = tasks->draw;
    draw_2022_name_process(draw, SCHEDULER, "Task Scheduler");
    int status = execution_each_stream(draw->run->db, &query->range, take_stream, tasks, err);
    if (status == 0 && !tasks->ai_cpu && draw->device->part->chip == 0)
        status = execution_each(draw->run->db, query, find_ai_cpu_task, tasks, err);
    if (status == 0 && tasks->ai_cpu)
        draw_2022_name_process(draw, AI_CPU, "AI CPU");
    return status;
}

static int draw_all(struct tasks *tasks, struct err *err)
{
    struct draw_2022 *draw = tasks->draw;
    struct execution_query query = {.range = draw->device->range.ticks};
    int status = name_all(tasks, &query, err);
    query.parts = draw->facts ? EXECUTION_COUNTED | EXECUTION_TENSORS : EXECUTION_COUNTED;
    if (status == 0)
        status = execution_each(draw->run->db, &query, draw_task, tasks, err);
    if (status == 0)
        status = device_copy_each(draw->run->db, &query.range, draw_copy, tasks, err);
    if (status == 0)
        status = ai_cpu_run_each(draw->run->db, &query.range, draw_ai_cpu_run, tasks, err);
    if (status == 0 && draw->counts.ai_cpu_runs == 0 && tasks->ai_cpu)
        status = execution_each(draw->run->db, &query, draw_ai_cpu_task, tasks, err);
    return status;
}

int draw_2022_tasks(struct draw_2022 *draw, struct err *err)
{
    const struct execution_counts *counts = &draw->counts;
    struct tasks tasks = {.draw = draw, .ai_cpu = counts->ai_cpu_runs > 0};
    if (counts->tasks == 0 && counts->copies == 0 && !tasks.ai_cpu)
        return 0;
    draw_2022_begin_layer(draw, NULL);
    trace_lanes_init(&tasks.copies, &draw->trace.style, NULL, draw->lanes.first_free, draw);
    tasks.copies.no_own = !draw->compat;
    tasks.copies.next = draw->lanes.next;
    int status = draw_all(&tasks, err);
    if (status == 0 && !draw->compat)
        status = trace_lanes_name(&tasks.copies, &draw->trace, name_copies, NULL, err);
    trace_lanes_release(&tasks.copies);
    return draw_2022_end_layer(draw, status, name_task_thread, err);
}
