/* Iterations of models beside the tasks of the devices: forward and backward propagation, all-reduces, fetching of
 * input. */
#include "db/query/operators/query_steps.h"
#include "exporters/trace/track.h"
#include "exporters/tracks/put.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_THREAD 70000 /* as Ascend's tool numbers them: plus the model */

enum part { ITERATION, FORWARD_BACKWARD, REFRESH, REDUCE, FETCH };

/* A slice of a thread. */
struct piece {
    enum part part;
    size_t reduce; /* its place among those of its iteration */
    const struct cann_step *step;
    struct cann_step_span span;
};

struct layer {
    struct track_run *run;
    struct cann_steps steps;
    struct piece *pieces;
    size_t count;
    struct trace_lanes lanes;
    bool begun;
    int64_t largest_thread;
};

static int64_t thread_of(int64_t model_id)
{
    return model_id >= 0 && model_id <= UINT32_MAX ? FIRST_THREAD + model_id : FIRST_THREAD;
}

static void add(struct layer *layer, const struct piece *piece)
{
    int64_t thread = thread_of(piece->span.model_id);
    if (thread > layer->largest_thread)
        layer->largest_thread = thread;
    layer->pieces[layer->count++] = *piece;
}

static void add_step(struct layer *layer, const struct cann_step *step)
{
    struct piece piece = {
        ITERATION, 0, step, {step->device_id, step->model_id, step->iteration, step->start_ns, step->end_ns}};
    add(layer, &piece);
    if (step->forward_ns != DB_NULL && step->backward_ns != DB_NULL && step->backward_ns >= step->forward_ns &&
        step->end_ns >= step->backward_ns) {
        piece.part = FORWARD_BACKWARD;
        piece.span.start_ns = step->forward_ns;
        piece.span.end_ns = step->backward_ns;
        add(layer, &piece);
        piece.part = REFRESH;
        piece.span.start_ns = step->backward_ns;
        piece.span.end_ns = step->end_ns;
        add(layer, &piece);
    }
    for (size_t i = 0; i < step->reduce_count; i++)
        add(layer, &(struct piece){REDUCE, i, step, layer->steps.reduces[step->first_reduce + i]});
}

/* By thread and start, longest first: as lanes want them. */
static int compare_pieces(const void *a, const void *b)
{
    const struct cann_step_span *x = &((const struct piece *)a)->span, *y = &((const struct piece *)b)->span;
    if (x->device_id != y->device_id)
        return x->device_id < y->device_id ? -1 : 1;
    if (x->model_id != y->model_id)
        return x->model_id < y->model_id ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return (int)((const struct piece *)a)->part - (int)((const struct piece *)b)->part;
}

