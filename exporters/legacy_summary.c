#include "exporters/legacy_report.h"

#include "base/interrupt.h"
#include "exporters/pmu_rounding.h"
#include "exporters/summary_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECIMALS 4

struct run {
    sqlite3 *db;
    const struct export_options *options;
    struct export_result *result;
    struct legacy_device *device;
    struct summary_file file;
    int64_t total_ns; /* of all calls */
};

const char *legacy_api_type(int64_t api_type)
{
    static const char *const names[] = {NULL, "ACL_OP", "ACL_MODEL", "ACL_RTS", "ACL_OTHERS"};
    const int64_t count = sizeof names / sizeof *names;
    return api_type > 0 && api_type < count ? names[api_type] : NULL;
}

void legacy_report_name(char name[LEGACY_NAME_MAX], const struct legacy_device *device, const char *report,
                        const char *suffix)
{
    const struct legacy_range *range = &device->range;
    char model[32] = "";
    if (range->model_id != DB_NULL)
        snprintf(model, sizeof model, "_%lld", (long long)range->model_id);
    snprintf(name, LEGACY_NAME_MAX, "%s_%lld%s_%lld%s", report, (long long)device->part.device_id, model,
             (long long)range->iteration, suffix);
}

/* ---- cells ---- */

static struct table_cell decimal(double value)
{
    return isnan(value) ? cell_missing() : cell_number(pmu_round_decimal(value, DECIMALS), DECIMALS);
}

static struct table_cell microseconds(double nanoseconds)
{
    return decimal(nanoseconds / 1000);
}

/* Percent, which the tool rounded twice. */
static struct table_cell percent(double part, double whole)
{
    return decimal(pmu_round_binary(whole > 0 ? part / whole * 100 : 0, 6));
}

/* Hundredths of a nanosecond are all that chip 0's times have. */
static struct table_cell nanoseconds(double time)
{
    return cell_number(pmu_round_decimal(time, 2), 2);
}

static struct table_cell number_or_missing(int64_t value, int64_t missing)
{
    return value == missing ? cell_missing() : cell_number(value, 0);
}

/* ---- files ---- */

static int open_once(struct run *run, const char *report, const struct column_titles *titles, struct err *err)
{
    char name[LEGACY_NAME_MAX];
    if (run->file.path != NULL)
        return 0;
    legacy_report_name(name, run->device, report, table_suffix(run->options->format));
    return summary_open(&run->file, run->options, run->result, report, name, titles, err);
}

static int close_file(struct run *run, int status, struct err *err)
{
    if (status == 0 && run->file.path != NULL)
        return summary_commit(&run->file, err);
    summary_abort(&run->file);
    return status;
}

static int put_row(struct run *run, const char *report, const struct column_titles *titles,
                   const struct table_cell *cells, struct err *err)
{
    if (interrupted())
        return interrupt_error(err);
    int status = open_once(run, report, titles, err);
    if (status == 0)
        table_row(&run->file.table, cells);
    return status;
}

/* ---- acl, acl_statistic, runtime_api ---- */

static int acl_row(void *arg, const struct legacy_call *call, struct err *err)
{
    static const struct column_titles titles = {
        6, {"Name", "Type", "Start Time", "Duration(us)", "Process ID", "Thread ID"}};
    const struct table_cell cells[] = {
        cell_text(call->name),
        cell_text(legacy_api_type(call->api_type)),
        cell_number(call->start_ns, 0),
        cell_number(call->end_ns - call->start_ns, 3),
        cell_number(call->process_id, 0),
        cell_number(call->thread_id, 0),
    };
    return put_row(arg, "acl", &titles, cells, err);
}

static int add_total(void *arg, const struct legacy_call_total *total, struct err *err)
{
    (void)err;
    struct run *run = arg;
    run->total_ns += total->total_ns;
    return 0;
}

static int acl_statistic_row(void *arg, const struct legacy_call_total *total, struct err *err)
{
    static const struct column_titles titles = {
        10,
        {"Name", "Type", "Time(%)", "Time(us)", "Count", "Avg(us)", "Min(us)", "Max(us)", "Process ID", "Thread ID"}};
    struct run *run = arg;
    const struct table_cell cells[] = {
        cell_text(total->name),
        cell_text(legacy_api_type(total->api_type)),
        percent((double)total->total_ns, (double)run->total_ns),
        cell_number(total->total_ns, 3),
        cell_number(total->count, 0),
        microseconds((double)total->total_ns / (double)total->count),
        cell_number(total->min_ns, 3),
        cell_number(total->max_ns, 3),
        cell_number(total->process_id, 0),
        cell_number(total->thread_id, 0),
    };
    return put_row(run, "acl_statistic", &titles, cells, err);
}

