/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/splits.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/statistics.h"
#include "base/ticks.h"

#include <stdio.h>
#include <stdlib.h>

enum { COMPUTING, COMMUNICATING, COPYING, BUSY, EXPOSED, COPIES, DARK, LISTS };

/* Only where there is more than computing: else that is all the device did. COPIES is what copies add to computing and
 * communication: the parts of a division exclude each other. */
static int unite_busy(struct intervals *lists, const struct intervals *others, struct err *err)
{
    SCOPED(intervals_release) struct intervals work = {.items = NULL};
    SCOPED(intervals_release) struct intervals rest = {.items = NULL};
    bool failed = intervals_join(&lists[COMPUTING], &lists[COMMUNICATING], &work, err) < 0 ||
                  intervals_subtract(&lists[COPYING], &work, &lists[COPIES], err) < 0 ||
                  intervals_join(others, &lists[COPYING], &rest, err) < 0 ||
                  intervals_join(&work, &rest, &lists[BUSY], err) < 0;

    return failed ? err_status(err) : 0;
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

    for (size_t i = from; i < until; i++) {
        const struct execution *execution = &workload->executions[i];
        large_pass(i);
        uint32_t work = workload->operators[execution->op].key.work;
        int kind = work == WORK_COMMUNICATION ? COMMUNICATING : work == WORK_COPY ? COPYING : COMPUTING;
        int64_t end_ns = execution->start_ns + execution->duration_ns;
        if (intervals_extend(&lists[kind], execution->start_ns, end_ns, err) < 0)
            return err_status(err);
    }
    if (intervals_subtract(&lists[COMMUNICATING], &lists[COMPUTING], &lists[EXPOSED], err) < 0)
        return err_status(err);
    return lists[COMMUNICATING].count + lists[COPYING].count + others->count > 0 ? unite_busy(lists, others, err) : 0;
}

/* A stretch whose bounds are ticks of the device's clock or, of the host's, nanoseconds. */
struct bounds {
    int64_t from_ns, until_ns, hz;
    bool tick;
    bool whole; /* of the device: what was not recorded is no part of it */
};

static void divide(struct division *ret, const struct bounds *in, const struct intervals *lists, size_t *cursors)
{
    const int64_t time_ns = interval_length(in->from_ns, in->until_ns);
    const struct length time = {in->tick ? ticks_of(in->hz, in->from_ns, time_ns) : 0, in->tick ? 0 : time_ns};
    struct length within[LISTS];

    for (size_t i = 0; i < LISTS; i++)
        within[i] = intervals_exact_within(i == BUSY ? busy_of(lists) : &lists[i], in->from_ns, in->until_ns,
                                           &cursors[i], in->hz, in->tick);
    struct length other = length_without(within[BUSY], within[COMPUTING]);
    other = length_without(length_without(other, within[EXPOSED]), within[COPIES]);
    const struct length free = length_without(length_without(time, within[BUSY]), within[DARK]);
    *ret = (struct division){
        .time_ns = length_ns(time, in->hz),
        .computing_ns = length_ns(within[COMPUTING], in->hz),
        .communication_ns = length_ns(within[COMMUNICATING], in->hz),
        .exposed_ns = length_ns(within[EXPOSED], in->hz),
        .copy_ns = length_ns(within[COPIES], in->hz),
        .other_ns = length_ns(other, in->hz),
        .busy_ns = length_ns(within[BUSY], in->hz),
        .free_ns = length_ns(free, in->hz),
        .partly = within[DARK].ticks != 0 || within[DARK].ns != 0,
    };
    if (in->whole)
        ret->time_ns = length_ns(length_without(time, within[DARK]), in->hz);
}

/* The recorded time of a device: from the first start to the last end of what programs launched, and of its executions.
 * What the collection's start cuts begins with it in the bounds, and copies do not begin before them. */
struct stretch {
    int64_t start_ns, end_ns;
};

