/* SPDX-License-Identifier: Apache-2.0 */
/* How much of the time the cube and the vector units calculated, by the counters of operators: of operators that run
 * beside each other the shares are added. */
#include "base/file/large.h"
#include "exporters/timeline/answers.h"

static const enum unit units[] = {UNIT_CUBE, UNIT_VECTOR};
static const struct event_key keys[] = {EVENT_KEY_INIT("Cube(%)"), EVENT_KEY_INIT("Vector(%)")};
#define COUNT ANSWERS_VALUES

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
            answers_bins_add(&layer->bins[u], execution->start_ns, end_ns, share_of(op, units[u]));
        }
    }
    return any;
}

static int draw_device(struct track_run *run, void *opaque, uint16_t device, struct err *err)
{
    struct layer *layer = opaque;
    const struct answers_span span = answers_span_of(&run->answers->workload, device);
    for (size_t u = 0; u < COUNT; u++)
        answers_bins_init(&layer->bins[u], span.from_ns, span.until_ns);
    if (layer->bins->count == 0 || !add_shares(layer, &run->answers->workload, &span))
        return 0;
    return answers_draw_bins(run, device, "Core units", keys, layer->bins, COUNT, false, err);
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    return answers_each_device(run, opaque, draw_device, err);
}

const struct track track_core_units = {
    .name = "core_units",
    .process = ANSWERS_PROCESS,
    .doc = "Utilisation of the cube and vector units of a device as counters, if the capture has their counters.",
    .number = LAYER_ANSWERS,
    .is_answer = true,
    .state_size = sizeof(struct layer),
    .begin = begin,
};
