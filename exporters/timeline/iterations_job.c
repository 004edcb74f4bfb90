/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations of captures of JOB: a thread of them, with their propagations, and one for each stream beside it. */
#include "db/database.h"
#include "exporters/timeline/draw_earlier.h"
#include "exporters/timeline/step_pieces.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROCESS 1 /* behind the Task Scheduler, which is 0 */
#define ITERATIONS 0
#define THREAD_OF(stream) ((stream) + 1)

struct layer {
    struct draw_2022 *draw;
    struct step_pieces pieces;
    char *names[STEP_POINTS]; /* of points; NULL: it has none */
};

static int take_name(void *arg, int64_t point, const char *name, struct err *err)
{
    struct layer *layer = arg;
    if (point < 0 || point >= STEP_POINTS || layer->names[point] != NULL)
        return 0;
    layer->names[point] = strdup(name);
    return layer->names[point] != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

static void add_name(struct layer *layer, const char *key, int64_t point)
{
    if (point < STEP_POINTS && layer->names[point] != NULL)
        draw_2022_text(layer->draw, key, layer->names[point]);
}

static int draw_piece(struct layer *layer, struct step_piece piece, struct err *err)
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

static bool is_of(const struct layer *layer, const struct step_piece *piece)
{
    return piece->span.device_id == layer->draw->device->range.ticks.device_id;
}

static void name_thread(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)arg;
    (void)pid;
    if (number == ITERATIONS)
        strbuf_adds(ret, "Iterations");
    else
        strbuf_addf(ret, "Stream %" PRId64, number - THREAD_OF(0));
}

static int draw_pieces(struct layer *layer, struct err *err)
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
    struct layer layer = {.draw = draw};
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
    return draw_2022_end_layer(draw, status, name_thread, err);
}
