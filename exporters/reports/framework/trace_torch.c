/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's part of trace_view.json. */
#include "base/map.h"
#include "exporters/reports/framework/analysis.h"
#include "exporters/reports/framework/torch_events.h"
#include "exporters/reports/framework/torch_relation.h"
#include "exporters/reports/framework/trace_view.h"
#include "exporters/timeline/track.h"

#include <stdio.h>

enum { PLACE_PYTHON = 0, PLACE_GC = 1 };

struct python_trace {
    struct framework_trace *view;
    struct trace *trace;
    const struct framework *framework;
    const struct torch *torch;
    struct strbuf args; /* of the event that is being written, the inside of its object */
};

/* The numbers of slices: operators have their own, the others follow. */
static size_t dequeue_number(const struct torch *torch, const struct torch_range *range)
{
    return torch->ops.count + (size_t)(range - torch->dequeues.items);
}
static size_t enqueue_number(const struct torch *torch, const struct torch_range *range)
{
    return torch->ops.count + torch->dequeues.count + (size_t)(range - torch->enqueues.items);
}
static size_t call_number(const struct torch *torch, const struct torch_call *call)
{
    return torch->ops.count + torch->dequeues.count + torch->enqueues.count + (size_t)(call - torch->calls.items);
}
static size_t gc_number(const struct torch *torch, const struct torch_gc *gc)
{
    return torch->ops.count + torch->dequeues.count + torch->enqueues.count + torch->calls.count +
           (size_t)(gc - torch->gcs.items);
}

static int write_event(struct python_trace *python, const struct trace_slice *slice, const char *category,
                       struct err *err)
{
    struct trace *trace = python->trace;
    if (python->view->name.failed || python->args.failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for an event");
    trace_write_name(trace, &python->view->name);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX), *p = start;
    p = trace_put_framework_slice(p, &trace->style, slice, category, false);
    if (slice->instant && python->args.length > 0)
        *p++ = ',';
    trace_advance(trace, start, p);
    outfile_add(&trace->out, &python->args);
    outfile_write(&trace->out, "}}", 2);
    trace->events++;
    return 0;
}

static void write_arrow(struct python_trace *python, const char *name, const char *category, char phase, uint64_t id,
                        const struct trace_slice *at)
{
    char *start = trace_reserve(python->trace, TRACE_EVENT_MAX), *p = trace_begin_event(start);
    *p++ = '"';
    p = trace_put_word(p, name);
    p = trace_put_literal(p, "\",\"bp\":\"e\"");
    p = trace_put_phase(p, phase);
    p = trace_put_literal(p, ",\"id\":");
    p = number_put_unsigned(p, id);
    p = trace_put_place(p, &python->trace->style, at->pid, at->tid);
    p = trace_put_time(p, &python->trace->style, at->start_ns);
    p = trace_put_literal(p, ",\"cat\":\"");
    p = trace_put_word(p, category);
    trace_advance(python->trace, start, trace_put_literal(p, "\"}"));
}

/* ---- threads ---- */

struct thread {
    struct {
        int64_t pid, tid;
    } key;
};

/* Threads that take work out of a queue stand behind their own number, as in PyTorch's files. */
static int name_thread(struct map *threads, struct map *processes, struct trace *trace, int64_t pid, int64_t tid,
                       bool dequeues, struct err *err)
{
    const struct thread key = {{pid, tid}};
    char name[48];
    bool added;
    if (map_add(processes, &pid, &added, err) == NULL)
        return -(int)err->code;
    if (added)
        trace_name_process(trace, pid, PLACE_PYTHON, "Python", "CPU");
    if (map_add(threads, &key, &added, err) == NULL)
        return -(int)err->code;
    snprintf(name, sizeof name, "Thread %lld", (long long)tid);
    if (added)
        trace_name_thread(trace, pid, tid, tid + dequeues, name);
    return 0;
}

struct process {
    int64_t pid;
};

static int name_threads(struct python_trace *python, struct err *err)
{
    struct map threads = MAP_OF(struct thread, key), processes = MAP_OF(struct process, pid);
    const struct torch *torch = python->torch;
    struct trace *trace = python->trace;
    size_t queued = torch->has_queue ? torch->dequeues.count : 0, put = torch->has_queue ? torch->enqueues.count : 0;
    int status = 0;
    for (size_t i = 0; status == 0 && i < queued; i++) {
        const struct torch_thread *by = torch_thread_of(torch, &torch->dequeues.items[i]);
        status = name_thread(&threads, &processes, trace, by->pid, by->thread, true, err);
    }
    for (size_t i = 0; status == 0 && i < torch->ops.count; i++) {
        const struct torch_op *op = &torch->ops.items[i];
        status = name_thread(&threads, &processes, trace, op->pid, op->thread, false, err);
    }
    for (size_t i = 0; status == 0 && i < put; i++) {
        const struct torch_thread *by = torch_thread_of(torch, &torch->enqueues.items[i]);
        status = name_thread(&threads, &processes, trace, by->pid, by->thread, false, err);
    }
    for (size_t i = 0; status == 0 && i < torch->calls.count; i++) {
        const struct torch_call *call = &torch->calls.items[i];
        status = name_thread(&threads, &processes, trace, call->pid, call->thread, false, err);
    }
    map_release(&threads);
    map_release(&processes);
    return status;
}