static size_t first_operator(const struct workload *workload, size_t from, size_t until)
{
    while (from < until && workload->operators[workload->executions[from].op].key.work == WORK_COPY)
        large_pass(from++);
    return from;
}

static struct stretch stretch_of(const struct workload *workload, uint16_t device, size_t from, size_t until)
{
    struct stretch stretch = {INT64_MAX, INT64_MIN};

    for (size_t i = from; i < until; i++) {
        int64_t end_ns = workload->executions[i].start_ns + workload->executions[i].duration_ns;
        large_pass(i);
        if (end_ns > stretch.end_ns)
            stretch.end_ns = end_ns;
    }
    bool bounded = false;
    for (size_t i = 0; from < until && i < workload->bounds.count; i++) {
        const struct workload_bounds *bounds = &workload->bounds.items[i];
        if (bounds->device_id != workload->devices[device].id)
            continue;
        bounded = true;
        stretch.start_ns = bounds->start_ns < stretch.start_ns ? bounds->start_ns : stretch.start_ns;
        stretch.end_ns = bounds->end_ns > stretch.end_ns ? bounds->end_ns : stretch.end_ns;
    }
    const size_t first = bounded ? first_operator(workload, from, until) : from;
    if (first < until && workload->executions[first].start_ns < stretch.start_ns)
        stretch.start_ns = workload->executions[first].start_ns;
    return stretch;
}

static bool is_of(const struct split_group *group, const struct split *split)
{
    const struct workload_step *step = split->step;

    return group->device == split->device &&
           (step == NULL || (group->source == step->source && group->model_id == step->model_id &&
                             group->batch == step->batch && group->model == step->model && group->kind == step->kind));
}

static int add_to_group(struct splits *splits, struct split *split, struct err *err)
{
    const struct workload_step *step = split->step;
    size_t g = splits->groups.count;

    while (g > 0 && !is_of(&splits->groups.items[g - 1], split))
        g--;
    if (g == 0) {
        if (array_reserve(&splits->groups, 1, err) < 0)
            return err_status(err);
        splits->groups.items[splits->groups.count] = (struct split_group){.device = split->device, .model = NO_TEXT};
        g = ++splits->groups.count;
        if (step != NULL)
            splits->groups.items[g - 1] = (struct split_group){.device = split->device,
                                                               .source = step->source,
                                                               .model_id = step->model_id,
                                                               .batch = step->batch,
                                                               .model = step->model,
                                                               .kind = step->kind};
    }
    split->group = g - 1;
    splits->groups.items[g - 1].count++;
    return 0;
}

/* cursors: as intervals_length_within has them, for steps by their starts. */
static int add_split(struct splits *splits, const struct workload_step *step, const struct stretch *recorded,
                     uint16_t device, int64_t hz, const struct intervals *lists, size_t *cursors, struct err *err)
{
    if (large_reserve(splits, 1, err) < 0)
        return err_status(err);
    struct split *split = &splits->items[splits->count++];
    *split = (struct split){
        .step = step,
        .start_ns = step != NULL ? step->start_ns : recorded->start_ns,
        .end_ns = step != NULL ? step->end_ns : recorded->end_ns,
        .device = device,
        .period = {.time_ns = NO_PERIOD},
    };
    split->outside = split->end_ns <= recorded->start_ns || split->start_ns > recorded->end_ns;
    struct bounds bounds = {
        .from_ns = split->start_ns, .until_ns = split->end_ns, .hz = hz, .tick = split_is_of_device(split)};
    divide(&split->own, &bounds, lists, cursors);
    if (step != NULL && step->period_ns != NO_PERIOD) {
        bounds.until_ns = split->start_ns + step->period_ns;
        divide(&split->period, &bounds, lists, cursors);
    }
    return add_to_group(splits, split, err);
}

static void add_division(struct division *sum, const struct division *part)
{
    sum->time_ns += part->time_ns;
    sum->computing_ns += part->computing_ns;
    sum->communication_ns += part->communication_ns;
    sum->exposed_ns += part->exposed_ns;
    sum->copy_ns += part->copy_ns;
    sum->other_ns += part->other_ns;
    sum->busy_ns += part->busy_ns;
    sum->free_ns += part->free_ns;
}

