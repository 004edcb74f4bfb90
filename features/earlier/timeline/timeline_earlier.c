/* SPDX-License-Identifier: Apache-2.0 */
/* Files of captures from before 2023, and the layers of those of 2022. Their tasks are placed by ticks, in the floating
 * point of Ascend's tool, so that the rows of device_task are drawn in one pass. */
#include "features/earlier/timeline/timeline_earlier.h"

#include "base/array.h"
#include "base/file/spool.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/search.h"
#include "db/database.h"
#include "exporters/counters/pmu_metric.h"
#include "exporters/timeline/track.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)1024 * 1024) /* bytes of a name that a call has */

/* Which of 256 numbers that follow each other are those of arrows that have begun. */
struct begun_flow {
    int64_t block;
    uint64_t bits[4];
};

/* ---- layers ---- */

void earlier_begin_layer(struct earlier *draw, const char *word)
{
    trace_lanes_init(&draw->lanes, &draw->file.trace.style, word, NULL, NULL);
}

static int64_t pid_of_twin(const void *twin, int64_t pid)
{
    return track_own_pid(&((const struct earlier *)twin)->file, pid);
}

/* Names threads in the file, and in its twin. */
static int name_lanes(struct earlier *draw, struct trace_lanes *lanes,
                      void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), struct err *err)
{
    int status = trace_lanes_name(lanes, &draw->file.trace, name, draw, err);
    if (status < 0 || draw->twin == NULL)
        return status;
    lanes->pid_of = pid_of_twin;
    lanes->other = draw->twin;
    return trace_lanes_name(lanes, &draw->twin->file.trace, name, draw, err);
}

int earlier_end_layer(struct earlier *draw, int status,
                      void (*name)(void *arg, int64_t pid, int64_t number, struct strbuf *ret), struct err *err)
{
    if (status == 0 && !draw->file.compat)
        status = name_lanes(draw, &draw->lanes, name, err);
    trace_lanes_release(&draw->lanes);
    return status;
}

void earlier_count_thread(struct earlier *draw, int64_t number)
{
    if (number >= draw->lanes.own_next && number < INT64_MAX / 2)
        draw->lanes.own_next = number + 1;
}

/* The process id of a process of the layer. */
static int64_t earlier_pid(const struct earlier *draw, int64_t process)
{
    return track_own_pid(&draw->file, process);
}

int earlier_draw_series(struct earlier *draw, const struct track *track, struct err *err)
{
    struct series_track state = {.runs = NULL};
    bool failed = series_track_write(&draw->file, track, &state, err) < 0 ||
                  (!draw->file.compat && series_track_name_threads(&state, err) < 0);
    series_track_release(&state);
    return failed ? err_status(err) : 0;
}

void earlier_name_process(struct earlier *draw, int64_t process, const char *name)
{
    track_name_own_process(&draw->file, process, name);
}

/* compat: threads are named before their events; placed: and have a place among the others. */
static void name_thread(struct earlier *draw, int64_t process, int64_t tid, const char *name, bool placed)
{
    draw->file.trace.style.unplaced = !placed;
    trace_name_thread(&draw->file.trace, earlier_pid(draw, process), tid, tid, name);
}

/* ---- events ---- */

int earlier_begin_operator(struct earlier *draw, int64_t name_id, struct trace_lanes *lanes, int64_t number,
                           struct trace_slice *slice, struct event *event, struct err *err)
{
    if (trace_lanes_begin(lanes, number, slice, event, err) < 0)
        return err_status(err);
    event_cann_name(event, "", slice_name(&draw->operators, &draw->names, name_id));
    return 0;
}

void earlier_add_task(struct event *event, const char *type, int64_t stream_id, int64_t task_id)
{
    event_word(event, "Task Type", type);
    event_integer(event, "Stream Id", stream_id);
    event_integer(event, "Task Id", task_id);
}

static struct trace_slice slice_between(const struct earlier *draw, int64_t process, int64_t start_ns, int64_t end_ns)
{
    return (struct trace_slice){
        .pid = earlier_pid(draw, process), .start_ns = start_ns, .duration_ns = time_since(end_ns, start_ns)};
}

static struct trace_slice slice_of_reals(const struct earlier *draw, int64_t process, double start, double end)
{
    return (struct trace_slice){.pid = earlier_pid(draw, process),
                                .start_ns = number_from_real(start),
                                .duration_ns = number_from_real(end - start)};
}

/* ---- arrows ---- */

