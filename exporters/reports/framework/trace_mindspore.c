/* SPDX-License-Identifier: Apache-2.0 */
/* MindSpore's part of trace_view.json. */
#include "base/array.h"
#include "base/map.h"
#include "exporters/reports/framework/trace_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int trace_write_range(struct framework_trace *view, struct trace *trace, const struct framework_event *event,
                      struct err *err)
{
    if (view->name.failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the name of an event");
    trace_write_name(trace, &view->name);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX), *p = start;
    p = trace_put_framework_slice(p, &trace->style, &event->slice, event->category, true);
    if (event->slice.instant && event->type != NULL)
        *p++ = ',';
    trace_advance(trace, start, p);
    if (event->type != NULL) {
        outfile_write(&trace->out, "\"type\":", 7);
        outfile_write(&trace->out, event->type, strlen(event->type));
    }
    outfile_write(&trace->out, "}}", 2);
    trace->events++;
    return 0;
}

/* ---- threads ---- */

struct thread {
    int64_t number;
};

struct threads {
    struct map known;
    int64_t pid;
};

static int name_thread(struct threads *threads, struct trace *trace, int64_t number, struct err *err)
{
    char name[48];
    bool added;
    if (map_add(&threads->known, &number, &added, err) == NULL)
        return -(int)err->code;
    snprintf(name, sizeof name, "Thread %lld", (long long)number);
    if (added)
        trace_name_thread(trace, threads->pid, number, number, name);
    return 0;
}

/* ---- ranges ---- */

static bool is_slice(const struct framework_range *range)
{
    return range->start_ns != range->end_ns;
}

static void write_instant(struct framework_trace *view, struct trace *trace, const struct framework_range *range)
{
    trace_write_name(trace, &view->name);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX), *p = start;
    p = trace_put_phase(p, 'i');
    p = trace_put_time(p, &trace->style, range->start_ns);
    p = trace_put_place(p, &trace->style, TRACE_MINDSPORE, range->thread);
    trace_advance(trace, start, trace_put_literal(p, ",\"args\":{}}"));
    trace->events++;
}

static int write_threads(const struct framework *framework, struct trace *trace, struct err *err)
{
    struct threads threads = {MAP_OF(struct thread, number), TRACE_MINDSPORE};
    int status = 0;
    trace_name_process(trace, TRACE_MINDSPORE, TRACE_MINDSPORE, "MindSpore", "CPU");
    for (size_t i = 0; status == 0 && i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        if ((range->flags & RANGE_FLOW) == 0 || !is_slice(range))
            status = name_thread(&threads, trace, range->thread, err);
    }
    map_release(&threads.known);
    return status;
}

static int write_ranges(struct framework_trace *view, struct trace *trace, struct err *err)
{
    const struct framework *framework = view->analysis->framework;
    int status = framework->ranges.count > 0 ? write_threads(framework, trace, err) : 0;
    for (size_t i = 0; status == 0 && i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        const struct framework_event event = {
            places_slice(&view->places, i, TRACE_MINDSPORE, range->thread, range->start_ns, range->end_ns),
            (range->flags & RANGE_STACK) != 0 ? "python_function" : "", NULL};
        bool slice = is_slice(range);
        if (((range->flags & RANGE_FLOW) != 0 && slice) || !trace_shows(view, range->start_ns))
            continue;
        trace_put_json(view, framework_text(framework, range->name));
        if (!slice)
            write_instant(view, trace, range);
        else
            status = trace_write_range(view, trace, &event, err);
    }
    return status;
}

/* ---- operators of the host's processor ---- */

static int64_t cpu_op_end(const struct mindspore_cpu_op *op)
{
    return number_add(op->start_ns, op->duration_ns);
}

static int write_cpu_ops(struct framework_trace *view, struct trace *trace, struct err *err)
{
    const struct framework *framework = view->analysis->framework;
    struct threads threads = {MAP_OF(struct thread, number), TRACE_CPU_OP};
    struct strbuf type;
    int status = 0;
    strbuf_init(&type, (size_t)1024 * 1024);
    if (view->cpu_ops.count > 0)
        trace_name_process(trace, TRACE_CPU_OP, TRACE_CPU_OP, "CPU OP", "CPU");
    for (size_t i = 0; status == 0 && i < view->cpu_ops.count; i++)
        status = name_thread(&threads, trace, view->cpu_ops.items[i].thread, err);
    for (size_t i = 0; status == 0 && i < view->cpu_ops.count; i++) {
        const struct mindspore_cpu_op *op = &view->cpu_ops.items[i];
        const char *text = framework_text(framework, op->type);
        if (!trace_shows(view, op->start_ns))
            continue;
        strbuf_clear(&type);
        if (trace_text(&type, text, strlen(text)) < 0) {
            status = err_set(err, ERR_NO_MEMORY, "out of memory for the type of an operator");
            break;
        }
        const struct framework_event event = {places_slice(&view->places, framework->ranges.count + i, TRACE_CPU_OP,
                                                           op->thread, op->start_ns, cpu_op_end(op)),
                                              "", type.data};
        trace_put_json(view, framework_text(framework, op->name));
        status = trace_write_range(view, trace, &event, err);
    }
    strbuf_release(&type);
    map_release(&threads.known);
    return status;
}

