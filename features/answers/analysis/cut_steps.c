/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/analysis/splits.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/statistics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool split_is_of_device(const struct split *split)
{
    return split->step == NULL || (split->step->source != STEPS_FRAMEWORK && split->step->source != STEPS_RANGES);
}

int64_t split_rate(const struct workload *workload, const struct split *split)
{
    return split_is_of_device(split) ? workload->devices[split->device].hz : TICKS_OF_NS;
}

int64_t splits_hz(const struct workload *workload, const struct splits *splits, size_t group)
{
    return splits->groups.items[group].count > 0
               ? ticks_hz(split_rate(workload, &splits->items[splits_member(splits, group, 0)]))
               : TICKS_OF_NS;
}

int64_t split_end_ns(const struct split *split)
{
    const struct workload_step *step = split->step;

    if (split->period.time_ns != NO_PERIOD) /* not its length in ticks, which can differ from that by a nanosecond */
        return split->start_ns + step->period_ns;
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

/* The executions of step k of a group. */
static struct execution_run run_of(const struct workload *workload, const struct splits *splits, size_t group, size_t k)
{
    large_pass(k);
    return split_executions(workload, &splits->items[splits_member(splits, group, k)]);
}

/* The number of executions that most steps of a group have, if at least two do, and one of these steps. counts: room
 * for the steps of a group. */
static size_t find_usual(const struct workload *workload, const struct splits *splits, size_t group, int64_t *counts,
                         struct execution_run *ret)
{
    const size_t n = splits->groups.items[group].count;
    size_t best = 0, usual = 0;

    for (size_t k = 0; k < n; k++)
        counts[k] = (int64_t)run_of(workload, splits, group, k).count;
    statistics_sort(counts, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && counts[end] == counts[i];)
            end++;
        if (counts[i] > 0 && end - i >= 2 && end - i >= best) {
            best = end - i;
            usual = (size_t)counts[i];
        }
    }
    for (size_t k = 0; usual > 0 && k < n; k++) {
        const struct execution_run run = run_of(workload, splits, group, k);
        if (run.count == usual) {
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
                     (struct cut_step){split->device, split->step->source, (int64_t)splits_place(splits, i),
                                       split->start_ns, part, expected, seen, i});
}

/* Finds the first and the last step of a group of which something was recorded. */
static int find_in_group(const struct workload *workload, const struct splits *splits, size_t group, int64_t *counts,
                         struct cut_steps *cuts, struct err *err)
{
    struct execution_run usual = {0, 0};
    size_t expected = find_usual(workload, splits, group, counts, &usual), first = SIZE_MAX, last = SIZE_MAX;
    int status = 0;

    for (size_t k = 0; expected > 0 && k < splits->groups.items[group].count; k++) {
        const size_t i = splits_member(splits, group, k);
        if (run_of(workload, splits, group, k).count == 0)
            continue;
        first = first == SIZE_MAX ? i : first;
        last = i;
    }
    if (first == SIZE_MAX)
        return 0;
    const struct execution_run head = split_executions(workload, &splits->items[first]);
    if (head.count < expected && (splits->items[first].step->begins_early ||
                                  is_same(workload, head.first, usual.first + expected - head.count, head.count)))
        status = add_cut(cuts, splits, first, CUT_HEAD, expected, head.count, err);
    const struct execution_run tail = split_executions(workload, &splits->items[last]);
    if (status == 0 && last != first && tail.count < expected && is_same(workload, tail.first, usual.first, tail.count))
        status = add_cut(cuts, splits, last, CUT_TAIL, expected, tail.count, err);
    return status;
}

/* Adds the steps whose mark has only the begin. */
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
                expected = find_usual(workload, splits, g, counts, &usual);
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
    int status = counts != NULL ? 0 : err_no_memory(err);

    *ret = (struct cut_steps){.items = NULL};
    for (size_t g = 0; status == 0 && !splits->whole && g < splits->groups.count; g++)
        if (splits->groups.items[g].source != STEPS_INFERENCES) /* a board's capture holds whole ones */
            status = find_in_group(workload, splits, g, counts, ret, err);
    if (status == 0)
        status = add_begun(workload, splits, counts, ret, err);
    if (status != 0) {
        free(ret->items);
        *ret = (struct cut_steps){.items = NULL};
    }
    return status;
}

int splits_find_cuts(const struct workload *workload, struct splits *splits, struct err *err)
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

void cut_step_text(const struct cut_step *cut, char text[CUT_TEXT_SIZE])
{
    static const char *const what[] = {[CUT_HEAD] = LANGUAGE_MARK("its head was not recorded"),
                                       [CUT_TAIL] = LANGUAGE_MARK("its tail was not recorded"),
                                       [CUT_END] = LANGUAGE_MARK("it began, but its end is not marked")};
    size_t used = (size_t)snprintf(text, CUT_TEXT_SIZE, language_shown("step %" PRId64 " (%s): %s"), cut->number,
                                   language_shown(step_source_name((enum step_source)cut->source)),
                                   language_shown(what[cut->part]));

    if (cut->expected > 0)
        snprintf(text + used, CUT_TEXT_SIZE - used, language_shown(", %zu of %zu operators seen"), cut->seen,
                 cut->expected);
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
