#include "exporters/svp/merged_timeline.h"

#include "base/array.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "db/database.h"
#include "exporters/svp/draw.h"
#include "exporters/svp/execute_calls.h"
#include "exporters/svp/timeline_file.h"
#include "exporters/trace/lanes.h"

#include <stdio.h>
#include <stdlib.h>

#define EVENTS_PER_POLL 4096
#define NAME_MAX_BYTES (1024 * 1024)

/* Processes; further ones of the host have the numbers behind. */
enum { DEVICE_PID = 0, HOST_PID = 1 };
/* What stands before the others. */
enum { HOST_PLACE, DEVICE_PLACE };

/* What a thread of the device shows, as part of its number: with the lane of inferences and the stream. */
enum thread_kind { THREAD_INFERENCES, THREAD_CORE, THREAD_CPU };
#define STREAM_BITS 40
#define LANE_BITS 16

struct span {
    int64_t id, start_ns, end_ns, tasks, input, batch;
    bool start_known;
};

struct merged {
    struct timeline_run *run;
    const struct svp_model *model;
    struct trace trace;
    struct strbuf text;
    struct trace_lanes host, device;
    int64_t largest_thread, next_thread;
    int64_t pid, process_id; /* of the calls that come now */
    bool started;
    struct execute_calls executes;
    struct span_list {
        struct span *items;
        size_t count, capacity;
    } inferences;
    struct lanes lanes; /* of inferences */
    struct task_names core_names, cpu_names;
    struct svp_task_reader *reader;
    size_t lane, hint;         /* of the inference that is drawn; where the last name was found */
    int64_t shift_ns;          /* to be added to its tasks' times */
    int64_t counted_until;     /* the counters are zero after this */
    bool counting, counted[3]; /* whether there are values, and of which counters */
    int64_t arrows;
};

static int poll_output(struct merged *merged, struct err *err)
{
    if (++merged->trace.events % EVENTS_PER_POLL != 0)
        return 0;
    if (interrupted())
        return interrupt_error(err);
    return outfile_failed(&merged->trace.out) ? err_set(err, ERR_IO, "cannot write '%s'", merged->trace.path) : 0;
}

/* ---- the host ---- */

static int look_at_call(void *arg, const struct acl_call *call, struct err *err)
{
    struct merged *merged = arg;
    (void)err;
    if (call->thread_id > merged->largest_thread && call->thread_id < INT32_MAX / 2)
        merged->largest_thread = call->thread_id;
    return 0;
}

static int first_free_thread(void *arg, int64_t *ret, struct err *err)
{
    const struct merged *merged = arg;
    (void)err;
    *ret = merged->largest_thread + 1;
    return 0;
}

/* Calls come thread by thread, those of a process together. */
static void enter_process(struct merged *merged, const struct acl_call *call)
{
    char name[64] = "Host: ACL calls";
    if (merged->started && call->process_id == merged->process_id)
        return;
    merged->pid = merged->started ? merged->pid + 1 : HOST_PID;
    merged->started = true;
    merged->process_id = call->process_id;
    if (call->process_id != DB_NULL)
        snprintf(name, sizeof name, "Host: ACL calls of process %lld", (long long)call->process_id);
    trace_name_process(&merged->trace, merged->pid, HOST_PLACE, name, "CPU");
}

static int draw_call(void *arg, const struct acl_call *call, struct err *err)
{
    struct merged *merged = arg;
    struct trace *trace = &merged->trace;
    if (call->start_ns == DB_NULL || call->end_ns == DB_NULL || call->end_ns < call->start_ns)
        return 0;
    enter_process(merged, call);
    struct trace_slice slice = {
        .pid = merged->pid, .start_ns = call->start_ns, .duration_ns = time_since(call->end_ns, call->start_ns)};
    strbuf_clear(&merged->text);
    if (trace_text(&merged->text, call->name, strlen(call->name)) < 0)
        return err_set(err, ERR_LIMIT, "the name of an ACL call has %zu bytes: too long for a timeline",
                       strlen(call->name));
    if (trace_lanes_place(&merged->host, call->thread_id, &slice, err) < 0)
        return -(int)err->code;
    trace_write_name(trace, &merged->text);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX);
    char *p = trace_put_slice(start, &trace->style, &slice);
    p = trace_put_literal(p, "\"Mode\":\"");
    p = trace_put_word(p, acl_mode_name(call->api_type));
    p = trace_put_literal(p, "\",\"Process_Id\":");
    p = trace_put_id(p, call->process_id);
    p = trace_put_literal(p, ",\"Thread_Id\":");
    p = trace_put_id(p, call->thread_id);
    trace_advance(trace, start, trace_end_slice(p, &trace->style, &slice));
    if (is_execute_call(call->name) &&
        execute_calls_add(&merged->executes,
                          &(struct execute_call){
                              .start_ns = call->start_ns, .end_ns = call->end_ns, .pid = slice.pid, .tid = slice.tid},
                          err) < 0)
        return -(int)err->code;
    return poll_output(merged, err);
}