#define NO_STREAM 65535

static int runtime_row(void *arg, const struct legacy_call_total *total, struct err *err)
{
    static const struct column_titles titles = {10,
                                                {"Name", "Stream ID", "Time(%)", "Time(ns)", "Calls", "Avg(ns)",
                                                 "Min(ns)", "Max(ns)", "Process ID", "Thread ID"}};
    struct run *run = arg;
    const struct table_cell cells[] = {
        cell_text(total->name),
        number_or_missing(total->stream_id, NO_STREAM),
        percent((double)total->total_ns, (double)run->total_ns),
        cell_number(total->total_ns, 0),
        cell_number(total->count, 0),
        cell_number(total->total_ns / total->count, 0),
        cell_number(total->min_ns, 0),
        cell_number(total->max_ns, 0),
        cell_number(run->device->part.process_id, 0),
        cell_number(total->thread_id, 0),
    };
    return put_row(run, "runtime_api", &titles, cells, err);
}

typedef int (*each_total)(sqlite3 *db, int64_t device_id, legacy_total_each each, void *arg, struct err *err);

static int write_totals(struct run *run, each_total each, legacy_total_each row, struct err *err)
{
    run->total_ns = 0;
    int status = each(run->db, run->device->part.device_id, add_total, run, err);
    if (status == 0)
        status = each(run->db, run->device->part.device_id, row, run, err);
    return close_file(run, status, err);
}

static int write_calls(struct run *run, struct err *err)
{
    int status = legacy_each_acl_call(run->db, run->device->part.device_id, acl_row, run, err);
    status = close_file(run, status, err);
    if (status == 0)
        status = write_totals(run, legacy_each_acl_total, acl_statistic_row, err);
    return status == 0 ? write_totals(run, legacy_each_runtime_total, runtime_row, err) : status;
}

/* ---- op_summary ---- */

#define OPERATOR_COLUMNS 10
#define TENSOR_COLUMNS 6

static const char *const operator_titles[OPERATOR_COLUMNS] = {
    "Model ID",        "Task ID",           "Stream ID",          "Op Name",  "OP Type", "Task Type",
    "Task Start Time", "Task Duration(us)", "Task Wait Time(us)", "Block Dim"};
static const char *const tensor_titles[TENSOR_COLUMNS] = {"Input Shapes",  "Input Data Types",  "Input Formats",
                                                          "Output Shapes", "Output Data Types", "Output Formats"};
_Static_assert(OPERATOR_COLUMNS + TENSOR_COLUMNS + PMU_MAX_COLUMNS <= TABLE_MAX_COLUMNS, "room for every column");

static bool has_tensors(const struct legacy_device *device)
{
    for (size_t i = 0; i < device->operator_count; i++) {
        if (device->operators[i].input_shapes != NULL || device->operators[i].output_shapes != NULL)
            return true;
    }
    return false;
}

static void summary_titles(const struct legacy_device *device, bool tensors, struct column_titles *titles)
{
    titles->count = OPERATOR_COLUMNS;
    memcpy(titles->texts, operator_titles, sizeof operator_titles);
    if (tensors) {
        memcpy(titles->texts + titles->count, tensor_titles, sizeof tensor_titles);
        titles->count += TENSOR_COLUMNS;
    }
    for (size_t i = 0; i < device->pmu.count; i++)
        titles->texts[titles->count++] = device->pmu.columns[i].title;
}

/* The shapes of all tensors stand in quotes of their own. */
static struct table_cell quoted(const char *shapes, char *buffer, size_t size)
{
    if (shapes == NULL)
        return cell_missing();
    int length = snprintf(buffer, size, "\"%s\"", shapes);
    return cell_text_of_length(buffer, length > 0 && (size_t)length < size ? (size_t)length : 0);
}

#define SHAPES_MAX 4096

static void counter_cells(const struct legacy_device *device, const struct legacy_task *task, struct table_cell *cells)
{
    struct pmu_value values[PMU_MAX_COLUMNS];
    if (task->counters != NULL)
        legacy_task_values(device, task, values);
    for (size_t i = 0; i < device->pmu.count; i++) {
        if (task->counters == NULL)
            cells[i] = cell_missing();
        else if (values[i].value == DB_NULL) /* what could not be divided is empty */
            cells[i] = cell_text("");
        else
            cells[i] = cell_number(values[i].value, values[i].decimals);
    }
}

