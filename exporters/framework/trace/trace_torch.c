/* PyTorch's part of trace_view.json. */
#include "base/array.h"
#include "base/map.h"
#include "exporters/framework/framework_tables.h"
#include "exporters/framework/torch_events.h"
#include "exporters/framework/torch_relation.h"
#include "exporters/framework/trace/trace_view.h"
#include "exporters/trace/track.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACE_PYTHON = 0, PLACE_GC = 1 };

struct python_trace {
    struct framework_trace *view;
    struct trace *trace;
    const struct framework *framework;
    const struct torch *torch;
    struct strbuf args; /* of the event that is being written, the inside of its object */
};

struct event {
    int64_t pid, tid, start_ns, end_ns;
    const char *category;
};

static int write_event(struct python_trace *python, const struct event *event, struct err *err)
{
    struct trace *trace = python->trace;
    const struct trace_style *style = &trace->style;
    if (python->view->name.failed || python->args.failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for an event");
    trace_write_name(trace, &python->view->name);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX), *p = start;
    p = trace_put_phase(p, 'X');
    p = trace_put_place(p, style, event->pid, event->tid);
    p = trace_put_time(p, style, event->start_ns);
    p = trace_put_literal(p, ",\"dur\":");
    p = style->string_times ? number_put_shortest(p, event->end_ns - event->start_ns, 3)
                            : framework_put_duration(p, style, event->start_ns, event->end_ns - event->start_ns);
    p = trace_put_literal(p, ",\"cat\":\"");
    p = trace_put_word(p, event->category);
    p = trace_put_literal(p, "\",\"args\":{");
    trace_advance(trace, start, p);
    outfile_add(&trace->out, &python->args);
    outfile_write(&trace->out, "}}", 2);
    trace->events++;
    return 0;
}

static void write_arrow(struct python_trace *python, const char *name, const char *category, char phase, uint64_t id,
                        const struct event *at)
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
        const struct event event = {op->pid, op->thread, op->start_ns, op->end_ns, "cpu_op"};
        trace_put_json(python->view, framework_text(python->framework, op->name));
        strbuf_clear(&python->args);
        strbuf_addf(&python->args, "\"Sequence number\":%lld,\"Fwd thread id\":%lld", (long long)op->sequence,
                    (long long)op->forward_thread);
        add_lines(python, "Input Dims", op->shapes, &lines);
        add_lines(python, "Input type", op->types, &lines);
        add_lines(python, "Call stack", op->stack, &lines);
        status = write_event(python, &event, err);
    }
    strbuf_release(&lines);
    return status;
}

/* ---- the queue ---- */

static int write_queued(void *arg, const struct torch_range *range, bool taken, const char *name, struct err *err)
{
    struct python_trace *python = arg;
    const struct torch_thread *by = torch_thread_of(python->view->analysis->framework->torch, range);
    const struct event event = {by->pid, by->thread, range->start_ns, range->end_ns, taken ? "dequeue" : "enqueue"};
    trace_put_json(python->view, name);
    strbuf_clear(&python->args);
    strbuf_addf(&python->args, "\"correlation_id\":%llu", (unsigned long long)range->correlation);
    int status = write_event(python, &event, err);
    if (status == 0)
        write_arrow(python, "enqueue_to_dequeue", "async_task_queue", taken ? 'f' : 's', range->correlation, &event);
    return status;
}

static int write_backward(void *arg, const struct torch_op *forward, const struct torch_op *backward, struct err *err)
{
    const struct event from = {forward->pid, forward->thread, forward->start_ns, 0, NULL},
                       to = {backward->pid, backward->thread, backward->start_ns, 0, NULL};
    (void)err;
    write_arrow(arg, "fwdbwd", "fwdbwd", 's', (uint64_t)backward->sequence, &from);
    write_arrow(arg, "fwdbwd", "fwdbwd", 'f', (uint64_t)backward->sequence, &to);
    return 0;
}

/* ---- Python ---- */

static int write_call(void *arg, const struct torch_call *call, const char *name, int64_t module, struct err *err)
{
    struct python_trace *python = arg;
    const struct event event = {call->pid, call->thread, call->start_ns, call->end_ns, "python_function"};
    trace_put_json(python->view, name);
    strbuf_clear(&python->args);
    strbuf_addf(&python->args, "\"Python id\":%zu,\"Python parent id\":%zu", call->id, call->parent);
    if (module >= 0)
        strbuf_addf(&python->args, ",\"Python module id\":%lld", (long long)module);
    return write_event(python, &event, err);
}

static int write_collector(struct python_trace *python, struct err *err)
{
    const struct torch_gcs *gcs = &python->torch->gcs;
    struct map processes = MAP_OF(struct process, pid);
    int status = 0;
    for (size_t i = 0; status == 0 && i < gcs->count; i++) {
        const struct torch_gc *gc = &gcs->items[i];
        int64_t pid = track_pid_of(gc->pid, PLACE_GC, 0);
        const struct event event = {pid, gc->pid, gc->start_ns, gc->end_ns, "GC"};
        bool added;
        if (!trace_shows(python->view, gc->start_ns))
            continue;
        if (map_add(&processes, &pid, &added, err) == NULL)
            status = -(int)err->code;
        if (status == 0 && added) {
            trace_name_process(python->trace, pid, PLACE_GC, "Python GC", "CPU");
            trace_name_thread(python->trace, pid, gc->pid, gc->pid, "Python GC");
        }
        trace_put_json(python->view, "GC");
        strbuf_clear(&python->args);
        if (status == 0)
            status = write_event(python, &event, err);
    }
    map_release(&processes);
    return status;
}

int pytorch_trace_begin(void *arg, struct trace *trace, struct err *err)
{
    struct framework_trace *view = arg;
    struct python_trace python = {.view = view,
                                  .trace = trace,
                                  .framework = view->analysis->framework,
                                  .torch = view->analysis->framework->torch};
    strbuf_init(&python.args, (size_t)4 * TORCH_TEXT_LIMIT);
    int status = name_threads(&python, err);
    if (status == 0)
        status = write_ops(&python, err);
    if (status == 0)
        status = torch_each_queued(view->analysis, write_queued, &python, err);
    if (status == 0)
        status = torch_each_backward(view->analysis, write_backward, &python, err);
    if (status == 0)
        status = torch_each_call(view->analysis, write_call, &python, err);
    if (status == 0)
        status = write_collector(&python, err);
    strbuf_release(&python.args);
    return status;
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
    *ret =
        (struct trace_launch){op->pid, op->thread, op->start_ns, framework_text(view->analysis->framework, op->name)};
    return true;
}
