/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/number.h"
#include "db/database.h"
#include "db/query/operators/query_models.h"
#include "exporters/counters/pmu_rounding.h"
#include "exporters/json_text.h"
#include "exporters/timeline/timeline_earlier.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads in the order of their first calls. */
struct thread_list {
    struct draw_2022 *draw;
    struct thread {
        int64_t process, tid;
    } * items;
    size_t count, capacity;
};

static int64_t process_of(const struct draw_2022 *draw, const struct plain_call *call)
{
    return call->process_id != DB_NULL ? call->process_id : draw->device->part->process_id;
}

static int collect_thread(void *arg, const struct plain_call *call, struct err *err)
{
    struct thread_list *list = arg;
    int64_t process = process_of(list->draw, call);
    for (size_t i = list->count; i-- > 0;) { /* mostly the latest */
        if (list->items[i].process == process && list->items[i].tid == call->thread_id)
            return 0;
    }
    if (array_reserve(list, 1, err) < 0)
        return -(int)err->code;
    draw_2022_count_thread(list->draw, call->thread_id);
    list->items[list->count++] = (struct thread){process, call->thread_id};
    return 0;
}

static void name_threads(const struct thread_list *list, const char *process)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct thread *thread = &list->items[i];
        char name[64];
        bool known = false;
        for (size_t k = 0; k < i && !known; k++)
            known = list->items[k].process == thread->process;
        if (!known)
            draw_2022_name_process(list->draw, thread->process, process);
        snprintf(name, sizeof name, "Thread %lld", (long long)thread->tid);
        if (list->draw->compat)
            draw_2022_name_thread(list->draw, thread->process, thread->tid, name, true);
    }
}

static int draw_flow(struct draw_2022 *draw, const struct plain_call *call, const struct trace_slice *slice,
                     struct err *err)
{
    struct reported_operator operator_;
    bool found;
    if (!draw->flows || !call_2022_launches(call))
        return 0;
    int status = plain_calls_find_operator(draw->calls, call->start_ns, call->end_ns, &found, &operator_, err);
    if (status == 0 && found)
        status = draw_2022_flow(draw, 's', operator_.stream_id, operator_.task_id, slice, err);
    return status;
}

static struct trace_slice slice_of(const struct draw_2022 *draw, const struct plain_call *call)
{
    return (struct trace_slice){.pid = draw_2022_pid(draw, process_of(draw, call)),
                                .start_ns = call->start_ns,
                                .duration_ns = time_since(call->end_ns, call->start_ns)};
}

/* NULL: a call of the runtime has none. */
static const char *mode_of(const struct plain_call *call)
{
    return call->process_id != DB_NULL ? api_type_2022(call->api_type) : NULL;
}

static int draw_call(void *arg, const struct plain_call *call, struct err *err)
{
    struct draw_2022 *draw = arg;
    struct trace_slice slice = slice_of(draw, call);
    if (!draw->compat) {
        int drawn = draw_2022_call(draw, "", call->name, mode_of(call), call->thread_id, &slice, err);
        return drawn == 0 ? draw_flow(draw, call, &slice, err) : drawn;
    }
    int status = draw_2022_begin(draw, call->name, &draw->lanes, call->thread_id, &slice, err);
    if (status < 0)
        return status;
    if (call->process_id != DB_NULL) {
        strbuf_addf(&draw->text, "\"Mode\":\"%s\",", mode_of(call));
        draw_2022_integer(draw, "\"Process Id\":", call->process_id);
        strbuf_addc(&draw->text, ',');
    }
    draw_2022_integer(draw, "\"Thread Id\":", call->thread_id);
    status = draw_2022_end(draw, &slice, err);
    return status == 0 ? draw_flow(draw, call, &slice, err) : status;
}

