/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/splits.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/search.h"

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

    large_passed(1);
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

    for (size_t i = from; i < until; large_pass(i++))
        relating->numbers[i - from] = step_of(relating, i)->number;
    statistics_sort(relating->numbers, until - from);
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
    bool by_calls; /* the numbers are of those that were recorded: calls show what lies between */
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
        large_pass(i);
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
    for (size_t i = from; i < until; large_pass(i++))
        steps[i - from] = (struct interval){step_of(relating, i)->start_ns, step_of(relating, i)->end_ns};
    large_sort(steps, until - from, sizeof *steps, compare_intervals);
    for (size_t i = 1; i < until - from && !relating->overlap; large_pass(i++))
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
            large_pass(end++);
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

    bool sorted = true;
    for (size_t i = 0; i < relating->count; large_pass(i++)) {
        relating->order[i] = (uint32_t)i;
        workload->facts.recorded += workload->steps[i].source == STEPS_INFERENCES;
        sorted = sorted && (i == 0 || by_lane(&relating->order[i - 1], &relating->order[i], workload->steps) < 0);
    }
    if (!sorted)
        qsort_r(relating->order, relating->count, sizeof *relating->order, by_lane, workload->steps);
    for (size_t from = 0, until; status == 0 && from < relating->count; from = until) {
        for (until = from + 1;
             until < relating->count && compare_models(step_of(relating, from), step_of(relating, until)) == 0;)
            large_pass(until++);
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
    for (size_t i = 0; workload->facts.placed && i < workload->step_count; large_pass(i++))
        workload->steps[i].lost_behind = true;
    failed = failed || (!workload->facts.placed && relate_all(&relating, err) < 0);
    free(relating.order);
    free(relating.numbers);
    return failed ? err_status(err) : 0;
}
