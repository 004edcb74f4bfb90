/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the time a device did anything: the integral of the counter is the time in which it was busy. */
#include "base/file/large.h"
#include "exporters/timeline/answers.h"

struct layer {
    struct answers_bins bins;
};

/* Adds when anything ran: executions come by start. */
static void add_busy(struct answers_bins *bins, const struct workload *workload, const struct answers_span *span)
{
    int64_t start_ns = span->from_ns, end_ns = start_ns;
    for (size_t i = span->first; i < span->end; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        const int64_t stop_ns = number_add(execution->start_ns, execution->duration_ns);
        if (execution->start_ns > end_ns) {
            answers_bins_add(bins, start_ns, end_ns, 1);
            start_ns = end_ns = execution->start_ns;
        }
        end_ns = stop_ns > end_ns ? stop_ns : end_ns;
    }
    answers_bins_add(bins, start_ns, end_ns, 1);
}

static void draw_value(struct trace *trace, int64_t pid, int64_t time_ns, double percent)
{
    const struct trace_style *style = &trace->style;
    char *start = trace_reserve(trace, TRACE_EVENT_MAX);
    char *p = trace_put_literal(trace_begin_event(start), "\"Device utilisation\"");
    p = trace_put_real(trace_put_counter(p, style, pid, time_ns), style, "\"Busy(%)\":", percent);
    trace_advance(trace, start, trace_end_counter(p, style));
    trace->events++;
}

static int draw_device(struct track_run *run, void *opaque, uint16_t device, struct err *err)
{
    struct answers_bins *bins = &((struct layer *)opaque)->bins;
    const struct workload *workload = &run->answers->workload;
    const struct answers_span span = answers_span_of(workload, device);
    double weight = 0, before = -1;
    int64_t pid;
    answers_bins_init(bins, span.from_ns, span.until_ns);
    if (bins->count == 0)
        return 0;
    if (answers_process(run, device, &pid, err) < 0)
        return -(int)err->code;
    add_busy(bins, workload, &span);
    for (size_t i = 0; i < bins->count; i++) {
        const double percent = 100 * answers_bins_mean(bins, i, &weight);
        if (percent != before)
            draw_value(&run->trace, pid, bins->from_ns + (int64_t)i * bins->width_ns, percent);
        before = percent;
    }
    draw_value(&run->trace, pid, number_add(bins->from_ns, (int64_t)bins->count * bins->width_ns), 0);
    return 0;
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    return answers_each_device(run, opaque, draw_device, err);
}

const struct track track_utilisation = {
    .name = "utilisation",
    .process = ANSWERS_PROCESS,
    .doc = "How much of the time a device did anything, as a counter.",
    .order = LAYER_ANSWERS,
    .named_only = true,
    .state_size = sizeof(struct layer),
    .begin = begin,
};
