#include "exporters/legacy_rows.h"

#include "exporters/pmu_rounding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool legacy_launches(const struct legacy_call *call)
{
    static const char *const names[] = {"aclopExecute", "aclopExecuteV2", "aclopCompileAndExecute"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (call->name != NULL && call->api_type == 1 && strcmp(call->name, names[i]) == 0)
            return true;
    }
    return false;
}

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

/* ---- acl ---- */

static int acl_row(void *arg, const struct legacy_call *call, struct err *err)
{
    static const struct legacy_table report = {
        .name = "acl", .titles = {6, {"Name", "Type", "Start Time", "Duration(us)", "Process ID", "Thread ID"}}};
    const struct table_cell cells[] = {
        cell_text(call->name),
        cell_text(legacy_api_type(call->api_type)),
        cell_number(call->start_ns, 0),
        cell_number(call->end_ns - call->start_ns, 3),
        cell_number(call->process_id, 0),
        cell_number(call->thread_id, 0),
    };
    return legacy_put_row(arg, &report, cells, err);
}

static int write_calls(struct legacy_reports *run, struct err *err)
{
    int status = legacy_each_acl_call(run->db, run->device->part.device_id, acl_row, run, err);
    return legacy_close(run, status, err);
}

/* ---- op_summary ---- */

#define OPERATOR_COLUMNS 10
#define TENSOR_COLUMNS 6
/* In the terminal, whose heading says the model. */
enum {
    OPERATOR_MODEL = 1 << 0,
    OPERATOR_TEXTS = 1 << 3 | 1 << 4 | 1 << 5,
    OPERATOR_STACKABLE = 1 << 2 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9
};

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

/* Since the end of the task before, of whatever it is. The tasks are in the order of their starts. */
static double wait_of(const struct legacy_device *device, const struct legacy_task *task)
{
    double wait = task > device->tasks ? trunc(task->start) - task[-1].end : 0;
    return wait > 0 ? wait : 0;
}

static void operator_cells(const struct legacy_device *device, const struct legacy_task *task,
                           struct table_cell cells[OPERATOR_COLUMNS])
{
    const struct legacy_operator *op = task->op;
    size_t count = 0;
    cells[count++] = cell_number(op->model_id, 0);
    cells[count++] = cell_number(task->task_id, 0);
    cells[count++] = cell_number(task->stream_id, 0);
    cells[count++] = cell_text(op->name);
    cells[count++] = cell_text(op->type);
    cells[count++] = cell_text(legacy_task_type(task));
    cells[count++] = legacy_nanoseconds(task->start);
    cells[count++] = legacy_microseconds(task->end - task->start);
    cells[count++] = legacy_microseconds(wait_of(device, task));
    cells[count++] = cell_number(op->block_dim, 0);
}

static int summary_row(struct legacy_reports *run, const struct legacy_table *report, const struct legacy_task *task,
                       bool tensors, struct err *err)
{
    struct table_cell cells[TABLE_MAX_COLUMNS];
    char inputs[SHAPES_MAX], outputs[SHAPES_MAX];
    const struct legacy_operator *op = task->op;
    size_t count = OPERATOR_COLUMNS;
    operator_cells(run->device, task, cells);
    if (tensors) {
        cells[count++] = quoted(op->input_shapes, inputs, sizeof inputs);
        cells[count++] = cell_text(op->input_types);
        cells[count++] = cell_text(op->input_formats);
        cells[count++] = quoted(op->output_shapes, outputs, sizeof outputs);
        cells[count++] = cell_text(op->output_types);
        cells[count++] = cell_text(op->output_formats);
    }
    counter_cells(run->device, task, cells + count);
    return legacy_put_row(run, report, cells, err);
}

/* Tasks by start. */
static int write_op_summary(struct legacy_reports *run, struct err *err)
{
    const struct legacy_device *device = run->device;
    bool tensors = has_tensors(device);
    struct legacy_table report = {.name = "op_summary"};
    int status = 0;
    summary_titles(device, tensors, &report.titles);
    for (size_t i = 0; i < device->task_count && status == 0; i++) {
        if (device->tasks[i].op != NULL)
            status = summary_row(run, &report, &device->tasks[i], tensors, err);
    }
    return legacy_close(run, status, err);
}

/* ---- task_time ---- */

/* A row is one task, so its count is 1 and its mean, shortest and longest are its time. */
enum {
    STATE_TEXTS = 1 << 9 | 1 << 10 | 1 << 12,
    STATE_REPEATED = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5,
    STATE_STACKABLE = 1 << 1 | 1 << 7 | 1 << 8 | 1 << 10
};

