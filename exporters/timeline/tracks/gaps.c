/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps: when a device did nothing between two executions, and why, as the table of that name has them. */
#include "base/file/large.h"
#include "exporters/timeline/answers.h"
#include "features/answers/analysis/gap_calls.h"
#include "features/answers/load/load.h"

struct layer {
    struct trace_lanes lanes;
    struct track_run *run;
    const struct track_answers *answers;
    struct gaps gaps;
    struct gap_calls calls;
    struct intern names; /* of calls */
};

static int draw_gap(struct layer *layer, size_t i, struct err *err)
{
    struct trace *trace = &layer->run->trace;
    const struct workload *workload = &layer->answers->workload;
    const struct gap *gap = &layer->gaps.items[i];
    const struct gap_call *call = &layer->calls.items[i];
    const char *name = call->name != NO_TEXT ? layer->names.items[call->name].bytes : NULL;
    struct trace_slice slice = {.start_ns = gap->start_ns, .duration_ns = gap_length_ns(gap)};
    struct event event;
    const char *before = execution_name(workload, gap->before), *after = execution_name(workload, gap->after);
    if (answers_process(layer->run, workload->executions[gap->after].device, &slice.pid, err) < 0 ||
        trace_lanes_begin(&layer->lanes, ANSWERS_GAPS, &slice, &event, err) < 0)
        return err_status(err);
    event_name_word(&event, "Gap");
    event_word(&event, "Cause", gap_cause_name(gap_calls_cause(&layer->calls, i, name)));
    if (name != NULL) {
        event_decimals(&event, "Covered(%)",
                       (int64_t)((double)call->covered_ns / (double)slice.duration_ns * 1000 + 0.5), 1);
        event_plain(&event, "Call", name);
    }
    event_plain(&event, "Before", before);
    event_plain(&event, "After", after);
    return trace_put(trace, &event, err);
}

static int take_call(void *arg, const struct host_call *call, struct err *err)
{
    (void)err;
    gap_calls_take(arg, call);
    return 0;
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct layer *layer = opaque;
    int status = 0;
    layer->answers = run->answers;
    layer->run = run;
    layer->lanes.own_next = 2 * ANSWERS_FURTHER;
    if (!layer->answers->workload.facts.placed)
        status = gaps_make(&layer->answers->workload, &layer->gaps, err);
    if (layer->gaps.count == 0)
        return status;
    status = gap_calls_open(&layer->calls, &layer->answers->workload, &layer->gaps, err);
    if (status < 0)
        return status;
    status = host_calls_each(run->run->db, &layer->names, take_call, &layer->calls, err);
    gap_calls_finish(&layer->calls);
    for (size_t i = 0; i < layer->gaps.count && status == 0; large_pass(i++))
        status = draw_gap(layer, i, err);
    return status;
}

static void name_thread(void *opaque, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)opaque;
    (void)pid;
    (void)number;
    strbuf_adds(ret, "Gaps");
}

static void release(void *opaque)
{
    struct layer *layer = opaque;
    if (layer->run == NULL)
        return;
    gap_calls_release(&layer->calls);
    gaps_release(&layer->gaps);
    intern_release(&layer->names);
}

const struct track track_gaps = {
    .name = "gaps",
    .process = ANSWERS_PROCESS,
    .doc = "Idle times of a device between two tasks with their cause, as in the table gaps.",
    .number = LAYER_ANSWERS,
    .is_answer = true,
    .state_size = sizeof(struct layer),
    .word = "",
    .name_thread = name_thread,
    .begin = begin,
    .release = release,
};
