/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations of models beside the tasks of the devices: forward and backward propagation, all-reduces, fetching of
 * input. */
#include "exporters/cann_report.h"
#include "exporters/timeline/step_pieces.h"
#include "exporters/timeline/track.h"

#define FIRST_THREAD 70000 /* as Ascend's tool numbers them: plus the model, which is -1 of steps that have none */

struct layer {
    struct trace_lanes lanes;
    struct track_run *run;
    struct step_pieces pieces;
};

static int64_t thread_of(int64_t model_id)
{
    if (model_id == CANN_NO_ID)
        return FIRST_THREAD - 1;
    return model_id >= 0 && model_id < CANN_NO_ID ? FIRST_THREAD + model_id : FIRST_THREAD;
}

static int name_thread(struct layer *layer, int64_t pid, int64_t model_id, struct err *err)
{
    char **name = trace_lanes_name_of(&layer->lanes, pid, thread_of(model_id), err);
    if (name == NULL || *name != NULL)
        return name != NULL ? 0 : err_status(err);
    if (model_id == CANN_NO_ID && !layer->run->compat)
        *name = strdup("Step Trace");
    else if (asprintf(name, "Step Trace(Model ID:%lld)", (long long)model_id) < 0)
        *name = NULL;
    return *name != NULL ? 0 : err_no_memory(err);
}

static int draw(struct layer *layer, const struct step_piece *piece, struct err *err)
{
    struct trace *trace = &layer->run->trace;
    struct trace_slice slice = {.start_ns = piece->span.start_ns,
                                .duration_ns = time_since(piece->span.end_ns, piece->span.start_ns)};
    char *p = NULL;
    if (track_process(layer->run, LAYER_HARDWARE, piece->span.device_id, "Ascend Hardware", &slice.pid, err) == 0 &&
        name_thread(layer, slice.pid, piece->span.model_id, err) == 0 &&
        trace_lanes_place(&layer->lanes, thread_of(piece->span.model_id), &slice, err) == 0)
        p = trace_event_room(trace, 0, err);
    if (p == NULL)
        return err_status(err);
    p = step_piece_put_name(p, piece);
    p = trace_put_category(p, &trace->style, step_piece_category(piece));
    p = step_piece_put_arguments(trace_put_slice(p, &trace->style, &slice), piece);
    return trace_slice_done(trace, p, &slice, err);
}

/* One end of an arrow: its phase and its moment; returns where its argument goes. */
static char *put_bound(char *p, const struct layer *layer, const struct cann_step *before, const char *phase,
                       int64_t time_ns)
{
    int64_t pid = track_pid(layer->run, LAYER_HARDWARE, before->device_id), thread = thread_of(before->model_id);
    p = trace_begin_event(p);
    p = trace_put_literal(p, "\"Data_aug Bound ");
    p = number_put_signed(p, before->iteration);
    p = trace_put_literal(p, "\",\"cat\":\"Data_aug Bound\",\"id\":\"Data_aug Bound ");
    p = number_put_signed(p, pid);
    *p++ = '_';
    p = number_put_signed(p, thread);
    p = trace_put_literal(p, "\",\"ph\":\"");
    p = trace_put_word(p, phase);
    *p++ = '"';
    p = trace_put_place(p, &layer->run->trace.style, pid, thread);
    p = trace_put_time(p, &layer->run->trace.style, time_ns);
    return trace_put_literal(p, ",\"args\":{");
}

/* From the end of backward propagation to the beginning of forward propagation of the iteration behind: that waits for
 * its input. */
static void draw_bounds(struct layer *layer)
{
    struct trace *trace = &layer->run->trace;
    const struct cann_step *before = NULL;
    for (size_t i = 0; i < layer->pieces.count; i++) {
        const struct cann_step *step = layer->pieces.items[i].step;
        if (layer->pieces.items[i].part != STEP_ITERATION)
            continue;
        if (before != NULL && before->device_id == step->device_id && before->model_id == step->model_id &&
            before->backward_ns != DB_NULL && step->forward_ns != DB_NULL && before->backward_ns <= step->forward_ns) {
            char *start = trace_reserve(trace, 2 * TRACE_EVENT_MAX);
            char *p = put_bound(start, layer, before, "s", before->backward_ns);
            p = trace_put_literal(p, "\"Data_aug Bound(us)\":");
            p = number_put_us(p, before->augmentation_ns != DB_NULL ? before->augmentation_ns : 0);
            p = put_bound(trace_put_literal(p, "}}"), layer, before, "t", step->forward_ns);
            p = trace_put_literal(p, "\"Iteration ID\":");
            p = number_put_signed(p, step->iteration);
            trace_advance(trace, start, trace_put_literal(p, "}}"));
        }
        before = step;
    }
}

/* ---- the track ---- */

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct layer *layer = opaque;
    layer->run = run;
    int status = step_pieces_load(&layer->pieces, run->run->db, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < layer->pieces.count; i++) {
        int64_t thread = thread_of(layer->pieces.items[i].span.model_id);
        layer->lanes.own_next = thread >= layer->lanes.own_next ? thread + 1 : layer->lanes.own_next;
    }
    for (size_t i = 0; i < layer->pieces.count && status == 0; i++)
        status = draw(layer, &layer->pieces.items[i], err);
    if (status == 0)
        draw_bounds(layer);
    return status;
}

static void release(void *opaque)
{
    struct layer *layer = opaque;
    step_pieces_release(&layer->pieces);
}

const struct track track_step_trace = {
    .name = "step_trace",
    .process = "Ascend Hardware",
    .doc = "Iterations of models, beside the tasks of the devices.",
    .report = "step_trace",
    .order = LAYER_HARDWARE,
    .state_size = sizeof(struct layer),
    .word = "",
    .begin = begin,
    .release = release,
};