/* The executions of one device, which may be none, and its steps. */
static int split_device(const struct workload *workload, uint16_t device, size_t from, size_t until,
                        struct splits *splits, struct err *err)
{
    struct intervals lists[LISTS] = {{.items = NULL}};
    size_t cursors[LISTS] = {0}, whole[LISTS] = {0};
    const struct stretch recorded = stretch_of(workload, device, from, until);
    const int64_t hz = workload->devices[device].hz;
    struct division *time = &splits->devices[device];
    int status = unite_device(workload, device, from, until, lists, err);

    if (status == 0 && workload->unrecorded != NULL)
        status = intervals_subtract(&workload->unrecorded[device], busy_of(lists), &lists[DARK], err);
    if (status == 0 && from < until) {
        const struct bounds bounds = {recorded.start_ns, recorded.end_ns, hz, .tick = true, .whole = true};
        divide(time, &bounds, lists, whole);
        add_division(&splits->all, time);
    }
    for (size_t i = 0; status == 0 && i < workload->step_count; i++) {
        large_pass(i);
        if (workload->steps[i].device == device)
            status = add_split(splits, &workload->steps[i], &recorded, device, hz, lists, cursors, err);
    }
    if (status == 0 && workload->step_count == 0 && time->busy_ns > 0)
        status = add_split(splits, NULL, &recorded, device, hz, lists, cursors, err);
    for (size_t i = 0; i < LISTS; i++)
        intervals_release(&lists[i]);
    return status;
}

/* Steps that are longer than median + 5 scales, from the first of a group on. With fewer than 4 steps nothing is known.
 * times is room for all. */
static int mark_warmup(const struct workload *workload, struct splits *splits, size_t group, int64_t *times,
                       struct err *err)
{
    struct series series;
    const size_t count = splits->groups.items[group].count;
    size_t most = count / 4;

    if (most == 0)
        return 0;
    for (size_t k = 0; k < count; large_pass(k++))
        times[k] = splits->items[splits_member(splits, group, k)].own.time_ns;
    int status = series_make(&series, times, count, splits_hz(workload, splits, group), err);
    double limit = series.median + 5 * series_scale(&series, series.median / 1000);
    for (size_t k = 0; status == 0 && most > 0 && k < count; large_pass(k++)) {
        struct split *split = &splits->items[splits_member(splits, group, k)];
        split->warmup = (double)split->own.time_ns > limit;
        most = split->warmup ? most - 1 : 0;
    }
    series_release(&series);
    return status;
}

static void count_completed(struct split_group *group, const struct split *split, bool counts)
{
    struct throughput *it = &group->throughput;

    it->lost = it->lost || (split->step != NULL && split->step->lost_behind);
    if (!counts)
        return;
    it->start_ns = it->steps == 0 || split->start_ns < it->start_ns ? split->start_ns : it->start_ns;
    it->end_ns = it->steps == 0 || split->end_ns > it->end_ns ? split->end_ns : it->end_ns;
    it->steps++;
    it->pieces += group->batch > 0 ? group->batch : 1;
}

double splits_fps(const struct throughput *throughput)
{
    int64_t time_ns = throughput->steps > 0 ? interval_length(throughput->start_ns, throughput->end_ns) : 0;

    return time_ns > 0 && !throughput->lost ? 1e9 * (double)throughput->pieces / (double)time_ns : -1;
}

struct throughput splits_throughput(const struct splits *splits)
{
    struct throughput all = {.steps = 0};

