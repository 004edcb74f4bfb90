/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the time the cube and the vector units calculated, by the counters of operators: of operators that run
 * beside each other the shares are added. */
#include "base/file/large.h"
#include "exporters/timeline/answers.h"

static const struct {
    enum unit unit;
    const char *key; /* with what stands before it */
} units[] = {{UNIT_CUBE, "\"Cube(%)\":"}, {UNIT_VECTOR, ",\"Vector(%)\":"}};
#define COUNT (sizeof units / sizeof *units)

struct layer {
    struct answers_bins bins[COUNT];
};

/* The share of an operator's time that a unit calculated; 0: nothing was counted. */
static double share_of(const struct workload_operator *op, enum unit unit)
{
    return op->counted_ns > 0 && op->units[unit] > 0 ? op->units[unit] / op->counted_ns : 0;
}

/* Whether an operator of the device was counted. */
static bool add_shares(struct layer *layer, const struct workload *workload, const struct answers_span *span)
{
    bool any = false;
    for (size_t i = span->first; i < span->end; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        const struct workload_operator *op = &workload->operators[execution->op];
        const int64_t end_ns = number_add(execution->start_ns, execution->duration_ns);
        for (size_t u = 0; u < COUNT; u++) {
            any |= op->counted_ns > 0;
            answers_bins_add(&layer->bins[u], execution->start_ns, end_ns, share_of(op, units[u].unit));
        }
    }
    return any;
}

static void draw_values(struct trace *trace, int64_t pid, int64_t time_ns, const double percent[COUNT])
{
    const struct trace_style *style = &trace->style;
    char *start = trace_reserve(trace, TRACE_EVENT_MAX);
    char *p = trace_put_literal(trace_begin_event(start), "\"Core units\"");
    p = trace_put_counter(p, style, pid, time_ns);
    for (size_t u = 0; u < COUNT; u++)
        p = trace_put_real_of(p, style, units[u].key, strlen(units[u].key), percent[u]);
    trace_advance(trace, start, trace_end_counter(p, style));
    trace->events++;
}

static int draw_device(struct track_run *run, void *opaque, uint16_t device, struct err *err)
{
    struct layer *layer = opaque;
    const struct answers_span span = answers_span_of(&run->answers->workload, device);
    const struct answers_bins *bins = &layer->bins[0];
    double weights[COUNT] = {0}, percent[COUNT];
    int64_t pid;
    for (size_t u = 0; u < COUNT; u++)
        answers_bins_init(&layer->bins[u], span.from_ns, span.until_ns);
    if (bins->count == 0 || !add_shares(layer, &run->answers->workload, &span))
        return 0;
    if (answers_process(run, device, &pid, err) < 0)
        return -(int)err->code;
    for (size_t i = 0; i < bins->count; i++) {
        for (size_t u = 0; u < COUNT; u++)
            percent[u] = 100 * answers_bins_mean(&layer->bins[u], i, &weights[u]);
        draw_values(&run->trace, pid, bins->from_ns + (int64_t)i * bins->width_ns, percent);
    }
    memset(percent, 0, sizeof percent);
    draw_values(&run->trace, pid, number_add(bins->from_ns, (int64_t)bins->count * bins->width_ns), percent);
    return 0;
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    return answers_each_device(run, opaque, draw_device, err);
}

const struct track track_core_units = {
    .name = "core_units",
    .process = ANSWERS_PROCESS,
    .doc = "How much of the time the cube and the vector units of a device calculated, as counters, of captures that "
           "count it.",
    .order = LAYER_ANSWERS,
    .named_only = true,
    .state_size = sizeof(struct layer),
    .begin = begin,
};
