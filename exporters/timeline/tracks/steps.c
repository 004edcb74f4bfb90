/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of devices, as the table `overlap` has them: a thread for those of a family, model and batch. */
#include "exporters/timeline/answers.h"

#include "base/file/large.h"

struct layer {
    struct trace_lanes lanes;
    struct track_run *run;
    const struct track_answers *answers;
};

static void add_division(struct event *event, const struct division *it)
{
    event_us(event, "Computing(us)", it->computing_ns);
    event_us(event, "Communication(us)", it->communication_ns);
    event_us(event, "Exposed(us)", it->exposed_ns);
    event_us(event, "Copies(us)", it->copy_ns);
    event_us(event, "Other(us)", it->other_ns);
    event_us(event, "Busy(us)", it->busy_ns);
}

static int draw_step(struct layer *layer, size_t i, struct err *err)
{
    const struct splits *splits = &layer->answers->splits;
    const struct split *split = &splits->items[i];
    const struct split_group *group = &splits->groups.items[split->group];
    const bool has_period = split->period.time_ns != NO_PERIOD;
    const struct division *it = has_period ? &split->period : &split->own;
    struct trace_slice slice = {.start_ns = split->start_ns, .duration_ns = split->own.time_ns};
    const long long number = split->step != NULL ? split->step->number : (long long)i + 1;
    struct event event;
    if (answers_process(layer->run, split->device, &slice.pid, err) < 0 ||
        trace_lanes_begin(&layer->lanes, ANSWERS_STEPS + (int64_t)split->group, &slice, &event, err) < 0)
        return err_status(err);
    event_name_format(&event, "Step %lld", number);
    event_integer(&event, "Step", (int64_t)i + 1);
    event_word(&event, "Source", step_source_name((enum step_source)group->source));
    if (has_period)
        event_us(&event, "Period(us)", it->time_ns);
    add_division(&event, it);
    if ((has_period || group->source != STEPS_INFERENCES) && splits_is_recorded(splits, i, it))
        event_us(&event, "Free(us)", it->free_ns);
    return trace_put(&layer->run->trace, &event, err);
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct layer *layer = opaque;
    int status = 0;
    layer->answers = run->answers;
    layer->run = run;
    layer->lanes.own_next = ANSWERS_FURTHER;
    const struct splits *splits = &layer->answers->splits;
    for (size_t i = 0; i < splits->count && !splits->whole && status == 0; large_pass(i++))
        status = draw_step(layer, i, err);
    return status;
}

static void name_thread(void *opaque, int64_t pid, int64_t number, struct strbuf *ret)
{
    const struct layer *layer = opaque;
    const struct split_group *group = &layer->answers->splits.groups.items[number - ANSWERS_STEPS];
    (void)pid;
    strbuf_addf(ret, "Steps (%s", step_source_name((enum step_source)group->source));
    if (group->model_id != STEP_OF_NO_MODEL)
        strbuf_addf(ret, ", model %lld", (long long)group->model_id);
    strbuf_addc(ret, ')');
}

const struct track track_steps = {
    .name = "steps",
    .process = ANSWERS_PROCESS,
    .doc = "Steps of devices with their parts, as the table overlap has them.",
    .number = LAYER_ANSWERS,
    .is_answer = true,
    .state_size = sizeof(struct layer),
    .word = "",
    .name_thread = name_thread,
    .begin = begin,
};