/* Puts one end of an arrow to a task: its end only where it has a beginning, unless compat. */
static int put_flow(struct earlier *draw, char phase, int64_t stream_id, int64_t task_id,
                    const struct trace_slice *slice, struct err *err)
{
    static const struct trace_flow connect = {.name = "connect", .paired = true};
    int64_t id = (int64_t)((uint64_t)stream_id << 32 | ((uint64_t)task_id & UINT32_MAX));
    const int64_t block = id >> 8;
    const size_t word = (size_t)(id >> 6) % 4;
    const uint64_t bit = UINT64_C(1) << (id & 63);
    struct event event;
    if (!draw->file.compat && phase == 's') {
        struct begun_flow *flows = map_add(&draw->begun_flows, &block, NULL, err);
        if (flows == NULL)
            return err_status(err);
        flows->bits[word] |= bit;
    } else if (!draw->file.compat) {
        const struct begun_flow *flows = map_get(&draw->begun_flows, &block);
        if (flows == NULL || (flows->bits[word] & bit) == 0)
            return 0;
    }
    event_flow(&event, &draw->file.trace.style, &connect, phase, id, slice->pid, slice->tid, slice->start_ns);
    return trace_put(&draw->file.trace, &event, err);
}

static int put_call_flow(struct earlier *draw, const void *of, const struct trace_slice *slice, struct err *err)
{
    const struct plain_call *call = of;
    struct reported_operator operator_;
    bool found;
    if (!device_2022_launches(call))
        return 0;
    if (plain_calls_find_operator(draw->calls, call->start_ns, call->end_ns, &found, &operator_, err) < 0)
        return err_status(err);
    return found ? put_flow(draw, 's', operator_.stream_id, operator_.task_id, slice, err) : 0;
}

/* Puts an event of a slice in the file, and in its twin with the process that it has there; arrows, which may be NULL,
 * puts what a file with arrows has behind it. */
static int put_everywhere(struct earlier *draw, struct event *event, const struct trace_slice *slice,
                          int (*arrows)(struct earlier *draw, const void *of, const struct trace_slice *slice,
                                        struct err *err),
                          const void *of, struct err *err)
{
    if (draw->twin != NULL) {
        struct trace_slice copy = *slice;
        copy.pid = event->head.pid = track_own_pid(&draw->twin->file, slice->pid);
        if (trace_put(&draw->twin->file.trace, event, err) < 0 ||
            (arrows != NULL && draw->twin->flows && arrows(draw->twin, of, &copy, err) < 0))
            return err_status(err);
        event->head.pid = slice->pid;
    }
    if (trace_put(&draw->file.trace, event, err) < 0)
        return err_status(err);
    return arrows != NULL && draw->flows ? arrows(draw, of, slice, err) : 0;
}

/* ---- calls ---- */

static int64_t process_of(const struct earlier *draw, const struct plain_call *call)
{
    return call->process_id != DB_NULL ? call->process_id : draw->device->part->process_id;
}

static int list_thread(void *arg, const struct plain_call *call, struct err *err)
{
    const struct earlier *draw = arg;
    struct call_threads *threads = draw->listing;
    int64_t process = process_of(draw, call);
    for (size_t i = threads->count; i-- > 0;) { /* mostly the latest */
        if (threads->items[i].process == process && threads->items[i].tid == call->thread_id)
            return 0;
    }
    if (array_reserve(threads, 1, err) < 0)
        return err_status(err);
    threads->items[threads->count++] = (struct call_thread){process, call->thread_id};
    return 0;
}

static int list_threads(struct earlier *draw, enum plain_layers layers, struct err *err)
{
    draw->listing = &draw->threads[layers];
    return plain_calls_each_thread(draw->calls, layers, list_thread, draw, err);
}

static void name_threads(struct earlier *draw, const struct call_threads *threads, const char *process)
{
    for (size_t i = 0; i < threads->count; i++) {
        const struct call_thread *thread = &threads->items[i];
        char name[64];
        bool known = false;
        for (size_t k = 0; k < i && !known; k++)
            known = threads->items[k].process == thread->process;
        if (!known)
            earlier_name_process(draw, thread->process, process);
        earlier_count_thread(draw, thread->tid);
        snprintf(name, sizeof name, "Thread %lld", (long long)thread->tid);
        if (draw->file.compat)
            name_thread(draw, thread->process, thread->tid, name, true);
    }
}

/* Sets the name as a JSON string. */
static int find_name(struct earlier *draw, const struct plain_call *call, struct cann_text *ret, struct err *err)
{
    struct strbuf_list *names = draw->call_names;
    *ret = (struct cann_text){NULL, 0};
    if (call->name == NULL)
        return 0;
    while (names->count <= call->name_number) {
        if (array_reserve(names, 1, err) < 0)
            return err_status(err);
        strbuf_init(&names->items[names->count++], TEXT_MAX);
    }
    struct strbuf *name = &names->items[call->name_number];
    if (name->length == 0 && json_text_quote(name, call->name, strlen(call->name)) < 0)
        return err_set(err, ERR_LIMIT, "the name of a call is too long for a timeline");
    *ret = (struct cann_text){name->data, (uint32_t)name->length};
    return 0;
}

