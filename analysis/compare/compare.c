/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/compare.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *row_verdict_name(enum row_verdict verdict)
{
    static const char *const names[] = {"unchanged", "noise", "improvement", "regression"};

    return names[verdict];
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"ok", "regression", "inconclusive"};

    return names[verdict];
}

/* ---- are they comparable ---- */

static struct compare_check *add_check(struct comparison *comparison, const char *name, double factor)
{
    struct compare_check *check = &comparison->checks[comparison->check_count++];

    *check = (struct compare_check){.name = name, .factor = factor};
    return check;
}

/* The score is multiplied by the factor when the texts differ. */
static void finish_check(struct comparison *comparison, struct compare_check *check)
{
    check->same = strcmp(check->base, check->new_side) == 0;
    if (check->same)
        check->factor = 1;
    comparison->score *= check->factor;
}

static void check_texts(struct comparison *comparison, const char *name, const char *base, const char *other,
                        double factor)
{
    struct compare_check *check = add_check(comparison, name, factor);

    snprintf(check->base, sizeof check->base, "%s", base[0] != '\0' ? base : "N/A");
    snprintf(check->new_side, sizeof check->new_side, "%s", other[0] != '\0' ? other : "N/A");
    finish_check(comparison, check);
}

static void check_numbers(struct comparison *comparison, const char *name, int64_t base, int64_t other, double factor)
{
    struct compare_check *check = add_check(comparison, name, factor);

    snprintf(check->base, sizeof check->base, "%lld", (long long)base);
    snprintf(check->new_side, sizeof check->new_side, "%lld", (long long)other);
    finish_check(comparison, check);
}

/* Of all operators of the two sides, those that both have, by whatever match. */
static void check_operators(struct comparison *comparison, const struct compare_rows *ops)
{
    struct compare_check *check = add_check(comparison, "operators", 1);
    size_t both = 0, base = 0, other = 0;

    for (size_t i = 0; i < ops->count; i++) {
        both += ops->items[i].match != MATCH_NONE;
        base += ops->items[i].base_key != NULL;
        other += ops->items[i].new_key != NULL;
    }
    snprintf(check->base, sizeof check->base, "%zu", base);
    snprintf(check->new_side, sizeof check->new_side, "%zu (%zu in both)", other, both);
    check->factor = ops->count > 0 ? (double)both / (double)ops->count : 1; /* ranges of the host alone */
    check->same = both == ops->count;
    comparison->score *= check->factor;
}

static int64_t steps_of(const struct side *side)
{
    int64_t steps = 0;

    for (size_t i = 0; i < side->count; i++)
        steps += side->profiles[i]->steps;
    return steps;
}

static int64_t problems_of(const struct side *side)
{
    int64_t problems = 0;

    for (size_t i = 0; i < side->count; i++)
        problems += side->profiles[i]->facts.problems + side->profiles[i]->refused;
    return problems;
}

/* Of which inferences a side tells; with other ones it tells the same of each, and nothing of what is between them. */
static void check_recorded(struct comparison *comparison, const struct workload_facts *a,
                           const struct workload_facts *b)
{
    char base[RECORDED_SIZE], other[RECORDED_SIZE];

    workload_recorded_text(a, base);
    workload_recorded_text(b, other);
    check_texts(comparison, "recorded", base[0] != '\0' ? base : "all", other[0] != '\0' ? other : "all", 1);
}

static void check_side(struct comparison *comparison, const struct side *base, const struct side *other,
                       const struct compare_rows *ops)
{
    const struct workload_facts *a = &base->profiles[0]->facts, *b = &other->profiles[0]->facts;
    char cores_a[64], cores_b[64];

    comparison->score = 1;
    snprintf(cores_a, sizeof cores_a, "%lld cube, %lld vector", (long long)a->cube_cores, (long long)a->vector_cores);
    snprintf(cores_b, sizeof cores_b, "%lld cube, %lld vector", (long long)b->cube_cores, (long long)b->vector_cores);
    check_texts(comparison, "family", a->family, b->family, 0);
    check_texts(comparison, "chip", a->chip, b->chip, 0);
    check_texts(comparison, "cores", cores_a, cores_b, 0.4);
    check_numbers(comparison, "clock_khz", a->clock_khz, b->clock_khz, 0.8);
    check_numbers(comparison, "devices", a->devices, b->devices, 0.6);
    check_texts(comparison, "models", a->models, b->models, 0.8);
    check_texts(comparison, "metrics", a->metrics, b->metrics, 0.9);
    check_texts(comparison, "times", a->times_known ? "known" : "unknown", b->times_known ? "known" : "unknown", 0);
    if (!a->times_known || !b->times_known)
        comparison->score = 0;
    check_texts(comparison, "steps_by", step_source_name(base->profiles[0]->step_source),
                step_source_name(other->profiles[0]->step_source), 0.6);
    check_numbers(comparison, "steps", steps_of(base), steps_of(other), 1);
    check_numbers(comparison, "data_problems", problems_of(base), problems_of(other), 0.9);
    check_recorded(comparison, a, b);
    check_operators(comparison, ops);
    comparison->comparable = comparison->score >= comparison->options.comparable;
}

