/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/numbers.h"

#include "base/array.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#define MOST_LISTED 1048576 /* ranks of a group; longer lists are none */

enum strength { TOLD, SHOWN }; /* by metadata; by a link from a rank to itself */

/* A rank says its number in a group. */
struct evidence {
    uint32_t group; /* number of a text */
    enum strength strength;
    int64_t number, rank;
};

/* One group, of one half or both. */
struct numbered {
    const struct aggregate *listed_by; /* NULL: nobody lists its ranks */
    const struct rank_group *listed;
    size_t size, contradictions;
    size_t first_known, known_count, first_number, number_count; /* as in struct plan_group */
};

struct finding {
    struct plan *plan;
    struct intern names; /* of groups: decimal numbers */
    struct numbered *groups;
    RANK_LIST(struct evidence, evidence);
};

static size_t listed_count(const struct aggregate *rank, const struct rank_group *group)
{
    size_t count = 0;
    for (uint32_t i = 0; i < group->run_count; i++)
        count += (size_t)rank->runs[group->first_run + i].count;
    return count;
}

static int add_evidence(struct finding *finding, uint32_t group, enum strength strength, int64_t number, int64_t rank,
                        struct err *err)
{
    int status = array_reserve(&finding->evidence, 1, err);
    if (status == 0)
        finding->evidence.items[finding->evidence.count++] = (struct evidence){group, strength, number, rank};
    return status;
}

static int hear(struct finding *finding, const struct aggregate *rank, const struct rank_group *group, struct err *err)
{
    const char *name = aggregate_text(rank, group->number);
    uint32_t index;
    int status = 0;
    if (!intern_find(&finding->names, name, strlen(name), &index))
        return 0;
    struct numbered *numbered = &finding->groups[index];
    size_t listed = listed_count(rank, group);
    if (group->numbers > numbered->size)
        numbered->size = group->numbers;
    if (numbered->listed_by == NULL && listed > 0 && listed <= MOST_LISTED) {
        numbered->listed_by = rank;
        numbered->listed = group;
    }
    numbered->contradictions += group->shown_number == CLUSTER_TWO_NUMBERS;
    if (group->told_number >= 0)
        status = add_evidence(finding, index, TOLD, group->told_number, rank->rank, err);
    if (status == 0 && group->shown_number >= 0)
        status = add_evidence(finding, index, SHOWN, group->shown_number, rank->rank, err);
    return status;
}

static int compare_ranks(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static int by_group_and_strength(const void *a, const void *b)
{
    const struct evidence *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->strength != y->strength)
        return x->strength == SHOWN ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* ---- one group ---- */

/* Numbers and ranks that belong together, each once. */
struct pairs {
    struct map by_number, by_rank; /* of struct pair */
};
struct pair {
    int64_t key, other;
};

static int64_t other_of(const struct map *map, int64_t key)
{
    const struct pair *pair = map_get(map, &key);
    return pair != NULL ? pair->other : -1;
}

static int add_pair(struct pairs *pairs, int64_t number, int64_t rank, struct err *err)
{
    struct pair *forth = map_add(&pairs->by_number, &number, NULL, err);
    struct pair *back = forth != NULL ? map_add(&pairs->by_rank, &rank, NULL, err) : NULL;
    if (back == NULL)
        return -(int)err->code;
    forth->other = rank;
    back->other = number;
    return 0;
}

/* What a rank shows counts more than what it is told, and of equals the first: of the others those are counted that
 * say something else. */
static int weigh(struct pairs *pairs, const struct evidence *evidence, size_t count, size_t *contradictions,
                 struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < count; i++) {
        int64_t rank = other_of(&pairs->by_number, evidence[i].number),
                number = other_of(&pairs->by_rank, evidence[i].rank);
        if (rank < 0 && number < 0)
            status = add_pair(pairs, evidence[i].number, evidence[i].rank, err);
        else
            *contradictions += rank != evidence[i].rank || number != evidence[i].number;
    }
    return status;
}

static bool agrees(const struct pairs *pairs, const int64_t *ranks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t rank = other_of(&pairs->by_number, (int64_t)i), number = other_of(&pairs->by_rank, ranks[i]);
        if ((rank >= 0 && rank != ranks[i]) || (number >= 0 && number != (int64_t)i))
            return false;
    }
    return true;
}

/* The one rank whose number nobody says has the one number that is left. */
static int add_last(struct pairs *pairs, const int64_t *ranks, size_t count, struct err *err)
{
    size_t open_ranks = 0, open_numbers = 0, rank = 0, number = 0;
    for (size_t i = 0; i < count; i++) {
        if (other_of(&pairs->by_rank, ranks[i]) < 0) {
            open_ranks++;
            rank = i;
        }
        if (other_of(&pairs->by_number, (int64_t)i) < 0) {
            open_numbers++;
            number = i;
        }
    }
    return open_ranks == 1 && open_numbers == 1 ? add_pair(pairs, (int64_t)number, ranks[rank], err) : 0;
}

/* Ranks that are not here: the list is in the order of numbers, unless those who are here say otherwise. */
static int add_listed(struct pairs *pairs, const int64_t *listed, const int64_t *sorted, size_t count, struct err *err)
{
    const int64_t *order = agrees(pairs, listed, count) ? listed : agrees(pairs, sorted, count) ? sorted : NULL;
    int status = 0;
    if (order == NULL)
        return add_last(pairs, sorted, count, err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        if (order[i] >= 0 && other_of(&pairs->by_number, (int64_t)i) < 0)
            status = add_pair(pairs, (int64_t)i, order[i], err);
    }
    return status;
}

