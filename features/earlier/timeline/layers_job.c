/* SPDX-License-Identifier: Apache-2.0 */
/* Captures of JOB: a thread for each stream that has operators; the other tasks, of all streams, are one thread of
 * stretches in which they run. Iterations are a process of their own. */
#include "base/map.h"
#include "db/database.h"
#include "db/query/operators/query_steps.h"
#include "features/earlier/timeline/timeline_earlier.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STRETCH_GAP_NS 10000 /* a stretch goes on where the next of its tasks begins this soon */

struct stream {
    int64_t id;
};

struct layer {
    struct earlier *draw;
    int64_t tasks, total_ns, start_ns, end_ns; /* of the stretch; tasks 0: there is none */
    struct map streams;                        /* of it: struct stream */
};

static int count_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct layer *layer = arg;
    (void)err;
    if (task->op_name_id != DB_NULL && task->stream_id < INT32_MAX / 2)
        earlier_count_thread(layer->draw, task->stream_id);
    layer->draw->file.run->total++;
    return 0;
}

static int draw_operator(struct earlier *draw, const struct cann_task *task, struct err *err)
{
    const struct cann_text type = cann_text(&draw->names, task->op_type_id, 0);
    struct event event;
    struct trace_slice slice = {.start_ns = task->start_ns, .duration_ns = task->duration_ns};
    if (earlier_begin_operator(draw, task->op_name_id, &draw->lanes, task->stream_id, &slice, &event, err) < 0)
        return err_status(err);
    earlier_add_task(&event, "AI_CORE", task->stream_id, task->task_id);
    if (draw->operators.begins == NULL)
        event_cann_known(&event, "op_type", type);
    slice_operator(&event, &draw->operators, &draw->names, task);
    return trace_put(&draw->file.trace, &event, err);
}

/* ---- tasks without a name ---- */

static int end_stretch(struct layer *layer, struct err *err)
{
    struct earlier *draw = layer->draw;
    struct event event;
    struct trace_slice slice = {.start_ns = layer->start_ns, .duration_ns = layer->end_ns - layer->start_ns};
    if (layer->tasks == 0)
        return 0;
    if (trace_lanes_begin(&draw->lanes, draw->unnamed_thread, &slice, &event, err) < 0)
        return err_status(err);
    event_name_format(&event, "%" PRId64 " task%s without a name", layer->tasks, layer->tasks == 1 ? "" : "s");
    event_integer(&event, "Tasks", layer->tasks);
    event_integer(&event, "Streams", (int64_t)layer->streams.used);
    event_us(&event, "Total Time(us)", layer->total_ns);
    layer->tasks = 0;
    map_clear(&layer->streams);
    return trace_put(&draw->file.trace, &event, err);
}

static int take_unnamed(struct layer *layer, const struct cann_task *task, struct err *err)
{
    int64_t end_ns = span_end(task->start_ns, task->duration_ns);
    if (task->start_ns < layer->draw->file.run->origin.time_ns) {
        layer->draw->tasks_before++;
        return 0;
    }
    if (layer->tasks > 0 && time_since(task->start_ns, layer->end_ns) > STRETCH_GAP_NS && end_stretch(layer, err) < 0)
        return err_status(err);
    if (layer->tasks++ == 0) {
        layer->start_ns = layer->end_ns = task->start_ns;
        layer->total_ns = 0;
    }
    layer->total_ns = span_end(layer->total_ns, task->duration_ns);
    layer->end_ns = end_ns > layer->end_ns ? end_ns : layer->end_ns;
    return map_add(&layer->streams, &task->stream_id, NULL, err) != NULL ? 0 : err_status(err);
}

/* ---- the layer ---- */

static int draw_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct layer *layer = arg;
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    return task->op_name_id != DB_NULL ? draw_operator(layer->draw, task, err) : take_unnamed(layer, task, err);
}

static void name_thread(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    const struct earlier *draw = arg;
    (void)pid;
    if (number == draw->unnamed_thread)
        strbuf_adds(ret, "Tasks without a name");
    else
        strbuf_addf(ret, "Stream %" PRId64, number);
}

static int draw_tasks(struct earlier *draw, struct err *err)
{
    const struct execution_range *range = &draw->device->range.ticks;
    struct layer layer = {.draw = draw, .streams = MAP_OF(struct stream, id)};
    earlier_begin_layer(draw, "Stream ");
    draw->lanes.in_turn = true;
    uint64_t before = draw->file.run->total;
    bool failed = execution_each(draw->file.run->db, range, CANN_TICKS, count_task, &layer, err) < 0;
    draw->unnamed_thread = draw->lanes.own_next;
    earlier_count_thread(draw, draw->unnamed_thread);
    if (!failed && draw->file.run->total > before) {
        earlier_name_process(draw, 0, "Task Scheduler");
        failed = execution_each(draw->file.run->db, range, CANN_TICKS, draw_task, &layer, err) < 0;
    }
    failed = failed || end_stretch(&layer, err) < 0;
    map_release(&layer.streams);
    return earlier_end_layer(draw, failed ? err_status(err) : 0, name_thread, err);
}

/* ---- files ---- */

static int draw_layers(struct earlier *draw, struct err *err)
{
    int status = draw_tasks(draw, err);
    bool any = false;
    if (status == 0)
        status = cann_steps_attach(draw->file.run->db, &any, err);
    return any ? earlier_draw_series(draw, &track_steps_job, err) : status;
}

static int write_device(void *arg, int64_t device_id, struct err *err)
{
    struct earlier *draw = arg;
    char suffix[SUFFIX_2022_MAX];
    const struct device_2022 device = {.db = draw->file.run->db,
                                       .range = {.model_id = DB_NULL, .ticks = {device_id, INT64_MIN, INT64_MAX}}};
    draw->device = &device;
    snprintf(suffix, sizeof suffix, "_%lld", (long long)device_id);
    return earlier_write_file(draw, "task_time", suffix, "system counter", draw_layers, err);
}

int timeline_of_job(struct timeline_run *run, struct err *err)
{
    SCOPED(earlier_close) struct earlier draw;
    return earlier_open(&draw, run, err) < 0 || execution_each_device(run->db, write_device, &draw, err) < 0
               ? err_status(err)
               : 0;
}