/* "<prefix><name>" */
static int name_call(struct earlier *draw, const struct plain_call *call, const char *prefix, struct event *event,
                     struct err *err)
{
    struct cann_text name;
    if (find_name(draw, call, &name, err) < 0)
        return err_status(err);
    event_cann_name(event, prefix, name);
    return 0;
}

/* NULL: a call of the runtime has none. */
static const char *mode_of(const struct plain_call *call)
{
    return call->process_id != DB_NULL ? api_type_2022(call->api_type) : NULL;
}

/* Adds arguments as the tool did. */
static void add_call(struct event *event, const struct plain_call *call)
{
    if (call->process_id != DB_NULL) {
        event_word(event, "Mode", mode_of(call));
        event_integer(event, "Process Id", call->process_id);
    }
    event_integer(event, "Thread Id", call->thread_id);
}

/* Ours have no arguments (EVENT_CALL). category: NULL, none. */
static int draw_call_on(struct earlier *draw, const struct plain_call *call, const char *prefix, const char *category,
                        int64_t number, struct err *err)
{
    struct trace_slice slice = slice_between(draw, process_of(draw, call), call->start_ns, call->end_ns);
    struct event event;
    if (trace_lanes_begin(&draw->lanes, number, &slice, &event, err) < 0 ||
        name_call(draw, call, prefix, &event, err) < 0)
        return err_status(err);
    if (draw->file.compat) {
        add_call(&event, call);
    } else {
        event_category(&event, category);
        event.head.flags |= EVENT_CALL;
    }
    return put_everywhere(draw, &event, &slice, put_call_flow, call, err);
}

static const char *layer_prefix(const struct plain_call *call)
{
    return call->process_id != DB_NULL ? "ACL@" : "Runtime@";
}

static int draw_call(void *arg, const struct plain_call *call, struct err *err)
{
    const struct earlier *draw = arg;
    return draw_call_on(arg, call, draw->grouped ? layer_prefix(call) : "", mode_of(call), call->thread_id, err);
}

static void begin_calls(struct earlier *draw, enum plain_layers layers, const char *process)
{
    draw->grouped = layers == PLAIN_BOTH;
    earlier_begin_layer(draw, "Thread ");
    name_threads(draw, &draw->threads[layers], process);
}

/* ---- thread_group: both by thread, with their layer in their names ---- */

/* The tool's threads have no names here: their numbers are texts. */
static int draw_grouped_compat(void *arg, const struct plain_call *call, struct err *err)
{
    struct earlier *draw = arg;
    const struct trace_slice slice = {.pid = process_of(draw, call),
                                      .tid = call->thread_id,
                                      .start_ns = call->start_ns,
                                      .duration_ns = time_since(call->end_ns, call->start_ns)};
    struct event event;
    event_slice(&event, &slice);
    event.head.flags |= EVENT_THREAD_TEXT;
    if (name_call(draw, call, layer_prefix(call), &event, err) < 0)
        return err_status(err);
    if (call->process_id != DB_NULL)
        event_word(&event, "Mode", mode_of(call));
    return trace_put(&draw->file.trace, &event, err);
}

static int draw_thread_group(struct earlier *draw, struct err *err)
{
    if (!draw->file.compat) {
        begin_calls(draw, PLAIN_BOTH, "Host");
        return earlier_end_layer(draw, plain_calls_each(draw->calls, PLAIN_BOTH, draw_call, draw, err), NULL, err);
    }
    int status = plain_calls_each(draw->calls, PLAIN_ACL, draw_grouped_compat, draw, err);
    return status == 0 ? plain_calls_each(draw->calls, PLAIN_RUNTIME, draw_grouped_compat, draw, err) : status;
}

/* ---- tasks: what the layer must know of them before the first is drawn ---- */

struct timed_task {
    const struct cann_task *task;
    double start, end, milliseconds; /* milliseconds: by its counters; NAN: it has none */
};

#define TASK_OF_AI_CPU 1
#define TASK_MEMORY ((size_t)4 * 1024 * 1024)

static int add_stream(struct earlier *draw, int64_t stream_id, struct err *err)
{
    int64_t *items = draw->streams.items;
    size_t at = search_until(items, draw->streams.count, sizeof *items, 0, stream_id);
    if (at > 0 && items[at - 1] == stream_id)
        return 0;
    if (array_reserve(&draw->streams, 1, err) < 0)
        return err_status(err);
    items = draw->streams.items;
    memmove(items + at + 1, items + at, (draw->streams.count++ - at) * sizeof *items);
    items[at] = stream_id;
    return 0;
}