static int collect(struct layer *layer, struct err *err)
{
    const struct cann_steps *steps = &layer->steps;
    layer->pieces = calloc(3 * steps->count + steps->reduce_count + steps->fetch_count + 1, sizeof *layer->pieces);
    if (layer->pieces == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu iterations", steps->count);
    for (size_t i = 0; i < steps->count; i++)
        add_step(layer, &steps->items[i]);
    for (size_t i = 0; i < steps->fetch_count; i++)
        add(layer, &(struct piece){FETCH, 0, NULL, steps->fetches[i]});
    qsort(layer->pieces, layer->count, sizeof *layer->pieces, compare_pieces);
    return 0;
}

/* ---- events ---- */

static char *put_name(char *p, const struct piece *piece)
{
    static const char *const words[] = {"Iteration ", "FP_BP Time ", "Iteration Refresh ", "Reduce_", "GetNext"};
    *p++ = '"';
    p = trace_put_word(p, words[piece->part]);
    if (piece->part != FETCH)
        p = number_put_signed(p, piece->span.iteration);
    if (piece->part == REDUCE) {
        *p++ = '_';
        p = number_put_unsigned(p, piece->reduce);
    }
    *p++ = '"';
    return p;
}

static char *put_time(char *p, const char *name, int64_t ns)
{
    p = put_key(p, name);
    return ns != DB_NULL ? number_put_us(p, ns) : trace_put_literal(p, "\"N/A\"");
}

static char *put_arguments(char *p, const struct piece *piece)
{
    const struct cann_step *step = piece->step;
    if (piece->part != FETCH)
        p = number_put_signed(put_key(p, "Iteration ID"), piece->span.iteration);
    switch (piece->part) {
    case ITERATION:
        p = put_time(p, "FP Start", step->forward_ns);
        p = put_time(p, "BP End", step->backward_ns);
        p = put_time(p, "Iteration End", step->end_ns);
        p = put_time(p, "Iteration Time(us)", step->end_ns - step->start_ns);
        return put_time(p, "Data_aug Bound(us)", step->augmentation_ns);
    case FORWARD_BACKWARD:
        p = put_time(p, "FP Start", step->forward_ns);
        p = put_time(p, "BP End", step->backward_ns);
        return put_time(p, "FP_BP Time(us)", step->backward_ns - step->forward_ns);
    case REFRESH:
        p = put_time(p, "BP End", step->backward_ns);
        p = put_time(p, "Iteration End", step->end_ns);
        return put_time(p, "Iteration Refresh(us)", step->end_ns - step->backward_ns);
    case REDUCE:
        return p;
    case FETCH:
        p = put_time(p, "GetNext Start", piece->span.start_ns);
        p = put_time(p, "GetNext End", piece->span.end_ns);
        return put_time(p, "GetNext Time(us)", piece->span.end_ns - piece->span.start_ns);
    }
    return p;
}

static int draw(struct layer *layer, const struct piece *piece, struct err *err)
{
    struct trace *trace = &layer->run->trace;
    struct trace_slice slice = {.start_ns = piece->span.start_ns,
                                .duration_ns = time_since(piece->span.end_ns, piece->span.start_ns)};
    if (track_process(layer->run, LAYER_HARDWARE, piece->span.device_id, "Ascend Hardware", &slice.pid, err) < 0 ||
        trace_lanes_place(&layer->lanes, thread_of(piece->span.model_id), &slice, err) < 0)
        return -(int)err->code;
    char *start = trace_reserve(trace, 2 * TRACE_EVENT_MAX);
    char *p = put_name(trace_begin_event(start), piece);
    p = trace_put_slice(p, &trace->style, &slice);
    p = put_arguments(p, piece);
    trace_advance(trace, start, trace_end_slice(p, &trace->style, &slice));
    trace->events++;
    return 0;
}

/* ---- the track ---- */

static int first_free_thread(void *opaque, int64_t *ret, struct err *err)
{
    const struct layer *layer = opaque;
    (void)err;
    *ret = layer->largest_thread + 1;
    return 0;
}

static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct layer *layer = opaque;
    layer->run = run;
    int status = cann_steps_load(run->run->db, &layer->steps, err);
    if (status < 0)
        return status;
    trace_lanes_init(&layer->lanes, &run->trace.style, "", first_free_thread, layer);
    layer->begun = true;
    status = collect(layer, err);
    for (size_t i = 0; i < layer->count && status == 0; i++)
        status = draw(layer, &layer->pieces[i], err);
    return status;
}

static void name_thread(void *opaque, int64_t pid, int64_t number, struct strbuf *ret)
{
    const struct layer *layer = opaque;
    size_t i = 0;
    while (i < layer->count && (track_pid(layer->run, LAYER_HARDWARE, layer->pieces[i].span.device_id) != pid ||
                                thread_of(layer->pieces[i].span.model_id) != number))
        i++;
    strbuf_addf(ret, "Step Trace(Model ID:%lld)",
                i < layer->count ? (long long)layer->pieces[i].span.model_id : (long long)number - FIRST_THREAD);
}

static int name_threads(struct track_run *run, void *opaque, struct err *err)
{
    struct layer *layer = opaque;
    return layer->begun ? trace_lanes_name(&layer->lanes, &run->trace, name_thread, layer, err) : 0;
}

static void release(void *opaque)
{
    struct layer *layer = opaque;
    if (!layer->begun)
        return;
    trace_lanes_release(&layer->lanes);
    cann_steps_release(&layer->steps);
    free(layer->pieces);
}

const struct track track_step_trace = {
    .name = "step_trace",
    .process = "Ascend Hardware",
    .doc = "Iterations of models, beside the tasks of the devices.",
    .report = "step_trace",
    .order = LAYER_HARDWARE,
    .state_size = sizeof(struct layer),
    .begin = begin,
    .name_threads = name_threads,
    .release = release,
};