/* ---- inferences ---- */

static int collect_inference(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct merged *merged = arg;
    if (inference->start_ns == DB_NULL || inference->end_ns == DB_NULL)
        return 0; /* without a known frequency nothing can be drawn */
    if (array_reserve(&merged->inferences, 1, err) < 0)
        return -(int)err->code;
    int64_t shift_ns = inference->start_known ? 0 : merged->run->origin.time_ns;
    merged->inferences.items[merged->inferences.count++] =
        (struct span){.id = inference->id,
                      .start_ns = number_add(inference->start_ns, shift_ns),
                      .end_ns = inference->end_ns + shift_ns,
                      .tasks = inference->tasks,
                      .input = inference->input_pic_num,
                      .batch = inference->batch_num,
                      .start_known = inference->start_known != 0};
    return 0;
}

static int compare_spans(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Which inferences calls can have started: those whose times the host's clock knows. */
static int prepare_calls(struct merged *merged, struct err *err)
{
    const struct span_list *list = &merged->inferences;
    int64_t *starts = calloc(list->count + 1, sizeof *starts);
    size_t count = 0;
    if (starts == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu inferences", list->count);
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].start_known)
            starts[count++] = list->items[i].start_ns;
    }
    execute_calls_prepare(&merged->executes, starts, count);
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

static int draw_inference(struct merged *merged, const struct span *inference, size_t index, struct err *err)
{
    static const struct trace_flow execute = {.name = "execute", .category = "inference"};
    struct trace *trace = &merged->trace;
    struct trace_slice slice = {.pid = DEVICE_PID,
                                .start_ns = inference->start_ns,
                                .duration_ns = time_since(inference->end_ns, inference->start_ns)};
    merged->lane = lanes_take(&merged->lanes, inference->start_ns, inference->end_ns);
    if (trace_lanes_place(&merged->device, number_of(THREAD_INFERENCES, merged->lane, 0), &slice, err) < 0)
        return -(int)err->code;
    const struct execute_call *call =
        inference->start_known ? execute_calls_find(&merged->executes, inference->start_ns) : NULL;
    char *start = trace_reserve(trace, 3 * TRACE_EVENT_MAX), *p = trace_begin_event(start);
    p = trace_put_literal(p, "\"Inference ");
    p = number_put_unsigned(p, index + 1);
    p = trace_put_literal(p, "\"");
    p = trace_put_slice(p, &trace->style, &slice);
    p = trace_put_literal(p, "\"Tasks\":");
    p = number_put_signed(p, inference->tasks);
    p = trace_put_literal(p, ",\"Input\":");
    p = trace_put_id(p, inference->input);
    p = trace_put_literal(p, ",\"Batch\":");
    p = trace_put_id(p, inference->batch);
    p = trace_end_slice(p, &trace->style, &slice);
    if (call != NULL) {
        merged->arrows++;
        p = trace_put_flow(p, &trace->style, &execute, 's', merged->arrows, call->pid, call->tid, call->start_ns);
        p = trace_put_flow(p, &trace->style, &execute, 'f', merged->arrows, slice.pid, slice.tid, slice.start_ns);
    }
    trace_advance(trace, start, p);
    return poll_output(merged, err);
}

/* ---- tasks and what they used ---- */

