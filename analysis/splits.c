/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/splits.h"

#include "analysis/compare/statistics.h"
#include "analysis/cut_steps.h"
#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>

enum { COMPUTING, COMMUNICATING, COPYING, BUSY, EXPOSED, DARK, LISTS };

/* Only where there is more than computing: else that is all the device did. A communication operator is what its tasks
 * are: where these were recorded they count, not the stretch from the first to the last. */
static int unite_busy(struct intervals *lists, const struct intervals *others, struct err *err)
{
    struct intervals both = {.items = NULL};
    int status = intervals_join(others->count > 0 ? others : &lists[COMMUNICATING], &lists[COPYING], &both, err);

    if (status == 0)
        status = intervals_join(&lists[COMPUTING], &both, &lists[BUSY], err);
    intervals_release(&both);
    return status;
}

static const struct intervals *busy_of(const struct intervals *lists)
{
    return lists[BUSY].count > 0 ? &lists[BUSY] : &lists[COMPUTING];
}

static int unite_device(const struct workload *workload, uint16_t device, size_t from, size_t until,
                        struct intervals *lists, struct err *err)
{
    const struct intervals none = {.items = NULL},
                           *others = workload->others != NULL ? &workload->others[device] : &none;
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
    if (status == 0 && lists[COMMUNICATING].count + lists[COPYING].count + others->count > 0)
        status = unite_busy(lists, others, err);
    return status;
}

static void divide(struct division *ret, int64_t from, int64_t until, const struct intervals *lists, size_t *cursors)
{
    ret->time_ns = interval_length(from, until);
    ret->computing_ns = intervals_length_within(&lists[COMPUTING], from, until, &cursors[COMPUTING]);
    ret->communication_ns = intervals_length_within(&lists[COMMUNICATING], from, until, &cursors[COMMUNICATING]);
    ret->exposed_ns = intervals_length_within(&lists[EXPOSED], from, until, &cursors[EXPOSED]);
    ret->copy_ns = intervals_length_within(&lists[COPYING], from, until, &cursors[COPYING]);
    ret->busy_ns = intervals_length_within(busy_of(lists), from, until, &cursors[BUSY]);
    ret->free_ns = ret->time_ns - ret->busy_ns - intervals_length_within(&lists[DARK], from, until, &cursors[DARK]);
}

/* What was recorded of a device: from its first execution to the end of its last. Other tasks do not widen it: some are
 * logged long before a program runs its operators, and when the log of operators is full. */
struct stretch {
    int64_t start_ns, end_ns;
};

static struct stretch stretch_of(const struct workload *workload, size_t from, size_t until)
{
    struct stretch stretch = {INT64_MAX, INT64_MIN};

    for (size_t i = from; i < until; i++) {
        int64_t end_ns = workload->executions[i].start_ns + workload->executions[i].duration_ns;
        if (end_ns > stretch.end_ns)
            stretch.end_ns = end_ns;
    }
    if (from < until)
        stretch.start_ns = workload->executions[from].start_ns;
    return stretch;
}

static bool is_of(const struct split_group *group, const struct split *split)
{
    const struct workload_step *step = split->step;

    return group->device == split->device &&
           (step == NULL || (group->source == step->source && group->model_id == step->model_id &&
                             group->batch == step->batch && group->model == step->model));
}

static int add_to_group(struct splits *splits, struct split *split, struct err *err)
{
    const struct workload_step *step = split->step;
    size_t g = splits->groups.count;

    while (g > 0 && !is_of(&splits->groups.items[g - 1], split))
        g--;
    if (g == 0) {
        int status = array_reserve(&splits->groups, 1, err);
        if (status != 0)
            return status;
        splits->groups.items[splits->groups.count] = (struct split_group){.device = split->device, .model = NO_TEXT};
        g = ++splits->groups.count;
        if (step != NULL)
            splits->groups.items[g - 1] =
                (struct split_group){split->device, step->source, step->model_id, step->batch, step->model, 0, 0, 0, 0};
    }
    split->group = g - 1;
    splits->groups.items[g - 1].count++;
    return 0;
}

