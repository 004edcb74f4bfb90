/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/step_groups.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/words.h"

#include <stdlib.h>

ENUM_NAMES(step_part_name, enum step_part, "computing", "communication", "copies", "free")

static int64_t part_of(const struct split *split, enum step_part part)
{
    const int64_t parts[] = {split->own.computing_ns, split->own.exposed_ns, split->own.copy_ns, split->own.free_ns};

    return parts[part];
}

static size_t count_of(const struct splits *splits, const struct step_group *group)
{
    return splits->groups.items[group->group].count;
}

/* Steps of no model stand behind those of models, but ranges that somebody asked for. */
static bool comes_last(const struct split_group *group)
{
    return group->model_id == STEP_OF_NO_MODEL && group->source != STEPS_RANGES;
}

static int by_device_and_model(const void *a, const void *b, void *arg)
{
    const struct split_group *groups = arg, *x = &groups[((const struct step_group *)a)->group],
                             *y = &groups[((const struct step_group *)b)->group];

    if (x->device != y->device)
        return array_order(x->device, y->device);
    if (comes_last(x) != comes_last(y))
        return comes_last(x) ? 1 : -1;
    if (x->source != y->source)
        return array_order(y->source, x->source); /* the leading family first */
    if (x->model_id != y->model_id)
        return array_order(x->model_id, y->model_id);
    if (x->batch != y->batch)
        return array_order(x->batch, y->batch);
    return array_order(((const struct step_group *)a)->group, ((const struct step_group *)b)->group);
}

static int list_groups(const struct splits *splits, struct step_groups *groups, struct err *err)
{
    int status = array_reserve(groups, splits->groups.count, err);

    for (size_t g = 0; status == 0 && g < splits->groups.count; g++)
        groups->items[groups->count++] = (struct step_group){.group = g, .op = NO_TEXT};
    if (status == 0 && groups->count > 0)
        qsort_r(groups->items, groups->count, sizeof *groups->items, by_device_and_model, splits->groups.items);
    return status;
}

/* The median of a part of all steps of a group that count; values is room for them. */
static double median_of_part(const struct workload *workload, const struct splits *splits,
                             const struct step_group *group, enum step_part part, int64_t *values)
{
    size_t n = 0;

    for (size_t k = 0; k < count_of(splits, group); large_pass(k++)) {
        const size_t i = splits_member(splits, group->group, k);
        if (splits_counts(splits, i))
            values[n++] = part_of(&splits->items[i], part);
    }
    statistics_sort(values, n);
    return statistics_lengths_median(values, n, splits_hz(workload, splits, group->group));
}

static void find_part(const struct workload *workload, const struct splits *splits, struct step_group *group,
                      int64_t *values)
{
    for (int part = 0; part < STEP_PARTS; part++) {
        double more = (double)part_of(&splits->items[group->slowest], (enum step_part)part) -
                      median_of_part(workload, splits, group, (enum step_part)part, values);
        if (part == 0 || more > group->part_ns) {
            group->part = (enum step_part)part;
            group->part_ns = more;
        }
    }
}

/* Adds up what each operator took in a step: sums[operator] += share * time. */
static void add_operators(const struct workload *workload, const struct split *split, double share, double *sums)
{
    size_t i = workload_first_at(workload, split->device, split->start_ns);
    size_t end = workload_first_at(workload, split->device, split->end_ns);

    for (; i < end; i++) {
        large_pass(i);
        sums[workload->executions[i].op] += share * workload_length(workload, &workload->executions[i]);
    }
}

static int find_operator(const struct workload *workload, const struct splits *splits, struct step_group *group,
                         struct err *err)
{
    SCOPED_FREE double *sums = scoped_memory(workload->operator_count + 1, sizeof *sums);
    const struct split *last = NULL;
    double others = -1, alike = 0; /* alike: steps that ran at the same time as the last, with it */

    if (sums == NULL)
        return err_no_memory(err);
    for (size_t k = 0; k < count_of(splits, group); large_pass(k++))
        others += splits_counts(splits, splits_member(splits, group->group, k));
    add_operators(workload, &splits->items[group->slowest], 1, sums);
    for (size_t k = 0; others > 0 && k < count_of(splits, group); large_pass(k++)) {
        const size_t i = splits_member(splits, group->group, k);
        const struct split *split = &splits->items[i];
        if (i == group->slowest || !splits_counts(splits, i))
            continue;
        if (last != NULL && (last->start_ns != split->start_ns || last->end_ns != split->end_ns)) {
            add_operators(workload, last, -alike / others, sums);
            alike = 0;
        }
        last = split;
        alike++;
    }
    if (last != NULL)
        add_operators(workload, last, -alike / others, sums);
    for (size_t i = 0; others > 0 && i < workload->operator_count; i++)
        if (sums[i] > group->op_ns) {
            group->op = (uint32_t)i;
            group->op_ns = sums[i];
        }
    return 0;
}

static int fill_group(const struct workload *workload, const struct splits *splits, struct step_group *group,
                      int64_t *values, struct err *err)
{
    int64_t longest = -1;
    bool failed = splits_series(workload, splits, group->group, MEASURE_STEP, values, &group->times, err) < 0 ||
                  splits_series(workload, splits, group->group, MEASURE_PERIOD, values, &group->periods, err) < 0 ||
                  splits_series(workload, splits, group->group, MEASURE_BUSY, values, &group->busy, err) < 0 ||
                  splits_series(workload, splits, group->group, MEASURE_FREE, values, &group->free, err) < 0;

    for (size_t k = 0; k < count_of(splits, group); large_pass(k++)) {
        const size_t i = splits_member(splits, group->group, k);
        const struct split *split = &splits->items[i];
        group->warmup += splits_is_warmup(splits, i);
        if (!splits_is_warmup(splits, i) && split->own.time_ns > longest) {
            longest = split->own.time_ns;
            group->slowest = i;
        }
    }
    if (failed || group->times.n == 0 || splits_is_outside(splits, group->slowest) ||
        splits->devices[splits->items[group->slowest].device].time_ns == 0)
        return failed ? err_status(err) : 0;
    find_part(workload, splits, group, values);
    return find_operator(workload, splits, group, err);
}

int step_groups_make(const struct workload *workload, const struct splits *splits, struct step_groups *ret,
                     struct err *err)
{
    SCOPED_FREE int64_t *values = scoped_memory(splits->count + 1, sizeof *values);
    bool failed = values == NULL && err_no_memory(err) < 0;

    *ret = (struct step_groups){.items = NULL};
    failed = failed || list_groups(splits, ret, err) < 0;
    for (size_t i = 0; !failed && i < ret->count; i++)
        failed = fill_group(workload, splits, &ret->items[i], values, err) < 0;
    if (failed)
        step_groups_release(ret);
    return failed ? err_status(err) : 0;
}

void step_groups_release(struct step_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        series_release(&groups->items[i].times);
        series_release(&groups->items[i].periods);
        series_release(&groups->items[i].busy);
        series_release(&groups->items[i].free);
    }
    free(groups->items);
    *groups = (struct step_groups){.items = NULL};
}