/* MindSpore multiplies with 0.001 as a double has it, which is 2.08e-20 more: 36 ns in 2025. Its files say so. */
static void shift_as_mindspore(struct mindspore_cpu_ops *ops)
{
    static const long double per_ns = 2.0816681711721685e-17L;
    for (size_t i = 0; i < ops->count; i++)
        ops->items[i].start_ns =
            number_add(ops->items[i].start_ns, (int64_t)((long double)ops->items[i].start_ns * per_ns + 0.5L));
}

/* Slices have the numbers of their ranges, and behind these those of operators. What arrows begin with is not drawn. */
static int add_places(struct framework_trace *view, struct err *err)
{
    const struct framework_ranges *ranges = &view->analysis->framework->ranges;
    int status = 0;
    for (size_t i = 0; status == 0 && i < ranges->count; i++) {
        const struct framework_range *range = &ranges->items[i];
        if (!is_slice(range) || !trace_shows(view, range->start_ns))
            continue;
        if ((range->flags & RANGE_FLOW) != 0)
            status = places_add_point(&view->places, i, TRACE_MINDSPORE, range->thread, range->start_ns, err);
        else
            status = places_add(&view->places, i, TRACE_MINDSPORE, range->thread, range->start_ns, range->end_ns, err);
    }
    for (size_t i = 0; status == 0 && i < view->cpu_ops.count; i++) {
        const struct mindspore_cpu_op *op = &view->cpu_ops.items[i];
        if (trace_shows(view, op->start_ns))
            status = places_add(&view->places, ranges->count + i, TRACE_CPU_OP, op->thread, op->start_ns,
                                cpu_op_end(op), err);
    }
    return status;
}

int mindspore_trace_prepare(struct framework_trace *view, struct err *err)
{
    int status = mindspore_cpu_ops_load(view->analysis->framework, view->analysis->directory, &view->cpu_ops,
                                        view->analysis->diag, err);
    shift_as_mindspore(&view->cpu_ops);
    return status == 0 && view->analysis->relative_times ? add_places(view, err) : status;
}

int mindspore_trace_begin(void *arg, struct trace *trace, struct err *err)
{
    struct framework_trace *view = arg;
    int status = places_settle(&view->places, &trace->style, err);
    if (status == 0)
        status = write_ranges(view, trace, err);
    if (status == 0)
        status = write_cpu_ops(view, trace, err);
    return status == 0 ? places_name(&view->places, trace, NULL, err) : status;
}

/* ---- arrows inside the framework ---- */

/* What begins and ends with one number. */
struct flow {
    uint64_t number;
    size_t start, end; /* ranges, counted from 1 */
    unsigned starts, ends;
};

static int collect_flows(const struct framework *framework, struct map *flows, struct err *err)
{
    for (size_t i = 0; i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        if (range->flow == FRAMEWORK_NO_FLOW || (range->flags & RANGE_STACK) != 0 || !is_slice(range))
            continue;
        struct flow *flow = map_add(flows, &range->flow, NULL, err);
        if (flow == NULL)
            return -(int)err->code;
        if ((range->flags & RANGE_FLOW) != 0) {
            flow->starts++;
            flow->start = i + 1;
        } else {
            flow->ends++;
            flow->end = i + 1;
        }
    }
    return 0;
}

static void write_arrow_end(const struct framework_trace *view, struct trace *trace, char phase, uint64_t number,
                            size_t place)
{
    const struct framework_range *range = &view->analysis->framework->ranges.items[place];
    char *start = trace_reserve(trace, TRACE_EVENT_MAX), *p = start;
    p = trace_put_literal(p, ",\n{\"name\":\"mindspore_to_self\",\"bp\":\"e\"");
    p = trace_put_phase(p, phase);
    p = trace_put_time(p, &trace->style, range->start_ns);
    p = trace_put_place(p, &trace->style, TRACE_MINDSPORE, places_tid(&view->places, place, range->thread));
    p = trace_put_literal(p, ",\"id\":\"");
    p = number_put_unsigned(p, number);
    trace_advance(trace, start, trace_put_literal(p, "\",\"cat\":\"async_mindspore\"}"));
}

static int write_arrows(struct framework_trace *view, struct trace *trace, struct err *err)
{
    const struct framework *framework = view->analysis->framework;
    struct map flows = MAP_OF(struct flow, number);
    int status = collect_flows(framework, &flows, err);
    for (size_t i = 0; status == 0 && i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        const struct flow *flow = range->flow != FRAMEWORK_NO_FLOW ? map_get(&flows, &range->flow) : NULL;
        if (flow == NULL || flow->starts != 1 || flow->ends != 1 || flow->end != i + 1 ||
            !trace_shows(view, framework->ranges.items[flow->start - 1].start_ns))
            continue;
        write_arrow_end(view, trace, 's', flow->number, flow->start - 1);
        write_arrow_end(view, trace, 'f', flow->number, i);
    }
    map_release(&flows);
    return status;
}

int mindspore_trace_end(void *arg, struct trace *trace, struct err *err)
{
    struct framework_trace *view = arg;
    int status = trace->named ? write_arrows(view, trace, err) : 0;
    return status == 0 ? trace_write_scopes(view, trace, err) : status;
}
