/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/plan.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/map.h"
#include "base/number.h"
#include "base/search.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int plan_compare_steps(const void *left, const void *right)
{
    const char *a = *(const char *const *)left, *b = *(const char *const *)right, *x = a, *y = b;
    while (*x != '\0' && *y != '\0') {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            size_t m, n;
            while (*x == '0')
                x++;
            while (*y == '0')
                y++;
            for (m = 0; isdigit((unsigned char)x[m]); m++) {
            }
            for (n = 0; isdigit((unsigned char)y[n]); n++) {
            }
            int order = m != n ? (m > n) - (m < n) : memcmp(x, y, m);
            if (order != 0)
                return order;
            x += m;
            y += n;
        } else if (*x != *y) {
            return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
        } else {
            x++;
            y++;
        }
    }
    int order = (*x != '\0') - (*y != '\0');
    return order != 0 ? order : strcmp(a, b);
}

bool plan_step_number(const char *step, int64_t *ret)
{
    size_t end = strlen(step), first = end;
    while (first > 0 && isdigit((unsigned char)step[first - 1]))
        first--;
    return number_parse_integer(step + first, end - first, ret) == 0;
}

bool plan_wants_step(const struct plan *plan, const char *step)
{
    int64_t number;
    return plan->steps_wanted == NULL || !plan_step_number(step, &number) ||
           plan->steps_wanted->wants(plan->steps_wanted->arg, number);
}

/* While the plan is made: a text and a flag to an index. */
struct key_item {
    struct {
        uint32_t text, p2p;
    } key;
    uint32_t index;
};

struct making {
    struct plan *plan;
    struct intern numbers, steps;
    struct map groups; /* of struct key_item */
    uint32_t *step_of; /* by number of the step's text */
};

static int find_group(struct making *making, const struct aggregate *rank, const struct aggregate_block *block,
                      uint32_t *ret, struct err *err)
{
    struct plan *plan = making->plan;
    const struct rank_group *group = &rank->groups[block->group];
    const char *number = aggregate_text(rank, group->number);
    struct key_item wanted = {.key = {0, block->p2p}};
    bool added;
    int status = intern_text(&making->numbers, number, &wanted.key.text, err);
    struct key_item *item = status == 0 ? map_add(&making->groups, &wanted.key, &added, err) : NULL;
    if (item == NULL)
        return err_status(err);
    if (added) {
        if (array_reserve(&plan->groups, 1, err) < 0)
            return err_status(err);
        item->index = (uint32_t)plan->groups.count;
        plan->groups.items[plan->groups.count++] = (struct plan_group){.number = number, .p2p = block->p2p != 0};
    }
    struct plan_group *known = &plan->groups.items[item->index];
    if (known->name == NULL)
        known->name = aggregate_text(rank, group->name);
    if (known->id == NULL)
        known->id = aggregate_text(rank, group->id);
    *ret = item->index;
    return 0;
}

static int collect_entries(struct making *making, struct err *err)
{
    struct plan *plan = making->plan;
    for (size_t i = 0; i < plan->rank_count; i++) {
        const struct aggregate *rank = &plan->ranks[i];
        for (size_t j = 0; j < rank->block_count; j++) {
            struct plan_entry entry = {.rank = (uint32_t)i, .block = (uint32_t)j};
            const char *step = aggregate_text(rank, rank->blocks[j].step);
            if (!plan_wants_step(plan, step))
                continue;
            if (find_group(making, rank, &rank->blocks[j], &entry.group, err) < 0 ||
                intern_text(&making->steps, step, &entry.step, err) < 0 || array_reserve(&plan->entries, 1, err) < 0)
                return err_status(err);
            plan->entries.items[plan->entries.count++] = entry;
        }
    }
    return 0;
}

/* Steps in their order; entries have numbers of texts until here. The texts are those of an aggregate, which stay. */
static int order_steps(struct making *making, struct err *err)
{
    struct plan *plan = making->plan;
    size_t count = making->steps.count;
    making->step_of = calloc(count + 1, sizeof *making->step_of);
    if (making->step_of == NULL || array_reserve(&plan->steps, count + 1, err) < 0)
        return err_no_memory(err);
    for (size_t i = 0; i < count; i++)
        plan->steps.items[i] = NULL;
    for (size_t i = 0; i < plan->entries.count; i++) {
        const struct plan_entry *entry = &plan->entries.items[i];
        const struct aggregate *rank = &plan->ranks[entry->rank];
        plan->steps.items[entry->step] = aggregate_text(rank, rank->blocks[entry->block].step);
    }
    plan->steps.count = count;
    array_sort(plan->steps.items, count, sizeof *plan->steps.items, plan_compare_steps);
    for (size_t i = 0; i < count; i++) {
        uint32_t text;
        if (intern_find(&making->steps, plan->steps.items[i], strlen(plan->steps.items[i]), &text))
            making->step_of[text] = (uint32_t)i;
    }
    for (size_t i = 0; i < plan->entries.count; i++)
        plan->entries.items[i].step = making->step_of[plan->entries.items[i].step];
    return 0;
}

ARRAY_COMPARE(by_group_and_rank, struct plan_entry, ARRAY_BY(group), ARRAY_BY(rank))

/* The ranks seen in each group; entries are by group and rank. */
static int collect_members(struct plan *plan, struct err *err)
{
    for (size_t i = 0; i < plan->entries.count; i++) {
        const struct plan_entry *entry = &plan->entries.items[i];
        struct plan_group *group = &plan->groups.items[entry->group];
        bool first = i == 0 || entry[-1].group != entry->group;
        if (!first && entry[-1].rank == entry->rank)
            continue;
        if (array_reserve(&plan->members, 1, err) < 0)
            return err_status(err);
        if (first)
            group->first_member = plan->members.count;
        plan->members.items[plan->members.count++] = plan->ranks[entry->rank].rank;
        group->member_count++;
    }
    return 0;
}

