#include "exporters/legacy_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- acl_statistic, runtime_api ---- */

static int add_total(void *arg, const struct legacy_call_total *total, struct err *err)
{
    (void)err;
    struct legacy_reports *run = arg;
    run->total_ns += total->total_ns;
    return 0;
}

static int acl_statistic_row(void *arg, const struct legacy_call_total *total, struct err *err)
{
    static const struct legacy_table report = {.name = "acl_statistic",
                                               .titles = {10,
                                                          {"Name", "Type", "Time(%)", "Time(us)", "Count", "Avg(us)",
                                                           "Min(us)", "Max(us)", "Process ID", "Thread ID"}},
                                               .shown = {.texts = 1 << 0 | 1 << 1}};
    struct legacy_reports *run = arg;
    const struct table_cell cells[] = {
        cell_text(total->name),
        cell_text(legacy_api_type(total->api_type)),
        legacy_percent((double)total->total_ns, (double)run->total_ns),
        cell_number(total->total_ns, 3),
        cell_number(total->count, 0),
        legacy_microseconds((double)total->total_ns / (double)total->count),
        cell_number(total->min_ns, 3),
        cell_number(total->max_ns, 3),
        cell_number(total->process_id, 0),
        cell_number(total->thread_id, 0),
    };
    return legacy_put_row(run, &report, cells, err);
}

#define NO_STREAM 65535

static int runtime_row(void *arg, const struct legacy_call_total *total, struct err *err)
{
    static const struct legacy_table report = {.name = "runtime_api",
                                               .titles = {10,
                                                          {"Name", "Stream ID", "Time(%)", "Time(ns)", "Calls",
                                                           "Avg(ns)", "Min(ns)", "Max(ns)", "Process ID", "Thread ID"}},
                                               .shown = {.texts = 1 << 0}};
    struct legacy_reports *run = arg;
    const struct table_cell cells[] = {
        cell_text(total->name),
        total->stream_id == NO_STREAM ? cell_missing() : cell_number(total->stream_id, 0),
        legacy_percent((double)total->total_ns, (double)run->total_ns),
        cell_number(total->total_ns, 0),
        cell_number(total->count, 0),
        cell_number(total->total_ns / total->count, 0),
        cell_number(total->min_ns, 0),
        cell_number(total->max_ns, 0),
        cell_number(run->device->part.process_id, 0),
        cell_number(total->thread_id, 0),
    };
    return legacy_put_row(run, &report, cells, err);
}

typedef int (*each_total)(sqlite3 *db, int64_t device_id, legacy_total_each each, void *arg, struct err *err);

static int write_totals(struct legacy_reports *run, each_total each, legacy_total_each row, struct err *err)
{
    run->total_ns = 0;
    int status = each(run->db, run->device->part.device_id, add_total, run, err);
    if (status == 0)
        status = each(run->db, run->device->part.device_id, row, run, err);
    return legacy_close(run, status, err);
}

int legacy_acl_statistic(struct legacy_reports *run, struct err *err)
{
    return write_totals(run, legacy_each_acl_total, acl_statistic_row, err);
}

int legacy_runtime_statistic(struct legacy_reports *run, struct err *err)
{
    return write_totals(run, legacy_each_runtime_total, runtime_row, err);
}

/* ---- op_statistic ---- */

struct type_total {
    const char *type, *core;
    int64_t count;
    double total, min, max;
};

static int by_type(const void *x, const void *y)
{
    const struct legacy_task *a = *(const struct legacy_task *const *)x, *b = *(const struct legacy_task *const *)y;
    int order = strcmp(a->op->type, b->op->type);
    if (order == 0)
        order = (a->op->task_type > b->op->task_type) - (a->op->task_type < b->op->task_type);
    return order != 0 ? order : (a > b) - (a < b);
}

static int by_total(const void *x, const void *y)
{
    const struct type_total *a = x, *b = y;
    int order = (a->total < b->total) - (a->total > b->total);
    return order != 0 ? order : strcmp(a->type, b->type);
}

/* Adds the tasks up, one type and core after another; returns how many there are. */
static size_t add_up(const struct legacy_task **tasks, size_t count, struct type_total *totals)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        double duration = tasks[i]->end - tasks[i]->start;
        if (i == 0 || tasks[i]->op->type != tasks[i - 1]->op->type ||
            tasks[i]->op->task_type != tasks[i - 1]->op->task_type)
            totals[used++] = (struct type_total){
                .type = tasks[i]->op->type, .core = legacy_task_type(tasks[i]), .min = duration, .max = duration};
        struct type_total *total = &totals[used - 1];
        total->count++;
        total->total += duration;
        total->min = fmin(total->min, duration);
        total->max = fmax(total->max, duration);
    }
    return used;
}

/* The tool divided whole numbers as such. */
static double average(const struct type_total *total)
{
    double value = total->total / (double)total->count;
    return total->total == floor(total->total) ? floor(value) : value;
}

