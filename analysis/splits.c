/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/splits.h"

#include "analysis/compare/statistics.h"
#include "base/array.h"
#include "base/file/large.h"
#include "base/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* All steps by lane, each lane by start: the steps of one model with one batch and input on one device. */
struct relating {
    struct workload *workload;
    uint32_t *order; /* steps */
    size_t count;
    int64_t *numbers; /* room for those of a lane */
    int64_t interval;
    bool irregular;
    bool overlap; /* steps of the model that is related run beside each other */
};

static const struct workload_step *step_of(const struct relating *relating, size_t place)
{
    return &relating->workload->steps[relating->order[place]];
}

/* Orders by model and device; steps of other families have none. */
ARRAY_COMPARE(compare_models, struct workload_step, ARRAY_BY(device), ARRAY_BY(source), ARRAY_BY(model_id),
              ARRAY_BY(model))

ARRAY_COMPARE(compare_lanes, struct workload_step, compare_models(left, right), ARRAY_BY(batch), ARRAY_BY(input))

static int by_lane(const void *a, const void *b, void *arg)
{
    const struct workload_step *steps = arg, *x = &steps[*(const uint32_t *)a], *y = &steps[*(const uint32_t *)b];

    return ARRAY_ORDERS(compare_lanes(x, y), array_order(x->start_ns, y->start_ns), array_order(x, y));
}

/* ---- what the calls say ---- */

ARRAY_COMPARE(by_start, struct execute_start, ARRAY_BY(device_id), ARRAY_BY(model_id), ARRAY_BY(model),
              ARRAY_BY(start_ns))

static bool starts_before(const void *item, const void *key)
{
    return by_start(item, key) < 0;
}

/* The calls of one model on one device, by start. */
struct model_calls {
    const struct execute_start *items;
    size_t count;
};

static struct model_calls calls_of(const struct workload *workload, const struct workload_step *step)
{
    const struct execute_start wanted = {workload->devices[step->device].id, step->model_id, step->model, INT64_MIN, 0};
    const struct execute_start *items = workload->execute_starts.items;
    size_t low = search_by(items, workload->execute_starts.count, sizeof *items, starts_before, &wanted), end;

    for (end = low; end < workload->execute_starts.count && items[end].device_id == wanted.device_id &&
                    items[end].model_id == wanted.model_id && items[end].model == wanted.model;)
        end++;
    return (struct model_calls){items != NULL ? items + low : NULL, end - low};
}

/* How many calls begin at a time or before. */
static size_t begun(const struct model_calls *calls, int64_t time_ns)
{
    return search_until(calls->items, calls->count, sizeof *calls->items, offsetof(struct execute_start, start_ns),
                        time_ns);
}

/* So many calls run at the same time: by so many their number may differ from that of the inferences of a stretch. */
static size_t most_at_once(const struct model_calls *calls)
{
    int64_t latest_ns = INT64_MIN;
    size_t run = 0, most = 1;

    for (size_t i = 0; i < calls->count; i++) {
        run = calls->items[i].start_ns < latest_ns ? run + 1 : 1;
        most = run > most ? run : most;
        latest_ns = calls->items[i].end_ns > latest_ns ? calls->items[i].end_ns : latest_ns;
    }
    return most < 16 ? most : 16;
}

/* Calls for each inference that was recorded, of the stretch that the log of calls covers; 0: they do not say it. */
static double calls_each(const struct relating *relating, const struct model_calls *calls, size_t from, size_t until)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    size_t recorded = 0;

    for (size_t i = from; i < until && calls->count > 0; i++) {
        int64_t start_ns = step_of(relating, i)->start_ns;
        if (start_ns < calls->items[0].start_ns)
            continue;
        recorded++;
        first_ns = start_ns < first_ns ? start_ns : first_ns;
        last_ns = start_ns > last_ns ? start_ns : last_ns;
    }
    if (recorded < 2)
        return 0;
    size_t made = begun(calls, last_ns) - begun(calls, first_ns), slack = most_at_once(calls) + 1;
    recorded--;
    if (2 * made >= 3 * recorded && made > recorded + slack)
        return (double)made / (double)recorded;
    return recorded >= 4 && made + slack >= recorded && made <= recorded + slack ? 1 : 0;
}

