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

static int draw_device(struct track_run *run, void *opaque, uint16_t device, struct err *err)
{
    static const struct event_key keys[] = {EVENT_KEY_INIT("Busy(%)")};
    struct answers_bins *bins = &((struct layer *)opaque)->bins;
    const struct workload *workload = &run->answers->workload;
    const struct answers_span span = answers_span_of(workload, device);
    answers_bins_init(bins, span.from_ns, span.until_ns);
    if (bins->count == 0)
        return 0;
    add_busy(bins, workload, &span);
    return answers_draw_bins(run, device, "Device utilisation", keys, bins, 1, true, err);
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    return answers_each_device(run, opaque, draw_device, err);
}

const struct track track_utilisation = {
    .name = "utilisation",
    .process = ANSWERS_PROCESS,
    .doc = "Utilisation of a device as a counter.",
    .number = LAYER_ANSWERS,
    .is_answer = true,
    .state_size = sizeof(struct layer),
    .begin = begin,
};
