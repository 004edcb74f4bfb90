#include "exporters/legacy_report.h"

#include "base/fsutil.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/outfile.h"
#include "base/strbuf.h"
#include "db/query_models.h"
#include "exporters/json_text.h"
#include "exporters/pmu_rounding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT_MAX ((size_t)1024 * 1024) /* bytes of one event */
#define EVENTS_PER_POLL 4096

/* Process numbers in task_time, and what msprof puts before the numbers of each report. */
enum { SCHEDULER_PID = 0, AI_CPU_PID = 1 };
enum { SORT_ACL = 2, SORT_GE = 4, SORT_RUNTIME = 6, SORT_TASK_TIME = 7 };
enum { STACK_ACL = 0, STACK_GE = 1, STACK_RUNTIME = 2, STACK_SCHEDULER = 3 };

struct run {
    sqlite3 *db;
    const struct export_options *options;
    struct export_result *result;
    struct legacy_device *device;
    const struct legacy_operator **by_time;
    /* The file that is open: */
    struct outfile out;
    struct strbuf line;
    uint64_t events;
    bool any;       /* an event has been written */
    int sort;       /* msprof: what stands before process numbers; 0: nothing */
    bool flows;     /* msprof: arrows from ACL calls to tasks */
    bool group;     /* thread_group: calls carry their layer's name */
    bool any_model; /* ge: a model's execution has been written */
    bool in_model;  /* ai_stack_time: the model's execution has begun */
    struct thread_list {
        struct thread {
            int64_t pid, tid;
        } * items;
        size_t count, capacity;
    } threads;
};

/* ---- one event ---- */

static void begin_event(struct run *run, const char *prefix, const char *name)
{
    strbuf_clear(&run->line);
    strbuf_adds(&run->line, run->any ? ",\n{\"name\":\"" : "\n{\"name\":\"");
    run->any = true;
    if (name == NULL)
        name = "N/A";
    strbuf_adds(&run->line, prefix);
    json_text_append(&run->line, name, strlen(name));
    strbuf_adds(&run->line, "\"");
}

static void put_number(struct run *run, int64_t number)
{
    char text[NUMBER_MAX];
    strbuf_add(&run->line, text, (size_t)(number_put_signed(text, number) - text));
}

static void put_process(struct run *run, int64_t pid)
{
    strbuf_adds(&run->line, ",\"pid\":");
    if (run->sort != 0) {
        strbuf_addc(&run->line, '"');
        put_number(run, run->sort);
        strbuf_addc(&run->line, '_');
    }
    put_number(run, pid);
    if (run->sort != 0)
        strbuf_addc(&run->line, '"');
}

static void put_place(struct run *run, int64_t pid, int64_t tid)
{
    put_process(run, pid);
    strbuf_adds(&run->line, ",\"tid\":");
    put_number(run, tid);
}

/* Microseconds with all three decimals. */
static void put_time(struct run *run, const char *key, int64_t nanoseconds)
{
    char text[NUMBER_MAX];
    strbuf_adds(&run->line, ",\"");
    strbuf_adds(&run->line, key);
    strbuf_adds(&run->line, "\":");
    strbuf_add(&run->line, text, (size_t)(number_put_us(text, nanoseconds) - text));
}

static int end_event(struct run *run, struct err *err)
{
    strbuf_adds(&run->line, "}");
    if (run->line.failed)
        return err_set(err, ERR_LIMIT, "an event of a timeline has more than %zu bytes", EVENT_MAX);
    outfile_write(&run->out, run->line.data, run->line.length);
    return ++run->events % EVENTS_PER_POLL == 0 && interrupted() ? interrupt_error(err) : 0;
}

static int put_name(struct run *run, const char *what, int64_t pid, int64_t tid, const char *name, struct err *err)
{
    begin_event(run, "", what);
    put_place(run, pid, tid);
    strbuf_adds(&run->line, ",\"args\":{\"name\":\"");
    json_text_append(&run->line, name, strlen(name));
    strbuf_adds(&run->line, "\"},\"ph\":\"M\"");
    return end_event(run, err);
}

