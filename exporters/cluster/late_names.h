/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the operators that verdicts keep, which merging does not need. */
#ifndef MSPROF_EXPORTERS_CLUSTER_LATE_NAMES_H
#define MSPROF_EXPORTERS_CLUSTER_LATE_NAMES_H

#include "exporters/cluster/verdict.h"

struct late_names {
    char **items; /* of each late collective of process 0; NULL: not known */
    size_t count;
};

/* All processes together, each in the aggregates that it has opened: process 0 has the names afterwards. lost is called
 * for a rank that cannot be read any more, whose names stay unknown. Release them also after a failure. */
int late_names_find(struct late_names *names, const struct plan *plan, const struct verdicts *verdicts,
                    struct team *team, int (*lost)(void *arg, const struct aggregate *rank, struct err *err), void *arg,
                    struct err *err);
void late_names_release(struct late_names *names);

#endif