/* ---- gates ---- */

/* What one number a side is, a step; negative: not known. */
static double simple_value(const struct side *side, enum gate_metric metric)
{
    double sum = 0;

    for (size_t i = 0; i < side->count; i++) {
        const struct profile *profile = side->profiles[i];
        double value = 0;
        if (profile->group_count == 0 || !profile->facts.times_known)
            return -1;
        if (metric == GATE_AI_CPU)
            value = profile->ai_cpu_ns / profile_steps(profile);
        else if (metric == GATE_CONVERSIONS)
            value = profile->conversion_ns / profile_steps(profile);
        else if (metric == GATE_CUBE)
            value = profile->cube_share >= 0 ? 100 * profile->cube_share : -1;
        else if (metric == GATE_BYTES)
            value = profile->read_write_bytes >= 0
                        ? profile->read_write_bytes /
                              (double)(profile->steps + profile->warmup > 0 ? profile->steps + profile->warmup : 1)
                        : -1;
        if (value < 0)
            return -1;
        sum += value;
    }
    return sum / (double)side->count;
}

static double excess(const struct gate *gate, double base, double other)
{
    if (gate->kind != LIMIT_WORSE_BY)
        return gate->kind == LIMIT_ABOVE ? -other : other;
    if (!gate->percent)
        return other - base;
    return base > 0 ? other / base : other > 0 ? INFINITY : 0;
}

/* Every row is held against the limit; the worst stands for all. */
static void hold_rows(struct compare_gate *result, const struct compare_rows *rows, const struct side *base,
                      const struct side *other, double step_new)
{
    const struct gate *gate = result->gate;

    for (size_t i = 0; i < rows->count; i++) {
        const struct compare_row *row = &rows->items[i];
        bool counted = gate->metric == GATE_COUNT;
        double a = counted ? (double)row->n_base / fmax(1, (double)steps_of(base)) : row->total_base;
        double b = counted ? (double)row->n_new / fmax(1, (double)steps_of(other)) : row->total_new;

        if ((row->base_key == NULL || fnmatch(gate->pattern, row->base_key, 0) != 0) &&
            (row->new_key == NULL || fnmatch(gate->pattern, row->new_key, 0) != 0))
            continue;
        result->known = true;
        if (!gate_holds(gate, a, b, step_new))
            result->passed = false;
        if (result->worst == NULL || excess(gate, a, b) > excess(gate, result->base, result->new_value)) {
            result->worst = row->key;
            result->base = a;
            result->new_value = b;
        }
    }
}

static int hold_pattern(struct compare_gate *result, const struct comparison *comparison, const struct side *base,
                        const struct side *other, struct err *err)
{
    static const struct {
        enum gate_metric metric;
        enum subject subject;
    } subjects[] = {{GATE_OP, BY_OP},    {GATE_TYPE, BY_TYPE},  {GATE_API, BY_API},
                    {GATE_COUNT, BY_OP}, {GATE_COUNT, BY_TYPE}, {GATE_GAP, BY_GAP}};
    int status = 0;

    result->passed = true;
    for (size_t i = 0; status == 0 && i < sizeof subjects / sizeof *subjects; i++) {
        struct compare_rows rows = {.items = NULL};
        if (subjects[i].metric != result->gate->metric)
            continue;
        const struct compare_question question = {subjects[i].subject, &comparison->options, comparison->step_base,
                                                  NULL, comparison->steps_differ};
        status = compare_table(base, other, &question, &rows, err);
        if (status == 0)
            hold_rows(result, &rows, base, other, comparison->step_new);
        free(rows.items);
    }
    if (!result->known && result->gate->kind != LIMIT_WORSE_BY) { /* there is none: 0 */
        result->known = true;
        result->passed = gate_holds(result->gate, 0, 0, comparison->step_new);
    }
    return status;
}

/* A gate on gaps holds of a capture that says when each task ran. */
static bool are_gaps_known(const struct side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->profiles[i]->facts.placed)
            return false;
    return true;
}

static int hold_gate(struct compare_gate *result, const struct comparison *comparison, const struct side *base,
                     const struct side *other, struct err *err)
{
    if (result->gate->metric == GATE_GAP && (!are_gaps_known(base) || !are_gaps_known(other))) {
        snprintf(result->why, sizeof result->why, "a capture does not say when each task ran");
        return 0;
    }
    if (gate_has_pattern(result->gate->metric))
        return hold_pattern(result, comparison, base, other, err);
    if (result->gate->metric <= GATE_FPS) {
        hold_steps(result, base, other, comparison->step_new);
        return 0;
    }
    result->base = simple_value(base, result->gate->metric);
    result->new_value = simple_value(other, result->gate->metric);
    result->known = result->base >= 0 && result->new_value >= 0;
    result->passed = result->known && gate_holds(result->gate, result->base, result->new_value, comparison->step_new);
    return 0;
}