/* The states of a task on chip 0. */
static int state_row(struct legacy_reports *run, const struct legacy_task *task, double all, struct err *err)
{
    static const struct legacy_table report = {
        .name = "task_time",
        .titles = {14,
                   {"Time(%)", "Time(us)", "Count", "Avg(us)", "Min(us)", "Max(us)", "Waiting(us)", "Running(us)",
                    "Pending(us)", "Type", "API", "Task ID", "Op Name", "Stream ID"}},
        .shown = {.texts = STATE_TEXTS, .hidden = STATE_REPEATED, .stackable = STATE_STACKABLE}};
    static const char *const types[] = {"kernel AI core task", "kernel AI cpu task", "event record",
                                        "stream wait event",   "fusion issue",       "memory async copy"};
    double duration = task->end - task->start, next = isnan(task->pending) ? task->start : task->pending;
    const char *type = task->type >= 0 && (size_t)task->type < sizeof types / sizeof *types ? types[task->type] : NULL;
    const struct table_cell cells[] = {
        legacy_percent(duration, all),
        legacy_microseconds(duration),
        cell_number(1, 0),
        legacy_microseconds(duration),
        legacy_microseconds(duration),
        legacy_microseconds(duration),
        legacy_microseconds(isnan(task->wait) ? 0 : next - task->wait),
        legacy_microseconds(duration),
        legacy_microseconds(isnan(task->pending) ? 0 : task->start - task->pending),
        cell_text(type),
        cell_text(task->launch),
        cell_number(task->task_id, 0),
        cell_text(task->op != NULL ? task->op->name : NULL),
        cell_number(task->stream_id, 0),
    };
    return legacy_put_row(run, &report, cells, err);
}

static const struct legacy_table kernel_table = {
    .name = "task_time",
    .titles = {7,
               {"kernel_name", "kernel_type", "stream_id", "task_id", "task_time(us)", "task_start(ns)",
                "task_stop(ns)"}},
    .shown = {.texts = 1 << 0 | 1 << 1, .stackable = 1 << 1 | 1 << 3 | 1 << 6}};
enum { KERNEL_TIME = 4, KERNEL_STOP = 6 };

/* The tool put some times in quotes, which only files have. */
static int put_kernel(struct legacy_reports *run, struct table_cell *cells, struct err *err)
{
    for (size_t i = KERNEL_TIME; run->options->format == TABLE_TERMINAL && i <= KERNEL_STOP; i++) {
        if (cells[i].kind == CELL_TEXT && cells[i].length >= 2)
            cells[i] = cell_text_of_length(cells[i].text + 1, cells[i].length - 2);
    }
    return legacy_put_row(run, &kernel_table, cells, err);
}

static int kernel_row(struct legacy_reports *run, const struct legacy_task *task, struct err *err)
{
    char start[64], stop[64];
    snprintf(start, sizeof start, "\"%.0f\"", trunc(task->start));
    snprintf(stop, sizeof stop, "\"%.0f\"", trunc(task->end));
    struct table_cell cells[] = {
        cell_text(task->op != NULL ? task->op->name : NULL),
        cell_text(legacy_task_type(task)),
        cell_number(task->stream_id, 0),
        cell_number(task->task_id, 0),
        legacy_microseconds(task->end - task->start),
        cell_text(start),
        cell_text(stop),
    };
    return put_kernel(run, cells, err);
}

static int copy_row(struct legacy_reports *run, const struct legacy_copy_time *copy, struct err *err)
{
    struct legacy_copy_texts texts = {.start = ""};
    struct table_cell cells[LEGACY_COPY_CELLS];
    legacy_copy_cells(copy, &texts, cells);
    return put_kernel(run, cells, err);
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

static double all_time(const struct legacy_device *device)
{
    double all = 0;
    for (size_t i = 0; i < device->task_count; i++)
        all += device->tasks[i].end - device->tasks[i].start;
    return all;
}

static int write_states(struct legacy_reports *run, struct err *err)
{
    struct legacy_device *device = run->device;
    double all = all_time(device);
    int status = 0;
    for (size_t i = 0; i < device->task_count; i++) {
        struct legacy_task *task = &device->tasks[i];
        task->share = pmu_round_binary(all > 0 ? (task->end - task->start) / all * 100 : 0, 6);
    }
    if (device->task_count > 0)
        qsort(device->tasks, device->task_count, sizeof *device->tasks, by_share);
    for (size_t i = 0; i < device->task_count && status == 0; i++)
        status = state_row(run, &device->tasks[i], all, err);
    return legacy_close(run, status, err);
}

static int write_task_time(struct legacy_reports *run, struct err *err)
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
    return legacy_close(run, status, err);
}