static int draw_calls(struct draw_2022 *draw, enum plain_layers layers, const char *process,
                      int (*draw_each)(void *arg, const struct plain_call *call, struct err *err), struct err *err)
{
    struct thread_list list = {.draw = draw};
    draw_2022_begin_layer(draw, "Thread ");
    int status = plain_calls_each(draw->calls, layers, collect_thread, &list, err);
    if (status == 0)
        name_threads(&list, process);
    free(list.items);
    if (status == 0)
        status = plain_calls_each(draw->calls, layers, draw_each, draw, err);
    return draw_2022_end_layer(draw, status, NULL, err);
}

int draw_2022_acl(struct draw_2022 *draw, struct err *err)
{
    return draw_calls(draw, PLAIN_ACL, "AscendCL", draw_call, err);
}

int draw_2022_runtime(struct draw_2022 *draw, struct err *err)
{
    return draw_calls(draw, PLAIN_RUNTIME, "Runtime", draw_call, err);
}

/* ---- thread_group: both by thread, with their layer in their names ---- */

static const char *layer_prefix(const struct plain_call *call)
{
    return call->process_id != DB_NULL ? "ACL@" : "Runtime@";
}

static int draw_grouped(void *arg, const struct plain_call *call, struct err *err)
{
    struct draw_2022 *draw = arg;
    struct trace_slice slice = slice_of(draw, call);
    return draw_2022_call(draw, layer_prefix(call), call->name, mode_of(call), call->thread_id, &slice, err);
}

/* The tool's threads have no names here: their numbers are texts. */
static int draw_grouped_compat(void *arg, const struct plain_call *call, struct err *err)
{
    struct draw_2022 *draw = arg;
    int status = draw_2022_name(draw, layer_prefix(call), call->name, err);
    if (status < 0)
        return status;
    strbuf_addf(&draw->text, ",\"pid\":%lld,\"tid\":\"Thread %lld\"", (long long)process_of(draw, call),
                (long long)call->thread_id);
    draw_2022_time(draw, "ts", call->start_ns);
    draw_2022_time(draw, "dur", time_since(call->end_ns, call->start_ns));
    if (call->process_id != DB_NULL)
        strbuf_addf(&draw->text, ",\"args\":{\"Mode\":\"%s\"}", api_type_2022(call->api_type));
    strbuf_adds(&draw->text, ",\"ph\":\"X\"}");
    return draw_2022_finish(draw, err);
}

int draw_2022_thread_group(struct draw_2022 *draw, struct err *err)
{
    if (!draw->compat)
        return draw_calls(draw, PLAIN_BOTH, "Host", draw_grouped, err);
    int status = plain_calls_each(draw->calls, PLAIN_ACL, draw_grouped_compat, draw, err);
    return status == 0 ? plain_calls_each(draw->calls, PLAIN_RUNTIME, draw_grouped_compat, draw, err) : status;
}

/* ---- models ---- */

#define NAME_MAX_BYTES ((size_t)1024 * 1024) /* of an event */

static int count_phase(void *arg, const struct model_phase *phase, struct err *err)
{
    (void)err;
    draw_2022_count_thread(arg, phase->thread_id);
    return 0;
}

static int draw_phase(void *arg, const struct model_phase *phase, struct err *err)
{
    static const char *const names[] = {"Input", "Infer", "Output"};
    struct draw_2022 *draw = arg;
    const char *model = phase->model != NULL ? phase->model : "N/A";
    struct trace_slice slice = {.pid = draw_2022_pid(draw, draw->device->part->process_id),
                                .start_ns = phase->start_ns,
                                .duration_ns = time_since(phase->end_ns, phase->start_ns)};
    int status = draw_2022_begin(draw, names[phase->phase], &draw->lanes, phase->thread_id, &slice, err);
    if (status < 0)
        return status;
    strbuf_adds(&draw->text, "\"Model Name\":\"");
    json_text_append(&draw->text, model, strlen(model));
    strbuf_addf(&draw->text, "\",\"Model Id\":%lld", (long long)phase->model_id);
    return draw_2022_end(draw, &slice, err);
}