/* ---- lanes ---- */

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Sorts the numbers of a lane, each once; ret: what all distances between them are multiples of. */
static size_t take_numbers(struct relating *relating, size_t from, size_t until, int64_t *ret)
{
    size_t count = 0;

    for (size_t i = from; i < until; i++)
        relating->numbers[i - from] = step_of(relating, i)->number;
    array_sort(relating->numbers, until - from, sizeof *relating->numbers, array_compare_numbers);
    *ret = 0;
    for (size_t i = 0; i < until - from; i++) {
        if (count > 0 && relating->numbers[i] == relating->numbers[count - 1])
            continue;
        relating->numbers[count++] = relating->numbers[i];
        if (count > 1)
            *ret = common_divisor(interval_length(relating->numbers[count - 2], relating->numbers[count - 1]), *ret);
    }
    return count;
}

static size_t rank_of(const int64_t *sorted, size_t count, int64_t number)
{
    return search_from(sorted, count, sizeof *sorted, 0, number);
}

struct lane {
    size_t from, until, numbers;
    int64_t unit;  /* by so much the number grows from one inference to the next */
    bool by_calls; /* the numbers are of those that were recorded: calls tell what lies between */
    const struct model_calls *calls;
};

/* How many steps lie between two that follow each other in a lane, and were not recorded. */
static int64_t missing_between(const struct relating *relating, const struct lane *lane, const struct workload_step *x,
                               const struct workload_step *y)
{
    if (lane->by_calls) {
        size_t made = begun(lane->calls, y->start_ns) - begun(lane->calls, x->start_ns);
        return made > 1 ? (int64_t)made - 1 : 0;
    }
    int64_t low = x->number < y->number ? x->number : y->number, high = x->number < y->number ? y->number : x->number;
    int64_t ranks =
        (int64_t)(rank_of(relating->numbers, lane->numbers, high) - rank_of(relating->numbers, lane->numbers, low));
    int64_t missing = interval_length(low, high) / lane->unit - ranks;
    return missing > 0 ? missing : 0;
}

static int add_unrecorded(struct workload *workload, const struct workload_step *x, const struct workload_step *y,
                          struct err *err)
{
    return y->work_start_ns > x->work_end_ns
               ? intervals_add(&workload->unrecorded[x->device], x->work_end_ns, y->work_start_ns, err)
               : 0;
}

static int relate_lane(struct relating *relating, const struct lane *lane, struct err *err)
{
    struct workload *workload = relating->workload;
    bool inferences = step_of(relating, lane->from)->source == STEPS_INFERENCES;
    int status = 0;

    for (size_t i = lane->from; status == 0 && i + 1 < lane->until; i++) {
        struct workload_step *x = &workload->steps[relating->order[i]];
        const struct workload_step *y = step_of(relating, i + 1);
        int64_t missing = missing_between(relating, lane, x, y);
        x->lost_behind = inferences && missing > 0;
        if (missing == 0) {
            x->period_ns = relating->overlap ? NO_PERIOD : interval_length(x->start_ns, y->start_ns);
        } else if (inferences) {
            workload->facts.unrecorded += missing;
            status = add_unrecorded(workload, x, y, err);
        }
        if (!inferences)
            continue;
        relating->irregular = relating->irregular || (relating->interval != 0 && relating->interval != missing + 1);
        relating->interval = missing + 1;
    }
    return status;
}

/* By how much the number of a lane's inferences grows: by one picture, or by those of a batch; where the calls say how
 * many were made, by what fits to that. */
static void find_unit(struct lane *lane, const struct workload_step *step, int64_t divisor, double calls)
{
    lane->unit = 1;
    if (step->source != STEPS_INFERENCES || divisor == 0)
        return;
    if (calls > 0) {
        int64_t unit = (int64_t)((double)divisor / calls + 0.5);
        lane->unit = unit > 1 ? unit : 1;
        lane->by_calls = 3 * (double)divisor < 2 * calls;
    } else if (step->batch > 1 && divisor % step->batch == 0) {
        lane->unit = step->batch;
    }
}

ARRAY_COMPARE(compare_intervals, struct interval, ARRAY_BY(start_ns), ARRAY_BY(end_ns))

/* Whether any of these steps begins before another one has ended, whatever their batches and inputs. Steps that a
 * program or its framework marks follow each other, though a device is late with the last of one. */
