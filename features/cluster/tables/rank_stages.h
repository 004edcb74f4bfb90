/* SPDX-License-Identifier: Apache-2.0 */
/* The stage of a pipeline that each rank works on, for tables about all ranks. */
#ifndef MSPROF_FEATURES_CLUSTER_TABLES_RANK_STAGES_H
#define MSPROF_FEATURES_CLUSTER_TABLES_RANK_STAGES_H

#include "features/cluster/output/write.h"
#include "features/cluster/rank/load.h"

/* All zero: nothing. Release it also after a failure. */
struct rank_stages {
    struct stages stages;
    int64_t parallel[4];
};
int rank_stages_find(struct rank_stages *ret, const struct loaded_ranks *ranks, struct err *err);
void rank_stages_release(struct rank_stages *stages);
/* DB_NULL: not known. */
int64_t rank_stages_of(const struct rank_stages *stages, int64_t rank);

#endif