    for (size_t g = 0; g < splits->groups.count; g++) {
        const struct throughput *it = &splits->groups.items[g].throughput;
        if (splits->groups.items[g].source != splits->source || splits->whole)
            continue;
        all.lost = all.lost || it->lost;
        if (it->steps == 0)
            continue;
        all.start_ns = all.steps == 0 || it->start_ns < all.start_ns ? it->start_ns : all.start_ns;
        all.end_ns = all.steps == 0 || it->end_ns > all.end_ns ? it->end_ns : all.end_ns;
        all.steps += it->steps;
        all.pieces += it->pieces;
    }
    return all;
}

static void count_groups(struct splits *splits)
{
    /* all of them first: whether those outside count depends on how many there are */
    for (size_t g = 0; g < splits->groups.count && !splits->whole; g++)
        if (splits->groups.items[g].source == splits->source)
            splits->steps += splits->groups.items[g].count;
    for (size_t i = 0; i < splits->count; i++) {
        large_pass(i);
        struct split_group *group = &splits->groups.items[splits->items[i].group];
        bool counts = splits_counts(splits, i), leads = group->source == splits->source;
        group->counts += counts;
        group->periods += counts && splits->items[i].period.time_ns != NO_PERIOD;
        count_completed(group, &splits->items[i], counts);
        splits->warmup += leads && splits->items[i].warmup;
    }
}

static int find_members(struct splits *splits, struct err *err)
{
    size_t first = 0;

    splits->members = large_new(splits->count + 1, sizeof *splits->members, err);
    if (splits->members == NULL)
        return err_status(err);
    for (size_t g = 0; g < splits->groups.count; g++) {
        first += splits->groups.items[g].count;
        splits->groups.items[g].first = first;
    }
    for (size_t i = splits->count; i-- > 0;) { /* from the last on: each begin is moved to that of its group */
        large_pass(i);
        splits->members[--splits->groups.items[splits->items[i].group].first] = i;
    }
    return 0;
}

