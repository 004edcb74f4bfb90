/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/timeline_svp.h"

#include "base/array.h"
#include "base/number.h"
#include "base/progress.h"
#include "db/database.h"
#include "exporters/timeline/lanes.h"
#include "features/answers/load/load.h"

#include <stdio.h>
#include <stdlib.h>

/* Places of processes: the host stands before devices. */
enum { HOST_PLACE, DEVICE_PLACE };

/* The kind of a thread of the device, as part of its number: with the lane of inferences and the stream. */
enum thread_kind { THREAD_INFERENCES, THREAD_CORE, THREAD_CPU };
#define STREAM_BITS 40
#define LANE_BITS 16

/* A model on its device: a process. */
struct drawn_model {
    struct svp_model model;
    char *name;
    int64_t pid;
    struct svp_spans inferences;
    struct execute_calls executes;
    struct drawn_model
        *calls_of; /* whose calls start its inferences: the first of those that differ in batches alone */
};

struct merged {
    struct timeline_run *run;
    bool together;   /* the models of a capture, else one of them */
    bool calls_only; /* as Ascend's tool shows the calls of a model */
    struct drawn_model *models;
    size_t model_count;
    struct trace trace;
    struct trace_lanes host, device;
    int64_t pid, process_id; /* of the calls that come now */
    bool started;
    struct svp_task_reader *reader;
    /* State of the model that is drawn: */
    const struct drawn_model *drawn;
    struct nesting lanes; /* of inferences, none inside of another */
    struct svp_names names;
    const struct svp_span *inference; /* that is drawn */
    size_t lane, hint;                /* its lane; where the last name was found */
    int64_t counted_until;            /* the counters are zero after this */
    bool counting, counted[3];        /* whether there are values, and of which counters */
    int64_t arrows;
};

/* ---- the host ---- */

static int look_at_call(void *arg, const struct acl_call *call, struct err *err)
{
    struct merged *merged = arg;
    (void)err;
    if (call->thread_id >= merged->host.own_next && call->thread_id < INT32_MAX / 2)
        merged->host.own_next = call->thread_id + 1;
    return 0;
}

/* Whether processes and threads of calls have the names of the vendor's tool, which are those of a device. */
static bool is_vendors(const struct merged *merged)
{
    return merged->calls_only && merged->run->options->trace_compat;
}

/* Calls come thread by thread, those of a process together. */
static void enter_process(struct merged *merged, const struct acl_call *call)
{
    char name[64] = "Host: ACL calls";
    if (merged->started && call->process_id == merged->process_id)
        return;
    const int64_t first = merged->calls_only ? 0 : (int64_t)merged->model_count; /* behind those of devices */
    merged->pid = merged->started ? merged->pid + 1 : first;
    merged->started = true;
    merged->process_id = call->process_id;
    if (is_vendors(merged)) {
        trace_name_process(&merged->trace, merged->pid, merged->pid, "Task Scheduler", NULL);
        return;
    }
    if (call->process_id != DB_NULL)
        snprintf(name, sizeof name, "Host: ACL calls of process %lld", (long long)call->process_id);
    trace_name_process(&merged->trace, merged->pid, merged->calls_only ? merged->pid : HOST_PLACE, name, "CPU");
}

/* NULL: the call is of a model that is not drawn. */
static struct execute_calls *executes_of(struct merged *merged, const struct acl_call *call)
{
    for (size_t i = 0; i < merged->model_count && !merged->calls_only; i++) {
        if (merged->models[i].model.id == call->model_row)
            return &merged->models[i].calls_of->executes;
    }
    return NULL;
}

/* Arguments are for Ascend's files alone: see EVENT_CALL. */
static void add_facts(struct event *event, const struct merged *merged, const struct acl_call *call)
{
    if (!merged->run->options->trace_compat && !merged->calls_only) {
        event_category(event, acl_mode_name(call->api_type));
        event->head.flags |= EVENT_CALL;
        return;
    }
    event_word(event, "Mode", acl_mode_name(call->api_type));
    event_known(event, "Process_Id", call->process_id);
    event_known(event, "Thread_Id", call->thread_id);
}