static int note_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct earlier *draw = arg;
    draw->ai_cpu_tasks |= task->type == TASK_OF_AI_CPU;
    return add_stream(draw, task->stream_id, err);
}

/* Ends with the task that lists the processes, which must be known before the first is drawn. */
static int note_until_known(void *arg, const struct cann_task *task, struct err *err)
{
    const struct earlier *draw = arg;
    return note_task(arg, task, err) < 0 ? err_status(err) : draw->device->part->chip != 0 || draw->ai_cpu_tasks;
}

static int add_copy(void *arg, const struct device_copy *copy, struct err *err)
{
    return add_stream(arg, copy->stream_id, err);
}

static int note_ai_cpu_run(void *arg, const struct ai_cpu_run *run, struct err *err)
{
    struct earlier *draw = arg;
    (void)run;
    (void)err;
    draw->ai_cpu_runs = true;
    return 0;
}

static int note_tasks(struct earlier *draw, struct err *err)
{
    const struct execution_range *range = &draw->device->range.ticks;
    return execution_each(draw->file.run->db, range, CANN_TICK_STREAMS,
                          draw->file.compat ? note_task : note_until_known, draw, err) < 0 ||
                   device_copy_each(draw->file.run->db, range, add_copy, draw, err) < 0 ||
                   ai_cpu_run_each(draw->file.run->db, range, note_ai_cpu_run, draw, err) < 0
               ? err_status(err)
               : 0;
}

/* Only threads beside those of the streams need all of their numbers, mostly when all tasks are drawn. */
static int count_streams(void *arg, int64_t *ret, struct err *err)
{
    struct earlier *draw = arg;
    if (!draw->tasks_drawn &&
        execution_each(draw->file.run->db, &draw->device->range.ticks, CANN_TICK_STREAMS, note_task, draw, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < draw->streams.count; i++)
        earlier_count_thread(draw, draw->streams.items[i]);
    *ret = draw->lanes.own_next;
    return 0;
}

static void forget_tasks(struct earlier *draw)
{
    free(draw->streams.items);
    draw->streams.items = NULL;
    draw->streams.count = draw->streams.capacity = 0;
    draw->ai_cpu_tasks = draw->ai_cpu_runs = false;
}

/* ---- ai_stack_time ---- */

/* Threads: the layers. */
enum { STACK_ACL, STACK_GE, STACK_RUNTIME, STACK_SCHEDULER, STACK_LAYERS };
static const char *const layers[] = {"AscendCL", "GE", "Runtime", "Task Scheduler"};

/* Compat: the tool wrote whole microseconds, and the rest as arguments. */
static void add_span(const struct earlier *draw, struct event *event, double start, double end)
{
    struct event_head *head = &event->head;
    event_integer(event, "Iter ID", draw->device->range.iteration);
    event_digits(event, "Start Time", start, 15);
    event_integer(event, "End Time", number_add(head->start_ns, head->duration_ns));
    event_digits(event, "Duration Time(ns)", end - start, 17);
    if (!draw->file.compat)
        return;
    head->flags |= EVENT_WHOLE_US;
    head->start_ns = number_from_real(start / 1000);
    head->duration_ns = number_from_real((end - start) / 1000);
}

static int draw_stack_call(struct earlier *draw, const struct plain_call *call, int64_t layer, struct err *err)
{
    if (!draw->file.compat)
        return draw_call_on(draw, call, "", NULL, layer, err);
    const double start_ns = (double)call->start_ns, end_ns = (double)call->end_ns;
    struct trace_slice slice = slice_of_reals(draw, draw->device->part->process_id, start_ns, end_ns);
    struct event event;
    slice.tid = layer;
    event_slice(&event, &slice);
    if (name_call(draw, call, "", &event, err) < 0)
        return err_status(err);
    add_span(draw, &event, start_ns, end_ns);
    return trace_put(&draw->file.trace, &event, err);
}

/* Where the calls of an iteration begin: its model's execution. */
static int draw_stack_acl(void *arg, const struct plain_call *call, struct err *err)
{
    struct earlier *draw = arg;
    draw->in_model = draw->in_model || (call->name != NULL && strcmp(call->name, "aclmdlExecute") == 0);
    return draw->in_model ? draw_stack_call(draw, call, STACK_ACL, err) : 0;
}

static int draw_stack_runtime(void *arg, const struct plain_call *call, struct err *err)
{
    return draw_stack_call(arg, call, STACK_RUNTIME, err);
}

static int draw_stack_task(struct earlier *draw, const struct timed_task *timed, struct err *err)
{
    struct trace_slice slice = slice_of_reals(draw, draw->device->part->process_id, timed->start, timed->end);
    struct event event;
    slice.tid = STACK_SCHEDULER;
    if (!draw->file.compat && trace_lanes_place(&draw->lanes, STACK_SCHEDULER, &slice, err) < 0)
        return err_status(err);
    event_slice(&event, &slice);
    event_cann_name(&event, "", slice_name(&draw->operators, &draw->names, timed->task->op_name_id));
    add_span(draw, &event, timed->start, timed->end);
    if (isnan(timed->milliseconds))
        event_word(&event, "Total Time(ms)", "");
    else
        event_digits(&event, "Total Time(ms)", timed->milliseconds, 17);
    slice_operator(&event, &draw->operators, &draw->names, timed->task);
    return trace_put(&draw->file.trace, &event, err);
}

static void name_layer(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)arg;
    (void)pid;
    strbuf_adds(ret, layers[number]);
}

