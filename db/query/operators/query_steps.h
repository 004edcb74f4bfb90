/* Iterations of models by the step marks of devices' task schedulers (docs/formats/cann.md 4.2), of CANN
 * captures. */
#ifndef MSPROF_DB_QUERY_OPERATORS_QUERY_STEPS_H
#define MSPROF_DB_QUERY_OPERATORS_QUERY_STEPS_H

#include "base/err.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* One iteration; times are nanoseconds since 1970, in captures of the layout of 2022 of the host's
 * monotonic clock. */
struct cann_step {
    int64_t device_id, model_id, iteration; /* iterations of a model on a device are counted from 1 */
    int64_t start_ns, end_ns;
    int64_t forward_ns, backward_ns; /* begin of forward, end of backward propagation; DB_NULL: not marked */
    int64_t augmentation_ns;         /* from the end of the iteration before to forward_ns; DB_NULL: not known */
    size_t first_reduce, reduce_count;
};

struct cann_step_span {
    int64_t device_id, model_id, iteration, start_ns, end_ns;
};

struct cann_steps {
    struct cann_step *items; /* by device, then end */
    size_t count;
    struct cann_step_span *reduces; /* all-reduce operations, those of one iteration together */
    size_t reduce_count;
    struct cann_step_span *fetches; /* of the next input; iteration 0 */
    size_t fetch_count;
};
int cann_steps_load(sqlite3 *db, struct cann_steps *ret, struct err *err);
void cann_steps_release(struct cann_steps *steps);

#endif
