/* SPDX-License-Identifier: Apache-2.0 */
/* Gates on measures of steps: models, batches and devices are held against the limit one by one. */
#include "features/diff/compare.h"

#include "base/language.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool has_one_group(const struct side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->profiles[i]->group_count != 1)
            return false;
    return true;
}

/* The group with this key; NULL as a key: the only one. */
static const struct profile_group *group_of(const struct profile *profile, const char *key)
{
    for (size_t g = 0; g < profile->group_count; g++)
        if (key == NULL || strcmp(profile->groups[g].key, key) == 0)
            return &profile->groups[g];
    return NULL;
}

/* The mean over the captures of a side that have the group, of a measure's median or its throughput; negative: not
 * known. */
static double value_of(const struct side *side, const char *key, enum gate_metric metric)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < side->count; i++) {
        const struct profile *profile = side->profiles[i];
        const struct profile_group *group = group_of(profile, key);
        if (group == NULL)
            continue;
        const struct series *series = metric == GATE_FPS ? NULL : &group->measures[metric];
        double value = series == NULL ? group->fps : series->n > 0 ? series->median : -1;
        if (value < 0 || !profile->facts.times_known)
            return -1;
        sum += value;
        count++;
    }
    return count > 0 ? sum / count : -1;
}

/* By how much worse the new side is, in the measure of a limit. */
static double excess(const struct gate *gate, double base, double other)
{
    double worse = gate_more_is_better(gate->metric) ? base - other : other - base;

    if (gate->kind != LIMIT_WORSE_BY)
        return gate->kind == LIMIT_ABOVE ? -other : other;
    if (!gate->percent)
        return worse;
    return base > 0 ? worse / base : worse > 0 ? INFINITY : 0;
}

void step_gates_take(struct compare_gate *result, const char *key, double base, double other, double step_new)
{
    if (!gate_holds(result->gate, base, other, step_new))
        result->passed = false;
    if (!result->known || excess(result->gate, base, other) > excess(result->gate, result->base, result->new_value)) {
        result->worst = key;
        result->base = base;
        result->new_value = other;
    }
    result->known = true;
}

static void hold_group(struct compare_gate *result, const struct side *base, const struct side *new_side,
                       const char *key, double step_new)
{
    double a = value_of(base, key, result->gate->metric), b = value_of(new_side, key, result->gate->metric);
    double period = value_of(new_side, key, GATE_PERIOD);

    if (a < 0 || b < 0)
        return;
    /* period: what these are a part of */
    step_gates_take(result, key, a, b, period > 0 && result->gate->metric >= GATE_BUSY ? period : step_new);
}

static bool has_steps(const struct side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->profiles[i]->step_source == STEPS_NONE || !side->profiles[i]->facts.times_known)
            return false;
    return true;
}

/* There are steps, and nothing to hold against the limit. */
static void tell_why(struct compare_gate *result, const struct side *base, const struct side *new_side)
{
    const struct side *const sides[] = {base, new_side};
    char recorded[RECORDED_SIZE] = "";

    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < sides[s]->count && recorded[0] == '\0'; i++)
            workload_recorded_text(&sides[s]->profiles[i]->facts, recorded);
    if (recorded[0] != '\0')
        snprintf(result->why, sizeof result->why,
                 language_shown("%s: no two are consecutive, so the time between them is unknown"), recorded);
    else
        snprintf(result->why, sizeof result->why,
                 language_shown("no model, batch and device has consecutive steps on both sides"));
}

void step_gates_hold(struct compare_gate *result, const struct side *base, const struct side *new_side, double step_new)
{
    result->passed = true;
    if (has_one_group(base) && has_one_group(new_side))
        hold_group(result, base, new_side, NULL, step_new);
    else
        for (size_t i = 0; i < new_side->count; i++)
            for (size_t g = 0; g < new_side->profiles[i]->group_count; g++)
                hold_group(result, base, new_side, new_side->profiles[i]->groups[g].key, step_new);
    if (result->known)
        return;
    result->passed = false;
    if (has_steps(base) && has_steps(new_side))
        tell_why(result, base, new_side);
}