static int put_sort(struct run *run, const char *what, int64_t pid, int64_t tid, int64_t index, struct err *err)
{
    begin_event(run, "", what);
    put_place(run, pid, tid);
    strbuf_addf(&run->line, ",\"args\":{\"sort_index\":%lld},\"ph\":\"M\"", (long long)index);
    return end_event(run, err);
}

/* The name of a process, and in msprof its place among the others. */
static int put_process_name(struct run *run, int64_t pid, const char *name, struct err *err)
{
    int status = put_name(run, "process_name", pid, 0, name, err);
    return status == 0 && run->sort != 0 ? put_sort(run, "process_sort_index", pid, 0, run->sort, err) : status;
}

static int put_flow(struct run *run, const char *phase, int64_t stream_id, int64_t task_id, int64_t pid, int64_t tid,
                    int64_t time_ns, struct err *err)
{
    begin_event(run, "", "connect");
    strbuf_addf(&run->line, ",\"ph\":\"%s\",\"id\":\"%lld-%lld\"", phase, (long long)stream_id, (long long)task_id);
    put_place(run, pid, tid);
    put_time(run, "ts", time_ns);
    if (*phase == 'f')
        strbuf_adds(&run->line, ",\"bp\":\"e\"");
    return end_event(run, err);
}

/* ---- calls of ACL and of the runtime ---- */

static int64_t process_of(const struct run *run, const struct legacy_call *call)
{
    return call->process_id != DB_NULL ? call->process_id : run->device->part.process_id;
}

