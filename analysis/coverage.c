/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/coverage.h"
#include "base/file/large.h"
#include "base/search.h"

#include <stdlib.h>

int coverage_make(struct intervals *list, struct coverage *ret, struct err *err)
{
    int64_t sum = 0;

    *ret = (struct coverage){.before = large_new(list->count + 1, sizeof *ret->before, err)};
    if (ret->before == NULL)
        return err_status(err);
    for (size_t i = 0; i < list->count; i++) {
        int64_t length = interval_length(list->items[i].start_ns, list->items[i].end_ns);
        large_pass(i);
        ret->before[i] = sum;
        sum = length > INT64_MAX - sum ? INT64_MAX : sum + length;
    }
    ret->list = *list;
    *list = (struct intervals){.items = NULL};
    return 0;
}

void coverage_release(struct coverage *coverage)
{
    intervals_release(&coverage->list);
    large_free(coverage->before);
    *coverage = (struct coverage){.before = NULL};
}

/* The first interval that ends behind a time, from `first` on, in front of which all end before: steps that double,
 * then halves. */
static size_t first_ending_behind(const struct intervals *list, int64_t time_ns, size_t first)
{
    size_t step = 1, low = first;

    while (low < list->count && list->items[low].end_ns <= time_ns) {
        first = low + 1;
        low = list->count - low > step ? low + step : list->count;
        step *= 2;
    }
    return first + search_until(list->items + first, low - first, sizeof *list->items,
                                offsetof(struct interval, end_ns), time_ns);
}

/* Covered time before a time that is not behind interval i. */
static int64_t covered_until(const struct coverage *coverage, size_t i, int64_t time_ns)
{
    const struct intervals *list = &coverage->list;

    if (i == list->count)
        return i > 0 ? coverage->before[i - 1] + interval_length(list->items[i - 1].start_ns, list->items[i - 1].end_ns)
                     : 0;
    return coverage->before[i] + interval_length(list->items[i].start_ns, time_ns);
}

int64_t coverage_within(const struct coverage *coverage, int64_t from_ns, int64_t until_ns, size_t *cursor)
{
    const struct intervals *list = &coverage->list;

    if (until_ns <= from_ns || list->count == 0)
        return 0;
    if (*cursor > 0 && list->items[*cursor - 1].end_ns > from_ns)
        *cursor = 0;
    *cursor = first_ending_behind(list, from_ns, *cursor);
    if (*cursor == list->count || list->items[*cursor].start_ns >= until_ns)
        return 0;
    size_t last = first_ending_behind(list, until_ns, *cursor);
    return covered_until(coverage, last, until_ns) - covered_until(coverage, *cursor, from_ns);
}

/* ---- of workloads ---- */

/* The executions of devices one after another, those that are wanted: NULL for all. */
static int unite(const struct workload *workload, size_t from, size_t until, bool (*wanted)(uint32_t work),
                 struct intervals *ret, struct err *err)
{
    for (size_t i = from; i < until; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        if ((wanted == NULL || wanted(workload->operators[execution->op].key.work)) &&
            intervals_extend(ret, execution->start_ns, execution->start_ns + execution->duration_ns, err) < 0)
            return err_status(err);
    }
    return 0;
}

static size_t device_end(const struct workload *workload, size_t from)
{
    size_t until = from;

    while (until < workload->execution_count && workload->executions[until].device == workload->executions[from].device)
        large_pass(until++);
    return until;
}

static int join_device(const struct workload *workload, size_t from, size_t until, struct intervals *all,
                       struct err *err)
{
    struct intervals own = {.items = NULL}, both = {.items = NULL};
    bool failed = unite(workload, from, until, NULL, &own, err) < 0;

    if (!failed && all->count == 0) {
        *all = own;
        return 0;
    }
    failed = failed || intervals_join(all, &own, &both, err) < 0;
    intervals_release(&own);
    intervals_release(all);
    *all = both;
    return failed ? err_status(err) : 0;
}

/* Leaves what is between the intervals, in the same memory: there may be a million. */
static void turn_inside_out(struct intervals *list)
{
    for (size_t i = 0; i + 1 < list->count; large_pass(i++))
        list->items[i] = (struct interval){list->items[i].end_ns, list->items[i + 1].start_ns};
    list->count -= list->count > 0;
}

static int subtract_lists(const struct intervals *lists, size_t count, struct intervals *list, struct err *err)
{
    int status = 0;

    for (size_t i = 0; lists != NULL && status == 0 && i < count; i++) {
        struct intervals rest = {.items = NULL};
        if (lists[i].count == 0)
            continue;
        status = intervals_subtract(list, &lists[i], &rest, err);
        intervals_release(list);
        *list = rest;
    }
    return status;
}

int coverage_of_idle(const struct workload *workload, struct coverage *ret, struct err *err)
{
    SCOPED(intervals_release) struct intervals list = {.items = NULL};
    bool failed = false;

    *ret = (struct coverage){.before = NULL};
    for (size_t from = 0, until; !failed && from < workload->execution_count; from = until) {
        until = device_end(workload, from);
        failed = join_device(workload, from, until, &list, err) < 0;
    }
    turn_inside_out(&list); /* and what was not recorded of any device is not idle */
    return failed || subtract_lists(workload->others, workload->device_count, &list, err) < 0 ||
                   subtract_lists(workload->unrecorded, workload->device_count, &list, err) < 0 ||
                   coverage_make(&list, ret, err) < 0
               ? err_status(err)
               : 0;
}

int coverage_of_computing(const struct workload *workload, uint16_t device, struct coverage *ret, struct err *err)
{
    SCOPED(intervals_release) struct intervals list = {.items = NULL};

    *ret = (struct coverage){.before = NULL};
    for (size_t from = 0, until; from < workload->execution_count; from = until) {
        until = device_end(workload, from);
        if (workload->executions[from].device == device && unite(workload, from, until, work_computes, &list, err) < 0)
            return err_status(err);
    }
    return coverage_make(&list, ret, err);
}