/* ---- operators ---- */

static void add_lines(struct python_trace *python, const char *key, uint32_t text, struct strbuf *lines)
{
    if (text == TORCH_NONE)
        return;
    torch_put_lines(lines, framework_text(python->framework, text));
    strbuf_addf(&python->args, ",\"%s\":", key);
    trace_text(&python->args, lines->data, lines->length);
    python->args.failed = python->args.failed || lines->failed;
}

static int write_ops(struct python_trace *python, struct err *err)
{
    const struct torch *torch = python->torch;
    struct strbuf lines;
    int status = 0;
    strbuf_init(&lines, TORCH_TEXT_LIMIT);
    for (size_t i = 0; status == 0 && i < torch->ops.count; i++) {
        const struct torch_op *op = &torch->ops.items[i];
        if (!trace_shows(python->view, op->start_ns))
            continue;
        const struct trace_slice slice =
            places_slice(&python->view->places, i, op->pid, op->thread, op->start_ns, op->end_ns);
        trace_put_json(python->view, framework_text(python->framework, op->name));
        strbuf_clear(&python->args);
        strbuf_addf(&python->args, "\"Sequence number\":%lld,\"Fwd thread id\":%lld", (long long)op->sequence,
                    (long long)op->forward_thread);
        add_lines(python, "Input Dims", op->shapes, &lines);
        add_lines(python, "Input type", op->types, &lines);
        add_lines(python, "Call stack", op->stack, &lines);
        status = write_event(python, &slice, "cpu_op", err);
    }
    strbuf_release(&lines);
    return status;
}

/* ---- the queue ---- */

static int write_queued(void *arg, const struct torch_range *range, bool taken, const char *name, struct err *err)
{
    struct python_trace *python = arg;
    const struct torch *torch = python->torch;
    const struct torch_thread *by = torch_thread_of(torch, range);
    size_t number = taken ? dequeue_number(torch, range) : enqueue_number(torch, range);
    const struct trace_slice slice =
        places_slice(&python->view->places, number, by->pid, by->thread, range->start_ns, range->end_ns);
    trace_put_json(python->view, name);
    strbuf_clear(&python->args);
    strbuf_addf(&python->args, "\"correlation_id\":%llu", (unsigned long long)range->correlation);
    if (write_event(python, &slice, taken ? "dequeue" : "enqueue", err) < 0)
        return -(int)err->code;
    write_arrow(python, "enqueue_to_dequeue", "async_task_queue", taken ? 'f' : 's', range->correlation, &slice);
    return 0;
}

static void write_backward_end(struct python_trace *python, char phase, const struct torch_op *op, int64_t sequence)
{
    size_t number = (size_t)(op - python->torch->ops.items);
    const struct trace_slice at =
        places_slice(&python->view->places, number, op->pid, op->thread, op->start_ns, op->end_ns);
    write_arrow(python, "fwdbwd", "fwdbwd", phase, (uint64_t)sequence, &at);
}

static int write_backward(void *arg, const struct torch_op *forward, const struct torch_op *backward, struct err *err)
{
    (void)err;
    write_backward_end(arg, 's', forward, backward->sequence);
    write_backward_end(arg, 'f', backward, backward->sequence);
    return 0;
}

/* ---- Python ---- */

static int write_call(void *arg, const struct torch_call *call, const char *name, int64_t module, struct err *err)
{
    struct python_trace *python = arg;
    const struct trace_slice slice = places_slice(&python->view->places, call_number(python->torch, call), call->pid,
                                                  call->thread, call->start_ns, call->end_ns);
    trace_put_json(python->view, name);
    strbuf_clear(&python->args);
    strbuf_addf(&python->args, "\"Python id\":%zu,\"Python parent id\":%zu", call->id, call->parent);
    if (module >= 0)
        strbuf_addf(&python->args, ",\"Python module id\":%lld", (long long)module);
    return write_event(python, &slice, "python_function", err);
}

