/* Iterations of models beside the tasks of the devices: forward and backward propagation, all-reduces, fetching of
 * input. */
#include "exporters/trace/step_pieces.h"
#include "exporters/trace/track.h"

#define FIRST_THREAD 70000 /* as Ascend's tool numbers them: plus the model */

struct layer {
    struct track_run *run;
    struct step_pieces pieces;
    struct trace_lanes lanes;
    bool begun;
    int64_t largest_thread;
};

static int64_t thread_of(int64_t model_id)
{
    return model_id >= 0 && model_id <= UINT32_MAX ? FIRST_THREAD + model_id : FIRST_THREAD;
}

static int draw(struct layer *layer, const struct step_piece *piece, struct err *err)
{
    struct trace *trace = &layer->run->trace;
    struct trace_slice slice = {.start_ns = piece->span.start_ns,
                                .duration_ns = time_since(piece->span.end_ns, piece->span.start_ns)};
    if (track_process(layer->run, LAYER_HARDWARE, piece->span.device_id, "Ascend Hardware", &slice.pid, err) < 0 ||
        trace_lanes_place(&layer->lanes, thread_of(piece->span.model_id), &slice, err) < 0)
        return -(int)err->code;
    char *start = trace_reserve(trace, 2 * TRACE_EVENT_MAX);
    char *p = trace_begin_event(start);
    *p++ = '"';
    p = step_piece_put_name(p, piece);
    *p++ = '"';
    p = trace_put_slice(p, &trace->style, &slice);
    p = step_piece_put_arguments(p, piece);
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
    int status = step_pieces_load(&layer->pieces, run->run->db, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < layer->pieces.count; i++) {
        int64_t thread = thread_of(layer->pieces.items[i].span.model_id);
        layer->largest_thread = thread > layer->largest_thread ? thread : layer->largest_thread;
    }
    trace_lanes_init(&layer->lanes, &run->trace.style, "", first_free_thread, layer);
    layer->begun = true;
    for (size_t i = 0; i < layer->pieces.count && status == 0; i++)
        status = draw(layer, &layer->pieces.items[i], err);
    return status;
}

static void name_thread(void *opaque, int64_t pid, int64_t number, struct strbuf *ret)
{
    const struct layer *layer = opaque;
    const struct step_piece *piece = layer->pieces.items, *end = piece + layer->pieces.count;
    while (piece < end && (track_pid(layer->run, LAYER_HARDWARE, piece->span.device_id) != pid ||
                           thread_of(piece->span.model_id) != number))
        piece++;
    strbuf_addf(ret, "Step Trace(Model ID:%lld)",
                piece < end ? (long long)piece->span.model_id : (long long)number - FIRST_THREAD);
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
    step_pieces_release(&layer->pieces);
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