/* ---- the whole ---- */

static int check_sides(const struct side *base, const struct side *other, struct err *err)
{
    const struct side *sides[] = {base, other};

    for (int s = 0; s < 2; s++) {
        int64_t executions = 0;
        for (size_t i = 0; i < sides[s]->count; i++)
            executions += sides[s]->profiles[i]->executions + sides[s]->profiles[i]->steps;
        if (executions == 0)
            return err_set(err, ERR_NOT_FOUND, "nothing to compare: '%s' has no operators and no steps",
                           sides[s]->count > 0 ? sides[s]->profiles[0]->name : "");
    }
    return 0;
}

static void explain_rest(struct comparison *comparison)
{
    comparison->rest_base = comparison->step_base;
    comparison->rest_new = comparison->step_new;
    for (size_t i = 0; i < comparison->rows.count; i++) {
        comparison->rest_base -= comparison->rows.items[i].total_base;
        comparison->rest_new -= comparison->rows.items[i].total_new;
    }
}

/* By the rows alone: whether gates are given, and which, changes nothing. */
static void judge_whole(struct comparison *comparison)
{
    const struct noise *noise = &comparison->noise;

    comparison->shared_told = noise_is_told(noise, comparison->options.least_change);
    comparison->shared_smallest =
        expm1(noise_smallest(noise->change_error, noise->change_df, comparison->options.alpha));
    comparison->shared_needed =
        noise_captures_for(noise, noise->change, noise->change_error, noise->change_df, comparison->options.alpha);
    comparison->verdict = comparison->shared_told && noise->change > 0 ? VERDICT_REGRESSION : VERDICT_OK;
    for (size_t i = 0; i < comparison->rows.count; i++)
        if (comparison->rows.items[i].verdict == ROW_REGRESSION)
            comparison->verdict = VERDICT_REGRESSION;
    if (!comparison->comparable)
        comparison->verdict = VERDICT_INCONCLUSIVE;
}

static int find_smallest(struct comparison *comparison, struct err *err)
{
    double *values = calloc(comparison->rows.count + 1, sizeof *values);
    size_t n = 0;

    if (values == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < comparison->rows.count; i++)
        if (comparison->rows.items[i].smallest >= 0)
            values[n++] = comparison->rows.items[i].smallest;
    comparison->smallest = n > 0 ? numbers_median(values, n) : -1;
    free(values);
    return 0;
}

/* Rows of what devices did share the drift of the operators; others have their own. */
static int compare_rows_by(struct comparison *comparison, const struct side *base, const struct side *new_side,
                           enum subject subject, struct compare_rows *ret, struct err *err)
{
    const struct compare_question question = {subject, &comparison->options, comparison->step_base,
                                              subject <= BY_STEP ? &comparison->noise : NULL, comparison->steps_differ};

    return compare_table(base, new_side, &question, ret, err);
}

int compare(const struct side *base, const struct side *new_side, const struct compare_options *options,
            const struct gate *gates, size_t gate_count, struct comparison *ret, struct err *err)
{
    struct compare_rows ops = {.items = NULL};
    int status;

    *ret = (struct comparison){.options = *options, .gate_count = gate_count};
    status = check_sides(base, new_side, err);
    if (status != 0)
        return status;
    ret->step_base = side_measure(base, MEASURE_STEP);
    ret->step_new = side_measure(new_side, MEASURE_STEP);
    ret->run_to_run = base->count > 1 && new_side->count > 1;
    ret->gates = calloc(gate_count + 1, sizeof *ret->gates);
    if (ret->gates == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    const struct compare_question first = {BY_OP, options, ret->step_base, NULL, false};
    status = compare_table(base, new_side, &first, &ops, err);
    if (status == 0) {
        ret->noise = ops.noise;
        ret->steps_differ = ops.steps_differ;
        check_side(ret, base, new_side, &ops);
        status = compare_rows_by(ret, base, new_side, options->by, &ret->rows, err);
    }
    if (status == 0)
        status = compare_rows_by(ret, base, new_side, BY_GAP, &ret->gaps, err);
    for (size_t i = 0; status == 0 && i < gate_count; i++) {
        ret->gates[i].gate = &gates[i];
        status = hold_gate(&ret->gates[i], ret, base, new_side, err);
    }
    explain_rest(ret);
    judge_whole(ret);
    if (status == 0)
        status = find_smallest(ret, err);
    free(ops.items);
    if (status != 0)
        comparison_release(ret);
    return status;
}

void comparison_release(struct comparison *comparison)
{
    free(comparison->rows.items);
    free(comparison->gaps.items);
    free(comparison->gates);
    *comparison = (struct comparison){.score = 0};
}