static int find_overlap(struct relating *relating, size_t from, size_t until, struct err *err)
{
    const uint8_t source = step_of(relating, from)->source;

    relating->overlap = false;
    if (source == STEPS_MARKED || source == STEPS_FRAMEWORK)
        return 0;
    struct interval *steps = large_new(until - from, sizeof *steps, err);

    if (steps == NULL)
        return err_status(err);
    for (size_t i = from; i < until; i++)
        steps[i - from] = (struct interval){step_of(relating, i)->start_ns, step_of(relating, i)->end_ns};
    array_sort(steps, until - from, sizeof *steps, compare_intervals);
    for (size_t i = 1; i < until - from && !relating->overlap; i++)
        relating->overlap = steps[i].start_ns < steps[i - 1].end_ns;
    large_free(steps);
    return 0;
}

/* The steps of one model on one device. */
static int relate_model(struct relating *relating, size_t from, size_t until, struct err *err)
{
    const struct workload_step *first = step_of(relating, from);
    const struct model_calls calls = calls_of(relating->workload, first);
    double each = first->source == STEPS_INFERENCES ? calls_each(relating, &calls, from, until) : 0;
    int status = find_overlap(relating, from, until, err);

    if (first->source == STEPS_INFERENCES && until - from == 1 && calls.count > 1) { /* nothing stands beside it */
        relating->workload->steps[relating->order[from]].lost_behind = true;
        relating->workload->facts.unrecorded += (int64_t)calls.count - 1;
        relating->irregular = relating->irregular || relating->interval > 0;
        relating->interval = (int64_t)calls.count;
    }
    for (size_t at = from, end; status == 0 && at < until; at = end) {
        struct lane lane = {.from = at, .calls = &calls};
        int64_t divisor;
        for (end = at + 1; end < until && compare_lanes(step_of(relating, at), step_of(relating, end)) == 0;)
            end++;
        lane.until = end;
        lane.numbers = take_numbers(relating, at, end, &divisor);
        find_unit(&lane, step_of(relating, at), divisor, each);
        status = relate_lane(relating, &lane, err);
    }
    return status;
}

static int relate_all(struct relating *relating, struct err *err)
{
    struct workload *workload = relating->workload;
    int status = 0;

    for (size_t i = 0; i < relating->count; i++) {
        relating->order[i] = (uint32_t)i;
        workload->facts.recorded += workload->steps[i].source == STEPS_INFERENCES;
    }
    qsort_r(relating->order, relating->count, sizeof *relating->order, by_lane, workload->steps);
    for (size_t from = 0, until; status == 0 && from < relating->count; from = until) {
        for (until = from + 1;
             until < relating->count && compare_models(step_of(relating, from), step_of(relating, until)) == 0;)
            until++;
        status = relate_model(relating, from, until, err);
    }
    for (size_t i = 0; i < workload->device_count; i++)
        intervals_unite(&workload->unrecorded[i]);
    workload->facts.interval = relating->irregular ? 0 : relating->interval;
    return status;
}

int splits_relate_steps(struct workload *workload, struct err *err)
{
    struct relating relating = {.workload = workload, .count = workload->step_count};
    bool failed = false;

    if (workload->step_count > UINT32_MAX)
        return err_set(err, ERR_LIMIT, "more than %u steps", UINT32_MAX);
    workload->unrecorded = calloc(workload->device_count + 1, sizeof *workload->unrecorded);
    relating.order = calloc(workload->step_count + 1, sizeof *relating.order);
    relating.numbers = calloc(workload->step_count + 1, sizeof *relating.numbers);
    if (workload->unrecorded == NULL || relating.order == NULL || relating.numbers == NULL)
        failed = err_set(err, ERR_NO_MEMORY, "out of memory for %zu steps", workload->step_count) < 0;
    array_sort(workload->execute_starts.items, workload->execute_starts.count, sizeof *workload->execute_starts.items,
               by_start);
    for (size_t i = 0; workload->facts.placed && i < workload->step_count; i++)
        workload->steps[i].lost_behind = true;
    failed = failed || (!workload->facts.placed && relate_all(&relating, err) < 0);
    free(relating.order);
    free(relating.numbers);
    return failed ? err_status(err) : 0;
}

int64_t split_end_ns(const struct split *split)
{
    const struct workload_step *step = split->step;

    if (split->period.time_ns != NO_PERIOD)
        return split->start_ns + split->period.time_ns;
    if (step != NULL && step->source == STEPS_RANGES)
        return INT64_MAX;
    return step != NULL && step->work_end_ns > split->end_ns ? step->work_end_ns : split->end_ns;
}

