/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two sides can be compared: the facts of both. */
#include "features/diff/compare.h"

#include <stdio.h>
#include <string.h>

static struct compare_check *add_check(struct comparison *comparison, const char *name, double factor)
{
    struct compare_check *check = &comparison->checks[comparison->check_count++];

    *check = (struct compare_check){.name = name, .factor = factor};
    return check;
}

/* The score is multiplied by the factor when the sides differ. */
static void finish_check(struct comparison *comparison, struct compare_check *check, bool same)
{
    check->same = same;
    if (same)
        check->factor = 1;
    comparison->score *= check->factor;
}

static void show_side(char to[CHECK_SIZE], const char *text, size_t first)
{
    if (snprintf(to, CHECK_SIZE, "%s%s", first > 0 ? "... " : "", text[0] != '\0' ? text + first : "N/A") >= CHECK_SIZE)
        memcpy(to + CHECK_SIZE - sizeof "...", "...", sizeof "...");
}

/* Lists that are too long for a side are shown from the first word on that they do not share. */
static void check_texts(struct comparison *comparison, const char *name, const char *base, const char *other,
                        double factor)
{
    struct compare_check *check = add_check(comparison, name, factor);
    const bool same = strcmp(base, other) == 0;
    size_t first = 0;

    if (!same && (strlen(base) >= CHECK_SIZE || strlen(other) >= CHECK_SIZE))
        for (size_t i = 0; base[i] == other[i]; i++)
            first = base[i] == ' ' ? i + 1 : first;
    show_side(check->base, base, first);
    show_side(check->new_side, other, first);
    finish_check(comparison, check, same);
}

static void check_numbers(struct comparison *comparison, const char *name, int64_t base, int64_t other, double factor)
{
    struct compare_check *check = add_check(comparison, name, factor);

    snprintf(check->base, sizeof check->base, "%lld", (long long)base);
    snprintf(check->new_side, sizeof check->new_side, "%lld", (long long)other);
    finish_check(comparison, check, base == other);
}

/* Checks how many of all operators both sides have, by whatever match. */
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

/* Captures of a side of which half is missing. */
static int64_t halves_of(const struct side *side)
{
    int64_t halves = 0;

    for (size_t i = 0; i < side->count; i++)
        halves += side->profiles[i]->facts.misses_half;
    return halves;
}

/* Checks which inferences each side covers; where they differ, single ones compare, and nothing that is between them.
 */
static void check_recorded(struct comparison *comparison, const struct workload_facts *a,
                           const struct workload_facts *b)
{
    char base[RECORDED_SIZE], other[RECORDED_SIZE];

    workload_recorded_text(a, base);
    workload_recorded_text(b, other);
    check_texts(comparison, "recorded", base[0] != '\0' ? base : "all", other[0] != '\0' ? other : "all", 1);
}

void comparison_check_facts(struct comparison *comparison, const struct side *base, const struct side *other,
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
    check_numbers(comparison, "halves_missing", halves_of(base), halves_of(other), 0);
    check_recorded(comparison, a, b);
    check_operators(comparison, ops);
    comparison->comparable = comparison->score >= comparison->options.comparable;
}