static void begin_stack(struct earlier *draw)
{
    earlier_begin_layer(draw, NULL);
    earlier_count_thread(draw, STACK_LAYERS - 1);
    earlier_name_process(draw, draw->device->part->process_id, "AI Stack Time");
    for (int i = 0; i < STACK_LAYERS && draw->file.compat; i++)
        name_thread(draw, draw->device->part->process_id, i, layers[i], false);
    draw->in_model = false;
}

/* ---- tasks ---- */

/* Processes, as Ascend's tool of 2022 numbers them. */
enum { SCHEDULER, AI_CPU };

struct tasks {
    struct earlier *draw, *stack;
    struct spool *of_ai_cpu;   /* struct ai_cpu_run: tasks that are shown a second time; NULL: none are */
    struct trace_lanes copies; /* they have threads of their own: they come behind all tasks */
};

static int put_task_flow(struct earlier *draw, const void *of, const struct trace_slice *slice, struct err *err)
{
    const struct cann_task *task = of;
    return put_flow(draw, 'f', task->stream_id, task->task_id, slice, err);
}

static void add_counted(struct event *event, const struct timed_task *timed)
{
    const struct cann_task *task = timed->task;
    if (isnan(timed->milliseconds)) {
        event_word(event, "Aicore Time(ms)", "N/A");
        event_word(event, "Total Cycle", "N/A");
        return;
    }
    event_decimals(event, "Aicore Time(ms)", pmu_round_decimal(timed->milliseconds, 6), 6);
    event_integer(event, "Total Cycle", task->has_aic ? task->aic_total_cycle : task->aiv_total_cycle);
}

static int draw_task(const struct tasks *tasks, const struct timed_task *timed, struct err *err)
{
    struct earlier *draw = tasks->draw;
    const struct cann_task *task = timed->task;
    const char *type = task_2022_type(draw->device, task);
    struct trace_slice slice = slice_of_reals(draw, SCHEDULER, timed->start, timed->end);
    struct event event;
    if (draw_stack_task(tasks->stack, timed, err) < 0 ||
        earlier_begin_operator(draw, task->op_name_id, &draw->lanes, task->stream_id, &slice, &event, err) < 0)
        return err_status(err);
    earlier_add_task(&event, type != NULL ? type : "N/A", task->stream_id, task->task_id);
    add_counted(&event, timed);
    slice_operator(&event, &draw->operators, &draw->names, task);
    return put_everywhere(draw, &event, &slice, put_task_flow, task, err);
}

static int draw_copy(void *arg, const struct device_copy *copy, struct err *err)
{
    struct tasks *tasks = arg;
    struct earlier *draw = tasks->draw;
    const double start_ns = time_2022(draw->device, copy->start_tick), end_ns = time_2022(draw->device, copy->end_tick);
    struct trace_slice slice = slice_of_reals(draw, SCHEDULER, start_ns, end_ns);
    struct event event;
    if (trace_lanes_begin(&tasks->copies, copy->stream_id, &slice, &event, err) < 0)
        return err_status(err);
    event_name_word(&event, COPY_NAME_2022);
    earlier_add_task(&event, COPY_TYPE_2022, copy->stream_id, copy->task_id);
    event_us(&event, "Receive Time", number_from_real(time_2022(draw->device, copy->receive_tick)));
    event_us(&event, "Start Time", number_from_real(start_ns));
    event_us(&event, "End Time", number_from_real(end_ns));
    return put_everywhere(draw, &event, &slice, NULL, NULL, err);
}

#define event_known_us(event, key, ns) ((ns) != DB_NULL ? event_us((event), key, (ns)) : (void)0)