struct execution_run split_executions(const struct workload *workload, const struct split *split)
{
    size_t first = workload_first_at(workload, split->device, split->start_ns);
    size_t end = workload_first_at(workload, split->device, split_end_ns(split));

    return (struct execution_run){first, end > first ? end - first : 0};
}

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

static void divide(struct division *ret, int64_t from, int64_t until, const struct intervals *lists, size_t *cursors)
{
    ret->time_ns = interval_length(from, until);
    ret->computing_ns = intervals_length_within(&lists[COMPUTING], from, until, &cursors[COMPUTING]);
    ret->communication_ns = intervals_length_within(&lists[COMMUNICATING], from, until, &cursors[COMMUNICATING]);
    ret->exposed_ns = intervals_length_within(&lists[EXPOSED], from, until, &cursors[EXPOSED]);
    ret->copy_ns = intervals_length_within(&lists[COPIES], from, until, &cursors[COPIES]);
    ret->busy_ns = intervals_length_within(busy_of(lists), from, until, &cursors[BUSY]);
    ret->free_ns = ret->time_ns - ret->busy_ns - intervals_length_within(&lists[DARK], from, until, &cursors[DARK]);
}

/* The recorded time of a device: from its first execution to the end of its last. Other tasks do not widen it: some are
 * logged long before a program runs its operators, and when the log of operators is full. */
struct stretch {
    int64_t start_ns, end_ns;
};

static struct stretch stretch_of(const struct workload *workload, size_t from, size_t until)
{
    struct stretch stretch = {INT64_MAX, INT64_MIN};

    for (size_t i = from; i < until; i++) {
        int64_t end_ns = workload->executions[i].start_ns + workload->executions[i].duration_ns;
        large_pass(i);
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
        if (array_reserve(&splits->groups, 1, err) < 0)
            return err_status(err);
        splits->groups.items[splits->groups.count] = (struct split_group){.device = split->device, .model = NO_TEXT};
        g = ++splits->groups.count;
        if (step != NULL)
            splits->groups.items[g - 1] = (struct split_group){.device = split->device,
                                                               .source = step->source,
                                                               .model_id = step->model_id,
                                                               .batch = step->batch,
                                                               .model = step->model};
    }
    split->group = g - 1;
    splits->groups.items[g - 1].count++;
    return 0;
}

/* cursors: as intervals_length_within has them, for steps by their starts. */
static int add_split(struct splits *splits, const struct workload_step *step, const struct stretch *recorded,
                     uint16_t device, const struct intervals *lists, size_t *cursors, struct err *err)
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
    for (size_t i = 0; status == 0 && i < workload->step_count; i++) {
        large_pass(i);
        if (workload->steps[i].device == device)
            status = add_split(splits, &workload->steps[i], &recorded, device, lists, cursors, err);
    }
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
    for (size_t i = 0; i < splits->count; i++) {
        large_pass(i);
        if (splits->items[i].group == group)
            times[n++] = splits->items[i].own.time_ns;
    }
    int status = series_make(&series, times, n, err);
    double limit = series.median + 5 * series_scale(&series, series.median / 1000);
    for (size_t i = 0; status == 0 && most > 0 && i < splits->count; i++) {
        large_pass(i);
        if (splits->items[i].group != group)
            continue;
        splits->items[i].warmup = (double)splits->items[i].own.time_ns > limit;
        most = splits->items[i].warmup ? most - 1 : 0;
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
    for (size_t i = 0; i < splits->count; i++) {
        large_pass(i);
        struct split_group *group = &splits->groups.items[splits->items[i].group];
        bool counts = splits_counts(splits, i), leads = group->source == splits->source;
        group->counts += counts;
        group->periods += counts && splits->items[i].period.time_ns != NO_PERIOD;
        count_completed(group, &splits->items[i], counts);
        splits->warmup += leads && splits->items[i].warmup;
        splits->steps += leads && !splits->whole;
    }
}

/* By types: names may count through all steps. */
static bool is_same(const struct workload *workload, size_t x, size_t y, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct workload_key *a = &workload->operators[workload->executions[x + i].op].key;
        const struct workload_key *b = &workload->operators[workload->executions[y + i].op].key;
        if (a->type != b->type || a->work != b->work)
            return false;
    }
    return true;
}

/* The number of executions that most steps of a group have, if at least two do, and one of these steps. */
static size_t find_usual(const struct workload *workload, const struct splits *splits, size_t group,
                         struct execution_run *ret, int64_t *counts)
{
    size_t n = 0, best = 0, usual = 0;

