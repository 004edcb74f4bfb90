/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/frameworks/framework.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Of one id, then by place: MindSpore's later one wins. */
static int compare_ids(const void *a, const void *b)
{
    const struct framework_step *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static int compare_starts(const void *a, const void *b)
{
    const struct framework_step *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

void framework_unite_steps(struct framework *framework)
{
    struct framework_steps *steps = &framework->steps;
    size_t kept = 0;
    array_sort(steps->items, steps->count, sizeof *steps->items, compare_ids);
    for (size_t i = 0; i < steps->count; i++) {
        if (framework->info.kind == FRAMEWORK_PYTORCH || i + 1 == steps->count ||
            steps->items[i + 1].id != steps->items[i].id)
            steps->items[kept++] = steps->items[i];
    }
    steps->count = kept;
    array_sort(steps->items, steps->count, sizeof *steps->items, compare_starts);
    for (size_t i = 0; i < kept; i++) {
        int64_t before_ns = i > 0 ? steps->items[i - 1].latest_end_ns : INT64_MIN;
        steps->items[i].device_start_ns = steps->items[i].start_ns;
        steps->items[i].device_end_ns = steps->items[i].end_ns;
        steps->items[i].latest_end_ns = steps->items[i].end_ns > before_ns ? steps->items[i].end_ns : before_ns;
    }
}

static int compare_launches(const void *a, const void *b)
{
    const struct framework_launch *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->range > y->range) - (x->range < y->range);
}

static int find_launches(struct framework *framework, struct err *err)
{
    const struct framework_ranges *ranges = &framework->ranges;
    size_t count = 0;
    for (size_t i = 0; i < ranges->count; i++)
        count += (ranges->items[i].flags & RANGE_LAUNCH) != 0;
    framework->launches = calloc(count + 1, sizeof *framework->launches);
    if (framework->launches == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu launches", count);
    for (size_t i = 0; i < ranges->count; i++) {
        const struct framework_range *range = &ranges->items[i];
        if ((range->flags & RANGE_LAUNCH) != 0)
            framework->launches[framework->launch_count++] =
                (struct framework_launch){range->thread, range->start_ns, range->end_ns, range->end_ns, i};
    }
    struct framework_launch *launches = framework->launches;
    array_sort(launches, count, sizeof *launches, compare_launches);
    for (size_t i = 1; i < count; i++) {
        if (launches[i].thread == launches[i - 1].thread && launches[i].latest_end_ns < launches[i - 1].latest_end_ns)
            launches[i].latest_end_ns = launches[i - 1].latest_end_ns;
    }
    return 0;
}

int framework_add_step(struct framework *framework, const char *name, int64_t start_ns, int64_t end_ns, struct err *err)
{
    const char *mark = strrchr(name, '#'), *id = mark != NULL ? mark + 1 : name;
    uint32_t number;
    int status = intern_add(&framework->texts, id, strlen(id), &number, err);
    if (status == 0)
        status = array_reserve(&framework->steps, 1, err);
    if (status == 0)
        framework->steps.items[framework->steps.count++] =
            (struct framework_step){.id = number, .start_ns = start_ns, .end_ns = end_ns};
    return status;
}

int framework_finish(struct framework *framework, struct err *err)
{
    framework_unite_steps(framework);
    return find_launches(framework, err);
}

static int compare_launch_ends(const void *a, const void *b)
{
    const struct framework_launch *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return (x->start_ns < y->start_ns) - (x->start_ns > y->start_ns);
}

void framework_sort_launches_by_end(struct framework *framework)
{
    array_sort(framework->launches, framework->launch_count, sizeof *framework->launches, compare_launch_ends);
}

const struct framework_step *framework_step_at(const struct framework *framework, int64_t time_ns)
{
    const struct framework_step *steps = framework->steps.items;
    size_t low = 0, high = framework->steps.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (steps[middle].latest_end_ns < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < framework->steps.count && steps[low].start_ns <= time_ns ? &steps[low] : NULL;
}

const struct framework_step *framework_device_step_at(const struct framework *framework, int64_t time_ns)
{
    for (size_t i = 0; i < framework->steps.count; i++) {
        const struct framework_step *step = &framework->steps.items[i];
        if (step->device_start_ns <= time_ns && time_ns <= step->device_end_ns)
            return step;
    }
    return NULL;
}

const struct framework_launch *framework_launch_at(const struct framework *framework, int64_t thread, int64_t time_ns)
{
    const struct framework_launch *launches = framework->launches;
    size_t low = 0, high = framework->launch_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (launches[middle].thread < thread ||
            (launches[middle].thread == thread && launches[middle].latest_end_ns < time_ns))
            low = middle + 1;
        else
            high = middle;
    }
    /* Sorted by start, what follows begins later still; sorted by end, what is around may follow. */
    for (; low < framework->launch_count && launches[low].thread == thread; low++) {
        if (launches[low].start_ns <= time_ns)
            return launches[low].end_ns >= time_ns ? &launches[low] : NULL;
        if (framework->torch == NULL)
            break;
    }
    return NULL;
}