static int summary_row(struct run *run, const struct legacy_task *task, double wait, bool tensors,
                       const struct column_titles *titles, struct err *err)
{
    struct table_cell cells[TABLE_MAX_COLUMNS];
    char inputs[SHAPES_MAX], outputs[SHAPES_MAX];
    const struct legacy_operator *op = task->op;
    size_t count = 0;
    cells[count++] = cell_number(op->model_id, 0);
    cells[count++] = cell_number(task->task_id, 0);
    cells[count++] = cell_number(task->stream_id, 0);
    cells[count++] = cell_text(op->name);
    cells[count++] = cell_text(op->type);
    cells[count++] = cell_text(legacy_task_type(task));
    cells[count++] = nanoseconds(task->start);
    cells[count++] = microseconds(task->end - task->start);
    cells[count++] = microseconds(wait);
    cells[count++] = cell_number(op->block_dim, 0);
    if (tensors) {
        cells[count++] = quoted(op->input_shapes, inputs, sizeof inputs);
        cells[count++] = cell_text(op->input_types);
        cells[count++] = cell_text(op->input_formats);
        cells[count++] = quoted(op->output_shapes, outputs, sizeof outputs);
        cells[count++] = cell_text(op->output_types);
        cells[count++] = cell_text(op->output_formats);
    }
    counter_cells(run->device, task, cells + count);
    return put_row(run, "op_summary", titles, cells, err);
}

