/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/missing.h"

#include "base/file/fsutil.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

static void tell_steps(const struct plan *plan, struct diagnostics *diag)
{
    size_t most = 0;
    for (size_t i = 0; i < plan->rank_count; i++)
        most = plan->ranks[i].step_count > most ? plan->ranks[i].step_count : most;
    for (size_t i = 0; i < plan->rank_count; i++) {
        const struct aggregate *rank = &plan->ranks[i];
        const struct place place = {rank->source, -1, -1, NULL};
        if (rank->step_count < most)
            diag_report(diag, DIAG_RANK_MISSING, &place, "rank %lld has %zu steps, others have %zu",
                        (long long)rank->rank, rank->step_count, most);
    }
}

/* ---- communication ---- */

struct amounts {
    uint64_t operators, links;
};

static struct amounts amounts_of(const struct aggregate *rank)
{
    struct amounts amounts = {0, 0};
    for (size_t i = 0; i < rank->block_count; i++) {
        amounts.operators += rank->blocks[i].operator_count;
        amounts.links += rank->blocks[i].detail_link_count;
    }
    return amounts;
}

static int tell_file(const struct aggregate *rank, const char *name, enum rank_file file, const char *lacks,
                     struct diagnostics *diag, struct err *err)
{
    char *directory = path_join(rank->source, "ASCEND_PROFILER_OUTPUT"),
         *path = directory != NULL ? path_join(directory, name) : NULL;
    const struct place place = {path, -1, -1, NULL};
    if (path != NULL)
        diag_report(diag, DIAG_RANK_SILENT, &place, "%s: rank %lld has no %s, others have",
                    file == RANK_FILE_MISSING ? "it is not there" : "nothing is in it", (long long)rank->rank, lacks);
    free(directory);
    free(path);
    return path != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

static int tell_communication(const struct plan *plan, struct diagnostics *diag, struct err *err)
{
    struct amounts all = {0, 0};
    int status = 0;
    for (size_t i = 0; i < plan->rank_count; i++) {
        struct amounts own = amounts_of(&plan->ranks[i]);
        all.operators += own.operators;
        all.links += own.links;
    }
    for (size_t i = 0; status == 0 && i < plan->rank_count; i++) {
        const struct aggregate *rank = &plan->ranks[i];
        struct amounts own = amounts_of(rank);
        if (all.operators > 0 && own.operators == 0)
            status = tell_file(rank, "communication.json", rank->communication, "communication", diag, err);
        if (status == 0 && all.links > 0 && own.links == 0)
            status = tell_file(rank, "communication_matrix.json", rank->matrix, "links", diag, err);
    }
    return status;
}

/* ---- groups ---- */

struct told_rank {
    int64_t rank;
};

static int tell_ranks(const struct plan *plan, struct diagnostics *diag, struct err *err)
{
    struct map told = MAP_OF(struct told_rank, rank);
    int status = 0;
    for (size_t i = 0; status == 0 && i < plan->groups.count; i++) {
        const struct plan_group *group = &plan->groups.items[i];
        for (size_t j = 0; status == 0 && j < group->known_count; j++) {
            int64_t rank = plan->known.items[group->first_known + j];
            bool added = false;
            if (rank < 0 || plan_rank(plan, rank) != NULL)
                continue;
            if (map_add(&told, &rank, &added, err) == NULL)
                status = -(int)err->code;
            else if (added)
                diag_report(diag, DIAG_RANK_MISSING, NULL, "rank %lld of group %s has no capture here", (long long)rank,
                            group->name != NULL ? group->name : group->number);
        }
    }
    map_release(&told);
    return status;
}

static void tell_groups(const struct plan *plan, struct diagnostics *diag)
{
    for (size_t i = 0; i < plan->groups.count; i++) {
        const struct plan_group *group = &plan->groups.items[i];
        size_t named = group->known_count > group->member_count ? group->known_count : group->member_count;
        bool again = i > 0 && strcmp(group->number, group[-1].number) == 0;
        if (!again && group->contradictions > 0)
            diag_report(diag, DIAG_RANK_ORDER, NULL, "%zu in group %s", group->contradictions, group->number);
        if (!again && group->size > named)
            diag_report(diag, DIAG_RANK_MISSING, NULL,
                        "links of group %s are between %zu ranks; %zu are here or named by profiler_metadata.json",
                        group->number, group->size, named);
    }
}

int missing_tell(const struct plan *plan, struct diagnostics *diag, struct err *err)
{
    tell_steps(plan, diag);
    int status = tell_communication(plan, diag, err);
    if (status == 0)
        status = tell_ranks(plan, diag, err);
    tell_groups(plan, diag);
    return status;
}
