/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSPROF_EXPORTERS_CLUSTER_OUTPUT_WRITE_STEPS_H
#define MSPROF_EXPORTERS_CLUSTER_OUTPUT_WRITE_STEPS_H

#include "exporters/cluster/plan.h"

/* Which ranks work on the same stage of a pipeline: docs/formats/cluster.md 3. */

struct stages {
    int64_t *ranks; /* of one stage together, ascending */
    size_t *starts; /* count + 1 */
    size_t count;   /* 0: there are no pipelines, or nobody says which */
};

int stages_find(struct stages *stages, const struct plan *plan, struct err *err);
void stages_release(struct stages *stages);

#endif