/* ge: executions of models. */
int draw_2022_models(struct draw_2022 *draw, struct err *err)
{
    int64_t device_id = draw->device->part->device_id;
    enum model_order order = draw->compat ? MODELS_BY_EXECUTION : MODELS_BY_START;
    draw_2022_begin_layer(draw, "Thread ");
    int status = model_each_phase(draw->run->db, device_id, order, count_phase, draw, err);
    if (status == 0 && draw->first_free > 0)
        draw_2022_name_process(draw, draw->device->part->process_id, "GE");
    if (status == 0 && draw->first_free > 0)
        status = model_each_phase(draw->run->db, device_id, order, draw_phase, draw, err);
    return draw_2022_end_layer(draw, status, NULL, err);
}

static int count_step(void *arg, const struct model_host_step *step, struct err *err)
{
    (void)err;
    draw_2022_count_thread(arg, step->thread_id);
    return 0;
}

static int draw_step(void *arg, const struct model_host_step *step, struct err *err)
{
    struct draw_2022 *draw = arg;
    struct trace_slice slice = {.pid = draw_2022_pid(draw, draw->device->part->process_id),
                                .start_ns = step->start_ns,
                                .duration_ns = time_since(step->end_ns, step->start_ns)};
    struct strbuf name;
    strbuf_init(&name, NAME_MAX_BYTES);
    strbuf_addf(&name, "%s_%s", step->op_type, step->event);
    int status = name.failed ? err_set(err, ERR_NO_MEMORY, "out of memory")
                             : draw_2022_begin(draw, name.data, &draw->lanes, step->thread_id, &slice, err);
    strbuf_release(&name);
    return status == 0 ? draw_2022_end(draw, &slice, err) : status;
}

/* ge_op_execute: what the host did for operators of dynamic shape. */
int draw_2022_host_steps(struct draw_2022 *draw, struct err *err)
{
    int64_t device_id = draw->device->part->device_id;
    draw_2022_begin_layer(draw, "Thread ");
    int status = model_each_host_step(draw->run->db, device_id, count_step, draw, err);
    if (status == 0 && draw->first_free > 0)
        draw_2022_name_process(draw, draw->device->part->process_id, "GE");
    if (status == 0 && draw->first_free > 0)
        status = model_each_host_step(draw->run->db, device_id, draw_step, draw, err);
    return draw_2022_end_layer(draw, status, NULL, err);
}

/* ---- ai_stack_time ---- */

#define MODEL_CALL "aclmdlExecute" /* where the calls of an iteration begin */

/* Threads: the layers. */
enum { STACK_ACL, STACK_GE, STACK_RUNTIME, STACK_SCHEDULER, STACK_LAYERS };
static const char *const layers[] = {"AscendCL", "GE", "Runtime", "Task Scheduler"};

struct stack {
    struct draw_2022 *draw;
    bool in_model; /* the model's execution has begun */
};

/* The tool wrote whole microseconds, and the rest as arguments. */
static int begin_compat(struct draw_2022 *draw, const char *name, const struct trace_slice *slice, double start,
                        double end, struct err *err)
{
    int status = draw_2022_name(draw, "", name, err);
    strbuf_addf(&draw->text, ",\"pid\":%lld,\"tid\":%lld,\"ts\":%lld,\"dur\":%lld,\"args\":{", (long long)slice->pid,
                (long long)slice->tid, (long long)number_from_real(start / 1000),
                (long long)number_from_real((end - start) / 1000));
    return status;
}

static void put_real(struct draw_2022 *draw, const char *key, double value, unsigned digits)
{
    char number[NUMBER_MAX];
    strbuf_adds(&draw->text, key);
    strbuf_add(&draw->text, number, (size_t)(number_put_real(number, value, digits) - number));
}

static struct trace_slice stack_slice(const struct draw_2022 *draw, int64_t layer, double start, double end)
{
    return (struct trace_slice){.pid = draw_2022_pid(draw, draw->device->part->process_id),
                                .tid = layer,
                                .start_ns = number_from_real(start),
                                .duration_ns = number_from_real(end - start)};
}