/* ---- the longest ---- */

/* One of them. */
struct timed {
    double duration;
    const struct legacy_task *task;
    const struct legacy_copy_time *copy; /* when it is no task of a kernel */
};

/* Of equal ones the first comes first. */
static int by_duration(const void *x, const void *y)
{
    const struct timed *a = x, *b = y;
    int order = (a->duration < b->duration) - (a->duration > b->duration);
    if (order == 0)
        order = (a->copy > b->copy) - (a->copy < b->copy);
    return order != 0 ? order : (a->task > b->task) - (a->task < b->task);
}

/* Tasks of operators, or all and the copies, the longest first; free() it. NULL when memory ran out. */
static struct timed *sort_by_duration(const struct legacy_device *device, bool operators_only, size_t *ret_count)
{
    struct timed *list = calloc(device->task_count + device->copy_count + 1, sizeof *list);
    size_t count = 0;
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < device->task_count; i++) {
        const struct legacy_task *task = &device->tasks[i];
        if (!operators_only || task->op != NULL)
            list[count++] = (struct timed){.duration = task->end - task->start, .task = task};
    }
    for (size_t i = 0; !operators_only && device->part.chip != 0 && i < device->copy_count; i++) {
        const struct legacy_copy_time *copy = &device->copies[i];
        list[count++] = (struct timed){.duration = copy->end - copy->start, .copy = copy};
    }
    if (count > 0)
        qsort(list, count, sizeof *list, by_duration);
    *ret_count = count;
    return list;
}

int legacy_longest_operators(struct legacy_reports *run, size_t limit, struct err *err)
{
    struct legacy_table report = {
        .name = "op_summary",
        .titles = {.count = OPERATOR_COLUMNS},
        .shown = {.texts = OPERATOR_TEXTS, .hidden = OPERATOR_MODEL, .stackable = OPERATOR_STACKABLE},
    };
    struct table_cell cells[OPERATOR_COLUMNS];
    size_t count = 0;
    struct timed *longest = sort_by_duration(run->device, true, &count);
    int status = longest != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    memcpy(report.titles.texts, operator_titles, sizeof operator_titles);
    for (size_t i = 0; i < count && i < limit && status == 0; i++) {
        operator_cells(run->device, longest[i].task, cells);
        status = legacy_put_row(run, &report, cells, err);
    }
    free(longest);
    return legacy_close(run, status, err);
}

int legacy_longest_tasks(struct legacy_reports *run, size_t limit, struct err *err)
{
    double all = all_time(run->device);
    size_t count = 0;
    struct timed *longest = sort_by_duration(run->device, false, &count);
    int status = longest != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count && i < limit && status == 0; i++) {
        if (longest[i].copy != NULL)
            status = copy_row(run, longest[i].copy, err);
        else if (run->device->part.chip == 0)
            status = state_row(run, longest[i].task, all, err);
        else
            status = kernel_row(run, longest[i].task, err);
    }
    free(longest);
    return legacy_close(run, status, err);
}

/* ---- all of it ---- */

static int write_device(void *arg, struct legacy_device *device, struct err *err)
{
    struct legacy_reports *run = arg;
    run->device = device;
    int status = write_calls(run, err);
    if (status == 0)
        status = legacy_acl_statistic(run, err);
    if (status == 0)
        status = legacy_runtime_statistic(run, err);
    legacy_device_sort_by_start(device);
    if (status == 0)
        status = write_op_summary(run, err);
    if (status == 0)
        status = legacy_stack_time(run, err);
    if (status == 0)
        status = legacy_op_statistic(run, err);
    if (status == 0)
        status = write_task_time(run, err);
    if (status == 0)
        status = legacy_ai_cpu(run, err);
    if (status == 0)
        status = legacy_step_trace(run, err);
    if (status == 0)
        status = legacy_write_fusion(run->db, run->options, run->result, device, err);
    run->device = NULL;
    return status;
}

int legacy_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct legacy_reports run = {.db = db, .options = options, .result = ret};
    return legacy_each_device(db, options, false, write_device, &run, err);
}
