/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/step_pieces.h"

#include "db/database.h"
#include "exporters/timeline/event.h"

#include <stdlib.h>

static void add(struct step_pieces *pieces, const struct step_piece *piece)
{
    pieces->items[pieces->count++] = *piece;
}

static void add_step(struct step_pieces *pieces, const struct cann_step *step)
{
    struct step_piece piece = {
        .part = STEP_ITERATION,
        .step = step,
        .span = {step->device_id, step->model_id, step->iteration, step->start_ns, step->end_ns, DB_NULL, 0}};
    add(pieces, &piece);
    if (step->forward_ns != DB_NULL && step->backward_ns != DB_NULL && step->backward_ns >= step->forward_ns &&
        step->end_ns >= step->backward_ns) {
        piece.part = STEP_FORWARD_BACKWARD;
        piece.span.start_ns = step->forward_ns;
        piece.span.end_ns = step->backward_ns;
        add(pieces, &piece);
        piece.part = STEP_REFRESH;
        piece.span.start_ns = step->backward_ns;
        piece.span.end_ns = step->end_ns;
        add(pieces, &piece);
    }
    for (size_t i = 0; i < step->reduce_count; i++)
        add(pieces, &(struct step_piece){STEP_REDUCE, i, step, pieces->steps.reduces.items[step->first_reduce + i]});
}

static int compare_pieces(const void *a, const void *b)
{
    const struct cann_step_span *x = &((const struct step_piece *)a)->span, *y = &((const struct step_piece *)b)->span;
    if (x->device_id != y->device_id)
        return x->device_id < y->device_id ? -1 : 1;
    if (x->model_id != y->model_id)
        return x->model_id < y->model_id ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns > y->end_ns ? -1 : 1;
    return (int)((const struct step_piece *)a)->part - (int)((const struct step_piece *)b)->part;
}

int step_pieces_load(struct step_pieces *pieces, sqlite3 *db, struct err *err)
{
    struct cann_steps *steps = &pieces->steps;
    *pieces = (struct step_pieces){.items = NULL};
    int status = cann_steps_load(db, steps, err);
    if (status < 0)
        return status;
    pieces->items = calloc(3 * steps->count + steps->reduces.count + steps->fetches.count + 1, sizeof *pieces->items);
    if (pieces->items == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for %zu iterations", steps->count);
        step_pieces_release(pieces);
        return err_status(err);
    }
    for (size_t i = 0; i < steps->count; i++)
        add_step(pieces, &steps->items[i]);
    for (size_t i = 0; i < steps->fetches.count; i++)
        add(pieces, &(struct step_piece){STEP_FETCH, 0, NULL, steps->fetches.items[i]});
    qsort(pieces->items, pieces->count, sizeof *pieces->items, compare_pieces);
    return 0;
}

void step_pieces_release(struct step_pieces *pieces)
{
    cann_steps_release(&pieces->steps);
    free(pieces->items);
    *pieces = (struct step_pieces){.items = NULL};
}

/* ---- events ---- */

const char *step_piece_category(const struct step_piece *piece)
{
    static const char *const categories[] = {
        [STEP_ITERATION] = "Iteration Time",  [STEP_FORWARD_BACKWARD] = "FP_BP Time",
        [STEP_REFRESH] = "Iteration Refresh", [STEP_REDUCE] = "Reduce",
        [STEP_FETCH] = "GetNext Time",
    };
    return categories[piece->part];
}

char *step_piece_put_name(char *p, const struct step_piece *piece)
{
    static const char *const words[] = {"Iteration ", "FP_BP Time ", "Iteration Refresh ", "Reduce_", "GetNext"};
    p = trace_put_word(trace_put_literal(trace_begin_event(p), "\""), words[piece->part]);
    if (piece->part != STEP_FETCH)
        p = number_put_signed(p, piece->span.iteration);
    if (piece->part == STEP_REDUCE) {
        *p++ = '_';
        p = number_put_unsigned(p, piece->reduce);
    }
    return trace_put_literal(p, "\"");
}

static char *put_time(char *p, const char *name, int64_t ns)
{
    p = trace_put_key(p, name);
    return ns != DB_NULL ? number_put_us(p, ns) : trace_put_literal(p, "\"N/A\"");
}

char *step_piece_put_arguments(char *p, const struct step_piece *piece)
{
    const struct cann_step *step = piece->step;
    if (piece->part != STEP_FETCH)
        p = number_put_signed(trace_put_key(p, "Iteration ID"), piece->span.iteration);
    switch (piece->part) {
    case STEP_ITERATION:
        p = put_time(p, "FP Start", step->forward_ns);
        p = put_time(p, "BP End", step->backward_ns);
        p = put_time(p, "Iteration End", step->end_ns);
        p = put_time(p, "Iteration Time(us)", step->end_ns - step->start_ns);
        return put_time(p, "Data_aug Bound(us)", step->augmentation_ns);
    case STEP_FORWARD_BACKWARD:
        p = put_time(p, "FP Start", step->forward_ns);
        p = put_time(p, "BP End", step->backward_ns);
        return put_time(p, "FP_BP Time(us)", step->backward_ns - step->forward_ns);
    case STEP_REFRESH:
        p = put_time(p, "BP End", step->backward_ns);
        p = put_time(p, "Iteration End", step->end_ns);
        return put_time(p, "Iteration Refresh(us)", step->end_ns - step->backward_ns);
    case STEP_REDUCE:
        return p;
    case STEP_FETCH:
        p = put_time(p, "GetNext Start", piece->span.start_ns);
        p = put_time(p, "GetNext End", piece->span.end_ns);
        return put_time(p, "GetNext Time(us)", piece->span.end_ns - piece->span.start_ns);
    }
    return p;
}