/* cursors: as intervals_length_within has them, for steps by their starts. */
static int add_split(struct splits *splits, const struct workload_step *step, const struct stretch *recorded,
                     uint16_t device, const struct intervals *lists, size_t *cursors, struct err *err)
{
    int status = array_reserve(splits, 1, err);

    if (status != 0)
        return status;
    struct split *split = &splits->items[splits->count++];
    *split = (struct split){
        .step = step,
        .start_ns = step != NULL ? step->start_ns : recorded->start_ns,
        .end_ns = step != NULL ? step->end_ns : recorded->end_ns,
        .device = device,
        .period = {.time_ns = NO_PERIOD},
    };
    split->outside = split->end_ns <= recorded->start_ns || split->start_ns > recorded->end_ns;
    divide(&split->own, split->start_ns, split->end_ns, lists, cursors);
    if (step != NULL && step->period_ns != NO_PERIOD)
        divide(&split->period, split->start_ns, split->start_ns + step->period_ns, lists, cursors);
    return add_to_group(splits, split, err);
}

static void add_division(struct division *sum, const struct division *part)
{
    sum->time_ns += part->time_ns;
    sum->computing_ns += part->computing_ns;
    sum->communication_ns += part->communication_ns;
    sum->exposed_ns += part->exposed_ns;
    sum->copy_ns += part->copy_ns;
    sum->busy_ns += part->busy_ns;
    sum->free_ns += part->free_ns;
}

/* The executions of one device, which may be none, and its steps. */
static int split_device(const struct workload *workload, uint16_t device, size_t from, size_t until,
                        struct splits *splits, struct err *err)
{
    struct intervals lists[LISTS] = {{.items = NULL}};
    size_t cursors[LISTS] = {0}, whole[LISTS] = {0};
    const struct stretch recorded = stretch_of(workload, from, until);
    struct division *time = &splits->devices[device];
    int status = unite_device(workload, device, from, until, lists, err);

    if (status == 0 && workload->unrecorded != NULL)
        status = intervals_subtract(&workload->unrecorded[device], busy_of(lists), &lists[DARK], err);
    if (status == 0 && from < until) {
        divide(time, recorded.start_ns, recorded.end_ns, lists, whole);
        time->time_ns = time->busy_ns + time->free_ns;
        add_division(&splits->all, time);
    }
    for (size_t i = 0; status == 0 && i < workload->step_count; i++)
        if (workload->steps[i].device == device)
            status = add_split(splits, &workload->steps[i], &recorded, device, lists, cursors, err);
    if (status == 0 && workload->step_count == 0 && time->busy_ns > 0)
        status = add_split(splits, NULL, &recorded, device, lists, cursors, err);
    for (size_t i = 0; i < LISTS; i++)
        intervals_release(&lists[i]);
    return status;
}

/* Steps that are longer than median + 5 scales, from the first of a group on. With fewer than 4 steps nothing is known.
 * times is room for all. */
static int mark_warmup(struct splits *splits, size_t group, int64_t *times, struct err *err)
{
    struct series series;
    size_t n = 0, most = splits->groups.items[group].count / 4;

    if (most == 0)
        return 0;
    for (size_t i = 0; i < splits->count; i++)
        if (splits->items[i].group == group)
            times[n++] = splits->items[i].own.time_ns;
    int status = series_make(&series, times, n, err);
    double limit = series.median + 5 * series_scale(&series, series.median / 1000);
    for (size_t i = 0; status == 0 && most > 0 && i < splits->count; i++) {
        if (splits->items[i].group != group)
            continue;
        splits->items[i].warmup = (double)splits->items[i].own.time_ns > limit;
        most = splits->items[i].warmup ? most - 1 : 0;
    }
    series_release(&series);
    return status;
}