/* Tasks by start. */
static int write_op_summary(struct run *run, struct err *err)
{
    const struct legacy_device *device = run->device;
    bool tensors = has_tensors(device);
    struct column_titles titles;
    double end_before = NAN;
    int status = 0;
    summary_titles(device, tensors, &titles);
    for (size_t i = 0; i < device->task_count && status == 0; i++) {
        const struct legacy_task *task = &device->tasks[i];
        double wait = trunc(task->start) - end_before;
        if (task->op != NULL)
            status = summary_row(run, task, wait > 0 ? wait : 0, tensors, &titles, err);
        end_before = task->end;
    }
    return close_file(run, status, err);
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

static int statistic_rows(struct run *run, const struct type_total *totals, size_t count, struct err *err)
{
    static const struct column_titles titles = {8,
                                                {"OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)",
                                                 "Avg Time(us)", "Max Time(us)", "Ratio(%)"}};
    double all = 0;
    int status = 0;
    for (size_t i = 0; i < count; i++)
        all += totals[i].total;
    for (size_t i = 0; i < count && status == 0; i++) {
        const struct type_total *total = &totals[i];
        const struct table_cell cells[] = {
            cell_text(total->type),     cell_text(total->core),     cell_number(total->count, 0),
            microseconds(total->total), microseconds(total->min),   microseconds(average(total)),
            microseconds(total->max),   percent(total->total, all),
        };
        status = put_row(run, "op_statistic", &titles, cells, err);
    }
    return close_file(run, status, err);
}

static int write_op_statistic(struct run *run, struct err *err)
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

/* ---- task_time ---- */

/* The states of a task on chip 0. */
static int state_row(struct run *run, const struct legacy_task *task, double all, struct err *err)
{
    static const struct column_titles titles = {14,
                                                {"Time(%)", "Time(us)", "Count", "Avg(us)", "Min(us)", "Max(us)",
                                                 "Waiting(us)", "Running(us)", "Pending(us)", "Type", "API", "Task ID",
                                                 "Op Name", "Stream ID"}};
    static const char *const types[] = {"kernel AI core task", "kernel AI cpu task", "event record",
                                        "stream wait event",   "fusion issue",       "memory async copy"};
    double duration = task->end - task->start, next = isnan(task->pending) ? task->start : task->pending;
    const char *type = task->type >= 0 && (size_t)task->type < sizeof types / sizeof *types ? types[task->type] : NULL;
    const struct table_cell cells[] = {
        percent(duration, all),
        microseconds(duration),
        cell_number(1, 0),
        microseconds(duration),
        microseconds(duration),
        microseconds(duration),
        microseconds(isnan(task->wait) ? 0 : next - task->wait),
        microseconds(duration),
        microseconds(isnan(task->pending) ? 0 : task->start - task->pending),
        cell_text(type),
        cell_text(task->launch),
        cell_number(task->task_id, 0),
        cell_text(task->op != NULL ? task->op->name : NULL),
        cell_number(task->stream_id, 0),
    };
    return put_row(run, "task_time", &titles, cells, err);
}

static const struct column_titles kernel_titles = {
    7, {"kernel_name", "kernel_type", "stream_id", "task_id", "task_time(us)", "task_start(ns)", "task_stop(ns)"}};

static int kernel_row(struct run *run, const struct legacy_task *task, struct err *err)
{
    char start[64], stop[64];
    snprintf(start, sizeof start, "\"%.0f\"", trunc(task->start));
    snprintf(stop, sizeof stop, "\"%.0f\"", trunc(task->end));
    const struct table_cell cells[] = {
        cell_text(task->op != NULL ? task->op->name : NULL),
        cell_text(legacy_task_type(task)),
        cell_number(task->stream_id, 0),
        cell_number(task->task_id, 0),
        microseconds(task->end - task->start),
        cell_text(start),
        cell_text(stop),
    };
    return put_row(run, "task_time", &kernel_titles, cells, err);
}

static int copy_row(struct run *run, const struct legacy_copy_time *copy, struct err *err)
{
    struct legacy_copy_texts texts = {.start = ""};
    struct table_cell cells[LEGACY_COPY_CELLS];
    legacy_copy_cells(copy, &texts, cells);
    return put_row(run, "task_time", &kernel_titles, cells, err);
}

/* By the share that is shown, then task and stream. */
static int by_share(const void *x, const void *y)
{
    const struct legacy_task *a = x, *b = y;
    int order = (a->share < b->share) - (a->share > b->share);
    if (order == 0)
        order = (a->task_id > b->task_id) - (a->task_id < b->task_id);
    return order != 0 ? order : (a->stream_id > b->stream_id) - (a->stream_id < b->stream_id);
}

static int write_states(struct run *run, struct err *err)
{
    struct legacy_device *device = run->device;
    double all = 0;
    int status = 0;
    for (size_t i = 0; i < device->task_count; i++)
        all += device->tasks[i].end - device->tasks[i].start;
    for (size_t i = 0; i < device->task_count; i++) {
        struct legacy_task *task = &device->tasks[i];
        task->share = pmu_round_binary(all > 0 ? (task->end - task->start) / all * 100 : 0, 6);
    }
    if (device->task_count > 0)
        qsort(device->tasks, device->task_count, sizeof *device->tasks, by_share);
    for (size_t i = 0; i < device->task_count && status == 0; i++)
        status = state_row(run, &device->tasks[i], all, err);
    return close_file(run, status, err);
}

static int write_task_time(struct run *run, struct err *err)
{
    struct legacy_device *device = run->device;
    int status = 0;
    if (device->part.chip == 0)
        return write_states(run, err);
    legacy_device_sort_by_end(device);
    for (size_t i = 0; i < device->task_count && status == 0; i++)
        status = kernel_row(run, &device->tasks[i], err);
    for (size_t i = 0; i < device->copy_count && status == 0; i++)
        status = copy_row(run, &device->copies[i], err);
    return close_file(run, status, err);
}

/* ---- ai_stack_time ---- */

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

static int stack_row(struct run *run, const char *module, const struct span *span, struct err *err)
{
    static const struct column_titles titles = {5, {"Infer ID", "Module", "API", "Start Time", "Duration(ns)"}};
    const struct table_cell cells[] = {
        cell_number(run->device->range.iteration, 0),
        cell_text(module),
        cell_text(span->name[0] != '\0' ? span->name : NULL),
        cell_number((int64_t)span->first, 0),
        decimal(span->last - span->first),
    };
    return span->any ? put_row(run, "ai_stack_time", &titles, cells, err) : 0;
}

static int write_stack(struct run *run, struct err *err)
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
    return close_file(run, status, err);
}

/* ---- all of it ---- */

static int write_device(void *arg, const struct legacy_part *part, struct err *err)
{
    struct run *run = arg;
    struct legacy_device device = {.tasks = NULL};
    struct legacy_range range;
    int status = legacy_range_find(&range, run->db, part, run->options, err);
    if (status != 0 || !range.exists)
        return status;
    status = legacy_device_load(&device, run->db, part, &range, err);
    run->device = &device;
    if (status == 0)
        status = write_calls(run, err);
    legacy_device_sort_by_start(&device);
    if (status == 0)
        status = write_op_summary(run, err);
    if (status == 0)
        status = write_stack(run, err);
    if (status == 0)
        status = write_op_statistic(run, err);
    if (status == 0)
        status = write_task_time(run, err);
    if (status == 0)
        status = legacy_write_fusion(run->db, run->options, run->result, &device, err);
    legacy_device_release(&device);
    run->device = NULL;
    return status;
}

int legacy_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct run run = {.db = db, .options = options, .result = ret};
    return legacy_each_part(db, write_device, &run, err);
}
