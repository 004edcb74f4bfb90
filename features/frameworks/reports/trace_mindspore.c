/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/file/large.h"
#include "base/file/spool.h"
#include "features/frameworks/reports/trace_view.h"

#include <stdlib.h>
#include <string.h>

/* Scope Layer: the scopes in the names of operators ("Default/network/layer0/Mul-op0"), nested as in the model. */

#define MOST_LAYERS 64
#define PATH_MAX_BYTES 4096

struct path {
    char text[PATH_MAX_BYTES];
    size_t count;
    size_t starts[MOST_LAYERS], lengths[MOST_LAYERS];
};

struct layer {
    char *name;
    int64_t start_ns, end_ns;
};

struct scopes {
    struct framework_trace *view;
    struct trace *trace;
    const struct cann_texts *names;
    struct mindspore_cpu_op *cpu; /* by start */
    size_t cpu_count, next_cpu;
    struct layer layers[MOST_LAYERS];
    size_t open;
    struct framework_threads threads; /* of layers */
    int64_t pid, device_id;
    bool has_device;
    struct path path, other;
};

static int close_layers(struct scopes *scopes, size_t keep, struct err *err)
{
    int status = 0;
    while (scopes->open > keep) {
        struct layer *layer = &scopes->layers[--scopes->open];
        const int64_t since_ns = time_since(layer->start_ns, scopes->trace->style.origin_ns);
        const int64_t duration_ns = time_since(layer->end_ns, layer->start_ns);
        const struct framework_event event = {{.pid = scopes->pid,
                                               .tid = (int64_t)scopes->open,
                                               .start_ns = layer->start_ns,
                                               .duration_ns = duration_ns,
                                               .short_ps = trace_shortening_anywhere(since_ns, duration_ns)},
                                              layer->name,
                                              "",
                                              true};
        if (status == 0)
            status = framework_write_slice(scopes->view, scopes->trace, &event, err);
        free(layer->name);
        layer->name = NULL;
    }
    return status;
}

static int open_layer(struct scopes *scopes, const char *name, size_t length, int64_t start_ns, int64_t end_ns,
                      struct err *err)
{
    struct layer *layer = &scopes->layers[scopes->open];
    const struct framework_slice slice = {.pid = scopes->pid, .thread = (int64_t)scopes->open};
    if (framework_name_thread(&scopes->threads, scopes->trace, slice, "Scope Layer", PLACE_SCOPE, NULL, 0, err) < 0)
        return err_status(err);
    *layer = (struct layer){strndup(name, length), start_ns, end_ns};
    if (layer->name == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a scope");
    scopes->open++;
    return 0;
}

static bool is_scoped(const char *name)
{
    return strncmp(name, "Default", 7) == 0 || strncmp(name, "Gradients", 9) == 0 ||
           strncmp(name, "recompute_Default", 17) == 0;
}

/* The scopes of a name without the operator itself; none of a name that has none. */
static void split(const char *name, size_t length, struct path *ret)
{
    ret->count = 0;
    if (!is_scoped(name))
        return;
    if (length >= sizeof ret->text)
        length = sizeof ret->text - 1;
    memcpy(ret->text, name, length);
    ret->text[length] = '\0';
    for (size_t at = 0; ret->count < MOST_LAYERS;) {
        const char *slash = strchr(ret->text + at, '/');
        if (slash == NULL)
            break;
        ret->starts[ret->count] = at;
        ret->lengths[ret->count++] = (size_t)(slash - ret->text) - at;
        at = (size_t)(slash - ret->text) + 1;
    }
}

static bool is_same(const struct layer *layer, const struct path *path, size_t i)
{
    return strlen(layer->name) == path->lengths[i] &&
           memcmp(layer->name, path->text + path->starts[i], path->lengths[i]) == 0;
}

static int take(struct scopes *scopes, const struct path *path, int64_t start_ns, int64_t end_ns, struct err *err)
{
    size_t same = 0;
    if (path->count == 0 || !trace_shows(scopes->view, start_ns) ||
        (scopes->open > 0 && start_ns < scopes->layers[0].end_ns))
        return 0;
    while (same < scopes->open && same < path->count && is_same(&scopes->layers[same], path, same))
        scopes->layers[same++].end_ns = end_ns;
    int status = close_layers(scopes, same, err);
    for (size_t i = same; status == 0 && i < path->count; i++)
        status = open_layer(scopes, path->text + path->starts[i], path->lengths[i], start_ns, end_ns, err);
    return status;
}

/* Operators of the host that begin until then. */
static int take_cpu_ops(struct scopes *scopes, int64_t until_ns, struct err *err)
{
    const struct intern *texts = &scopes->view->texts;
    int status = 0;
    while (status == 0 && scopes->next_cpu < scopes->cpu_count && scopes->cpu[scopes->next_cpu].start_ns <= until_ns) {
        const struct mindspore_cpu_op *op = &scopes->cpu[scopes->next_cpu++];
        const char *name = texts->items[op->name].bytes;
        split(name, strlen(name), &scopes->path);
        status = take(scopes, &scopes->path, op->start_ns, op->start_ns + op->duration_ns, err);
    }
    return status;
}

static const char *last_part(const char *name)
{
    for (const char *next = strstr(name, "::"); next != NULL; next = strstr(name, "::"))
        name = next + 2;
    return name;
}

/* Each further device has a process of its own: what two devices do overlaps. Operators of the host go with the first.
 */
static int take_device(struct scopes *scopes, int64_t device_id, struct err *err)
{
    enum { NEXT_DEVICE = 256 };
    bool failed = false;
    if (scopes->has_device && scopes->device_id != device_id) {
        failed = take_cpu_ops(scopes, INT64_MAX, err) < 0 || close_layers(scopes, 0, err) < 0;
        scopes->pid += NEXT_DEVICE;
    }
    scopes->has_device = true;
    scopes->device_id = device_id;
    return failed ? err_status(err) : 0;
}

static int take_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct scopes *scopes = arg;
    const struct framework_analysis *analysis = scopes->view->analysis;
    const struct framework *framework = analysis->framework;
    struct cann_text name = cann_text(scopes->names, task->op_name_id, 0);
    const struct path *longer = &scopes->path;
    bool failed = take_device(scopes, task->device_id, err) < 0 || take_cpu_ops(scopes, task->start_ns, err) < 0;
    split(name.text != NULL ? name.text : "", name.length, &scopes->path);
    const struct framework_launch *launch =
        task->op_name_id != DB_NULL ? relation_launch(&analysis->relation, framework, task->connection_id) : NULL;
    if (launch != NULL) {
        const char *parent = last_part(framework_text(framework, framework->ranges.items[launch->range].name));
        split(parent, strlen(parent), &scopes->other);
        if (scopes->other.count > scopes->path.count)
            longer = &scopes->other;
    }
    return failed ? err_status(err) : take(scopes, longer, task->start_ns, task->start_ns + task->duration_ns, err);
}

