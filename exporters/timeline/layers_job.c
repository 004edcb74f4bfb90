/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of captures of JOB: a thread for each stream that has operators; the other tasks, of all streams, are one
 * thread of stretches in which they run. */
#include "base/map.h"
#include "db/database.h"
#include "exporters/timeline/step_pieces.h"
#include "exporters/timeline/timeline_earlier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRETCH_GAP_NS 10000 /* a stretch goes on where the next of its tasks begins this soon */

struct stream {
    int64_t id;
};

struct layer {
    struct draw_2022 *draw;
    int64_t unnamed_thread;
    int64_t tasks, total_ns, start_ns, end_ns; /* of the stretch; tasks 0: there is none */
    struct map streams;                        /* of it: struct stream */
};

static int count_task(void *arg, const struct execution *task, struct err *err)
{
    struct layer *layer = arg;
    (void)err;
    if (task->op_name != NULL && task->stream_id < INT32_MAX / 2)
        draw_2022_count_thread(layer->draw, task->stream_id);
    layer->draw->run->total++;
    return 0;
}

static int draw_operator(struct draw_2022 *draw, const struct execution *task, struct err *err)
{
    struct trace_slice slice = {.start_ns = task->start_ns, .duration_ns = task->duration_ns};
    int status = draw_2022_begin_operator(draw, task->op_name, &draw->lanes, task->stream_id, &slice, err);
    if (status < 0)
        return status;
    draw_2022_task(draw, "AI_CORE", task->stream_id, task->task_id);
    if (!draw->facts && task->op_type != NULL)
        draw_2022_text(draw, "op_type", task->op_type);
    draw_2022_operator(draw, task);
    return draw_2022_end(draw, &slice, err);
}

/* ---- tasks without a name ---- */

static int end_stretch(struct layer *layer, struct err *err)
{
    struct draw_2022 *draw = layer->draw;
    struct trace_slice slice = {.start_ns = layer->start_ns, .duration_ns = layer->end_ns - layer->start_ns};
    char name[64];
    if (layer->tasks == 0)
        return 0;
    snprintf(name, sizeof name, "%" PRId64 " task%s without a name", layer->tasks, layer->tasks == 1 ? "" : "s");
    int status = draw_2022_begin(draw, name, &draw->lanes, layer->unnamed_thread, &slice, err);
    if (status < 0)
        return status;
    strbuf_addf(&draw->text, "\"Tasks\":%" PRId64 ",\"Streams\":%zu", layer->tasks, layer->streams.used);
    draw_2022_time(draw, "Total Time(us)", layer->total_ns);
    layer->tasks = 0;
    map_clear(&layer->streams);
    return draw_2022_end(draw, &slice, err);
}

static int take_unnamed(struct layer *layer, const struct execution *task, struct err *err)
{
    int64_t end_ns = span_end(task->start_ns, task->duration_ns);
    if (task->start_ns < layer->draw->run->origin.time_ns) {
        layer->draw->tasks_before++;
        return 0;
    }
    int status =
        layer->tasks > 0 && time_since(task->start_ns, layer->end_ns) > STRETCH_GAP_NS ? end_stretch(layer, err) : 0;
    if (status < 0)
        return status;
    if (layer->tasks++ == 0) {
        layer->start_ns = layer->end_ns = task->start_ns;
        layer->total_ns = 0;
    }
    layer->total_ns = span_end(layer->total_ns, task->duration_ns);
    layer->end_ns = end_ns > layer->end_ns ? end_ns : layer->end_ns;
    return map_add(&layer->streams, &task->stream_id, NULL, err) != NULL ? 0 : -(int)err->code;
}

/* ---- the layer ---- */

static int draw_task(void *arg, const struct execution *task, struct err *err)
{
    struct layer *layer = arg;
    if (task->start_ns == DB_NULL || task->duration_ns == DB_NULL || task->duration_ns < 0)
        return 0;
    return task->op_name != NULL ? draw_operator(layer->draw, task, err) : take_unnamed(layer, task, err);
}

static void name_thread(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    const struct draw_2022 *draw = arg;
    (void)pid;
    if (number == draw->first_free - 1)
        strbuf_adds(ret, "Tasks without a name");
    else
        strbuf_addf(ret, "Stream %" PRId64, number);
}