static int draw_call(void *arg, const struct acl_call *call, struct err *err)
{
    struct merged *merged = arg;
    struct event event;
    if (call->start_ns == DB_NULL || call->end_ns == DB_NULL || call->end_ns < call->start_ns)
        return 0;
    enter_process(merged, call);
    struct trace_slice slice = {
        .pid = merged->pid, .start_ns = call->start_ns, .duration_ns = time_since(call->end_ns, call->start_ns)};
    if (trace_lanes_begin(&merged->host, call->thread_id, &slice, &event, err) < 0)
        return err_status(err);
    event_name_plain(&event, call->name);
    add_facts(&event, merged, call);
    if (trace_put(&merged->trace, &event, err) < 0)
        return err_status(err);
    struct execute_calls *executes = execute_calls_has(call->name) ? executes_of(merged, call) : NULL;
    return executes == NULL
               ? 0
               : execute_calls_add(
                     executes,
                     &(struct execute_call){
                         .start_ns = call->start_ns, .end_ns = call->end_ns, .pid = slice.pid, .tid = slice.tid},
                     err);
}

/* ---- inferences ---- */

/* Which inferences the calls of a model can have started: those whose times the host's clock knows. */
static int prepare_calls(struct merged *merged, struct drawn_model *of, struct err *err)
{
    size_t count = 0, all = 0;
    for (size_t i = 0; i < merged->model_count; i++)
        all += merged->models[i].calls_of == of ? merged->models[i].inferences.count : 0;
    int64_t *starts = calloc(all + 1, sizeof *starts);
    if (starts == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu inferences", all);
    for (size_t i = 0; i < merged->model_count; i++) {
        const struct svp_spans *list = &merged->models[i].inferences;
        for (size_t k = 0; k < list->count && merged->models[i].calls_of == of; k++) {
            if (list->items[k].start_known)
                starts[count++] = list->items[k].start_ns;
        }
    }
    array_sort(starts, count, sizeof *starts, array_compare_numbers);
    execute_calls_prepare(&of->executes, starts, count);
    free(starts);
    return 0;
}

/* The number of a thread of the device; a stream that is not known is the largest. */
static int64_t number_of(enum thread_kind kind, size_t lane, int64_t stream_id)
{
    const int64_t unknown = (INT64_C(1) << STREAM_BITS) - 1;
    int64_t stream = stream_id < 0 || stream_id > unknown ? unknown : stream_id;
    return (int64_t)kind << (STREAM_BITS + LANE_BITS) | (int64_t)lane << STREAM_BITS | stream;
}

static void name_device_thread(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    static const char *const words[] = {"Inferences", "AI core, stream ", "AI CPU, stream "};
    const int64_t unknown = (INT64_C(1) << STREAM_BITS) - 1;
    enum thread_kind kind = (enum thread_kind)(number >> (STREAM_BITS + LANE_BITS));
    long long lane = (long long)(number >> STREAM_BITS & ((1 << LANE_BITS) - 1)), stream = number & unknown;
    (void)arg;
    (void)pid;
    strbuf_adds(ret, words[kind]);
    if (kind != THREAD_INFERENCES && stream == unknown)
        strbuf_adds(ret, "N/A");
    else if (kind != THREAD_INFERENCES)
        strbuf_addf(ret, "%lld", stream);
    if (lane > 0)
        strbuf_addf(ret, ", beside (%lld)", lane + 1);
}

static int draw_inference(struct merged *merged, const struct svp_span *inference, size_t index, struct err *err)
{
    static const struct trace_flow execute = {.name = "execute", .category = "inference"};
    struct trace *trace = &merged->trace;
    struct trace_slice slice = {.pid = merged->drawn->pid,
                                .start_ns = inference->start_ns,
                                .duration_ns = time_since(inference->end_ns, inference->start_ns)};
    unsigned shared_ends;
    struct event event;
    if (nesting_place(&merged->lanes, inference->start_ns, inference->end_ns, &merged->lane, &shared_ends, err) < 0 ||
        trace_lanes_begin(&merged->device, number_of(THREAD_INFERENCES, merged->lane, 0), &slice, &event, err) < 0)
        return err_status(err);
    event_name_format(&event, "Inference %zu", index + 1);
    const struct execute_call *call =
        inference->start_known ? execute_calls_find(&merged->drawn->calls_of->executes, inference->start_ns) : NULL;
    event_integer(&event, "Tasks", inference->tasks);
    event_known(&event, "Input", inference->input);
    event_known(&event, "Batch", inference->batch);
    if (trace_put(trace, &event, err) < 0)
        return err_status(err);
    if (call == NULL)
        return 0;
    merged->arrows++;
    event_flow(&event, &trace->style, &execute, 's', merged->arrows, call->pid, call->tid, call->start_ns);
    if (trace_put(trace, &event, err) < 0)
        return err_status(err);
    event_flow(&event, &trace->style, &execute, 'f', merged->arrows, slice.pid, slice.tid, slice.start_ns);
    return trace_put(trace, &event, err);
}

/* ---- tasks and what they used ---- */

static const struct counter {
    const char *name;
    struct event_key key;
    unsigned decimals;
} counters[] = {{"MAC busy", EVENT_KEY_INIT("%"), 2},
                {"DDR read", EVENT_KEY_INIT("MB/s"), 3},
                {"DDR write", EVENT_KEY_INIT("MB/s"), 3}};
#define COUNTERS (sizeof counters / sizeof *counters)

static int write_counter(struct merged *merged, const struct counter *counter, int64_t time_ns, int64_t value,
                         struct err *err)
{
    struct event event;
    event_begin(&event, 'C', merged->drawn->pid, 0, time_ns);
    event_name_word(&event, counter->name);
    event_decimals_of(&event, counter->key, value, counter->decimals);
    return trace_put(&merged->trace, &event, err);
}

/* Finds how much a task used, in the order of the counters; DB_NULL where its records do not say. */
static void usage_of(const struct svp_task *task, int64_t ret[COUNTERS])
{
    const int64_t parts[COUNTERS][2] = {{task->cycles[SVP_MAC_BUSY], task->total_cycle},
                                        {task->ddr_read_bytes, task->duration_ns},
                                        {task->ddr_write_bytes, task->duration_ns}};
    for (size_t i = 0; i < COUNTERS; i++) {
        bool known = parts[i][0] != DB_NULL && parts[i][1] != DB_NULL;
        /* bytes a nanosecond are thousands of MB/s */
        ret[i] = known ? number_ratio(parts[i][0], parts[i][1], i == 0 ? 4 : 6) : DB_NULL;
    }
}

/* Writes the counters of a task, or for none zeros of the counters that there were. */
static int write_counters(struct merged *merged, int64_t time_ns, const struct svp_task *task, struct err *err)
{
    int64_t values[COUNTERS] = {0};
    if (task != NULL)
        usage_of(task, values);
    for (size_t i = 0; i < COUNTERS; i++) {
        merged->counted[i] |= task != NULL && values[i] != DB_NULL;
        if (merged->counted[i] && values[i] != DB_NULL &&
            write_counter(merged, &counters[i], time_ns, values[i], err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Between tasks nothing is used. */
static int count_task(struct merged *merged, int64_t start_ns, const struct svp_task *task, struct err *err)
{
    int64_t end_ns = span_end(start_ns, task->duration_ns);
    if ((merged->counting && start_ns > merged->counted_until &&
         write_counters(merged, merged->counted_until, NULL, err) < 0) ||
        write_counters(merged, start_ns, task, err) < 0)
        return err_status(err);
    if (!merged->counting || end_ns > merged->counted_until)
        merged->counted_until = end_ns;
    merged->counting = true;
    return 0;
}

static int draw_device_task(struct merged *merged, enum thread_kind kind, struct drawn_task *task,
                            struct trace_slice *slice, struct err *err)
{
    const int64_t number = number_of(kind, kind == THREAD_CORE ? merged->lane : 0, task->stream_id);
    struct event event;
    task->names = kind == THREAD_CORE ? &merged->names.core : &merged->names.cpu;
    task->name = task_names_find(task->names, task->task_id, &merged->hint);
    task->type = kind == THREAD_CORE ? "AI_CORE" : "AI_CPU";
    slice->pid = merged->drawn->pid;
    if (trace_lanes_place(&merged->device, number, slice, err) < 0)
        return err_status(err);
    svp_task_event(&event, task, slice);
    return trace_put(&merged->trace, &event, err);
}

static int draw_core_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct merged *merged = arg;
    const bool facts = merged->run->bounds != NULL;
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    struct trace_slice slice = {.start_ns = svp_span_time(merged->run, merged->inference, task->start_ns),
                                .duration_ns = task->duration_ns};
    struct drawn_task drawn = {.stream_id = task->stream_id,
                               .task_id = task->task_id,
                               .read_bytes = facts ? task->ddr_read_bytes : DB_NULL,
                               .write_bytes = facts ? task->ddr_write_bytes : DB_NULL};
    if (count_task(merged, slice.start_ns, task, err) < 0)
        return err_status(err);
    return draw_device_task(merged, THREAD_CORE, &drawn, &slice, err);
}

static int draw_cpu_task(void *arg, const struct svp_ai_cpu_task *task, struct err *err)
{
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    struct trace_slice slice = {.start_ns = task->start_ns, .duration_ns = task->duration_ns};
    struct drawn_task drawn = {
        .stream_id = task->stream_id, .task_id = task->task_id, .read_bytes = DB_NULL, .write_bytes = DB_NULL};
    return draw_device_task(arg, THREAD_CPU, &drawn, &slice, err);
}

/* ---- a model ---- */

static void name_device(struct merged *merged)
{
    const struct svp_model *model = &merged->drawn->model;
    char name[TRACE_THREAD_NAME_MAX] = "Device", label[32] = "NPU";
    if (model->device_id != DB_NULL) {
        snprintf(name, sizeof name, "Device %lld", (long long)model->device_id);
        snprintf(label, sizeof label, "NPU %lld", (long long)model->device_id);
    }
    size_t length = strlen(name);
    if (merged->together)
        length += (size_t)snprintf(name + length, sizeof name - length, ": %.160s", model->name);
    if (merged->together && model->model_id != DB_NULL)
        length += (size_t)snprintf(name + length, sizeof name - length, ", model %lld", (long long)model->model_id);
    if (merged->together && model->batch_num != DB_NULL)
        snprintf(name + length, sizeof name - length, ", batch %lld", (long long)model->batch_num);
    trace_name_process(&merged->trace, merged->drawn->pid, DEVICE_PLACE + merged->drawn->pid, name, label);
}

static int draw_inferences(struct merged *merged, struct err *err)
{
    const struct drawn_model *drawn = merged->drawn;
    for (size_t i = 0; i < drawn->inferences.count; i++) {
        const struct svp_span *inference = &drawn->inferences.items[i];
        merged->inference = inference;
        if (draw_inference(merged, inference, i, err) < 0 ||
            svp_read_tasks(merged->reader, inference->id, draw_core_task, merged, err) < 0)
            return err_status(err);
    }
    return merged->counting ? write_counters(merged, merged->counted_until, NULL, err) : 0;
}

static int draw_device(struct merged *merged, const struct drawn_model *drawn, struct err *err)
{
    merged->drawn = drawn;
    nesting_clear(&merged->lanes);
    merged->hint = 0;
    merged->counting = false;
    memset(merged->counted, 0, sizeof merged->counted);
    if (drawn->inferences.count == 0 && drawn->model.ai_cpu_tasks == 0)
        return 0;
    int status = svp_names_load(merged->run, &drawn->model, &merged->names, err);
    if (status == 0)
        name_device(merged);
    if (status == 0)
        status = draw_inferences(merged, err);
    merged->hint = 0;
    if (status == 0)
        status = svp_each_ai_cpu_task(merged->run->db, &drawn->model, draw_cpu_task, merged, err);
    trace_forget_texts(&merged->trace);
    svp_names_release(&merged->names);
    return status;
}

/* ---- the file ---- */

static int add_model(void *arg, const struct svp_model *model, struct err *err)
{
    struct merged *merged = arg;
    if (model->ai_core_tasks <= 0 && model->ai_cpu_tasks <= 0 && model->acl_calls <= 0)
        return 0; /* it has no file either */
    struct drawn_model *grown = realloc(merged->models, (merged->model_count + 1) * sizeof *grown);
    if (grown == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu models", merged->model_count + 1);
    merged->models = grown;
    struct drawn_model *added = &grown[merged->model_count];
    *added = (struct drawn_model){.model = *model, .name = strdup(model->name), .pid = (int64_t)merged->model_count};
    if (added->name == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the name of a model");
    added->model.name = added->name;
    merged->model_count++;
    return 0;
}

static bool differs_in_batches(const struct svp_model *a, const struct svp_model *b)
{
    return a->device_id == b->device_id && a->model_id == b->model_id && strcmp(a->name, b->name) == 0;
}

static int load_model(struct merged *merged, size_t i, struct err *err)
{
    struct drawn_model *drawn = &merged->models[i];
    size_t first = i;
    while (first > 0 && differs_in_batches(&merged->models[first - 1].model, &drawn->model))
        first--;
    drawn->calls_of = &merged->models[first];
    return svp_spans_load(merged->run, &drawn->model, &drawn->inferences, err);
}

/* Whose calls are drawn; NULL: those of all. */
static const struct svp_model *model_of_calls(const struct merged *merged)
{
    return merged->together ? NULL : &merged->models[0].model;
}

static int load(struct merged *merged, struct err *err)
{
    if (acl_each_call(merged->run->db, model_of_calls(merged), look_at_call, merged, err) < 0)
        return err_status(err);
    if (merged->calls_only)
        return 0;
    for (size_t i = 0; i < merged->model_count; i++) {
        if (load_model(merged, i, err) < 0)
            return err_status(err);
    }
    merged->reader = svp_task_reader_new(merged->run->db, true, err);
    return merged->reader != NULL ? 0 : err_status(err);
}

static int draw(struct merged *merged, struct err *err)
{
    int status = acl_each_call(merged->run->db, model_of_calls(merged), draw_call, merged, err);
    if (status == 0 && merged->calls_only) {
        timeline_progress(merged->run, merged->trace.events % TRACE_EVENTS_PER_POLL);
        return trace_lanes_name(&merged->host, &merged->trace, NULL, NULL, err);
    }
    for (size_t i = 0; i < merged->model_count && status == 0; i++) {
        if (merged->models[i].calls_of == &merged->models[i])
            status = prepare_calls(merged, &merged->models[i], err);
    }
    for (size_t i = 0; i < merged->model_count && status == 0; i++)
        status = draw_device(merged, &merged->models[i], err);
    if (status == 0)
        status = trace_lanes_name(&merged->host, &merged->trace, NULL, NULL, err);
    return status == 0 ? trace_lanes_name(&merged->device, &merged->trace, name_device_thread, NULL, err) : status;
}

static int write_file(struct merged *merged, struct err *err)
{
    const struct svp_model *model = model_of_calls(merged);
    int status = model != NULL
                     ? svp_timeline_open(&merged->trace, merged->run, merged->calls_only ? "acl" : "msprof", model, err)
                     : trace_open(&merged->trace, merged->run, &trace_style_msprof, "msprof", "msprof.json", err);
    if (status < 0)
        return status;
    merged->trace.tells_progress = merged->calls_only;
    status = draw(merged, err);
    if (model != NULL)
        return svp_timeline_close(&merged->trace, status, model, err);
    const struct trace_info info = {.clock = SVP_CLOCK, .device_id = DB_NULL};
    return trace_close(&merged->trace, status, &info, err);
}

static void release(struct merged *merged)
{
    trace_lanes_release(&merged->host);
    trace_lanes_release(&merged->device);
    nesting_release(&merged->lanes);
    for (size_t i = 0; i < merged->model_count; i++) {
        free(merged->models[i].name);
        free(merged->models[i].inferences.items);
        free(merged->models[i].executes.items);
    }
    free(merged->models);
    svp_task_reader_free(merged->reader);
    free(merged);
}

/* model NULL: all of them. */
static int write_models(struct timeline_run *run, const struct svp_model *model, bool calls_only, struct err *err)
{
    struct merged *merged = calloc(1, sizeof *merged);
    if (merged == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
    merged->run = run;
    merged->together = model == NULL;
    merged->calls_only = calls_only;
    trace_lanes_init(&merged->host, &merged->trace.style, is_vendors(merged) ? "Stream " : "Thread ", NULL, NULL);
    merged->host.own_next = calls_only ? 0 : 1;
    merged->host.in_turn = calls_only;
    trace_lanes_init(&merged->device, &merged->trace.style, "", NULL, NULL);
    merged->device.own_next = 1;
    merged->device.no_own = merged->device.in_turn = merged->lanes.apart = true;
    int status = model != NULL ? add_model(merged, model, err) : svp_each_model(run->db, add_model, merged, err);
    if (status == 0)
        status = load(merged, err);
    if (status == 0)
        status = write_file(merged, err);
    release(merged);
    return status;
}

/* ---- all files ---- */

static int64_t tasks_of(const struct svp_model *model)
{
    return number_add(model->ai_core_tasks, model->ai_cpu_tasks);
}

struct counting {
    struct timeline_run *run;
    size_t models; /* with a file of their own */
};

static int count_model(void *arg, const struct svp_model *model, struct err *err)
{
    struct counting *counting = arg;
    const int64_t events = number_add(tasks_of(model), model->acl_calls);
    (void)err;
    counting->run->total += (uint64_t)events;
    counting->models += events > 0;
    return 0;
}

static int write_files(void *arg, const struct svp_model *model, struct err *err)
{
    struct timeline_run *run = arg;
    const bool is_taken = run->options->trace_format == TRACE_TAKEN; /* that of everything alone */
    if (!is_taken && tasks_of(model) > 0 && svp_task_timeline(run, model, err) < 0)
        return err_status(err);
    if (!is_taken && model->acl_calls > 0 && write_models(run, model, true, err) < 0)
        return err_status(err);
    if (number_add(tasks_of(model), model->acl_calls) > 0 && write_models(run, model, false, err) < 0)
        return err_status(err);
    return 0;
}

static int write_all(struct timeline_run *run, struct err *err)
{
    struct counting counting = {run, 0};
    int result = svp_each_model(run->db, count_model, &counting, err);
    if (result == 0 && run->options->trace_format == TRACE_TAKEN && counting.models > 1)
        return write_models(run, NULL, false, err);
    if (result == 0)
        result = svp_each_model(run->db, write_files, run, err);
    /* the file of a single model is that of the capture */
    return result == 0 && !run->options->trace_compat && counting.models > 1 ? write_models(run, NULL, false, err)
                                                                             : result;
}

/* The times of the vendor's tool are those of the board's monotonic clock. */
static void count_from_zero(struct capture_origin *origin)
{
    if (origin->origin_unix_ns != DB_NULL && origin->origin_ns != DB_NULL)
        origin->origin_unix_ns = time_since(origin->origin_unix_ns, origin->origin_ns);
    origin->time_ns = 0;
    origin->origin_ns = 0;
}

int svp_timeline(struct timeline_run *run, struct err *err)
{
    SCOPED(operator_bounds_release) struct operator_bounds bounds = {.words = NULL};
    int result = 0;
    if (run->options->trace_compat) {
        count_from_zero(&run->origin);
    } else {
        result = operator_bounds_load(run->db, &bounds, err);
        run->bounds = &bounds;
    }
    if (result == 0)
        result = write_all(run, err);
    run->bounds = NULL;
    return result;
}