static void count_groups(struct splits *splits)
{
    for (size_t i = 0; i < splits->count; i++) {
        struct split_group *group = &splits->groups.items[splits->items[i].group];
        bool counts = splits_counts(splits, i), leads = group->source == splits->source;
        group->counts += counts;
        group->periods += counts && splits->items[i].period.time_ns != NO_PERIOD;
        splits->warmup += leads && splits->items[i].warmup;
        splits->steps += leads && !splits->whole;
    }
}

static int find_cuts(const struct workload *workload, struct splits *splits, struct err *err)
{
    splits->cuts = calloc(1, sizeof *splits->cuts);
    if (splits->cuts == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = cut_steps_find(workload, splits, splits->cuts, err);
    for (size_t i = 0; status == 0 && i < splits->cuts->count; i++)
        if (splits->cuts->items[i].split != SIZE_MAX)
            splits->items[splits->cuts->items[i].split].cut = true;
    return status;
}

int splits_make(const struct workload *workload, struct splits *ret, struct err *err)
{
    int64_t *times = NULL;
    size_t from = 0, until = 0;
    int status = 0;

    *ret = (struct splits){.whole = workload->step_count == 0, .source = workload->step_source};
    ret->devices = calloc(workload->device_count + 1, sizeof *ret->devices);
    if (ret->devices == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (uint16_t device = 0; status == 0 && device < workload->device_count; device++, from = until) {
        while (until < workload->execution_count && workload->executions[until].device == device)
            until++;
        status = split_device(workload, device, from, until, ret, err);
    }
    for (size_t i = 0; i < ret->count; i++)
        ret->inside += !ret->items[i].outside && ret->groups.items[ret->items[i].group].source == ret->source;
    if (status == 0 && (times = malloc((ret->count + 1) * sizeof *times)) == NULL)
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t g = 0; status == 0 && !ret->whole && g < ret->groups.count; g++)
        status = mark_warmup(ret, g, times, err);
    free(times);
    if (status == 0)
        status = find_cuts(workload, ret, err);
    if (status != 0) {
        splits_release(ret);
        return status;
    }
    count_groups(ret);
    if (ret->inside == 0)
        ret->inside = ret->steps;
    return 0;
}

bool splits_is_warmup(const struct splits *splits, size_t i)
{
    return splits->items[i].warmup;
}

bool splits_is_outside(const struct splits *splits, size_t i)
{
    return splits->items[i].outside && splits->inside < splits->steps;
}

bool splits_counts(const struct splits *splits, size_t i)
{
    return !splits_is_warmup(splits, i) && !splits_is_outside(splits, i) && !splits->items[i].cut;
}

bool splits_is_recorded(const struct splits *splits, size_t i, const struct division *division)
{
    const struct split *split = &splits->items[i];

    return splits->devices[split->device].time_ns > 0 && !split->outside && !split->cut &&
           division->busy_ns + division->free_ns == division->time_ns;
}

const struct division *splits_stretch(const struct splits *splits, size_t i)
{
    const struct split *split = &splits->items[i];
    const struct split_group *group = &splits->groups.items[split->group];

    if (split->period.time_ns != NO_PERIOD)
        return splits_is_recorded(splits, i, &split->period) ? &split->period : NULL;
    if (!splits_is_recorded(splits, i, &split->own))
        return NULL;
    return group->periods == 0 && group->source != STEPS_INFERENCES ? &split->own : NULL;
}

double splits_step_ns(const struct splits *splits)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < splits->count; i++) {
        const struct division *stretch = splits_stretch(splits, i);
        if (splits->groups.items[splits->items[i].group].source != splits->source || !splits_counts(splits, i))
            continue;
        sum += (double)(stretch != NULL ? stretch : &splits->items[i].own)->time_ns;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

void splits_group_name(const struct workload *workload, const struct splits *splits, size_t group,
                       char text[GROUP_NAME_SIZE])
{
    const struct split_group *it = &splits->groups.items[group];
    size_t used = (size_t)snprintf(text, GROUP_NAME_SIZE, "%s", step_source_name((enum step_source)it->source));

    if (it->source == STEPS_INFERENCES || it->source == STEPS_ITERATIONS)
        used += (size_t)snprintf(text + used, GROUP_NAME_SIZE - used, " of model %lld", (long long)it->model_id);
    if (it->model != NO_TEXT && used < GROUP_NAME_SIZE / 2)
        used += (size_t)snprintf(text + used, GROUP_NAME_SIZE - used, " (%.120s)", workload_text(workload, it->model));
    if (it->batch > 0)
        used += (size_t)snprintf(text + used, GROUP_NAME_SIZE - used, ", batch %lld", (long long)it->batch);
    if (workload->device_count > 1)
        snprintf(text + used, GROUP_NAME_SIZE - used, ", device %lld", (long long)workload->devices[it->device].id);
}

void splits_release(struct splits *splits)
{
    free(splits->items);
    free(splits->groups.items);
    free(splits->devices);
    if (splits->cuts != NULL)
        free(splits->cuts->items);
    free(splits->cuts);
    *splits = (struct splits){.items = NULL};
}

/* Whether something of a stretch was not recorded; *cursor as intervals_length_within has it. */
static bool is_dark(const struct workload *workload, uint16_t device, int64_t from_ns, int64_t until_ns, size_t *cursor)
{
    return workload->unrecorded != NULL &&
           intervals_length_within(&workload->unrecorded[device], from_ns, until_ns, cursor) > 0;
}

static int keep_gap(struct gaps *gaps, struct gap gap, int64_t start_ns, int64_t end_ns, struct err *err)
{
    int status = end_ns > start_ns ? array_reserve(gaps, 1, err) : 0;

    gap.start_ns = start_ns;
    gap.end_ns = end_ns;
    if (status == 0 && end_ns > start_ns)
        gaps->items[gaps->count++] = gap;
    return status;
}

/* What other tasks leave of a stretch between two executions; *cursor is where to look first. */
static int add_gap(const struct workload *workload, uint16_t device, const struct gap *gap, size_t *cursor,
                   struct gaps *gaps, struct err *err)
{
    const struct intervals none = {.items = NULL},
                           *others = workload->others != NULL ? &workload->others[device] : &none;
    int64_t now_ns = gap->start_ns;
    int status = 0;

    while (*cursor < others->count && others->items[*cursor].end_ns <= now_ns)
        (*cursor)++;
    for (size_t i = *cursor; status == 0 && i < others->count && others->items[i].start_ns < gap->end_ns; i++) {
        status = keep_gap(gaps, *gap, now_ns, others->items[i].start_ns, err);
        now_ns = others->items[i].end_ns;
    }
    return status == 0 ? keep_gap(gaps, *gap, now_ns, gap->end_ns, err) : status;
}

int gaps_make(const struct workload *workload, struct gaps *ret, struct err *err)
{
    const struct execution *last = NULL; /* the one that ends last so far */
    size_t cursor = 0, others = 0;
    int status = 0;

    *ret = (struct gaps){.items = NULL};
    for (size_t i = 0; status == 0 && i < workload->execution_count; i++) {
        const struct execution *execution = &workload->executions[i];
        int64_t end_ns = last != NULL ? last->start_ns + last->duration_ns : 0;

        if (last == NULL || last->device != execution->device)
            cursor = others = 0;
        else if (execution->start_ns > end_ns &&
                 !is_dark(workload, execution->device, end_ns, execution->start_ns, &cursor)) {
            const struct gap gap = {end_ns, execution->start_ns, (uint32_t)(last - workload->executions), (uint32_t)i};
            status = add_gap(workload, execution->device, &gap, &others, ret, err);
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