static int write_collector(struct python_trace *python, struct err *err)
{
    const struct torch_gcs *gcs = &python->torch->gcs;
    struct map processes = MAP_OF(struct process, pid);
    bool failed = false;
    for (size_t i = 0; !failed && i < gcs->count; i++) {
        const struct torch_gc *gc = &gcs->items[i];
        int64_t pid = track_pid_of(gc->pid, PLACE_GC, 0);
        const struct trace_slice slice =
            places_slice(&python->view->places, gc_number(python->torch, gc), pid, gc->pid, gc->start_ns, gc->end_ns);
        bool added;
        if (!trace_shows(python->view, gc->start_ns))
            continue;
        if (map_add(&processes, &pid, &added, err) == NULL)
            failed = true;
        if (!failed && added) {
            trace_name_process(python->trace, pid, PLACE_GC, "Python GC", "CPU");
            trace_name_thread(python->trace, pid, gc->pid, gc->pid, "Python GC");
        }
        trace_put_json(python->view, "GC");
        strbuf_clear(&python->args);
        failed = failed || write_event(python, &slice, "GC", err) < 0;
    }
    map_release(&processes);
    return failed ? -(int)err->code : 0;
}

/* ---- places ---- */

static int add_places(struct framework_trace *view, struct err *err)
{
    const struct torch *torch = view->analysis->framework->torch;
    int status = 0;
    for (size_t i = 0; status == 0 && i < torch->ops.count; i++) {
        const struct torch_op *op = &torch->ops.items[i];
        if (trace_shows(view, op->start_ns))
            status = places_add(&view->places, i, op->pid, op->thread, op->start_ns, op->end_ns, err);
    }
    for (size_t i = 0; status == 0 && i < torch->calls.count; i++) {
        const struct torch_call *call = &torch->calls.items[i];
        if (trace_shows(view, call->start_ns))
            status = places_add(&view->places, call_number(torch, call), call->pid, call->thread, call->start_ns,
                                call->end_ns, err);
    }
    for (size_t i = 0; status == 0 && i < torch->gcs.count; i++) {
        const struct torch_gc *gc = &torch->gcs.items[i];
        if (trace_shows(view, gc->start_ns))
            status = places_add(&view->places, gc_number(torch, gc), track_pid_of(gc->pid, PLACE_GC, 0), gc->pid,
                                gc->start_ns, gc->end_ns, err);
    }
    return status;
}

static int add_queued(void *arg, const struct torch_range *range, bool taken, const char *name, struct err *err)
{
    struct framework_trace *view = arg;
    const struct torch *torch = view->analysis->framework->torch;
    const struct torch_thread *by = torch_thread_of(torch, range);
    (void)name;
    return places_add(&view->places, taken ? dequeue_number(torch, range) : enqueue_number(torch, range), by->pid,
                      by->thread, range->start_ns, range->end_ns, err);
}

int pytorch_trace_prepare(struct framework_trace *view, struct err *err)
{
    if (!view->analysis->relative_times)
        return 0;
    int status = add_places(view, err);
    return status == 0 ? torch_each_queued(view->analysis, add_queued, view, err) : status;
}

static void name_lane(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)arg;
    if (pid == track_pid_of(number, PLACE_GC, 0))
        strbuf_adds(ret, "Python GC");
    else
        strbuf_addf(ret, "Thread %lld", (long long)number);
}

int pytorch_trace_begin(void *arg, struct trace *trace, struct err *err)
{
    struct framework_trace *view = arg;
    struct python_trace python = {.view = view,
                                  .trace = trace,
                                  .framework = view->analysis->framework,
                                  .torch = view->analysis->framework->torch};
    strbuf_init(&python.args, (size_t)4 * TORCH_TEXT_LIMIT);
    bool failed = places_settle(&view->places, &trace->style, err) < 0 || name_threads(&python, err) < 0 ||
                  write_ops(&python, err) < 0 || torch_each_queued(view->analysis, write_queued, &python, err) < 0 ||
                  torch_each_backward(view->analysis, write_backward, &python, err) < 0 ||
                  torch_each_call(view->analysis, write_call, &python, err) < 0 || write_collector(&python, err) < 0 ||
                  places_name(&view->places, trace, name_lane, err) < 0;
    strbuf_release(&python.args);
    return failed ? -(int)err->code : 0;
}

int pytorch_trace_end(void *arg, struct trace *trace, struct err *err)
{
    (void)arg;
    (void)trace;
    (void)err;
    return 0;
}

bool pytorch_find_launch(void *arg, int64_t connection_id, struct trace_launch *ret)
{
    const struct framework_trace *view = arg;
    const struct torch_op *op = torch_op_of(view->analysis, connection_id);
    if (op == NULL)
        return false;
    const struct framework *framework = view->analysis->framework;
    int64_t tid = places_tid(&view->places, (size_t)(op - framework->torch->ops.items), op->thread);
    *ret = (struct trace_launch){op->pid, tid, op->start_ns, framework_text(framework, op->name)};
    return true;
}