static int compare_numbers(const void *a, const void *b)
{
    const struct plan_number *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int keep_pairs(struct plan *plan, struct numbered *group, const struct pairs *pairs, struct err *err)
{
    const struct pair *pair = NULL;
    size_t count = pairs->by_number.used;
    group->first_number = plan->numbers.count;
    if (array_reserve(&plan->numbers, count + 1, err) < 0)
        return -(int)err->code;
    while (count > 0 && (pair = map_next(&pairs->by_number, pair)) != NULL)
        plan->numbers.items[plan->numbers.count++] = (struct plan_number){pair->key, pair->other};
    group->number_count = plan->numbers.count - group->first_number;
    if (group->number_count > 1)
        qsort(plan->numbers.items + group->first_number, group->number_count, sizeof *plan->numbers.items,
              compare_numbers);
    return 0;
}

static void expand(const struct numbered *group, int64_t *ret)
{
    size_t filled = 0;
    for (uint32_t i = 0; i < group->listed->run_count; i++) {
        const struct rank_run *run = &group->listed_by->runs[group->listed->first_run + i];
        for (int64_t j = 0; j < run->count; j++)
            ret[filled++] = run->first + run->step * j;
    }
}

/* The list of a group's ranks in both orders, the ascending one in the plan. */
static int take_list(struct plan *plan, struct numbered *group, struct pairs *pairs, struct err *err)
{
    size_t count = group->listed_by != NULL ? listed_count(group->listed_by, group->listed) : 0;
    int64_t *listed = calloc(count + 1, sizeof *listed);
    if (listed == NULL || array_reserve(&plan->known, count + 1, err) < 0) {
        free(listed);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    group->first_known = plan->known.count;
    group->known_count = count;
    if (count > 0)
        expand(group, listed);
    int64_t *sorted = plan->known.items + plan->known.count;
    memcpy(sorted, listed, count * sizeof *listed);
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, compare_ranks);
    plan->known.count += count;
    int status = count > 0 ? add_listed(pairs, listed, sorted, count, err) : 0;
    free(listed);
    return status;
}

static int decide(struct finding *finding, uint32_t index, const struct evidence *evidence, size_t count,
                  struct err *err)
{
    struct numbered *group = &finding->groups[index];
    struct pairs pairs = {MAP_OF(struct pair, key), MAP_OF(struct pair, key)};
    int status = weigh(&pairs, evidence, count, &group->contradictions, err);
    if (status == 0)
        status = take_list(finding->plan, group, &pairs, err);
    if (status == 0)
        status = keep_pairs(finding->plan, group, &pairs, err);
    if (group->known_count > group->size)
        group->size = group->known_count;
    map_release(&pairs.by_number);
    map_release(&pairs.by_rank);
    return status;
}

/* ---- all of them ---- */

static int find_all(struct finding *finding, struct err *err)
{
    const struct plan *plan = finding->plan;
    int status = 0;
    for (size_t i = 0; status == 0 && i < plan->rank_count; i++) {
        for (size_t j = 0; status == 0 && j < plan->ranks[i].group_count; j++)
            status = hear(finding, &plan->ranks[i], &plan->ranks[i].groups[j], err);
    }
    if (finding->evidence.count > 1)
        qsort(finding->evidence.items, finding->evidence.count, sizeof *finding->evidence.items, by_group_and_strength);
    size_t first = 0, end;
    for (uint32_t i = 0; status == 0 && i < finding->names.count; i++, first = end) {
        for (end = first; end < finding->evidence.count && finding->evidence.items[end].group == i; end++) {
        }
        const struct evidence *evidence = end > first ? &finding->evidence.items[first] : NULL;
        status = decide(finding, i, evidence, end - first, err);
    }
    return status;
}

static int name_groups(struct finding *finding, struct err *err)
{
    const struct plan *plan = finding->plan;
    uint32_t ignored;
    int status = 0;
    for (size_t i = 0; status == 0 && i < plan->groups.count; i++)
        status = intern_add(&finding->names, plan->groups.items[i].number, strlen(plan->groups.items[i].number),
                            &ignored, err);
    finding->groups = calloc(finding->names.count + 1, sizeof *finding->groups);
    return status == 0 && finding->groups == NULL ? err_set(err, ERR_NO_MEMORY, "out of memory") : status;
}

static void give(const struct finding *finding)
{
    for (size_t i = 0; i < finding->plan->groups.count; i++) {
        struct plan_group *group = &finding->plan->groups.items[i];
        uint32_t index = 0;
        intern_find(&finding->names, group->number, strlen(group->number), &index);
        const struct numbered *from = &finding->groups[index];
        group->first_known = from->first_known;
        group->known_count = from->known_count;
        group->first_number = from->first_number;
        group->number_count = from->number_count;
        group->contradictions = from->contradictions;
        group->size = from->size > group->member_count ? from->size : group->member_count;
    }
}

int numbers_find(struct plan *plan, struct err *err)
{
    struct finding finding = {.plan = plan};
    int status = name_groups(&finding, err);
    if (status == 0)
        status = find_all(&finding, err);
    if (status == 0)
        give(&finding);
    intern_release(&finding.names);
    free(finding.groups);
    free(finding.evidence.items);
    return status;
}

int64_t numbers_rank(const struct plan *plan, const struct plan_group *group, int64_t number)
{
    const struct plan_number wanted = {number, 0};
    const struct plan_number *found = group->number_count > 0
                                          ? bsearch(&wanted, plan->numbers.items + group->first_number,
                                                    group->number_count, sizeof wanted, compare_numbers)
                                          : NULL;
    return found != NULL ? found->rank : -1;
}
