#include "analysis/splits.h"

#include "analysis/diff/statistics.h"
#include "base/array.h"

#include <stdlib.h>

enum { COMPUTING, COMMUNICATING, COPYING, BUSY, EXPOSED, LISTS };

/* Only where there is more than computing: else that is all the device did. */
static int unite_busy(struct intervals *lists, struct err *err)
{
    struct intervals both = {.items = NULL};
    int status = intervals_join(&lists[COMMUNICATING], &lists[COPYING], &both, err);

    if (status == 0)
        status = intervals_join(&lists[COMPUTING], &both, &lists[BUSY], err);
    intervals_release(&both);
    return status;
}

static const struct intervals *busy_of(const struct intervals *lists)
{
    return lists[BUSY].count > 0 ? &lists[BUSY] : &lists[COMPUTING];
}

static int unite_device(const struct workload *workload, size_t from, size_t until, struct intervals *lists,
                        struct err *err)
{
    int status = 0;

    for (size_t i = from; status == 0 && i < until; i++) {
        const struct execution *execution = &workload->executions[i];
        uint32_t work = workload->operators[execution->op].key.work;
        int kind = work == WORK_COMMUNICATION ? COMMUNICATING : work == WORK_COPY ? COPYING : COMPUTING;
        int64_t end_ns = execution->start_ns + execution->duration_ns;
        status = intervals_extend(&lists[kind], execution->start_ns, end_ns, err);
    }
    if (status == 0)
        status = intervals_subtract(&lists[COMMUNICATING], &lists[COMPUTING], &lists[EXPOSED], err);
    if (status == 0 && lists[COMMUNICATING].count + lists[COPYING].count > 0)
        status = unite_busy(lists, err);
    return status;
}

static void fill_split(struct split *split, const struct intervals *lists, size_t *cursors)
{
    int64_t from = split->start_ns, until = split->end_ns;

    split->time_ns = interval_length(from, until);
    split->computing_ns = intervals_length_within(&lists[COMPUTING], from, until, &cursors[COMPUTING]);
    split->communication_ns = intervals_length_within(&lists[COMMUNICATING], from, until, &cursors[COMMUNICATING]);
    split->exposed_ns = intervals_length_within(&lists[EXPOSED], from, until, &cursors[EXPOSED]);
    split->copy_ns = intervals_length_within(&lists[COPYING], from, until, &cursors[COPYING]);
    split->busy_ns = intervals_length_within(busy_of(lists), from, until, &cursors[BUSY]);
    split->free_ns = split->time_ns - split->busy_ns;
}

/* What was recorded of a device: from its first execution to the end of its last. */
struct stretch {
    int64_t start_ns, end_ns;
};

static struct stretch stretch_of(const struct workload *workload, size_t from, size_t until)
{
    struct stretch stretch = {workload->executions[from].start_ns, INT64_MIN};

    for (size_t i = from; i < until; i++) {
        int64_t end_ns = workload->executions[i].start_ns + workload->executions[i].duration_ns;
        if (end_ns > stretch.end_ns)
            stretch.end_ns = end_ns;
    }
    return stretch;
}

static int add_split(struct splits *splits, const struct workload_step *step, const struct stretch *recorded,
                     const struct intervals *lists, size_t *cursors, struct err *err)
{
    int status = array_reserve(splits, 1, err);

    if (status != 0)
        return status;
    struct split *split = &splits->items[splits->count++];
    *split = (struct split){
        .start_ns = step->start_ns,
        .end_ns = step->end_ns,
        .model_id = step->model_id,
        .device = step->device,
        .outside = step->end_ns <= recorded->start_ns || step->start_ns > recorded->end_ns,
    };
    splits->inside += !split->outside;
    fill_split(split, lists, cursors);
    return 0;
}

static int split_device(const struct workload *workload, size_t from, size_t until, struct splits *splits,
                        struct err *err)
{
    struct intervals lists[LISTS] = {{.items = NULL}};
    size_t cursors[LISTS] = {0};
    uint16_t device = workload->executions[from].device;
    const struct stretch recorded = stretch_of(workload, from, until);
    int status = unite_device(workload, from, until, lists, err);

    for (size_t i = 0; status == 0 && i < workload->step_count; i++)
        if (workload->steps[i].device == device)
            status = add_split(splits, &workload->steps[i], &recorded, lists, cursors, err);
    if (status == 0 && workload->step_count == 0 && busy_of(lists)->count > 0) {
        const struct intervals *busy = busy_of(lists);
        const struct workload_step all = {busy->items[0].start_ns, busy->items[busy->count - 1].end_ns, 0, device};
        status = add_split(splits, &all, &recorded, lists, cursors, err);
    }
    for (size_t i = 0; i < LISTS; i++)
        intervals_release(&lists[i]);
    return status;
}

/* Steps that are longer than median + 5 scales, from each device's first on. With fewer than 4 steps nothing is known.
 */
static int mark_warmup(struct splits *splits, struct err *err)
{
    int64_t *times = malloc((splits->count > 0 ? splits->count : 1) * sizeof *times);
    struct series series;
    int status;

    if (times == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < splits->count; i++)
        times[i] = splits->items[i].time_ns;
    status = series_make(&series, times, splits->count, err);
    free(times);
    if (status == 0 && splits->count >= 4 && !splits->whole) {
        double limit = series.median + 5 * series_scale(&series, series.median / 1000);
        size_t n = 0;

        while (n < splits->count / 4 && (double)splits->items[n].time_ns > limit)
            n++;
        splits->warmup = n;
    }
    series_release(&series);
    return status;
}

int splits_make(const struct workload *workload, struct splits *ret, struct err *err)
{
    int status = 0;

    *ret = (struct splits){.whole = workload->step_count == 0};
    for (size_t from = 0, until; status == 0 && from < workload->execution_count; from = until) {
        for (until = from; until < workload->execution_count &&
                           workload->executions[until].device == workload->executions[from].device;)
            until++;
        status = split_device(workload, from, until, ret, err);
    }
    if (ret->inside == 0)
        ret->inside = ret->count;
    if (status == 0)
        status = mark_warmup(ret, err);
    if (status != 0)
        splits_release(ret);
    return status;
}

bool splits_is_warmup(const struct splits *splits, size_t i)
{
    return i < splits->warmup;
}

bool splits_is_outside(const struct splits *splits, size_t i)
{
    return splits->items[i].outside && splits->inside < splits->count;
}

bool splits_counts(const struct splits *splits, size_t i)
{
    return !splits_is_warmup(splits, i) && !splits_is_outside(splits, i);
}

void splits_release(struct splits *splits)
{
    free(splits->items);
    *splits = (struct splits){.items = NULL};
}

int gaps_make(const struct workload *workload, struct gaps *ret, struct err *err)
{
    const struct execution *last = NULL; /* the one that ends last so far */
    int status = 0;

    *ret = (struct gaps){.items = NULL};
    for (size_t i = 0; status == 0 && i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        int64_t end_ns = last != NULL ? last->start_ns + last->duration_ns : 0;

        if (last != NULL && last->device == execution->device && execution->start_ns > end_ns) {
            status = array_reserve(ret, 1, err);
            if (status == 0)
                ret->items[ret->count++] = (struct gap){(uint32_t)(last - workload->executions), (uint32_t)i};
        }
        if (last == NULL || last->device != execution->device || execution->start_ns + execution->duration_ns >= end_ns)
            last = execution;
    }
    if (status != 0)
        gaps_release(ret);
    return status;
}

void gaps_release(struct gaps *gaps)
{
    free(gaps->items);
    *gaps = (struct gaps){.items = NULL};
}