    for (size_t i = 0; i < splits->count; i++) {
        large_pass(i);
        if (splits->items[i].group == group)
            counts[n++] = (int64_t)split_executions(workload, &splits->items[i]).count;
    }
    statistics_sort(counts, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && counts[end] == counts[i];)
            end++;
        if (counts[i] > 0 && end - i >= 2 && end - i >= best) {
            best = end - i;
            usual = (size_t)counts[i];
        }
    }
    for (size_t i = 0; usual > 0 && i < splits->count; i++) {
        large_pass(i);
        const struct execution_run run = split_executions(workload, &splits->items[i]);
        if (splits->items[i].group == group && run.count == usual) {
            *ret = run;
            return usual;
        }
    }
    return 0;
}

static int add_cut(struct cut_steps *cuts, const struct splits *splits, size_t i, enum cut_part part, size_t expected,
                   size_t seen, struct err *err)
{
    const struct split *split = &splits->items[i];
    return array_add(cuts, err,
                     (struct cut_step){split->device, split->step->source, split->step->number, split->start_ns, part,
                                       expected, seen, i});
}

/* Finds the first and the last step of a group of which something was recorded. */
static int find_in_group(const struct workload *workload, const struct splits *splits, size_t group, int64_t *counts,
                         struct cut_steps *cuts, struct err *err)
{
    struct execution_run usual = {0, 0};
    size_t expected = find_usual(workload, splits, group, &usual, counts), first = SIZE_MAX, last = SIZE_MAX;
    int status = 0;

    for (size_t i = 0; expected > 0 && i < splits->count; i++) {
        large_pass(i);
        if (splits->items[i].group != group || split_executions(workload, &splits->items[i]).count == 0)
            continue;
        first = first == SIZE_MAX ? i : first;
        last = i;
    }
    if (first == SIZE_MAX)
        return 0;
    const struct execution_run head = split_executions(workload, &splits->items[first]);
    if (head.count < expected && is_same(workload, head.first, usual.first + expected - head.count, head.count))
        status = add_cut(cuts, splits, first, CUT_HEAD, expected, head.count, err);
    const struct execution_run tail = split_executions(workload, &splits->items[last]);
    if (status == 0 && last != first && tail.count < expected && is_same(workload, tail.first, usual.first, tail.count))
        status = add_cut(cuts, splits, last, CUT_TAIL, expected, tail.count, err);
    return status;
}

/* Those of which a mark tells the begin alone. */
static int add_begun(const struct workload *workload, const struct splits *splits, int64_t *counts,
                     struct cut_steps *cuts, struct err *err)
{
    for (size_t i = 0; i < workload->begun.count; i++) {
        const struct workload_step *step = &workload->begun.items[i];
        struct execution_run usual = {0, 0};
        size_t expected = 0;
        for (size_t g = 0; expected == 0 && g < splits->groups.count; g++)
            if (splits->groups.items[g].device == step->device && splits->groups.items[g].source == step->source &&
                splits->groups.items[g].model_id == step->model_id)
                expected = find_usual(workload, splits, g, &usual, counts);
        if (array_reserve(cuts, 1, err) < 0)
            return err_status(err);
        cuts->items[cuts->count++] = (struct cut_step){step->device,
                                                       step->source,
                                                       step->number,
                                                       step->start_ns,
                                                       CUT_END,
                                                       expected,
                                                       workload_first_at(workload, step->device, INT64_MAX) -
                                                           workload_first_at(workload, step->device, step->start_ns),
                                                       SIZE_MAX};
    }
    return 0;
}

/* The first and the last step of a group whose executions are a tail, or a head, of what at least two others have; and
 * the steps that were begun and not ended. free(ret->items). */
static int cut_steps_find(const struct workload *workload, const struct splits *splits, struct cut_steps *ret,
                          struct err *err)
{
    SCOPED_FREE int64_t *counts = scoped_memory(splits->count + 1, sizeof *counts);
    int status = counts == NULL ? err_no_memory(err) : 0;

    *ret = (struct cut_steps){.items = NULL};
    for (size_t g = 0; status == 0 && !splits->whole && g < splits->groups.count; g++)
        if (splits->groups.items[g].source > STEPS_INFERENCES)
            status = find_in_group(workload, splits, g, counts, ret, err);
    if (status == 0)
        status = add_begun(workload, splits, counts, ret, err);
    if (status != 0) {
        free(ret->items);
        *ret = (struct cut_steps){.items = NULL};
    }
    return status;
}