ARRAY_COMPARE(compare_starts, struct mindspore_cpu_op, ARRAY_BY(start_ns))

/* Scope Layer: the operators' scopes, nested. */
static int trace_write_scopes(struct framework_trace *view, struct trace *trace, struct err *err)
{
    struct scopes *scopes = calloc(1, sizeof *scopes);
    if (scopes == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for scopes");
    scopes->view = view;
    scopes->trace = trace;
    scopes->pid = TRACE_SCOPE;
    scopes->threads = framework_threads_none();
    scopes->cpu = view->cpu_ops.items;
    scopes->cpu_count = view->cpu_ops.count;
    array_sort(scopes->cpu, scopes->cpu_count, sizeof *scopes->cpu, compare_starts);
    scopes->names = report_names(&view->analysis->session, true, err);
    int status = scopes->names != NULL ? cann_each_task(view->analysis->db, CANN_TASKS, take_task, scopes, err)
                                       : err_status(err);
    if (status == 0)
        status = take_cpu_ops(scopes, INT64_MAX, err);
    struct err ignored = ERR_INIT;
    int closed = close_layers(scopes, 0, status == 0 ? err : &ignored);
    framework_threads_release(&scopes->threads);
    free(scopes);
    return status == 0 ? closed : status;
}

/* MindSpore's part of trace_view.json. */

/* ---- ranges ---- */

static bool is_slice(const struct framework_range *range)
{
    return range->start_ns != range->end_ns;
}

static struct framework_slice slice_of_range(const struct framework *framework, const struct framework_range *range)
{
    return (struct framework_slice){
        (size_t)(range - framework->ranges.items), TRACE_MINDSPORE, range->thread, range->start_ns, range->end_ns,
        (range->flags & RANGE_FLOW) != 0};
}

static int write_instant(struct trace *trace, const struct framework_range *range, const char *name, struct err *err)
{
    char *p = trace_event_room(trace, trace_string_room(name), err);
    if (p == NULL)
        return err_status(err);
    p = trace_put_string(trace_begin_event(p), name);
    p = trace_put_phase(p, 'i');
    p = trace_put_time(p, &trace->style, range->start_ns);
    p = trace_put_place(p, &trace->style, TRACE_MINDSPORE, range->thread);
    return trace_event_done(trace, trace_put_literal(p, ",\"args\":{}}"), true, err);
}

static int write_threads(const struct framework *framework, struct trace *trace, struct err *err)
{
    SCOPED(framework_threads_release) struct framework_threads threads = framework_threads_none();
    int status = 0;
    for (size_t i = 0; status == 0 && i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        large_pass(i);
        if ((range->flags & RANGE_FLOW) == 0 || !is_slice(range))
            status = framework_name_thread(&threads, trace, slice_of_range(framework, range), "MindSpore",
                                           TRACE_MINDSPORE, NULL, 0, err);
    }
    return status;
}

static int write_ranges(struct framework_trace *view, struct trace *trace, struct err *err)
{
    const struct framework *framework = view->analysis->framework;
    int status = framework->ranges.count > 0 ? write_threads(framework, trace, err) : 0;
    for (size_t i = 0; status == 0 && i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        large_pass(i);
        const char *name = framework_text(framework, range->name);
        const struct framework_event event = {places_slice(&view->places, slice_of_range(framework, range)), name,
                                              (range->flags & RANGE_STACK) != 0 ? "python_function" : "", true};
        bool slice = is_slice(range);
        if (((range->flags & RANGE_FLOW) != 0 && slice) || !trace_shows(view, range->start_ns))
            continue;
        status = slice ? framework_write_slice(view, trace, &event, err) : write_instant(trace, range, name, err);
    }
    return status;
}

/* ---- operators of the host's processor ---- */

static struct framework_slice slice_of_cpu_op(const struct framework_trace *view, size_t i)
{
    const struct mindspore_cpu_op *op = &view->cpu_ops.items[i];
    return (struct framework_slice){view->analysis->framework->ranges.count + i, TRACE_CPU_OP, op->thread, op->start_ns,
                                    number_add(op->start_ns, op->duration_ns),   false};
}

static int write_cpu_ops(struct framework_trace *view, struct trace *trace, struct err *err)
{
    SCOPED(framework_threads_release) struct framework_threads threads = framework_threads_none();
    int status = 0;
    for (size_t i = 0; status == 0 && i < view->cpu_ops.count; i++)
        status = framework_name_thread(&threads, trace, slice_of_cpu_op(view, i), "CPU OP", TRACE_CPU_OP, NULL, 0, err);
    for (size_t i = 0; status == 0 && i < view->cpu_ops.count; i++) {
        const struct mindspore_cpu_op *op = &view->cpu_ops.items[i];
        const char *text = view->texts.items[op->type].bytes;
        if (!trace_shows(view, op->start_ns))
            continue;
        strbuf_adds(&view->args, "\"type\":");
        json_text_quote(&view->args, text, strlen(text));
        const struct framework_event event = {places_slice(&view->places, slice_of_cpu_op(view, i)),
                                              view->texts.items[op->name].bytes, "", true};
        status = framework_write_slice(view, trace, &event, err);
    }
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

/* Slices have the numbers of their ranges, and behind these those of operators. Ranges that arrows begin with are not
 * drawn. */
static int add_places(struct framework_trace *view, struct err *err)
{
    const struct framework_ranges *ranges = &view->analysis->framework->ranges;
    int status = 0;
    for (size_t i = 0; status == 0 && i < ranges->count; i++) {
        const struct framework_range *range = &ranges->items[i];
        large_pass(i);
        if (is_slice(range) && trace_shows(view, range->start_ns))
            status = places_add(&view->places, slice_of_range(view->analysis->framework, range), err);
    }
    for (size_t i = 0; status == 0 && i < view->cpu_ops.count; i++) {
        if (trace_shows(view, view->cpu_ops.items[i].start_ns))
            status = places_add(&view->places, slice_of_cpu_op(view, i), err);
    }
    return status;
}

int mindspore_trace_prepare(struct framework_trace *view, struct err *err)
{
    int status = mindspore_cpu_ops_load(view->analysis->framework, view->analysis->directory, &view->texts,
                                        &view->cpu_ops, view->analysis->diag, err);
    shift_as_mindspore(&view->cpu_ops);
    return status == 0 && view->analysis->relative_times ? add_places(view, err) : status;
}

int mindspore_trace_begin(void *arg, struct trace *trace, struct err *err)
{
    struct framework_trace *view = arg;
    if (places_settle(&view->places, &trace->style, err) < 0 || write_ranges(view, trace, err) < 0 ||
        write_cpu_ops(view, trace, err) < 0)
        return err_status(err);
    return places_name(&view->places, trace, NULL, err);
}

/* ---- arrows inside the framework ---- */

/* The beginnings and ends that have one number, of ranges. */
struct flow {
    uint64_t number;
    size_t start, end; /* the last ones */
    unsigned starts, ends;
};

/* On their way: ends by number, arrows by their end. */
struct flows {
    struct spool *ends, *arrows;
    size_t alone; /* numbers that only begin */
};

static int collect_ends(const struct framework *framework, struct spool *ends, struct err *err)
{
    for (size_t i = 0; i < framework->ranges.count; i++) {
        const struct framework_range *range = &framework->ranges.items[i];
        const bool begins = (range->flags & RANGE_FLOW) != 0;
        const struct spool_key key = {range->flow, i};
        large_pass(i);
        if (range->flow != FRAMEWORK_NO_FLOW && (range->flags & RANGE_STACK) == 0 && is_slice(range) &&
            spool_add(ends, &key, &begins, sizeof begins, err) < 0)
            return err_status(err);
    }
    return spool_finish(ends, err);
}

/* Only one beginning and one end are an arrow. */
static int end_flow(struct flows *flows, const struct flow *flow, struct err *err)
{
    const struct spool_key key = {flow->end, 0};
    flows->alone += flow->starts > 0 && flow->ends == 0;
    return flow->starts == 1 && flow->ends == 1 ? spool_add(flows->arrows, &key, flow, sizeof *flow, err) : 0;
}

static int collect_arrows(const struct framework *framework, struct flows *flows, struct err *err)
{
    struct flow flow = {.starts = 0};
    struct spool_item item;
    int any = collect_ends(framework, flows->ends, err);
    if (any < 0)
        return any;
    while ((any = spool_next(flows->ends, &item, err)) > 0) {
        if (item.key.major != flow.number) {
            if (end_flow(flows, &flow, err) < 0)
                return err_status(err);
            flow = (struct flow){.number = item.key.major};
        }
        const bool begins = *(const bool *)item.record;
        flow.starts += begins;
        flow.ends += !begins;
        *(begins ? &flow.start : &flow.end) = (size_t)item.key.minor;
    }
    return any < 0 || end_flow(flows, &flow, err) < 0 ? err_status(err) : spool_finish(flows->arrows, err);
}

static int write_arrow_end(const struct framework_trace *view, struct trace *trace, char phase, uint64_t number,
                           size_t place, struct err *err)
{
    const struct framework_range *range = &view->analysis->framework->ranges.items[place];
    char *p = trace_event_room(trace, 0, err);
    if (p == NULL)
        return err_status(err);
    p = trace_put_literal(p, ",\n{\"name\":\"mindspore_to_self\",\"bp\":\"e\"");
    p = trace_put_phase(p, phase);
    p = trace_put_time(p, &trace->style, range->start_ns);
    p = trace_put_place(p, &trace->style, TRACE_MINDSPORE,
                        places_slice(&view->places, slice_of_range(view->analysis->framework, range)).tid);
    p = trace_put_literal(p, ",\"id\":\"");
    p = number_put_unsigned(p, number);
    return trace_event_done(trace, trace_put_literal(p, "\",\"cat\":\"async_mindspore\"}"), false, err);
}

/* Reports arrows that lead nowhere: one of their ends is lost, or has another number. */
static void tell_flows(const struct framework_trace *view, size_t alone)
{
    if (alone > 0)
        diag_report(view->analysis->diag, DIAG_TASK_UNMATCHED_START, FILE_PLACE(view->analysis->directory, NULL),
                    "%zu starts of arrows in mindspore.op_range have no end", alone);
}

/* Each has a number of its own: those of records have up to 64 bits, more than the doubles of viewers. */
static int draw_arrows(struct framework_trace *view, struct trace *trace, struct flows *flows, struct err *err)
{
    const struct framework *framework = view->analysis->framework;
    struct spool_item item;
    int any = collect_arrows(framework, flows, err);
    tell_flows(view, flows->alone);
    if (any < 0)
        return any;
    for (size_t i = 0; (any = spool_next(flows->arrows, &item, err)) > 0; i++) {
        const struct flow *flow = item.record;
        large_pass(i);
        if (!trace_shows(view, framework->ranges.items[flow->start].start_ns))
            continue;
        if (write_arrow_end(view, trace, 's', i + 1, flow->start, err) < 0 ||
            write_arrow_end(view, trace, 'f', i + 1, flow->end, err) < 0)
            return err_status(err);
    }
    return any;
}

static int write_arrows(struct framework_trace *view, struct trace *trace, struct err *err)
{
    enum { MEMORY = 4 * 1024 * 1024 };
    struct flows flows = {.ends = spool_new(MEMORY, NULL, err), .arrows = spool_new(MEMORY, NULL, err)};
    const bool made = flows.ends != NULL && flows.arrows != NULL;
    const int status = made ? draw_arrows(view, trace, &flows, err) : err_status(err);
    spool_free(flows.ends);
    spool_free(flows.arrows);
    return status;
}

int mindspore_trace_end(void *arg, struct trace *trace, struct err *err)
{
    struct framework_trace *view = arg;
    int status = trace->named ? write_arrows(view, trace, err) : 0;
    return status == 0 ? trace_write_scopes(view, trace, err) : status;
}
