/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/stages.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Ranks that belong together, as a forest over all ranks that any group names. */
struct forest {
    int64_t *ranks; /* ascending */
    size_t *parents;
    size_t count;
};

struct members {
    const int64_t *ranks;
    size_t count;
};

/* What the metadata say, else those seen. */
static struct members members_of(const struct plan *plan, const struct plan_group *group)
{
    if (group->known_count > 0)
        return (struct members){plan->known.items + group->first_known, group->known_count};
    return (struct members){plan->members.items + group->first_member, group->member_count};
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int forest_init(struct forest *forest, const struct plan *plan, struct err *err)
{
    size_t most = 1, kept = 0;
    for (size_t i = 0; i < plan->groups.count; i++)
        most += members_of(plan, &plan->groups.items[i]).count;
    forest->ranks = calloc(most, sizeof *forest->ranks);
    forest->parents = calloc(most, sizeof *forest->parents);
    if (forest->ranks == NULL || forest->parents == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < plan->groups.count; i++) {
        struct members members = members_of(plan, &plan->groups.items[i]);
        for (size_t j = 0; j < members.count; j++)
            forest->ranks[forest->count++] = members.ranks[j];
    }
    if (forest->count > 1)
        qsort(forest->ranks, forest->count, sizeof *forest->ranks, compare_numbers);
    for (size_t i = 0; i < forest->count; i++) {
        if (kept == 0 || forest->ranks[kept - 1] != forest->ranks[i])
            forest->ranks[kept++] = forest->ranks[i];
    }
    forest->count = kept;
    return 0;
}

static void forest_reset(struct forest *forest)
{
    for (size_t i = 0; i < forest->count; i++)
        forest->parents[i] = i;
}

static void forest_release(struct forest *forest)
{
    free(forest->ranks);
    free(forest->parents);
}

static size_t root_of(struct forest *forest, size_t i)
{
    while (forest->parents[i] != i)
        i = forest->parents[i] = forest->parents[forest->parents[i]];
    return i;
}

static size_t root_of_rank(struct forest *forest, int64_t rank)
{
    const int64_t *found = bsearch(&rank, forest->ranks, forest->count, sizeof *forest->ranks, compare_numbers);
    return found != NULL ? root_of(forest, (size_t)(found - forest->ranks)) : SIZE_MAX;
}

static void unite(struct forest *forest, struct members members)
{
    for (size_t i = 1; i < members.count; i++) {
        size_t a = root_of_rank(forest, members.ranks[0]), b = root_of_rank(forest, members.ranks[i]);
        if (a < b)
            forest->parents[b] = a;
        else if (b < a)
            forest->parents[a] = b;
    }
}

static bool is_pipeline(const struct plan_group *group)
{
    return group->p2p && group->name != NULL && strncasecmp(group->name, "pp", 2) == 0;
}

static int compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Whether a group has at most one rank in every pipeline, of roots as the forest of pipelines has them; -1 without
 * memory. */
static int crosses_pipelines_once(struct members members, struct forest *pipelines)
{
    size_t *roots = calloc(members.count + 1, sizeof *roots);
    int once = roots != NULL ? 1 : -1;
    for (size_t i = 0; roots != NULL && i < members.count; i++)
        roots[i] = root_of_rank(pipelines, members.ranks[i]);
    if (roots != NULL && members.count > 1)
        qsort(roots, members.count, sizeof *roots, compare_sizes);
    for (size_t i = 1; once > 0 && i < members.count; i++)
        once = roots[i] != roots[i - 1];
    free(roots);
    return once;
}

/* The trees of a forest that any of the groups touched, as stages by their smallest rank. */
static int take_trees(struct stages *stages, struct forest *forest, const bool *touched, struct err *err)
{
    size_t *roots = calloc(forest->count + 1, sizeof *roots);
    stages->ranks = calloc(forest->count + 1, sizeof *stages->ranks);
    stages->starts = calloc(forest->count + 2, sizeof *stages->starts);
    if (roots == NULL || stages->ranks == NULL || stages->starts == NULL) {
        free(roots);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    size_t filled = 0;
    for (size_t i = 0; i < forest->count; i++)
        roots[i] = root_of(forest, i);
    for (size_t i = 0; i < forest->count; i++) {
        if (roots[i] != i || !touched[i])
            continue;
        for (size_t j = i; j < forest->count; j++) {
            if (roots[j] == i)
                stages->ranks[filled++] = forest->ranks[j];
        }
        stages->starts[++stages->count] = filled;
    }
    free(roots);
    return 0;
}

static int find_with(struct stages *stages, const struct plan *plan, struct forest *pipelines, struct forest *joined,
                     struct err *err)
{
    bool any = false;
    forest_reset(pipelines);
    forest_reset(joined);
    for (size_t i = 0; i < plan->groups.count; i++) {
        const struct plan_group *group = &plan->groups.items[i];
        if (is_pipeline(group)) {
            unite(pipelines, members_of(plan, group));
            any = true;
        }
    }
    if (!any)
        return 0;
    bool *touched = calloc(joined->count + 1, sizeof *touched);
    if (touched == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (int round = 0; round < 2; round++) { /* roots are known when all are united */
        for (size_t i = 0; i < plan->groups.count; i++) {
            const struct plan_group *group = &plan->groups.items[i];
            struct members members = members_of(plan, group);
            int once = group->p2p || members.count == 0 ? 0 : crosses_pipelines_once(members, pipelines);
            if (once < 0) {
                free(touched);
                return err_set(err, ERR_NO_MEMORY, "out of memory");
            }
            if (once == 0)
                continue;
            if (round == 0)
                unite(joined, members);
            else
                touched[root_of_rank(joined, members.ranks[0])] = true;
        }
    }
    int status = take_trees(stages, joined, touched, err);
    free(touched);
    return status;
}

int stages_find(struct stages *stages, const struct plan *plan, struct err *err)
{
    struct forest pipelines = {.ranks = NULL}, joined = {.ranks = NULL};
    *stages = (struct stages){.ranks = NULL};
    int status = forest_init(&pipelines, plan, err);
    if (status == 0)
        status = forest_init(&joined, plan, err);
    if (status == 0)
        status = find_with(stages, plan, &pipelines, &joined, err);
    forest_release(&pipelines);
    forest_release(&joined);
    return status;
}

void stages_release(struct stages *stages)
{
    free(stages->ranks);
    free(stages->starts);
    *stages = (struct stages){.ranks = NULL};
}