static int statistic_rows(struct legacy_reports *run, const struct type_total *totals, size_t count, struct err *err)
{
    static const struct legacy_table report = {.name = "op_statistic",
                                               .titles = {8,
                                                          {"OP Type", "Core Type", "Count", "Total Time(us)",
                                                           "Min Time(us)", "Avg Time(us)", "Max Time(us)", "Ratio(%)"}},
                                               .shown = {.texts = 1 << 0 | 1 << 1}};
    double all = 0;
    int status = 0;
    for (size_t i = 0; i < count; i++)
        all += totals[i].total;
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct type_total *total = &totals[i];
        const struct table_cell cells[] = {
            cell_text(total->type),          cell_text(total->core),
            cell_number(total->count, 0),    legacy_microseconds(total->total),
            legacy_microseconds(total->min), legacy_microseconds(average(total)),
            legacy_microseconds(total->max), legacy_percent(total->total, all),
        };
        status = legacy_put_row(run, &report, cells, err);
    }
    return legacy_close(run, status, err);
}

int legacy_op_statistic(struct legacy_reports *run, struct err *err)
{
    const struct legacy_device *device = run->device;
    size_t count = 0;
    int status = 0;
    const struct legacy_task **tasks = calloc(device->task_count + 1, sizeof *tasks);
    struct type_total *totals = calloc(device->task_count + 1, sizeof *totals);
    if (tasks == NULL || totals == NULL) {
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
        goto out;
    }
    for (size_t i = 0; i < device->task_count; i++) {
        if (device->tasks[i].op != NULL)
            tasks[count++] = &device->tasks[i];
    }
    if (count > 0)
        qsort(tasks, count, sizeof *tasks, by_type);
    size_t used = add_up(tasks, count, totals);
    if (used > 0)
        qsort(totals, used, sizeof *totals, by_total);
    status = statistic_rows(run, totals, used, err);
out:
    free(tasks);
    free(totals);
    return status;
}

/* ---- ai_stack_time ---- */

/* Times are milliseconds. */
int legacy_ai_cpu(struct legacy_reports *run, struct err *err)
{
    static const struct legacy_table report = {.name = "aicpu",
                                               .titles = {7,
                                                          {"Timestamp", "Node", "Compute_time(ms)", "Memcpy_time(ms)",
                                                           "Task_time(ms)", "Dispatch_time(ms)", "Total_time(ms)"}}};
    const struct legacy_device *device = run->device;
    int status = 0;
    for (size_t i = 0; i < device->ai_cpu_count && status == 0; i++) {
        const struct legacy_ai_cpu_run *times = &device->ai_cpu_times[i].run;
        const struct legacy_operator *op = device->ai_cpu_times[i].op;
        const struct table_cell cells[] = {
            cell_number(times->start_ns, 6),
            cell_text(op != NULL ? op->name : NULL),
            times->compute_ns != DB_NULL ? cell_number(times->compute_ns, 6) : cell_missing(),
            times->copy_ns != DB_NULL ? cell_number(times->copy_ns, 6) : cell_missing(),
            cell_number(times->duration_ns, 6),
            cell_number(times->dispatch_ns, 6),
            cell_number(times->total_ns, 6),
        };
        status = legacy_put_row(run, &report, cells, err);
    }
    return legacy_close(run, status, err);
}

struct span {
    double first, last;
    char name[64];
    bool any;
};

static int model_call(void *arg, const struct legacy_call *call, struct err *err)
{
    (void)err;
    struct span *span = arg;
    if (span->any || call->name == NULL || strcmp(call->name, LEGACY_MODEL_CALL) != 0)
        return 0;
    *span = (struct span){.first = (double)call->start_ns, .last = (double)call->end_ns, .any = true};
    snprintf(span->name, sizeof span->name, "%s", call->name);
    return 0;
}

static int runtime_call(void *arg, const struct legacy_call *call, struct err *err)
{
    (void)err;
    struct span *span = arg;
    if (!span->any)
        span->first = (double)call->start_ns;
    span->last = span->any ? fmax(span->last, (double)call->end_ns) : (double)call->end_ns;
    span->any = true;
    return 0;
}

static int stack_row(struct legacy_reports *run, const char *module, const struct span *span, struct err *err)
{
    static const struct legacy_table report = {
        .name = "ai_stack_time", .titles = {5, {"Infer ID", "Module", "API", "Start Time", "Duration(ns)"}}};
    const struct table_cell cells[] = {
        cell_number(run->device->range.iteration, 0),
        cell_text(module),
        cell_text(span->name[0] != '\0' ? span->name : NULL),
        cell_number((int64_t)span->first, 0),
        legacy_decimal(span->last - span->first),
    };
    return span->any ? legacy_put_row(run, &report, cells, err) : 0;
}

int legacy_stack_time(struct legacy_reports *run, struct err *err)
{
    const struct legacy_device *device = run->device;
    struct span acl = {.any = false}, runtime = {.any = false}, tasks = {.any = device->task_count > 0};
    int status = legacy_each_acl_call(run->db, device->part.device_id, model_call, &acl, err);
    if (status == 0)
        status = legacy_each_runtime_call(run->db, device->part.device_id, runtime_call, &runtime, err);
    for (size_t i = 0; i < device->task_count; i++) {
        tasks.first = i == 0 ? device->tasks[i].start : fmin(tasks.first, device->tasks[i].start);
        tasks.last = i == 0 ? device->tasks[i].end : fmax(tasks.last, device->tasks[i].end);
    }
    if (status == 0)
        status = stack_row(run, "ACL", &acl, err);
    if (status == 0)
        status = stack_row(run, "Runtime", &runtime, err);
    if (status == 0)
        status = stack_row(run, "Task Scheduler", &tasks, err);
    return legacy_close(run, status, err);
}