static char *put_counter(char *p, const struct trace_style *style, const char *name, const char *unit, int64_t time_ns,
                         int64_t value, unsigned decimals)
{
    p = trace_begin_event(p);
    *p++ = '"';
    p = trace_put_word(p, name);
    *p++ = '"';
    p = trace_put_counter(p, style, DEVICE_PID, time_ns);
    *p++ = '"';
    p = trace_put_word(p, unit);
    p = trace_put_literal(p, "\":");
    p = number_put_shortest(p, value, decimals);
    return trace_end_counter(p, style);
}

static const struct {
    const char *name, *unit;
    unsigned decimals;
} counters[] = {{"MAC busy", "%", 2}, {"DDR read", "MB/s", 3}, {"DDR write", "MB/s", 3}};
#define COUNTERS (sizeof counters / sizeof *counters)

/* What a task used, in the order of the counters; DB_NULL where its records do not say. */
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

/* Of a task, or zeros for none, of the counters that there were. */
static void write_counters(struct merged *merged, int64_t time_ns, const struct svp_task *task)
{
    struct trace *trace = &merged->trace;
    int64_t values[COUNTERS] = {0};
    if (task != NULL)
        usage_of(task, values);
    char *start = trace_reserve(trace, COUNTERS * TRACE_EVENT_MAX), *p = start;
    for (size_t i = 0; i < COUNTERS; i++) {
        merged->counted[i] |= task != NULL && values[i] != DB_NULL;
        if (!merged->counted[i] || values[i] == DB_NULL)
            continue;
        p = put_counter(p, &trace->style, counters[i].name, counters[i].unit, time_ns, values[i], counters[i].decimals);
        trace->events++;
    }
    trace_advance(trace, start, p);
}

/* Between tasks nothing is used. */
static void count_task(struct merged *merged, int64_t start_ns, const struct svp_task *task)
{
    int64_t end_ns = span_end(start_ns, task->duration_ns);
    if (merged->counting && start_ns > merged->counted_until)
        write_counters(merged, merged->counted_until, NULL);
    write_counters(merged, start_ns, task);
    if (!merged->counting || end_ns > merged->counted_until)
        merged->counted_until = end_ns;
    merged->counting = true;
}

static int draw_device_task(struct merged *merged, const struct task_names *names, int64_t number, int64_t stream_id,
                            int64_t task_id, struct trace_slice *slice, struct err *err)
{
    struct trace *trace = &merged->trace;
    size_t length;
    const char *name = task_names_find(names, task_id, &merged->hint, &length);
    if (trace_lanes_place(&merged->device, number, slice, err) < 0)
        return -(int)err->code;
    outfile_write(&trace->out, ",\n{\"name\":", sizeof ",\n{\"name\":" - 1);
    outfile_write(&trace->out, name, length);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX), *p = trace_put_slice(start, &trace->style, slice);
    p = trace_put_literal(p, "\"Task Type\":\"");
    p = trace_put_word(p, names == &merged->cpu_names ? "AI_CPU" : "AI_CORE");
    p = trace_put_literal(p, "\",\"Stream Id\":");
    p = trace_put_id(p, stream_id);
    p = trace_put_literal(p, ",\"Task Id\":");
    p = trace_put_id(p, task_id);
    trace_advance(trace, start, trace_end_slice(p, &trace->style, slice));
    return poll_output(merged, err);
}

static int draw_core_task(void *arg, const struct svp_task *task, struct err *err)
{
    struct merged *merged = arg;
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    struct trace_slice slice = {
        .pid = DEVICE_PID, .start_ns = number_add(task->start_ns, merged->shift_ns), .duration_ns = task->duration_ns};
    count_task(merged, slice.start_ns, task);
    return draw_device_task(merged, &merged->core_names, number_of(THREAD_CORE, merged->lane, task->stream_id),
                            task->stream_id, task->task_id, &slice, err);
}

static int draw_cpu_task(void *arg, const struct svp_ai_cpu_task *task, struct err *err)
{
    struct merged *merged = arg;
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    struct trace_slice slice = {.pid = DEVICE_PID, .start_ns = task->start_ns, .duration_ns = task->duration_ns};
    return draw_device_task(merged, &merged->cpu_names, number_of(THREAD_CPU, 0, task->stream_id), task->stream_id,
                            task->task_id, &slice, err);
}