int draw_job_tasks(struct draw_2022 *draw, struct err *err)
{
    const struct execution_query query = {.range = draw->device->range.ticks, .parts = EXECUTION_TENSORS};
    struct layer layer = {.draw = draw, .streams = MAP_OF(struct stream, id)};
    draw_2022_begin_layer(draw, "Stream ");
    draw->lanes.in_turn = true;
    uint64_t before = draw->run->total;
    int status = execution_each(draw->run->db, &query, count_task, &layer, err);
    layer.unnamed_thread = draw->first_free;
    draw_2022_count_thread(draw, layer.unnamed_thread);
    if (status == 0 && draw->run->total > before) {
        draw_2022_name_process(draw, 0, "Task Scheduler");
        status = execution_each(draw->run->db, &query, draw_task, &layer, err);
    }
    if (status == 0)
        status = end_stretch(&layer, err);
    map_release(&layer.streams);
    return draw_2022_end_layer(draw, status, name_thread, err);
}

/* ---- iterations ---- */

#define PROCESS 1 /* behind the Task Scheduler, which is 0 */
#define ITERATIONS 0
#define THREAD_OF(stream) ((stream) + 1)

struct iterations {
    struct draw_2022 *draw;
    struct step_pieces pieces;
    char *names[STEP_POINTS]; /* of points; NULL: it has none */
};

static int take_name(void *arg, int64_t point, const char *name, struct err *err)
{
    struct iterations *layer = arg;
    if (point < 0 || point >= STEP_POINTS || layer->names[point] != NULL)
        return 0;
    layer->names[point] = strdup(name);
    return layer->names[point] != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

static void add_name(struct iterations *layer, const char *key, int64_t point)
{
    if (point < STEP_POINTS && layer->names[point] != NULL)
        draw_2022_text(layer->draw, key, layer->names[point]);
}

static int draw_piece(struct iterations *layer, struct step_piece piece, struct err *err)
{
    struct draw_2022 *draw = layer->draw;
    struct trace_slice slice = {.pid = PROCESS,
                                .start_ns = piece.span.start_ns,
                                .duration_ns = time_since(piece.span.end_ns, piece.span.start_ns)};
    char text[TRACE_EVENT_MAX + 1];
    bool reduce = piece.part == STEP_REDUCE;
    if (reduce)
        piece.reduce = (size_t)piece.span.pair;
    *step_piece_put_name(text, &piece) = '\0';
    int status =
        draw_2022_begin(draw, text, &draw->lanes, reduce ? THREAD_OF(piece.span.stream_id) : ITERATIONS, &slice, err);
    if (status < 0)
        return status;
    text[0] = '{'; /* the arguments stand behind it */
    strbuf_add(&draw->text, text + 1, (size_t)(step_piece_put_arguments(text + 1, &piece) - text - 1));
    if (reduce)
        add_name(layer, "Op Name", STEP_POINT_OF_PAIR(piece.span.pair));
    if (piece.part == STEP_FORWARD_BACKWARD) {
        add_name(layer, "FP Op Name", STEP_POINT_FORWARD);
        add_name(layer, "BP Op Name", STEP_POINT_BACKWARD);
    }
    return draw_2022_end(draw, &slice, err);
}

static bool is_of(const struct iterations *layer, const struct step_piece *piece)
{
    return piece->span.device_id == layer->draw->device->range.ticks.device_id;
}

static void name_iterations(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)arg;
    (void)pid;
    if (number == ITERATIONS)
        strbuf_adds(ret, "Iterations");
    else
        strbuf_addf(ret, "Stream %" PRId64, number - THREAD_OF(0));
}

static int draw_pieces(struct iterations *layer, struct err *err)
{
    struct draw_2022 *draw = layer->draw;
    const struct step_piece *items = layer->pieces.items;
    int status = 0;
    for (size_t i = 0; i < layer->pieces.count; i++) {
        if (is_of(layer, &items[i]))
            draw_2022_count_thread(draw,
                                   items[i].part == STEP_REDUCE ? THREAD_OF(items[i].span.stream_id) : ITERATIONS);
    }
    if (draw->first_free > 0)
        draw_2022_name_process(draw, PROCESS, "Iterations");
    for (size_t i = 0; status == 0 && i < layer->pieces.count; i++) {
        if (is_of(layer, &items[i]))
            status = draw_piece(layer, items[i], err);
    }
    return status;
}

int draw_job_iterations(struct draw_2022 *draw, struct err *err)
{
    struct iterations layer = {.draw = draw};
    int status = step_pieces_load(&layer.pieces, draw->run->db, err);
    if (status < 0)
        return status;
    draw_2022_begin_layer(draw, "Stream ");
    status = step_point_each(draw->run->db, draw->device->range.ticks.device_id, take_name, &layer, err);
    if (status == 0)
        status = draw_pieces(&layer, err);
    for (size_t i = 0; i < STEP_POINTS; i++)
        free(layer.names[i]);
    step_pieces_release(&layer.pieces);
    return draw_2022_end_layer(draw, status, name_iterations, err);
}