static int compare_groups(const void *a, const void *b, void *opaque)
{
    const struct plan *plan = opaque;
    const struct plan_group *x = &plan->groups.items[*(const uint32_t *)a],
                            *y = &plan->groups.items[*(const uint32_t *)b];
    for (size_t i = 0; i < x->member_count && i < y->member_count; i++) {
        int64_t p = plan->members.items[x->first_member + i], q = plan->members.items[y->first_member + i];
        if (p != q)
            return p < q ? -1 : 1;
    }
    if (x->member_count != y->member_count)
        return x->member_count < y->member_count ? -1 : 1;
    int order = strcmp(x->number, y->number);
    return order != 0 ? order : x->p2p - y->p2p;
}

ARRAY_COMPARE(by_group_step_rank, struct plan_entry, ARRAY_BY(group), ARRAY_BY(step), ARRAY_BY(rank))

static int order_groups(struct plan *plan, struct err *err)
{
    size_t count = plan->groups.count;
    uint32_t *order = calloc(count + 1, sizeof *order), *place = calloc(count + 1, sizeof *place);
    struct plan_group *sorted = calloc(count + 1, sizeof *sorted);
    const bool failed = order == NULL || place == NULL || sorted == NULL;
    if (failed) {
        free(sorted);
    } else {
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        qsort_r(order, count, sizeof *order, compare_groups, plan);
        for (uint32_t i = 0; i < count; i++) {
            sorted[i] = plan->groups.items[order[i]];
            place[order[i]] = i;
        }
        free(plan->groups.items);
        plan->groups.items = sorted;
        plan->groups.capacity = count + 1;
        for (size_t i = 0; i < plan->entries.count; i++)
            plan->entries.items[i].group = place[plan->entries.items[i].group];
        array_sort(plan->entries.items, plan->entries.count, sizeof *plan->entries.items, by_group_step_rank);
    }
    free(order);
    free(place);
    return failed ? err_no_memory(err) : 0;
}

int plan_make(struct plan *plan, const struct aggregate *ranks, size_t rank_count, const struct step_filter *steps,
              struct err *err)
{
    *plan = (struct plan){.ranks = ranks, .rank_count = rank_count, .steps_wanted = steps};
    struct making making = {.plan = plan, .groups = MAP_OF(struct key_item, key)};
    bool failed = collect_entries(&making, err) < 0 || order_steps(&making, err) < 0;
    array_sort(plan->entries.items, plan->entries.count, sizeof *plan->entries.items, by_group_and_rank);
    failed = failed || collect_members(plan, err) < 0 || order_groups(plan, err) < 0;
    intern_release(&making.numbers);
    intern_release(&making.steps);
    map_release(&making.groups);
    free(making.step_of);
    return failed ? err_status(err) : 0;
}

void plan_release(struct plan *plan)
{
    free(plan->groups.items);
    free(plan->members.items);
    free(plan->known.items);
    free(plan->numbers.items);
    free(plan->steps.items);
    free(plan->entries.items);
    *plan = (struct plan){.ranks = NULL};
}

const struct aggregate *plan_rank(const struct plan *plan, int64_t number)
{
    size_t place =
        search_from(plan->ranks, plan->rank_count, sizeof *plan->ranks, offsetof(struct aggregate, rank), number);
    return place < plan->rank_count && plan->ranks[place].rank == number ? &plan->ranks[place] : NULL;
}

bool plan_same_members(const struct plan *plan, const struct plan_group *a, const struct plan_group *b)
{
    return a->member_count == b->member_count &&
           memcmp(plan->members.items + a->first_member, plan->members.items + b->first_member,
                  a->member_count * sizeof *plan->members.items) == 0;
}

/* ---- missing ---- */

static void tell_steps(const struct plan *plan, struct diagnostics *diag)
{
    size_t most = 0;
    for (size_t i = 0; i < plan->rank_count; i++)
        most = plan->ranks[i].step_count > most ? plan->ranks[i].step_count : most;
    for (size_t i = 0; i < plan->rank_count; i++) {
        const struct aggregate *rank = &plan->ranks[i];
        if (rank->step_count < most)
            diag_report(diag, DIAG_RANK_MISSING, FILE_PLACE(rank->source, NULL),
                        "rank %lld has %zu steps, others have %zu", (long long)rank->rank, rank->step_count, most);
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
    SCOPED_FREE char *directory = path_join(rank->source, "ASCEND_PROFILER_OUTPUT"),
                     *path = directory != NULL ? path_join(directory, name) : NULL;
    if (path == NULL)
        return err_no_memory(err);
    diag_report(diag, DIAG_RANK_SILENT, FILE_PLACE(path, NULL),
                file == RANK_FILE_MISSING ? "it is missing: rank %lld has no %s, but others have"
                                          : "nothing is in it: rank %lld has no %s, but others have",
                (long long)rank->rank, lacks);
    return 0;
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
                status = err_status(err);
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

int cluster_missing_tell(const struct plan *plan, struct diagnostics *diag, struct err *err)
{
    tell_steps(plan, diag);
    int status = tell_communication(plan, diag, err);
    if (status == 0)
        status = tell_ranks(plan, diag, err);
    tell_groups(plan, diag);
    return status;
}