static int find_cuts(const struct workload *workload, struct splits *splits, struct err *err)
{
    splits->cuts = calloc(1, sizeof *splits->cuts);
    if (splits->cuts == NULL)
        return err_no_memory(err);
    int status = cut_steps_find(workload, splits, splits->cuts, err);
    for (size_t i = 0; status == 0 && i < splits->cuts->count; i++)
        if (splits->cuts->items[i].split != SIZE_MAX)
            splits->items[splits->cuts->items[i].split].cut = true;
    return status;
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
    for (size_t i = 0; i < ret->count; large_pass(i++))
        ret->inside += !ret->items[i].outside && ret->groups.items[ret->items[i].group].source == ret->source;
    if (status == 0 && (times = scoped_memory(ret->count + 1, sizeof *times)) == NULL)
        status = err_no_memory(err);
    for (size_t g = 0; status == 0 && !ret->whole && g < ret->groups.count; g++)
        status = mark_warmup(ret, g, times, err);
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

int splits_series(const struct splits *splits, size_t group, enum measure measure, int64_t *values, struct series *ret,
                  struct err *err)
{
    size_t n = 0;

    for (size_t i = 0; i < splits->count; large_pass(i++))
        n += splits->items[i].group == group && measure_of(splits, i, measure, &values[n]);
    return series_make(ret, values, n, err);
}

size_t splits_longest_group(const struct splits *splits)
{
    size_t longest = SIZE_MAX;
    double most = 0;

    for (size_t g = 0; g < splits->groups.count; g++) {
        double sum = 0;
        for (size_t i = 0; i < splits->count; large_pass(i++))
            sum += splits->items[i].group == g && splits_counts(splits, i) ? (double)splits->items[i].own.time_ns : 0;
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
    for (size_t i = 0; i < splits->count; large_pass(i++)) {
        const struct split *split = &splits->items[i];
        if (split->group != group || !splits_counts(splits, i) || (periods && split->period.time_ns == NO_PERIOD))
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
    if (it->batch > 0)
        used += (size_t)snprintf(text + used, GROUP_NAME_SIZE - used, ", batch %lld", (long long)it->batch);
    if (workload->device_count > 1)
        snprintf(text + used, GROUP_NAME_SIZE - used, ", device %lld", (long long)workload->devices[it->device].id);
}

void splits_release(struct splits *splits)
{
    if (!splits->borrowed) {
        large_free(splits->items);
        free(splits->groups.items);
        free(splits->devices);
        if (splits->cuts != NULL)
            free(splits->cuts->items);
        free(splits->cuts);
    }
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
    int status = end_ns > start_ns ? large_reserve(gaps, 1, err) : 0;

    gap.start_ns = start_ns;
    gap.end_ns = end_ns;
    if (status == 0 && end_ns > start_ns)
        gaps->items[gaps->count++] = gap;
    return status;
}

/* Adds the time that other tasks leave of a stretch between two executions; *cursor is where to look first. */
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
        large_pass(i);
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
    large_free(gaps->items);
    *gaps = (struct gaps){.items = NULL};
}

void cut_step_text(const struct cut_step *cut, char text[CUT_TEXT_SIZE])
{
    static const char *const what[] = {[CUT_HEAD] = "its head was not recorded",
                                       [CUT_TAIL] = "its tail was not recorded",
                                       [CUT_END] = "it was begun, and its end is not marked"};
    size_t used = (size_t)snprintf(text, CUT_TEXT_SIZE, "step %" PRId64 " (%s): %s", cut->number,
                                   step_source_name((enum step_source)cut->source), what[cut->part]);

    if (cut->expected > 0)
        snprintf(text + used, CUT_TEXT_SIZE - used, ", %zu of %zu operators seen", cut->seen, cut->expected);
}

void cut_steps_text(const struct cut_steps *cuts, char text[CUT_STEPS_TEXT_SIZE])
{
    const size_t most = 5;
    char one[CUT_TEXT_SIZE];
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < cuts->count && i < most; i++) {
        cut_step_text(&cuts->items[i], one);
        used += (size_t)snprintf(text + used, CUT_STEPS_TEXT_SIZE - used, "%s%s", i > 0 ? "; " : "", one);
    }
    if (cuts->count > most)
        snprintf(text + used, CUT_STEPS_TEXT_SIZE - used, "; and %zu more", cuts->count - most);
}