int splits_make(const struct workload *workload, struct splits *ret, struct err *err)
{
    SCOPED_FREE int64_t *times = NULL;
    size_t from = 0, until = 0;
    int status = 0;

    if (workload->splits != NULL) {
        *ret = *workload->splits;
        ret->borrowed = true;
        return 0;
    }
    *ret = (struct splits){.whole = workload->step_count == 0, .source = workload->step_source};
    ret->devices = calloc(workload->device_count + 1, sizeof *ret->devices);
    if (ret->devices == NULL)
        return err_no_memory(err);
    for (uint16_t device = 0; status == 0 && device < workload->device_count; device++, from = until) {
        while (until < workload->execution_count && workload->executions[until].device == device)
            large_pass(until++);
        status = split_device(workload, device, from, until, ret, err);
    }
    if (status == 0)
        status = find_members(ret, err);
    for (size_t i = 0; i < ret->count; large_pass(i++))
        ret->inside += !ret->items[i].outside && ret->groups.items[ret->items[i].group].source == ret->source;
    if (status == 0 && (times = scoped_memory(ret->count + 1, sizeof *times)) == NULL)
        status = err_no_memory(err);
    for (size_t g = 0; status == 0 && !ret->whole && g < ret->groups.count; g++)
        status = mark_warmup(workload, ret, g, times, err);
    if (status == 0)
        status = splits_find_cuts(workload, ret, err);
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
    return splits->items[i].warmup && !splits->warm_counts;
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

    return splits->devices[split->device].time_ns > 0 && !split->outside && !split->cut && !division->partly;
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

/* Whether split i has a value of this measure, and which. */
static bool measure_of(const struct splits *splits, size_t i, enum measure measure, int64_t *ret)
{
    const struct split *split = &splits->items[i];
    const struct division *stretch = splits_stretch(splits, i);
    bool counts = splits_counts(splits, i);

    if (measure == MEASURE_EXPOSED && stretch == NULL && splits->groups.items[split->group].periods == 0)
        stretch = &split->own;
    switch (measure) {
    case MEASURE_STEP:
        *ret = split->own.time_ns;
        return !splits_is_warmup(splits, i);
    case MEASURE_DEVICE_BUSY:
        *ret = split->own.busy_ns;
        return counts;
    case MEASURE_PERIOD:
        *ret = split->period.time_ns;
        return !splits_is_warmup(splits, i) && *ret != NO_PERIOD;
    case MEASURE_BUSY:
        *ret = stretch != NULL ? stretch->busy_ns : 0;
        return counts && stretch != NULL;
    case MEASURE_FREE:
        *ret = stretch != NULL ? stretch->free_ns : 0;
        return counts && stretch != NULL;
    default:
        *ret = stretch != NULL ? stretch->exposed_ns : 0;
        return counts && stretch != NULL;
    }
}

int splits_series(const struct workload *workload, const struct splits *splits, size_t group, enum measure measure,
                  int64_t *values, struct series *ret, struct err *err)
{
    size_t n = 0;

    for (size_t k = 0; k < splits->groups.items[group].count; large_pass(k++))
        n += measure_of(splits, splits_member(splits, group, k), measure, &values[n]);
    return series_make(ret, values, n, splits_hz(workload, splits, group), err);
}

size_t splits_longest_group(const struct splits *splits)
{
    size_t longest = SIZE_MAX;
    double most = 0;

    for (size_t g = 0; g < splits->groups.count; g++) {
        double sum = 0;
        for (size_t k = 0; k < splits->groups.items[g].count; large_pass(k++)) {
            const size_t i = splits_member(splits, g, k);
            sum += splits_counts(splits, i) ? (double)splits->items[i].own.time_ns : 0;
        }
        if (splits->groups.items[g].source == splits->source && sum > most) {
            most = sum;
            longest = g;
        }
    }
    return longest;
}

double splits_step_ns(const struct splits *splits, size_t group)
{
    double sum = 0, count = 0;

    if (group == SIZE_MAX)
        return 0;
    const bool periods = splits->groups.items[group].periods > 0;
    for (size_t k = 0; k < splits->groups.items[group].count; large_pass(k++)) {
        const size_t i = splits_member(splits, group, k);
        const struct split *split = &splits->items[i];
        if (!splits_counts(splits, i) || (periods && split->period.time_ns == NO_PERIOD))
            continue;
        sum += (double)(periods ? &split->period : &split->own)->time_ns;
        count++;
    }
    return count > 0 ? sum / count : 0;
}

void splits_group_name(const struct workload *workload, const struct splits *splits, size_t group,
                       char text[GROUP_NAME_SIZE])
{
    const struct split_group *it = &splits->groups.items[group];
    size_t used = (size_t)snprintf(text, GROUP_NAME_SIZE, "%s", step_source_name((enum step_source)it->source));

    if ((it->source == STEPS_INFERENCES || it->source == STEPS_ITERATIONS) && it->model_id != STEP_OF_NO_MODEL)
        used += (size_t)snprintf(text + used, GROUP_NAME_SIZE - used, " of model %lld", (long long)it->model_id);
    if (it->model != NO_TEXT && used < GROUP_NAME_SIZE / 2)
        used += (size_t)snprintf(text + used, GROUP_NAME_SIZE - used, " (%.120s)", workload_text(workload, it->model));
    if (it->kind > 0)
        used += (size_t)snprintf(text + used, GROUP_NAME_SIZE - used, " (%.120s)",
                                 workload_text(workload, workload->kinds.items[it->kind - 1]));
    if (it->batch > 0)
        used += (size_t)snprintf(text + used, GROUP_NAME_SIZE - used, ", batch %lld", (long long)it->batch);
    if (workload->device_count > 1)
        snprintf(text + used, GROUP_NAME_SIZE - used, ", device %lld", (long long)workload->devices[it->device].id);
}

void splits_release(struct splits *splits)
{
    if (!splits->borrowed) {
        large_free(splits->items);
        large_free(splits->members);
        free(splits->groups.items);
        free(splits->devices);
        if (splits->cuts != NULL)
            free(splits->cuts->items);
        free(splits->cuts);
    }
    *splits = (struct splits){.items = NULL};
}
