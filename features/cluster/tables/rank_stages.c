/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/tables/rank_stages.h"

#include "db/database.h"
#include "features/cluster/block.h"

int rank_stages_find(struct rank_stages *ret, const struct loaded_ranks *ranks, struct err *err)
{
    SCOPED(plan_release) struct plan plan = {.ranks = NULL};
    if (plan_make(&plan, ranks->items, ranks->count, NULL, err) < 0 || numbers_find(&plan, err) < 0)
        return err_status(err);
    stages_parallel(&plan, ret->parallel);
    return stages_find(&ret->stages, &plan, err);
}

void rank_stages_release(struct rank_stages *stages)
{
    stages_release(&stages->stages);
}

int64_t rank_stages_of(const struct rank_stages *stages, int64_t rank)
{
    const size_t stage = stages_of_rank(&stages->stages, stages->parallel, rank);
    return stage != SIZE_MAX ? (int64_t)stage : DB_NULL;
}
