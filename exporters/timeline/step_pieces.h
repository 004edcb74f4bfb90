/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations of models as slices of a timeline: each iteration with its propagations, what runs beside them, and the
 * fetching of input. */
#ifndef MSPROF_EXPORTERS_TIMELINE_STEP_PIECES_H
#define MSPROF_EXPORTERS_TIMELINE_STEP_PIECES_H

#include "db/query/operators/query_steps.h"

enum step_part { STEP_ITERATION, STEP_FORWARD_BACKWARD, STEP_REFRESH, STEP_REDUCE, STEP_FETCH };

struct step_piece {
    enum step_part part;
    size_t reduce;                /* its place among those of its iteration */
    const struct cann_step *step; /* of all but STEP_FETCH */
    struct cann_step_span span;
};

/* By device, model and start, of those with the same start the longest first: as lanes want them. */
struct step_pieces {
    struct cann_steps steps;
    struct step_piece *items;
    size_t count;
};

/* On failure there is nothing to release. */
int step_pieces_load(struct step_pieces *pieces, sqlite3 *db, struct err *err);
void step_pieces_release(struct step_pieces *pieces);

/* The kind of slice that it is, as Ascend's tool calls it. */
const char *step_piece_category(const struct step_piece *piece);

/* Begins an event with its name, and puts the arguments behind the brace that opens them: TRACE_EVENT_MAX bytes each at
 * most. */
char *step_piece_put_name(char *p, const struct step_piece *piece);
char *step_piece_put_arguments(char *p, const struct step_piece *piece);

#endif