static int collect_thread(void *arg, const struct legacy_call *call, struct err *err)
{
    struct run *run = arg;
    struct thread_list *list = &run->threads;
    int64_t pid = process_of(run, call);
    for (size_t i = list->count; i-- > 0;) { /* mostly the latest */
        if (list->items[i].pid == pid && list->items[i].tid == call->thread_id)
            return 0;
    }
    if (list->count == list->capacity) {
        size_t larger = list->capacity == 0 ? 16 : list->capacity * 2;
        struct thread *moved = reallocarray(list->items, larger, sizeof *moved);
        if (moved == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
        list->items = moved;
        list->capacity = larger;
    }
    list->items[list->count++] = (struct thread){pid, call->thread_id};
    return 0;
}

static int put_threads(struct run *run, const char *process, struct err *err)
{
    const struct thread_list *list = &run->threads;
    int status = 0;
    for (size_t i = 0; i < list->count && status == 0; i++) {
        char name[64];
        bool known = false;
        for (size_t k = 0; k < i && !known; k++)
            known = list->items[k].pid == list->items[i].pid;
        if (!known)
            status = put_process_name(run, list->items[i].pid, process, err);
        snprintf(name, sizeof name, "Thread %lld", (long long)list->items[i].tid);
        if (status == 0)
            status = put_name(run, "thread_name", list->items[i].pid, list->items[i].tid, name, err);
        if (status == 0)
            status =
                put_sort(run, "thread_sort_index", list->items[i].pid, list->items[i].tid, list->items[i].tid, err);
    }
    return status;
}

static int put_call_flow(struct run *run, const struct legacy_call *call, struct err *err)
{
    if (!run->flows || !legacy_launches(call))
        return 0;
    const struct legacy_operator *op =
        legacy_device_operator_within(run->by_time, run->device->operator_count, call->start_ns, call->end_ns);
    return op != NULL ? put_flow(run, "s", op->stream_id, op->task_id, process_of(run, call), call->thread_id,
                                 call->start_ns, err)
                      : 0;
}

static int put_call(void *arg, const struct legacy_call *call, struct err *err)
{
    struct run *run = arg;
    const char *type = legacy_api_type(call->api_type);
    bool acl = call->process_id != DB_NULL;
    begin_event(run, !run->group ? "" : acl ? "ACL@" : "Runtime@", call->name);
    put_process(run, process_of(run, call));
    strbuf_addf(&run->line, run->group ? ",\"tid\":\"Thread %lld\"" : ",\"tid\":%lld", (long long)call->thread_id);
    put_time(run, "ts", call->start_ns);
    put_time(run, "dur", call->end_ns - call->start_ns);
    if (acl)
        strbuf_addf(&run->line, ",\"args\":{\"Mode\":\"%s\"", type != NULL ? type : "N/A");
    if (acl && !run->group)
        strbuf_addf(&run->line, ",\"Process Id\":%lld,\"Thread Id\":%lld", (long long)call->process_id,
                    (long long)call->thread_id);
    else if (!run->group)
        strbuf_addf(&run->line, ",\"args\":{\"Thread Id\":%lld", (long long)call->thread_id);
    strbuf_adds(&run->line, acl || !run->group ? "},\"ph\":\"X\"" : ",\"ph\":\"X\"");
    int status = end_event(run, err);
    return status == 0 ? put_call_flow(run, call, err) : status;
}

typedef int (*each_call)(sqlite3 *db, int64_t device_id, legacy_call_each each, void *arg, struct err *err);

static int write_calls(struct run *run, each_call each, const char *process, struct err *err)
{
    int64_t device_id = run->device->part.device_id;
    run->threads.count = 0;
    int status = each(run->db, device_id, collect_thread, run, err);
    if (status == 0)
        status = put_threads(run, process, err);
    return status == 0 ? each(run->db, device_id, put_call, run, err) : status;
}

static int write_acl(struct run *run, struct err *err)
{
    return write_calls(run, legacy_each_acl_call, "AscendCL", err);
}

static int write_runtime(struct run *run, struct err *err)
{
    return write_calls(run, legacy_each_runtime_call, "Runtime", err);
}

/* Threads have no names here: their numbers are texts. */
static int write_thread_group(struct run *run, struct err *err)
{
    int64_t device_id = run->device->part.device_id;
    run->group = true;
    int status = legacy_each_acl_call(run->db, device_id, put_call, run, err);
    if (status == 0)
        status = legacy_each_runtime_call(run->db, device_id, put_call, run, err);
    run->group = false;
    return status;
}

/* ---- tasks ---- */

static void put_task_args(struct run *run, const struct legacy_task *task)
{
    const char *type = legacy_task_type(task);
    strbuf_addf(&run->line, ",\"args\":{\"Task Type\":\"%s\",\"Stream Id\":%lld,\"Task Id\":%lld",
                type != NULL ? type : "N/A", (long long)task->stream_id, (long long)task->task_id);
    if (task->counters == NULL) {
        strbuf_adds(&run->line, ",\"Aicore Time(ms)\":\"N/A\",\"Total Cycle\":\"N/A\"}");
        return;
    }
    char text[NUMBER_MAX + 1];
    *number_put_shortest(text, pmu_round_decimal(legacy_task_milliseconds(run->device, task), 6), 6) = '\0';
    strbuf_addf(&run->line, ",\"Aicore Time(ms)\":%s,\"Total Cycle\":%lld}", text,
                (long long)task->counters->total_cycle);
}

static int put_task(struct run *run, const struct legacy_task *task, struct err *err)
{
    int64_t start_ns = (int64_t)task->start;
    begin_event(run, "", task->op != NULL ? task->op->name : NULL);
    put_place(run, SCHEDULER_PID, task->stream_id);
    put_time(run, "ts", start_ns);
    put_time(run, "dur", (int64_t)(task->end - task->start));
    put_task_args(run, task);
    strbuf_adds(&run->line, ",\"ph\":\"X\"");
    int status = end_event(run, err);
    return status == 0 && run->flows
               ? put_flow(run, "f", task->stream_id, task->task_id, SCHEDULER_PID, task->stream_id, start_ns, err)
               : status;
}

static int put_copy(struct run *run, const struct legacy_copy_time *copy, struct err *err)
{
    begin_event(run, "", LEGACY_COPY_NAME);
    put_place(run, SCHEDULER_PID, copy->stream_id);
    put_time(run, "ts", (int64_t)copy->start);
    put_time(run, "dur", (int64_t)(copy->end - copy->start));
    strbuf_addf(&run->line, ",\"args\":{\"Task Type\":\"%s\",\"Stream Id\":%lld,\"Task Id\":%lld", LEGACY_COPY_TYPE,
                (long long)copy->stream_id, (long long)copy->task_id);
    put_time(run, "Receive Time", (int64_t)copy->receive);
    put_time(run, "Start Time", (int64_t)copy->start);
    put_time(run, "End Time", (int64_t)copy->end);
    strbuf_adds(&run->line, "},\"ph\":\"X\"");
    return end_event(run, err);
}

static bool is_ai_cpu(const struct run *run, const struct legacy_task *task)
{
    return run->device->part.chip == 0 && task->type == 1;
}

static int put_ai_cpu_time(struct run *run, const struct legacy_ai_cpu_time *time, struct err *err)
{
    const struct {
        const char *key;
        int64_t ns;
    } arguments[] = {{"Compute Time(us)", time->run.compute_ns},
                     {"Memcpy Time(us)", time->run.copy_ns},
                     {"Task Time(us)", time->run.duration_ns},
                     {"Dispatch Time(us)", time->run.dispatch_ns},
                     {"Total Time(us)", time->run.total_ns}};
    begin_event(run, "", time->op != NULL ? time->op->name : NULL);
    put_place(run, AI_CPU_PID, 0);
    put_time(run, "ts", time->run.start_ns);
    put_time(run, "dur", time->run.duration_ns);
    strbuf_adds(&run->line, ",\"args\":{\"Task Type\":\"AI_CPU\"");
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        if (arguments[i].ns != DB_NULL)
            put_time(run, arguments[i].key, arguments[i].ns);
    }
    strbuf_adds(&run->line, "},\"ph\":\"X\"");
    return end_event(run, err);
}

