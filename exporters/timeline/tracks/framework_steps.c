/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of MindSpore and PyTorch on the device, above its tasks. */
#include "db/query/query_loop.h"
#include "exporters/reports/framework/host_side.h"
#include "exporters/timeline/track.h"

/* By start, of those with one start the longest first: as lanes want them. */
#define STEPS                                                                                                          \
    "SELECT number, start_ns, end_ns - start_ns FROM temp.framework_step WHERE end_ns >= start_ns"                     \
    " ORDER BY start_ns, end_ns DESC, number"

struct layer {
    struct track_run *run;
    struct trace_lanes lanes;
    int64_t device_id;
};

static int draw_step(void *opaque, sqlite3_stmt *row, struct err *err)
{
    struct layer *layer = opaque;
    struct trace *trace = &layer->run->trace;
    struct trace_slice slice = {.start_ns = query_integer(row, 1), .duration_ns = query_integer(row, 2)};
    if (track_process(layer->run, LAYER_HARDWARE, layer->device_id, "Ascend Hardware", &slice.pid, err) < 0 ||
        trace_lanes_place(&layer->lanes, layer->device_id, &slice, err) < 0)
        return -(int)err->code;
    char *start = trace_reserve(trace, TRACE_EVENT_MAX);
    char *p = trace_put_literal(trace_begin_event(start), "\"ProfilerStep#");
    p = trace_put_literal(number_put_signed(p, query_integer(row, 0)), "\"");
    p = trace_put_slice(p, &trace->style, &slice);
    p = trace_put_literal(p, "\"Step\":");
    p = number_put_signed(p, query_integer(row, 0));
    trace_advance(trace, start, trace_end_slice(p, &trace->style, &slice));
    trace->events++;
    return 0;
}

/* The timeline that a framework's own analysis makes has its steps already; Ascend's tool knows none. */
static int begin(struct track_run *run, void *opaque, struct err *err)
{
    struct layer *layer = opaque;
    int64_t attached = 0;
    int status = run->compat || run->guest != NULL
                     ? 0
                     : query_number(run->run->db, "SELECT " FRAMEWORK_ATTACHED, &attached, err);
    if (status < 0 || attached == 0)
        return status;
    layer->run = run;
    trace_lanes_init(&layer->lanes, &run->trace.style, "", track_first_free_stream, run->run->db);
    layer->lanes.no_own = true;
    layer->lanes.next = &run->next_hardware_thread;
    for (size_t i = 0; status == 0 && i < run->parts.count; i++) {
        if (run->parts.parts[i].is_host)
            continue;
        layer->device_id = run->parts.parts[i].device_id;
        status = query_run(run->run->db, STEPS, NULL, 0, draw_step, layer, err);
    }
    return status;
}

static void name_thread(void *opaque, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)opaque, (void)pid, (void)number;
    strbuf_adds(ret, "Framework Steps");
}

static int name_threads(struct track_run *run, void *opaque, struct err *err)
{
    struct layer *layer = opaque;
    return layer->run != NULL ? trace_lanes_name(&layer->lanes, &run->trace, name_thread, layer, err) : 0;
}

static void release(void *opaque)
{
    struct layer *layer = opaque;
    if (layer->run != NULL)
        trace_lanes_release(&layer->lanes);
}

const struct track track_framework_steps = {
    .name = "framework_steps",
    .process = "Ascend Hardware",
    .doc = "Steps of MindSpore and PyTorch on the device, of a capture in their directory.",
    .order = LAYER_HARDWARE,
    .state_size = sizeof(struct layer),
    .begin = begin,
    .name_threads = name_threads,
    .release = release,
};
