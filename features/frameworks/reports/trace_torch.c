/* SPDX-License-Identifier: Apache-2.0 */
/* PyTorch's part of trace_view.json. */
#include "exporters/timeline/track.h"
#include "features/frameworks/reports/analysis.h"
#include "features/frameworks/reports/torch_relation.h"
#include "features/frameworks/reports/trace_view.h"

enum { PLACE_PYTHON = 0, PLACE_GC = 1 };

struct python_trace {
    struct framework_trace *view;
    struct trace *trace;
    const struct framework *framework;
    const struct torch *torch;
};

/* Slices as they were recorded; operators have their own numbers, the others follow. */
static struct framework_slice slice_of_op(const struct torch *torch, const struct torch_op *op)
{
    return (struct framework_slice){
        (size_t)(op - torch->ops.items), op->pid, op->thread, op->start_ns, op->end_ns, false};
}
static struct framework_slice slice_of_range(const struct torch *torch, const struct torch_range *range, bool taken)
{
    const struct torch_thread *by = torch_thread_of(torch, range);
    const size_t number = taken ? (size_t)(range - torch->dequeues.items)
                                : torch->dequeues.count + (size_t)(range - torch->enqueues.items);
    return (struct framework_slice){torch->ops.count + number, by->pid,       by->thread,
                                    range->start_ns,           range->end_ns, false};
}
static struct framework_slice slice_of_call(const struct torch *torch, const struct torch_call *call)
{
    const size_t first = torch->ops.count + torch->dequeues.count + torch->enqueues.count;
    return (struct framework_slice){
        first + (size_t)(call - torch->calls.items), call->pid, call->thread, call->start_ns, call->end_ns, false};
}
static struct framework_slice slice_of_gc(const struct torch *torch, const struct torch_gc *gc)
{
    const size_t first = torch->ops.count + torch->dequeues.count + torch->enqueues.count + torch->calls.count;
    return (struct framework_slice){first + (size_t)(gc - torch->gcs.items),
                                    track_pid_of(gc->pid, PLACE_GC, 0),
                                    gc->pid,
                                    gc->start_ns,
                                    gc->end_ns,
                                    false};
}

static int write_event(struct python_trace *python, struct framework_slice slice, const char *name,
                       const char *category, struct trace_slice *ret_at, struct err *err)
{
    const struct framework_event event = {places_slice(&python->view->places, slice), name, category, false};
    *ret_at = event.slice;
    return framework_write_slice(python->view, python->trace, &event, err);
}

static int write_arrow(struct python_trace *python, const char *name, const char *category, char phase, uint64_t id,
                       const struct trace_slice *at, struct err *err)
{
    char *p = trace_event_room(python->trace, 0, err);
    if (p == NULL)
        return err_status(err);
    p = trace_put_literal(trace_begin_event(p), "\"");
    p = trace_put_word(p, name);
    p = trace_put_literal(p, "\",\"bp\":\"e\"");
    p = trace_put_phase(p, phase);
    p = trace_put_literal(p, ",\"id\":");
    p = number_put_unsigned(p, id);
    p = trace_put_place(p, &python->trace->style, at->pid, at->tid);
    p = trace_put_time(p, &python->trace->style, at->start_ns);
    p = trace_put_literal(p, ",\"cat\":\"");
    p = trace_put_word(p, category);
    return trace_event_done(python->trace, trace_put_literal(p, "\"}"), false, err);
}

/* ---- threads ---- */