/* Chip 0 shows the tasks of the AI CPU a second time where that did not measure them itself. */
static int put_ai_cpu_task(struct run *run, const struct legacy_task *task, struct err *err)
{
    struct legacy_ai_cpu_time time = {.op = task->op};
    time.run.start_ns = (int64_t)task->start;
    time.run.duration_ns = (int64_t)(task->end - task->start);
    time.run.compute_ns = time.run.copy_ns = time.run.dispatch_ns = time.run.total_ns = DB_NULL;
    return put_ai_cpu_time(run, &time, err);
}

static int compare_streams(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

static int put_streams(struct run *run, struct err *err)
{
    const struct legacy_device *device = run->device;
    size_t count = device->task_count + device->copy_count;
    int64_t *streams = calloc(count + 1, sizeof *streams);
    int status = 0;
    if (streams == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < device->task_count; i++)
        streams[i] = device->tasks[i].stream_id;
    for (size_t i = 0; i < device->copy_count; i++)
        streams[device->task_count + i] = device->copies[i].stream_id;
    qsort(streams, count, sizeof *streams, compare_streams);
    for (size_t i = 0; i < count && status == 0; i++) {
        char name[64];
        if (i > 0 && streams[i] == streams[i - 1])
            continue;
        snprintf(name, sizeof name, "Stream %lld", (long long)streams[i]);
        status = put_name(run, "thread_name", SCHEDULER_PID, streams[i], name, err);
    }
    free(streams);
    return status;
}

static int write_tasks(struct run *run, struct err *err)
{
    const struct legacy_device *device = run->device;
    bool measured = device->ai_cpu_count > 0, ai_cpu = measured;
    if (device->task_count == 0 && device->copy_count == 0 && !measured)
        return 0;
    int status = put_process_name(run, SCHEDULER_PID, "Task Scheduler", err);
    if (status == 0)
        status = put_streams(run, err);
    for (size_t i = 0; i < device->task_count; i++)
        ai_cpu = ai_cpu || is_ai_cpu(run, &device->tasks[i]);
    if (status == 0 && ai_cpu)
        status = put_process_name(run, AI_CPU_PID, "AI CPU", err);
    for (size_t i = 0; i < device->task_count && status == 0; i++)
        status = put_task(run, &device->tasks[i], err);
    for (size_t i = 0; i < device->copy_count && status == 0; i++)
        status = put_copy(run, &device->copies[i], err);
    for (size_t i = 0; i < device->ai_cpu_count && status == 0; i++)
        status = put_ai_cpu_time(run, &device->ai_cpu_times[i], err);
    for (size_t i = 0; i < device->task_count && status == 0 && !measured; i++) {
        if (is_ai_cpu(run, &device->tasks[i]))
            status = put_ai_cpu_task(run, &device->tasks[i], err);
    }
    return status;
}

/* ---- ge: executions of models ---- */

static int put_model_time(void *arg, const struct legacy_model_time *time, struct err *err)
{
    static const char *const names[] = {"Input", "Infer", "Output"};
    struct run *run = arg;
    const char *model = time->model != NULL ? time->model : "N/A";
    int status = 0;
    if (!run->any_model)
        status = put_process_name(run, run->device->part.process_id, "GE", err);
    run->any_model = true;
    for (int i = 0; i < 3 && status == 0; i++) {
        begin_event(run, "", names[i]);
        put_place(run, run->device->part.process_id, time->thread_id);
        put_time(run, "ts", time->start_ns[i]);
        put_time(run, "dur", time->end_ns[i] - time->start_ns[i]);
        strbuf_adds(&run->line, ",\"args\":{\"Model Name\":\"");
        json_text_append(&run->line, model, strlen(model));
        strbuf_addf(&run->line, "\",\"Model Id\":%lld},\"ph\":\"X\"", (long long)time->model_id);
        status = end_event(run, err);
    }
    return status;
}

static int write_models(struct run *run, struct err *err)
{
    run->any_model = false;
    return legacy_each_model_time(run->db, run->device->part.device_id, put_model_time, run, err);
}

/* ---- ai_stack_time: whole microseconds, the rest in the arguments ---- */

static void put_stack_event(struct run *run, const char *name, int64_t tid, double start, double end)
{
    begin_event(run, "", name);
    put_place(run, run->device->part.process_id, tid);
    strbuf_addf(&run->line,
                ",\"ts\":%lld,\"dur\":%lld,\"args\":{\"Iter ID\":%lld,\"Start Time\":%.15g,\"End Time\":%lld,"
                "\"Duration Time(ns)\":%.17g",
                (long long)(start / 1000), (long long)((end - start) / 1000), (long long)run->device->range.iteration,
                start, (long long)start + (long long)(end - start), end - start);
}

static int put_stack_acl(void *arg, const struct legacy_call *call, struct err *err)
{
    struct run *run = arg;
    run->in_model = run->in_model || (call->name != NULL && strcmp(call->name, LEGACY_MODEL_CALL) == 0);
    if (!run->in_model)
        return 0;
    put_stack_event(run, call->name, STACK_ACL, (double)call->start_ns, (double)call->end_ns);
    strbuf_adds(&run->line, "},\"ph\":\"X\"");
    return end_event(run, err);
}

static int put_stack_runtime(void *arg, const struct legacy_call *call, struct err *err)
{
    struct run *run = arg;
    put_stack_event(run, call->name, STACK_RUNTIME, (double)call->start_ns, (double)call->end_ns);
    strbuf_adds(&run->line, "},\"ph\":\"X\"");
    return end_event(run, err);
}

static int put_stack_task(struct run *run, const struct legacy_task *task, struct err *err)
{
    put_stack_event(run, task->op != NULL ? task->op->name : NULL, STACK_SCHEDULER, task->start, task->end);
    double time = legacy_task_milliseconds(run->device, task);
    if (isnan(time))
        strbuf_adds(&run->line, ",\"Total Time(ms)\":\"\"");
    else
        strbuf_addf(&run->line, ",\"Total Time(ms)\":%.17g", time);
    strbuf_adds(&run->line, "},\"ph\":\"X\"");
    return end_event(run, err);
}

static int write_stack(struct run *run, struct err *err)
{
    static const char *const threads[] = {"AscendCL", "GE", "Runtime", "Task Scheduler"};
    const struct legacy_device *device = run->device;
    int64_t pid = device->part.process_id;
    int status = put_name(run, "process_name", pid, 0, "AI Stack Time", err);
    for (int i = STACK_ACL; i <= STACK_SCHEDULER && status == 0; i++)
        status = put_name(run, "thread_name", pid, i, threads[i], err);
    run->in_model = false;
    if (status == 0)
        status = legacy_each_acl_call(run->db, device->part.device_id, put_stack_acl, run, err);
    if (status == 0)
        status = legacy_each_runtime_call(run->db, device->part.device_id, put_stack_runtime, run, err);
    for (size_t i = 0; i < device->task_count && status == 0; i++)
        status = put_stack_task(run, &device->tasks[i], err);
    return status;
}

/* ---- msprof: everything in one file ---- */

static int write_msprof(struct run *run, struct err *err)
{
    run->flows = true;
    run->sort = SORT_ACL;
    int status = write_acl(run, err);
    run->sort = SORT_GE;
    if (status == 0)
        status = write_models(run, err);
    run->sort = SORT_RUNTIME;
    if (status == 0)
        status = write_runtime(run, err);
    run->sort = SORT_TASK_TIME;
    if (status == 0)
        status = write_tasks(run, err);
    run->sort = 0;
    run->flows = false;
    return status;
}

/* ---- files ---- */

static int write_file(struct run *run, const char *report, int (*write)(struct run *run, struct err *err),
                      struct err *err)
{
    char name[LEGACY_NAME_MAX];
    legacy_report_name(name, run->device, report, ".json");
    char *path = path_join(run->options->directory, name);
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = outfile_open(&run->out, path, err);
    if (status < 0)
        goto out;
    run->any = false;
    run->events = 0;
    outfile_write(&run->out, "[", 1);
    status = write(run, err);
    outfile_write(&run->out, "\n]\n", 3);
    if (status != 0 || run->events == 0) {
        outfile_abort(&run->out);
        goto out;
    }
    status = outfile_commit(&run->out, err);
    if (status < 0)
        goto out;
    run->result->files++;
    run->result->rows += run->events;
    if (run->options->written != NULL)
        run->options->written(run->options->written_arg, report, path);
out:
    free(path);
    return status;
}

static int write_files(struct run *run, struct err *err)
{
    static const struct {
        const char *report;
        int (*write)(struct run *run, struct err *err);
    } files[] = {
        {"acl", write_acl},         {"runtime_api", write_runtime},
        {"task_time", write_tasks}, {"ai_stack_time", write_stack},
        {"msprof", write_msprof},   {"thread_group", write_thread_group},
        {"ge", write_models},
    };
    int status = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files && status == 0; i++)
        status = write_file(run, files[i].report, files[i].write, err);
    return status;
}

static int write_device(void *arg, struct legacy_device *device, struct err *err)
{
    struct run *run = arg;
    run->device = device;
    legacy_device_sort_by_start(device);
    run->by_time = legacy_device_by_time(device);
    int status = run->by_time != NULL ? write_files(run, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    free(run->by_time);
    run->by_time = NULL;
    run->device = NULL;
    return status;
}

int legacy_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct run run = {.db = db, .options = options, .result = ret};
    strbuf_init(&run.line, EVENT_MAX);
    int status = legacy_each_device(db, options, false, write_device, &run, err);
    strbuf_release(&run.line);
    free(run.threads.items);
    return status;
}