static int draw_ai_cpu_run(void *arg, const struct ai_cpu_run *run, struct err *err)
{
    const struct tasks *tasks = arg;
    struct earlier *draw = tasks->draw;
    struct trace_slice slice = {
        .pid = earlier_pid(draw, AI_CPU), .start_ns = run->start_ns, .duration_ns = run->duration_ns};
    struct event event;
    if (earlier_begin_operator(draw, run->op_name_id, &draw->lanes, 0, &slice, &event, err) < 0)
        return err_status(err);
    event_word(&event, "Task Type", "AI_CPU");
    event_known_us(&event, "Compute Time(us)", run->compute_ns);
    event_known_us(&event, "Memcpy Time(us)", run->copy_ns);
    event_known_us(&event, "Task Time(us)", run->duration_ns);
    event_known_us(&event, "Dispatch Time(us)", run->dispatch_ns);
    event_known_us(&event, "Total Time(us)", run->total_ns);
    slice_whole_name(&event, &draw->operators, &draw->names, run->op_name_id);
    return put_everywhere(draw, &event, &slice, NULL, NULL, err);
}

/* Chip 0 shows the tasks of the AI CPU a second time where that did not measure them itself. */
static int add_ai_cpu_task(const struct tasks *tasks, const struct timed_task *timed, struct err *err)
{
    static const struct spool_key in_order = {0, 0};
    const struct ai_cpu_run run = {.start_ns = number_from_real(timed->start),
                                   .duration_ns = number_from_real(timed->end - timed->start),
                                   .compute_ns = DB_NULL,
                                   .copy_ns = DB_NULL,
                                   .dispatch_ns = DB_NULL,
                                   .total_ns = DB_NULL,
                                   .op_name_id = timed->task->op_name_id};
    return spool_add(tasks->of_ai_cpu, &in_order, &run, sizeof run, err);
}

static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    const struct tasks *tasks = arg;
    const struct earlier *draw = tasks->draw;
    const struct timed_task timed = {.task = task,
                                     .start = time_2022(draw->device, task->start_tick),
                                     .end = time_2022(draw->device, task->end_tick),
                                     .milliseconds = task_2022_milliseconds(&draw->counters, task)};
    if (draw_task(tasks, &timed, err) < 0 || add_stream(tasks->draw, task->stream_id, err) < 0)
        return err_status(err);
    return task->type == TASK_OF_AI_CPU && tasks->of_ai_cpu != NULL ? add_ai_cpu_task(tasks, &timed, err) : 0;
}

static int draw_ai_cpu_task(void *arg, const void *record, struct err *err)
{
    return draw_ai_cpu_run(arg, record, err);
}

static void name_streams(struct earlier *draw)
{
    char name[64];
    for (size_t i = 0; i < draw->streams.count && draw->file.compat; i++) {
        snprintf(name, sizeof name, "Stream %lld", (long long)draw->streams.items[i]);
        name_thread(draw, SCHEDULER, draw->streams.items[i], name, false);
    }
}

