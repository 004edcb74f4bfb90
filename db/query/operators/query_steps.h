/* SPDX-License-Identifier: Apache-2.0 */
/* Iterations of models by the step marks of devices' task schedulers (docs/formats/cann.md 4.2), in captures of 2020 by
 * the points that devices passed (4.2.1). */
#ifndef MSPROF_DB_QUERY_OPERATORS_QUERY_STEPS_H
#define MSPROF_DB_QUERY_OPERATORS_QUERY_STEPS_H

#include "base/array.h"
#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One iteration; times are nanoseconds since 1970, in captures of the layout of 2022 of the host's
 * monotonic clock, in those of 2020 of the device's counter. */
struct cann_step {
    int64_t device_id, model_id, iteration; /* iterations of a model on a device are counted from 1 */
    int64_t start_ns, end_ns;
    int64_t forward_ns, backward_ns; /* begin of forward, end of backward propagation; DB_NULL: not marked */
    int64_t augmentation_ns;         /* from the end of the iteration before to forward_ns; DB_NULL: not known */
    size_t first_reduce, reduce_count;
    int64_t marked; /* 1: a step that the user's program marks; its number is the program's */
};

struct cann_step_span {
    int64_t device_id, model_id, iteration, start_ns, end_ns;
    int64_t stream_id, pair; /* which two marks it is between: 0, 1, ... */
};

struct cann_steps {
    struct cann_step *items; /* by device, then end; these and the spans are large (base/file/large.h) */
    size_t count, capacity;
    struct ARRAY_OF(struct cann_step) begun;        /* those whose end is not marked: end_ns says nothing */
    struct ARRAY_OF(struct cann_step_span) reduces; /* all-reduce operations, those of one iteration together */
    struct ARRAY_OF(struct cann_step_span) fetches; /* of the next input; iteration 0 */
};
int cann_steps_load(sqlite3 *db, struct cann_steps *ret, struct err *err);
void cann_steps_release(struct cann_steps *steps);

/* Fills the table iteration of a database that is made with those that ended, of warm-up, too. */
int cann_steps_store(sqlite3 *db, struct err *err);

/* Makes tables of them for the connection: temp.step; temp.step_span, all-reduces (step: its row) and fetches;
 * temp.step_piece, what both say as slices of a timeline, from from_ns until until_ns. Once is enough. ret_any: without
 * any they are not made; NULL: they are. */
#define STEP_PART_REDUCE 3 /* step_piece.part: 0 an iteration, 1 its propagations, 2 what follows them in it */
#define STEP_PART_FETCH 4
int cann_steps_attach(sqlite3 *db, bool *ret_any, struct err *err);

#endif
