/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/step_counts.h"

#include <stdlib.h>

static bool is_wanted(const struct splits *splits, size_t i)
{
    return splits->groups.items[splits->items[i].group].source == splits->source && splits_counts(splits, i);
}

int counted_executions(const struct workload *workload, const struct splits *splits, bool **ret, struct err *err)
{
    bool any = false, *counted = NULL;

    *ret = NULL;
    for (size_t i = 0; !splits->whole && !any && i < splits->count; i++)
        any = is_wanted(splits, i);
    if (!any)
        return 0;
    counted = calloc(workload->execution_count + 1, sizeof *counted);
    if (counted == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < splits->count; i++) {
        const struct execution_run run = split_executions(workload, &splits->items[i]);
        for (size_t k = 0; is_wanted(splits, i) && k < run.count; k++)
            counted[run.first + k] = true;
    }
    *ret = counted;
    return 0;
}

/* Executions with each key. */
struct tally {
    const struct workload *workload;
    const struct execution_keys *keys;
    struct key_tally {
        size_t first, now;                /* in the first step of a group, in the one that is looked at */
        bool differs, seen, some_regular; /* some_regular: there is a group with as many in each step */
    } * items;
};

static struct key_tally *tally_of(const struct tally *tally, size_t execution)
{
    const struct execution_keys *keys = tally->keys;
    uint32_t key = keys->of_operator != NULL ? keys->of_operator[tally->workload->executions[execution].op]
                                             : keys->of_execution[execution];

    return key != NO_TEXT ? &tally->items[key] : NULL;
}

static void compare_with_first(const struct tally *tally, const struct execution_run *first,
                               const struct execution_run *run)
{
    struct key_tally *key;

    for (size_t i = 0; i < run->count; i++)
        if ((key = tally_of(tally, run->first + i)) != NULL) {
            key->now++;
            key->seen = true;
        }
    for (size_t i = 0; i < first->count; i++)
        if ((key = tally_of(tally, first->first + i)) != NULL)
            key->differs = key->differs || key->now != key->first;
    for (size_t i = 0; i < run->count; i++)
        if ((key = tally_of(tally, run->first + i)) != NULL)
            key->now = 0;
}

static void tally_group(const struct tally *tally, const struct splits *splits, size_t group)
{
    struct execution_run first = {0, 0};
    struct key_tally *key;
    bool any = false;

    for (size_t i = 0; i < splits->count; i++) {
        if (splits->items[i].group != group || !is_wanted(splits, i))
            continue;
        const struct execution_run run = split_executions(tally->workload, &splits->items[i]);
        if (!any)
            first = run;
        for (size_t k = 0; !any && k < first.count; k++)
            if ((key = tally_of(tally, first.first + k)) != NULL)
                key->first++;
        any = true;
        compare_with_first(tally, &first, &run);
    }
    for (size_t i = 0; i < first.count; i++)
        if ((key = tally_of(tally, first.first + i)) != NULL)
            key->some_regular = key->some_regular || !key->differs;
    for (size_t i = 0; i < first.count; i++)
        if ((key = tally_of(tally, first.first + i)) != NULL) {
            key->first = 0;
            key->differs = false;
        }
}

int find_varying(const struct workload *workload, const struct splits *splits, const struct execution_keys *keys,
                 bool *ret, struct err *err)
{
    struct tally tally = {workload, keys, calloc(keys->count + 1, sizeof *tally.items)};

    if (tally.items == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t g = 0; !splits->whole && g < splits->groups.count; g++)
        if (splits->groups.items[g].source == splits->source)
            tally_group(&tally, splits, g);
    for (size_t i = 0; i < keys->count; i++)
        ret[i] = tally.items[i].seen && !tally.items[i].some_regular;
    free(tally.items);
    return 0;
}