static void name_task_thread(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    if (pid == earlier_pid(arg, AI_CPU))
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

/* Whether those of the AI CPU are shown a second time. */
static bool shows_again(const struct earlier *draw)
{
    return draw->device->part->chip == 0 && draw->ai_cpu_tasks;
}

static void name_tasks(struct earlier *draw)
{
    if (draw->streams.count == 0 && !draw->ai_cpu_runs)
        return;
    earlier_name_process(draw, SCHEDULER, "Task Scheduler");
    name_streams(draw);
    if (draw->ai_cpu_runs || shows_again(draw))
        earlier_name_process(draw, AI_CPU, "AI CPU");
}

static int begin_tasks(struct tasks *tasks, struct earlier *draw, struct earlier *stack, struct err *err)
{
    *tasks = (struct tasks){.draw = draw, .stack = stack};
    trace_lanes_init(&draw->lanes, &draw->file.trace.style, NULL, count_streams, draw);
    trace_lanes_init(&tasks->copies, &draw->file.trace.style, NULL, count_streams, draw);
    tasks->copies.no_own = !draw->file.compat;
    tasks->copies.next = draw->lanes.next;
    name_tasks(draw);
    if (!shows_again(draw) || draw->ai_cpu_runs)
        return 0;
    tasks->of_ai_cpu = spool_new(TASK_MEMORY, NULL, err);
    return tasks->of_ai_cpu != NULL ? 0 : err_status(err);
}

/* Draws what comes behind all tasks. */
static int draw_others(struct tasks *tasks, struct err *err)
{
    struct earlier *draw = tasks->draw;
    const struct execution_range *range = &draw->device->range.ticks;
    if (device_copy_each(draw->file.run->db, range, draw_copy, tasks, err) < 0 ||
        ai_cpu_run_each(draw->file.run->db, range, draw_ai_cpu_run, tasks, err) < 0 ||
        (tasks->of_ai_cpu != NULL &&
         (spool_finish(tasks->of_ai_cpu, err) < 0 || spool_each(tasks->of_ai_cpu, draw_ai_cpu_task, tasks, err) < 0)))
        return err_status(err);
    return draw->file.compat ? 0 : name_lanes(draw, &tasks->copies, name_copies, err);
}

static int end_tasks(struct tasks *tasks, int status, struct err *err)
{
    status = status == 0 ? draw_others(tasks, err) : status;
    trace_lanes_release(&tasks->copies);
    spool_free(tasks->of_ai_cpu);
    return earlier_end_layer(tasks->draw, status, name_task_thread, err);
}

/* ---- files ---- */

/* events: that it will have at least. */
static int open_file(struct earlier *draw, const char *report, const char *suffix, uint64_t events, struct err *err)
{
    enum { EVENT_BYTES = 64 }; /* at least */
    char name[SUFFIX_2022_MAX + 64];
    snprintf(name, sizeof name, "%s%s.json", report, suffix);
    if (trace_open(&draw->file.trace, draw->file.run, draw->file.compat ? &trace_style_2022 : &trace_style_msprof,
                   report, name, err) < 0)
        return err_status(err);
    outfile_expect(&draw->file.trace.out, events * EVENT_BYTES);
    map_clear(&draw->file.processes);
    draw->file.device_id = draw->device->range.ticks.device_id;
    draw->tasks_before = 0;
    draw->file.trace.tells_progress = true;
    return 0;
}

static int close_file(struct earlier *draw, int status, const char *clock, struct err *err)
{
    const struct trace_info info = {
        .clock = clock, .device_id = draw->device->range.ticks.device_id, .tasks_before = draw->tasks_before};
    if (draw->file.compat && draw->file.trace.named && draw->file.trace.events == 0)
        draw->file.trace.events = 1; /* the tool wrote files of names alone */
    return trace_close(&draw->file.trace, status, &info, err);
}

int earlier_write_file(struct earlier *draw, const char *report, const char *suffix, const char *clock,
                       int (*draw_layer)(struct earlier *draw, struct err *err), struct err *err)
{
    int status = open_file(draw, report, suffix, 0, err);
    return status == 0 ? close_file(draw, draw_layer(draw, err), clock, err) : status;
}

/* Files that are drawn at once of what is read once: that of one layer, msprof with the layers in their places, and
 * ai_stack_time. */
struct files {
    struct earlier layer, msprof, stack;
    int (*draw_stack)(void *arg, const struct plain_call *call, struct err *err);
    struct tasks tasks; /* that are being drawn */
};

static const char clock_2022[] = "system monotonic";

static int draw_call_everywhere(void *arg, const struct plain_call *call, struct err *err)
{
    struct files *files = arg;
    int status = draw_call(&files->layer, call, err);
    return status == 0 ? files->draw_stack(&files->stack, call, err) : status;
}

static int write_calls(struct files *files, enum plain_layers of, const char *report, const char *process,
                       const char *suffix, struct err *err)
{
    struct earlier *layer = &files->layer;
    if (open_file(layer, report, suffix, plain_calls_count(layer->calls, of), err) < 0)
        return err_status(err);
    begin_calls(layer, of, process);
    name_threads(&files->msprof, &layer->threads[of], process);
    int status = plain_calls_each(layer->calls, of, draw_call_everywhere, files, err);
    return close_file(layer, earlier_end_layer(layer, status, NULL, err), clock_2022, err);
}

static int write_tasks(struct files *files, const char *suffix, struct err *err)
{
    struct earlier *layer = &files->layer;
    if (open_file(layer, "task_time", suffix, 0, err) < 0)
        return err_status(err);
    int status = begin_tasks(&files->tasks, layer, &files->stack, err);
    name_tasks(&files->msprof);
    if (status == 0)
        status = execution_each(layer->file.run->db, &layer->device->range.ticks, CANN_TICKS_CYCLES, take_task,
                                &files->tasks, err);
    layer->tasks_drawn = true;
    return close_file(layer, end_tasks(&files->tasks, status, err), clock_2022, err);
}

static int draw_models(struct earlier *draw, struct err *err)
{
    return earlier_draw_series(draw, &track_models_2022, err);
}

static int draw_host_steps(struct earlier *draw, struct err *err)
{
    return earlier_draw_series(draw, &track_host_steps_2022, err);
}

static int draw_together(struct files *files, const char *suffix, struct err *err)
{
    struct earlier *msprof = &files->msprof;
    msprof->file.layer = 2;
    files->draw_stack = draw_stack_acl;
    if (write_calls(files, PLAIN_ACL, "acl", "AscendCL", suffix, err) < 0)
        return err_status(err);
    msprof->file.layer = 4;
    if (draw_models(msprof, err) < 0)
        return err_status(err);
    msprof->file.layer = 5;
    if (draw_host_steps(msprof, err) < 0)
        return err_status(err);
    msprof->file.layer = 6;
    files->draw_stack = draw_stack_runtime;
    if (write_calls(files, PLAIN_RUNTIME, "runtime_api", "Runtime", suffix, err) < 0)
        return err_status(err);
    msprof->file.layer = 7;
    return write_tasks(files, suffix, err);
}

static int write_with_stack(struct files *files, const char *suffix, struct err *err)
{
    struct earlier *stack = &files->stack;
    if (open_file(stack, "ai_stack_time", suffix, plain_calls_count(stack->calls, PLAIN_RUNTIME), err) < 0)
        return err_status(err);
    begin_stack(stack);
    int status = earlier_end_layer(stack, draw_together(files, suffix, err), name_layer, err);
    return close_file(stack, status, clock_2022, err);
}

static int write_together(struct files *files, const char *suffix, struct err *err)
{
    int status = open_file(&files->msprof, "msprof", suffix, plain_calls_count(files->layer.calls, PLAIN_BOTH), err);
    return status == 0 ? close_file(&files->msprof, write_with_stack(files, suffix, err), clock_2022, err) : status;
}

static int write_files(struct earlier *draw, struct err *err)
{
    static const struct {
        const char *report;
        int (*draw)(struct earlier *draw, struct err *err);
    } others[] = {{"thread_group", draw_thread_group}, {"ge", draw_models}, {"ge_op_execute", draw_host_steps}};
    struct files files = {.layer = *draw, .msprof = *draw, .stack = *draw};
    char suffix[SUFFIX_2022_MAX];
    device_2022_suffix(draw->device, suffix);
    files.layer.file.processes = files.msprof.file.processes = files.stack.file.processes =
        (struct map)MAP_OF(struct named_process, pid);
    files.msprof.begun_flows = (struct map)MAP_OF(struct begun_flow, block);
    files.msprof.flows = true;
    files.layer.twin = &files.msprof;
    int status = write_together(&files, suffix, err);
    draw->streams = files.layer.streams; /* which may have grown */
    map_release(&files.layer.file.processes);
    map_release(&files.msprof.file.processes);
    map_release(&files.stack.file.processes);
    map_release(&files.msprof.begun_flows);
    for (size_t i = 0; i < sizeof others / sizeof *others && status == 0; i++)
        status = earlier_write_file(draw, others[i].report, suffix, clock_2022, others[i].draw, err);
    return status;
}

static void release_calls(struct earlier *draw)
{
    for (size_t i = 0; i < draw->call_names->count; i++)
        strbuf_release(&draw->call_names->items[i]);
    free(draw->call_names->items);
    draw->call_names = NULL;
    for (size_t i = 0; i < sizeof draw->threads / sizeof *draw->threads; i++) {
        free(draw->threads[i].items);
        draw->threads[i] = (struct call_threads){.items = NULL};
    }
    plain_calls_free(draw->calls);
    draw->calls = NULL;
}

static int write_device(void *arg, const struct device_2022 *device, struct err *err)
{
    struct earlier *draw = arg;
    struct strbuf_list call_names = {.items = NULL};
    draw->device = device;
    draw->call_names = &call_names;
    bool failed = counters_2022_init(&draw->counters, device, err) < 0 || note_tasks(draw, err) < 0 ||
                  (draw->calls = plain_calls_new(draw->file.run->db, device->part->device_id, false, err)) == NULL ||
                  list_threads(draw, PLAIN_ACL, err) < 0 || list_threads(draw, PLAIN_RUNTIME, err) < 0 ||
                  (!draw->file.compat && list_threads(draw, PLAIN_BOTH, err) < 0) || write_files(draw, err) < 0;
    release_calls(draw);
    forget_tasks(draw);
    return failed ? err_status(err) : 0;
}

int earlier_open(struct earlier *draw, struct timeline_run *run, struct err *err)
{
    *draw = (struct earlier){
        .file = {.run = run, .processes = MAP_OF(struct named_process, pid), .own_numbers = true, .plain = true}};
    if (cann_names_load(run->db, &draw->names, err) < 0)
        return err_status(err);
    return slice_operators_load(&draw->operators, run->db, NULL, &draw->names, NULL, !run->options->trace_compat, err);
}

void earlier_close(struct earlier *draw)
{
    cann_texts_release(&draw->names);
    slice_operators_release(&draw->operators);
    map_release(&draw->file.processes);
}

int timeline_of_2022(struct timeline_run *run, struct err *err)
{
    struct earlier draw;
    int status = earlier_open(&draw, run, err);
    draw.file.compat = run->options->trace_compat;
    if (status == 0)
        status = device_2022_each(run->db, run->options, write_device, &draw, err);
    earlier_close(&draw);
    return status;
}