/* ---- the file ---- */

static int load(struct merged *merged, struct err *err)
{
    struct svp_layers layers;
    const struct svp_model *model = merged->model;
    sqlite3 *db = merged->run->db;
    int status = svp_layers_load(db, model->name, model->model_id, &layers, err);
    if (status < 0)
        return status;
    status = task_names_load(&merged->core_names, &layers, false, err);
    if (status == 0)
        status = task_names_load(&merged->cpu_names, &layers, true, err);
    svp_layers_release(&layers);
    if (status == 0)
        status = svp_each_inference(db, model, collect_inference, merged, err);
    if (status == 0)
        status = acl_each_call(db, model, look_at_call, merged, err);
    if (merged->inferences.count > 0)
        qsort(merged->inferences.items, merged->inferences.count, sizeof *merged->inferences.items, compare_spans);
    if (status == 0)
        merged->reader = svp_task_reader_new(db, err);
    return status == 0 && merged->reader == NULL ? -(int)err->code : status;
}

static int draw_device(struct merged *merged, struct err *err)
{
    char name[64] = "Device", label[32] = "NPU";
    sqlite3 *db = merged->run->db;
    if (merged->model->device_id != DB_NULL) {
        snprintf(name, sizeof name, "Device %lld", (long long)merged->model->device_id);
        snprintf(label, sizeof label, "NPU %lld", (long long)merged->model->device_id);
    }
    if (merged->inferences.count > 0 || merged->model->ai_cpu_tasks > 0)
        trace_name_process(&merged->trace, DEVICE_PID, DEVICE_PLACE, name, label);
    int status = prepare_calls(merged, err);
    for (size_t i = 0; i < merged->inferences.count && status == 0; i++) {
        const struct span *inference = &merged->inferences.items[i];
        merged->shift_ns = inference->start_known ? 0 : merged->run->origin.time_ns;
        status = draw_inference(merged, inference, i, err);
        if (status == 0)
            status = svp_read_tasks(merged->reader, inference->id, draw_core_task, merged, err);
    }
    if (merged->counting)
        write_counters(merged, merged->counted_until, NULL);
    merged->hint = 0;
    return status == 0 ? svp_each_ai_cpu_task(db, merged->model, INT64_MIN, INT64_MAX, draw_cpu_task, merged, err)
                       : status;
}

static int draw(struct merged *merged, struct err *err)
{
    int status = acl_each_call(merged->run->db, merged->model, draw_call, merged, err);
    if (status == 0)
        status = draw_device(merged, err);
    if (status == 0)
        status = trace_lanes_name(&merged->host, &merged->trace, NULL, NULL, err);
    return status == 0 ? trace_lanes_name(&merged->device, &merged->trace, name_device_thread, NULL, err) : status;
}

static int first_device_thread(void *arg, int64_t *ret, struct err *err)
{
    (void)arg;
    (void)err;
    *ret = 1;
    return 0;
}

static void release(struct merged *merged)
{
    trace_lanes_release(&merged->host);
    trace_lanes_release(&merged->device);
    task_names_release(&merged->core_names);
    task_names_release(&merged->cpu_names);
    svp_task_reader_free(merged->reader);
    strbuf_release(&merged->text);
    free(merged->executes.items);
    free(merged->inferences.items);
    free(merged);
}

int svp_merged_timeline(struct timeline_run *run, const struct svp_model *model, struct err *err)
{
    struct merged *merged = calloc(1, sizeof *merged);
    if (merged == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a timeline");
    merged->run = run;
    merged->model = model;
    strbuf_init(&merged->text, NAME_MAX_BYTES);
    trace_lanes_init(&merged->host, &merged->trace.style, "Thread ", first_free_thread, merged);
    trace_lanes_init(&merged->device, &merged->trace.style, "", first_device_thread, merged);
    merged->device.no_own = merged->device.in_turn = true;
    int status = load(merged, err);
    if (status == 0)
        status = svp_timeline_open(&merged->trace, run, "msprof", model, err);
    if (status == 0)
        status = svp_timeline_close(&merged->trace, draw(merged, err), model, err);
    release(merged);
    return status;
}
