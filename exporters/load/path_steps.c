/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/load/path_steps.h"

#include "base/array.h"
#include "base/file/large.h"
#include "exporters/load/load_launches.h"

#include <math.h>
#include <stdlib.h>

int path_steps_load(sqlite3 *db, struct path_steps *steps, struct err *err)
{
    if (steps->workload.facts.placed || steps->workload.execution_count == 0)
        return 0;
    int status = splits_make(&steps->workload, &steps->splits, err);
    if (status != 0 || steps->splits.whole)
        return status;
    return launches_load(db, &steps->workload, &steps->launches, err);
}

void path_steps_release(struct path_steps *steps)
{
    step_paths_release(&steps->paths);
    launches_release(&steps->launches);
    splits_release(&steps->splits);
}

/* Whether the path of a split tells something. */
static bool counts(const struct path_steps *steps, size_t i)
{
    const struct splits *splits = &steps->splits;

    return !splits->whole && splits->groups.items[splits->items[i].group].source == splits->source &&
           splits_counts(splits, i) && splits_is_recorded(splits, i, &splits->items[i].own);
}

int path_steps_find(struct path_steps *steps, size_t split, const struct step_path **ret, struct err *err)
{
    return step_path_find(&steps->paths, &steps->workload, &steps->splits, split, &steps->launches, ret, err);
}

int path_steps_each(struct path_steps *steps,
                    int (*each)(void *arg, const struct step_path *path, size_t split, struct err *err), void *arg,
                    struct err *err)
{
    int status = 0;

    for (size_t i = 0; i < steps->splits.count && status == 0; i++) {
        const struct step_path *path;
        large_pass(i);
        if (!counts(steps, i))
            continue;
        status = path_steps_find(steps, i, &path, err);
        if (status != 0)
            return status;
        large_passed(path->count);
        status = each(arg, path, i, err);
    }
    return status;
}

/* ---- the typical one ---- */

static double time_of(const struct split *split)
{
    return (double)(split->period.time_ns != NO_PERIOD ? split->period.time_ns : split->own.time_ns);
}

static size_t largest_group(const struct path_steps *steps, double *times)
{
    size_t largest = SIZE_MAX;

    for (size_t i = 0; i < steps->splits.count; i++) {
        large_pass(i);
        size_t group = steps->splits.items[i].group;
        if (!counts(steps, i))
            continue;
        times[group] += time_of(&steps->splits.items[i]);
        if (largest == SIZE_MAX || times[group] > times[largest])
            largest = group;
    }
    return largest;
}

static int by_value(const void *a, const void *b)
{
    return array_order(*(const double *)a, *(const double *)b);
}

static double median_of(const struct path_steps *steps, size_t group, double *times)
{
    size_t count = 0;

    for (size_t i = 0; i < steps->splits.count; large_pass(i++))
        if (steps->splits.items[i].group == group && counts(steps, i))
            times[count++] = time_of(&steps->splits.items[i]);
    qsort(times, count, sizeof *times, by_value);
    return times[count / 2];
}

size_t path_steps_typical(const struct path_steps *steps)
{
    const struct splits *splits = &steps->splits;
    size_t typical = SIZE_MAX, room = splits->count + splits->groups.count;
    double *times = calloc(room + 1, sizeof *times);
    size_t group = times != NULL ? largest_group(steps, times) : SIZE_MAX;

    if (group != SIZE_MAX) {
        double median = median_of(steps, group, times);
        for (size_t i = 0; i < splits->count; large_pass(i++))
            if (splits->items[i].group == group && counts(steps, i) &&
                (typical == SIZE_MAX ||
                 fabs(time_of(&splits->items[i]) - median) < fabs(time_of(&splits->items[typical]) - median)))
                typical = i;
    }
    free(times);
    return typical;
}