static int begin_event(struct draw_2022 *draw, const char *name, int64_t layer, double start, double end,
                       struct trace_slice *slice, struct err *err)
{
    *slice = stack_slice(draw, layer, start, end);
    int status = draw->compat ? begin_compat(draw, name, slice, start, end, err)
                              : draw_2022_begin_operator(draw, name, &draw->lanes, layer, slice, err);
    draw_2022_integer(draw, "\"Iter ID\":", draw->device->range.iteration);
    put_real(draw, ",\"Start Time\":", start, 15);
    draw_2022_integer(draw, ",\"End Time\":", number_add(slice->start_ns, slice->duration_ns));
    put_real(draw, ",\"Duration Time(ns)\":", end - start, 17);
    return status;
}

static int draw_stack_call(struct draw_2022 *draw, const struct plain_call *call, int64_t layer, struct err *err)
{
    struct trace_slice slice;
    if (!draw->compat) {
        slice = stack_slice(draw, layer, (double)call->start_ns, (double)call->end_ns);
        return draw_2022_call(draw, "", call->name, NULL, layer, &slice, err);
    }
    int status = begin_event(draw, call->name, layer, (double)call->start_ns, (double)call->end_ns, &slice, err);
    return status == 0 ? draw_2022_end(draw, &slice, err) : status;
}

static int draw_acl(void *arg, const struct plain_call *call, struct err *err)
{
    struct stack *stack = arg;
    stack->in_model = stack->in_model || (call->name != NULL && strcmp(call->name, MODEL_CALL) == 0);
    return stack->in_model ? draw_stack_call(stack->draw, call, STACK_ACL, err) : 0;
}

static int draw_runtime(void *arg, const struct plain_call *call, struct err *err)
{
    return draw_stack_call(arg, call, STACK_RUNTIME, err);
}

static int draw_stack_task(void *arg, const struct execution *execution, struct err *err)
{
    struct draw_2022 *draw = arg;
    const struct task_2022 task = task_2022_of(draw->device, execution);
    struct trace_slice slice;
    int status = begin_event(draw, execution->op_name, STACK_SCHEDULER, task.start, task.end, &slice, err);
    if (status < 0)
        return status;
    double time = task_2022_milliseconds(&draw->counters, execution);
    if (isnan(time))
        strbuf_adds(&draw->text, ",\"Total Time(ms)\":\"\"");
    else
        put_real(draw, ",\"Total Time(ms)\":", time, 17);
    draw_2022_operator(draw, execution);
    return draw_2022_end(draw, &slice, err);
}

static void name_layer(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)arg;
    (void)pid;
    strbuf_adds(ret, layers[number]);
}

int draw_2022_stack(struct draw_2022 *draw, struct err *err)
{
    sqlite3 *db = draw->run->db;
    const struct device_2022 *device = draw->device;
    int64_t process = device->part->process_id;
    draw_2022_begin_layer(draw, NULL);
    draw_2022_count_thread(draw, STACK_LAYERS - 1);
    draw_2022_name_process(draw, process, "AI Stack Time");
    for (int i = 0; i < STACK_LAYERS && draw->compat; i++)
        draw_2022_name_thread(draw, process, i, layers[i], false);
    struct stack stack = {.draw = draw};
    int status = plain_calls_each(draw->calls, PLAIN_ACL, draw_acl, &stack, err);
    if (status == 0)
        status = plain_calls_each(draw->calls, PLAIN_RUNTIME, draw_runtime, draw, err);
    const struct execution_query query = {
        .range = device->range.ticks, .parts = draw->facts ? EXECUTION_COUNTED | EXECUTION_TENSORS : EXECUTION_COUNTED};
    if (status == 0)
        status = execution_each(db, &query, draw_stack_task, draw, err);
    return draw_2022_end_layer(draw, status, name_layer, err);
}

/* ---- tasks ---- */

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
    tasks->ai_cpu |= draw->device->part->chip == 0 && draw->counts.ai_cpu_tasks > 0;
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
    if (status == 0 && draw->counts.copies > 0)
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