/* Threads that take work out of a queue stand behind their own number, as in PyTorch's files. */
static int name_threads(struct python_trace *python, struct err *err)
{
    SCOPED(framework_threads_release) struct framework_threads threads = framework_threads_none();
    const struct torch *torch = python->torch;
    const size_t taken = torch->has_queue ? torch->dequeues.count : 0, ops = torch->ops.count;
    const size_t put = torch->has_queue ? torch->enqueues.count : 0, calls = torch->calls.count;
    for (size_t i = 0; i < taken + ops + put + calls; i++) {
        const struct framework_slice slice = i < taken         ? slice_of_range(torch, &torch->dequeues.items[i], true)
                                             : i < taken + ops ? slice_of_op(torch, &torch->ops.items[i - taken])
                                             : i < taken + ops + put
                                                 ? slice_of_range(torch, &torch->enqueues.items[i - taken - ops], false)
                                                 : slice_of_call(torch, &torch->calls.items[i - taken - ops - put]);
        large_pass(i);
        if (framework_name_thread(&threads, python->trace, slice, "Python", PLACE_PYTHON, NULL, i < taken, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* ---- operators ---- */

static void add_lines(struct python_trace *python, const char *key, uint32_t text, struct strbuf *lines)
{
    if (text == TORCH_NONE)
        return;
    torch_put_lines(lines, framework_text(python->framework, text));
    strbuf_adds(&python->view->args, key);
    json_text_quote(&python->view->args, lines->data, lines->length);
    python->view->args.failed = python->view->args.failed || lines->failed;
}

static int write_ops(struct python_trace *python, struct err *err)
{
    const struct torch *torch = python->torch;
    SCOPED(strbuf_release) struct strbuf lines;
    int status = 0;
    strbuf_init(&lines, TORCH_TEXT_LIMIT);
    for (size_t i = 0; status == 0 && i < torch->ops.count; i++) {
        const struct torch_op *op = &torch->ops.items[i];
        large_pass(i);
        if (!trace_shows(python->view, op->start_ns))
            continue;
        struct trace_slice at;
        strbuf_adds(&python->view->args, "\"Sequence number\":");
        strbuf_add_integer(&python->view->args, op->sequence);
        strbuf_adds(&python->view->args, ",\"Fwd thread id\":");
        strbuf_add_integer(&python->view->args, op->forward_thread);
        add_lines(python, ",\"Input Dims\":", op->shapes, &lines);
        add_lines(python, ",\"Input type\":", op->types, &lines);
        add_lines(python, ",\"Call stack\":", op->stack, &lines);
        status = write_event(python, slice_of_op(torch, op), framework_text(python->framework, op->name), "cpu_op", &at,
                             err);
    }
    return status;
}

/* ---- the queue ---- */

/* Ids of arrows are below 2^53, as viewers calculate in doubles: a larger number of a piece of work gives way to which
 * of the enqueues it is. */
static uint64_t arrow_of(const struct torch_range *range)
{
    const uint64_t half = UINT64_C(1) << 52;
    return range->correlation < half ? range->correlation : half + range->work;
}

static int write_queued(void *arg, const struct torch_range *range, bool taken, const char *name, struct err *err)
{
    struct python_trace *python = arg;
    const struct torch *torch = python->torch;
    struct trace_slice at;
    char number[NUMBER_MAX];
    strbuf_adds(&python->view->args, "\"correlation_id\":");
    strbuf_add(&python->view->args, number, (size_t)(number_put_unsigned(number, range->correlation) - number));
    if (write_event(python, slice_of_range(torch, range, taken), name, taken ? "dequeue" : "enqueue", &at, err) < 0)
        return err_status(err);
    return write_arrow(python, "enqueue_to_dequeue", "async_task_queue", taken ? 'f' : 's', arrow_of(range), &at, err);
}

static int write_backward_end(struct python_trace *python, char phase, const struct torch_op *op, int64_t sequence,
                              struct err *err)
{
    const struct trace_slice at = places_slice(&python->view->places, slice_of_op(python->torch, op));
    return write_arrow(python, "fwdbwd", "fwdbwd", phase, (uint64_t)sequence, &at, err);
}

static int write_backward(void *arg, const struct torch_op *forward, const struct torch_op *backward, struct err *err)
{
    const int status = write_backward_end(arg, 's', forward, backward->sequence, err);
    return status == 0 ? write_backward_end(arg, 'f', backward, backward->sequence, err) : status;
}

/* ---- Python ---- */

static int write_call(void *arg, const struct torch_call *call, const char *name, int64_t module, struct err *err)
{
    struct python_trace *python = arg;
    struct trace_slice at;
    strbuf_addf(&python->view->args, "\"Python id\":%zu,\"Python parent id\":%zu", call->id, call->parent);
    if (module >= 0)
        strbuf_addf(&python->view->args, ",\"Python module id\":%lld", (long long)module);
    return write_event(python, slice_of_call(python->torch, call), name, "python_function", &at, err);
}

static int write_collector(struct python_trace *python, struct err *err)
{
    const struct torch_gcs *gcs = &python->torch->gcs;
    SCOPED(framework_threads_release) struct framework_threads threads = framework_threads_none();
    for (size_t i = 0; i < gcs->count; i++) {
        const struct framework_slice slice = slice_of_gc(python->torch, &gcs->items[i]);
        struct trace_slice at;
        if (!trace_shows(python->view, slice.start_ns))
            continue;
        if (framework_name_thread(&threads, python->trace, slice, "Python GC", PLACE_GC, "Python GC", 0, err) < 0 ||
            write_event(python, slice, "GC", "GC", &at, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* ---- places ---- */

static int add_place(struct framework_trace *view, struct framework_slice slice, struct err *err)
{
    return trace_shows(view, slice.start_ns) ? places_add(&view->places, slice, err) : 0;
}

static int add_places(struct framework_trace *view, struct err *err)
{
    const struct torch *torch = view->analysis->framework->torch;
    bool failed = false;
    for (size_t i = 0; !failed && i < torch->ops.count; i++)
        failed = add_place(view, slice_of_op(torch, &torch->ops.items[i]), err) < 0;
    for (size_t i = 0; !failed && i < torch->calls.count; i++)
        failed = add_place(view, slice_of_call(torch, &torch->calls.items[i]), err) < 0;
    for (size_t i = 0; !failed && i < torch->gcs.count; i++)
        failed = add_place(view, slice_of_gc(torch, &torch->gcs.items[i]), err) < 0;
    return failed ? err_status(err) : 0;
}

static int add_queued(void *arg, const struct torch_range *range, bool taken, const char *name, struct err *err)
{
    struct framework_trace *view = arg;
    (void)name;
    return places_add(&view->places, slice_of_range(view->analysis->framework->torch, range, taken), err);
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
    return places_settle(&view->places, &trace->style, err) < 0 || name_threads(&python, err) < 0 ||
                   write_ops(&python, err) < 0 || torch_each_queued(view->analysis, write_queued, &python, err) < 0 ||
                   torch_each_backward(view->analysis, write_backward, &python, err) < 0 ||
                   torch_each_call(view->analysis, write_call, &python, err) < 0 || write_collector(&python, err) < 0 ||
                   places_name(&view->places, trace, name_lane, err) < 0
               ? err_status(err)
               : 0;
}

bool pytorch_find_launch(void *arg, int64_t connection_id, struct trace_launch *ret)
{
    const struct framework_trace *view = arg;
    const struct torch_op *op = torch_op_of(view->analysis, connection_id);
    if (op == NULL)
        return false;
    const struct framework *framework = view->analysis->framework;
    const struct trace_slice at = places_slice(&view->places, slice_of_op(framework->torch, op));
    *ret = (struct trace_launch){at.pid, at.tid, at.start_ns, framework_text(framework, op->name)};
    return true;
}
