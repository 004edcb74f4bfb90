/* SPDX-License-Identifier: Apache-2.0 */
/* Critical paths of the steps of a capture. */
#ifndef MSPROF_EXPORTERS_LOAD_PATH_STEPS_H
#define MSPROF_EXPORTERS_LOAD_PATH_STEPS_H

#include "analysis/step_path.h"
#include "base/err.h"

#include <sqlite3.h>

struct path_steps {
    struct workload workload; /* the caller's, filled before */
    struct splits splits;
    struct launches launches;
    struct step_paths paths;
};
/* All but the workload; of a capture without steps, or which does not say when each task ran, there are none.
 * path_steps_release() it, which leaves the workload alone, whatever the result. */
int path_steps_load(sqlite3 *db, struct path_steps *steps, struct err *err);
void path_steps_release(struct path_steps *steps);
/* Gives the path of each step of the leading family that counts, until each returns another number than 0. */
int path_steps_each(struct path_steps *steps,
                    int (*each)(void *arg, const struct step_path *path, size_t split, struct err *err), void *arg,
                    struct err *err);
/* The split nearest to the median of its group, which is the one with most time; SIZE_MAX: there is none. */
size_t path_steps_typical(const struct path_steps *steps);
int path_steps_find(struct path_steps *steps, size_t split, const struct step_path **ret, struct err *err);

/* Which call of the host launched each execution, and which calls waited for a device. */

#endif
