/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/compare.h"

#include "base/array.h"
#include "base/words.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of a comparison: matching, medians, tests, verdicts. */

/* A key whose executions a step differ by more is another amount of work, whatever the durations say. */
#define COUNT_DIFFERS 0.05

/* From so many executions on their scatter is told by the MAD, which outliers do not move; it uses about so much of
 * what they say. */
#define MAD_ENOUGH 8
#define MAD_EFFICIENCY 0.37

/* One key of one side, over its profiles. */
struct side_row {
    const struct profile_row *first; /* of the first profile that has it: names */
    struct runs runs;
    int64_t n, steps;       /* of the profiles that have it; steps 0: not all have steps */
    bool varies;            /* from step to step */
    const int64_t *samples; /* of all runs, ascending */
    size_t sample_count;
    struct ARRAY_OF(int64_t) gathered; /* the samples, where there are several captures */
    double median, total;
};

struct side_rows {
    struct side_row *rows; /* by key */
    struct run *runs;      /* of all rows */
    size_t count;
};

/* The numbers of a row in each capture that has it. */
struct of_captures {
    double medians[RUNS_MAX], totals[RUNS_MAX];
};

static double median_of(const double *values, size_t n)
{
    double sorted[RUNS_MAX];

    memcpy(sorted, values, n * sizeof *sorted);
    return statistics_numbers_median(sorted, n);
}

double comparison_side_measure(const struct side *side, enum measure measure)
{
    double values[RUNS_MAX] = {0};
    size_t n = 0;

    for (size_t i = 0; i < side->count && n < RUNS_MAX; i++) {
        double value = profile_measure(side->profiles[i], measure);
        values[n++] = value > 0 ? value : 0;
    }
    return median_of(values, n);
}

static int take_samples(struct side_row *row, const struct series *series, struct err *err)
{
    if (array_reserve(&row->gathered, series->sample_count, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < series->sample_count; i++)
        row->gathered.items[row->gathered.count++] = series->samples[i];
    return 0;
}

/* Whether executions of one key are work of different sizes: then a median says nothing of their sum. */
static bool is_mixed(enum subject subject, const struct profile *profile, const struct series *series)
{
    if (subject == BY_TYPE || subject == BY_LAYER || subject == BY_STREAM)
        return true;
    return subject <= BY_SHAPE && profile->steps > 0 && series->n > profile->steps + profile->steps / 2;
}

/* The number that stands for a key in one capture, and how sure it is. */
static struct run run_of(size_t capture, enum subject subject, const struct profile *profile,
                         const struct series *series)
{
    double tick = (double)profile->facts.tick_ns, n = (double)series->n, least = fmax(tick, 1) / 2;
    double steps = profile->steps > 0 ? (double)profile->steps : n, center = fmax(series->median, least);
    struct run run = {.capture = (uint8_t)capture, .executions = n};

    run.scatter =
        n < MAD_ENOUGH ? fmax(series_deviation(series), 0.3 * tick) / center : series_scale(series, tick) / center;
    run.scatter_df = n < MAD_ENOUGH ? n - 1 : MAD_EFFICIENCY * (n - 1);
    if (is_mixed(subject, profile, series)) {
        center = fmax(series->total / (subject <= BY_SHAPE && subject != BY_TYPE ? n : steps), least);
        run.executions = steps;
        run.scatter = -1;
        run.excess = series->total > 0 ? (series->maximum - series_percentile(series, 0.9)) / series->total : 0;
    }
    run.excess = fmax(run.excess, 0.3 * tick / center);
    run.center = log(center);
    return run;
}

static void take_row(struct side_row *row, struct of_captures *numbers, const struct profile *profile,
                     const struct profile_row *from)
{
    bool stepped = profile->steps > 0 && (row->first == NULL || row->steps > 0);

    if (row->first == NULL)
        row->first = from;
    numbers->medians[row->runs.count] = from->durations.median;
    numbers->totals[row->runs.count] = from->durations.total / profile_steps(profile);
    row->n += from->durations.n;
    row->steps = stepped ? row->steps + profile->steps : 0;
    row->varies = row->varies || from->varies;
    row->samples = from->durations.samples;
    row->sample_count = from->durations.sample_count;
}

static void finish_row(struct side_row *row, struct of_captures *numbers, size_t captures)
{
    row->median = median_of(numbers->medians, row->runs.count);
    for (size_t i = row->runs.count; i < captures; i++)
        numbers->totals[i] = 0; /* a capture without it */
    row->total = median_of(numbers->totals, captures);
    if (captures > 1) {
        statistics_sort(row->gathered.items, row->gathered.count);
        row->samples = row->gathered.items;
        row->sample_count = row->gathered.count;
    }
}

static void side_rows_release(struct side_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        free(rows->rows[i].gathered.items);
    free(rows->rows);
    free(rows->runs);
}

/* Merges the tables of a side's profiles, each of which is sorted by key. */
static int side_rows_make(const struct side *side, enum subject subject, struct side_rows *ret, struct err *err)
{
    size_t next[RUNS_MAX] = {0}, most = 0, runs = 0;

    *ret = (struct side_rows){.rows = NULL};
    if (side->count > RUNS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d captures on one side", RUNS_MAX);
    for (size_t i = 0; i < side->count; i++)
        most += side->profiles[i]->tables[subject].count;
    ret->rows = scoped_memory(most + 1, sizeof *ret->rows);
    ret->runs = scoped_memory(most + 1, sizeof *ret->runs);
    if (ret->rows == NULL || ret->runs == NULL)
        return err_no_memory(err);
    for (;;) {
        const char *least = NULL;
        for (size_t i = 0; i < side->count; i++) {
            const struct profile_table *table = &side->profiles[i]->tables[subject];
            if (next[i] < table->count && (least == NULL || strcmp(table->rows[next[i]].key, least) < 0))
                least = table->rows[next[i]].key;
        }
        if (least == NULL)
            return 0;
        struct side_row *row = &ret->rows[ret->count++];
        struct of_captures numbers;
        row->runs.items = &ret->runs[runs];
        for (size_t i = 0; i < side->count; i++) {
            const struct profile *profile = side->profiles[i];
            const struct profile_table *table = &profile->tables[subject];
            // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker)
            if (next[i] == table->count || strcmp(table->rows[next[i]].key, least) != 0)
                continue;
            const struct profile_row *from = &table->rows[next[i]++];
            take_row(row, &numbers, profile, from);
            row->runs.items[row->runs.count++] = run_of(i, subject, profile, &from->durations);
            if (side->count > 1 && take_samples(row, &from->durations, err) < 0)
                return err_status(err);
        }
        runs += row->runs.count;
        finish_row(row, &numbers, side->count);
    }
}

static int match_rows(const struct side_rows *base, const struct side_rows *other, struct match_operator **ret_base,
                      struct match_operator **ret_other, struct err *err)
{
    const struct side_rows *sides[] = {base, other};
    struct match_operator *matches[2];

    for (int s = 0; s < 2; s++) {
        matches[s] = calloc(sides[s]->count + 1, sizeof *matches[s]);
        if (matches[s] == NULL) {
            free(s == 1 ? matches[0] : NULL);
            return err_no_memory(err);
        }
        for (size_t i = 0; i < sides[s]->count; i++) {
            const struct profile_row *row = sides[s]->rows[i].first;
            bool named = row->name[0] != '\0';
            matches[s][i] = (struct match_operator){.key = row->key,
                                                    .name = named ? row->name : row->key,
                                                    .type = row->type,
                                                    .shapes = row->shapes,
                                                    .order = row->order};
        }
    }
    *ret_base = matches[0];
    *ret_other = matches[1];
    return match_operators(matches[0], base->count, matches[1], other->count, err);
}

static void fill_row(struct compare_row *row, const struct side_row *base, const struct side_row *other,
                     enum match_kind match)
{
    *row = (struct compare_row){.match = match, .p = 1, .q = 1, .smallest = -1};
    if (base != NULL) {
        row->base_key = row->key = base->first->key;
        row->n_base = base->n;
        row->median_base = base->median;
        row->total_base = base->total;
    }
    if (other != NULL) {
        row->new_key = row->key = other->first->key;
        row->n_new = other->n;
        row->median_new = other->median;
        row->total_new = other->total;
    }
}

/* Rows, and which rows of the two sides each is of. */
struct building {
    struct compare_row *rows;
    const struct side_row **base, **other;
    size_t count;
};

static void fill_rows(struct building *building, const struct side_rows *base, const struct side_rows *other,
                      const struct match_operator *base_match, const struct match_operator *other_match)
{
    for (size_t i = 0; i < base->count; i++) {
        const struct side_row *partner = base_match[i].other != SIZE_MAX ? &other->rows[base_match[i].other] : NULL;
        size_t at = building->count++;
        building->base[at] = &base->rows[i];
        building->other[at] = partner;
        fill_row(&building->rows[at], &base->rows[i], partner, base_match[i].kind);
        if (partner != NULL)
            building->rows[at].cliff = statistics_cliff_delta(base->rows[i].samples, base->rows[i].sample_count,
                                                              partner->samples, partner->sample_count);
    }
    for (size_t i = 0; i < other->count; i++)
        if (other_match[i].other == SIZE_MAX) {
            size_t at = building->count++;
            building->base[at] = NULL;
            building->other[at] = &other->rows[i];
            fill_row(&building->rows[at], NULL, &other->rows[i], MATCH_NONE);
        }
}

static bool is_on_both(const struct building *building, size_t i)
{
    return building->base[i] != NULL && building->other[i] != NULL;
}

static int learn(const struct building *building, const size_t captures[2], const struct compare_options *options,
                 struct noise *ret, struct err *err)
{
    const struct noise_options noise_options = {options->alpha, options->drift};
    SCOPED_FREE const struct runs **sides = scoped_memory(2 * (building->count + 1), sizeof *sides);
    const struct runs **base = sides, **other = sides != NULL ? sides + building->count + 1 : NULL;
    size_t n = 0;

    if (sides == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < building->count; i++)
        if (is_on_both(building, i)) {
            base[n] = &building->base[i]->runs;
            other[n++] = &building->other[i]->runs;
        }
    return noise_learn(base, other, n, captures, &noise_options, ret, err);
}

/* How changes are judged: without what all rows share, or with it. */
struct judging {
    const struct noise *noise;
    bool whole;
    double p; /* of one row of all */
};

static struct judging judging_of(const struct building *building, const struct noise *noise, bool whole)
{
    double rows = 0;

    for (size_t i = 0; i < building->count; i++)
        rows += is_on_both(building, i);
    return (struct judging){noise, whole, noise->options.alpha / fmax(1, rows)};
}

/* Row i is on both sides. */
static struct noise_change change_of(const struct building *building, size_t i, const struct judging *judging)
{
    const struct noise *noise = judging->noise;
    struct noise_change change = noise_of(noise, &building->base[i]->runs, &building->other[i]->runs);

    if (judging->whole) {
        change.error = hypot(change.error, noise->change_error);
        change.df = fmin(change.df, noise->change_df);
    }
    return change;
}

/* q over the rows that could be tested. */
static int correct(struct building *building, struct err *err)
{
    SCOPED_FREE double *p = scoped_memory(building->count + 1, sizeof *p);
    size_t n = 0;

    if (p == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < building->count; i++)
        if (is_on_both(building, i))
            p[n++] = building->rows[i].p;
    int status = statistics_false_discovery(p, n, p, err);
    n = 0;
    for (size_t i = 0; status == 0 && i < building->count; i++)
        if (is_on_both(building, i))
            building->rows[i].q = p[n++];
    return status;
}

static int measure_rows(struct building *building, const struct judging *judging, struct err *err)
{
    for (size_t i = 0; i < building->count; i++)
        if (is_on_both(building, i)) {
            struct compare_row *row = &building->rows[i];
            const struct noise_change change = change_of(building, i, judging);
            row->effect = judging->whole ? change.whole : change.own;
            row->own = expm1(change.own);
            row->p = statistics_student_p(row->effect / change.error, change.df);
            row->smallest = expm1(noise_smallest(change.error, change.df, judging->p));
        }
    return correct(building, err);
}

/* Counts how many captures would tell the changes that are noise so far. */
static void find_needed(struct building *building, const struct judging *judging)
{
    for (size_t i = 0; i < building->count; i++)
        if (is_on_both(building, i) && building->rows[i].verdict == ROW_NOISE) {
            const struct noise_change change = change_of(building, i, judging);
            building->rows[i].needed =
                noise_captures_for(judging->noise, building->rows[i].effect, change.error, change.df, judging->p);
        }
}

/* Numbers of executions a step, as one table says them. */
struct counts {
    double steps_base, steps_new; /* of all captures of a side */
    bool regular;                 /* steps run alike: then each row that does not vary is a fact */
    double alpha;                 /* for one row that does vary */
    enum subject subject;
};

static double all_steps(const struct side *side)
{
    double steps = 0;

    for (size_t i = 0; i < side->count; i++)
        steps += (double)side->profiles[i]->steps;
    return steps;
}

static bool varies(const struct side_row *row)
{
    return row != NULL && row->varies;
}

/* Inside: the rows of one subject, sorted. */
struct compare_question {
    enum subject subject;
    const struct compare_options *options;
    double step_ns;
    const struct noise *noise; /* NULL: that of the rows themselves */
    bool steps_differ;         /* the operators have told it */
};

static struct counts counts_of(const struct building *building, const struct side *base, const struct side *other,
                               const struct compare_question *question)
{
    size_t varying = 0;

    for (size_t i = 0; i < building->count; i++)
        varying += varies(building->base[i]) || varies(building->other[i]);
    bool regular = question->subject == BY_GAP || varying <= building->count / 4;
    return (struct counts){all_steps(base), all_steps(other), regular && !question->steps_differ,
                           question->options->alpha / fmax(1, (double)building->count), question->subject};
}

/* Whether a row's executions a step tell a change: where every step has as many that is a fact that no noise makes,
 * else it is a matter of chance in which steps they fall. Gaps come and go by a hair: of steps that run alike they are
 * facts, too. */
static bool tells_count(const struct counts *counts, const struct side_row *base, const struct side_row *other)
{
    double n = base != NULL ? (double)base->n : 0, m = other != NULL ? (double)other->n : 0;
    bool vary = counts->subject != BY_GAP && (varies(base) || varies(other));

    if (counts->steps_base <= 0 || counts->steps_new <= 0 || (counts->regular && !vary))
        return true;
    return statistics_split_p(n, m, counts->steps_base / (counts->steps_base + counts->steps_new)) < counts->alpha;
}

/* More or fewer executions a step. */
static bool count_differs(const struct side_row *base, const struct side_row *other, enum subject subject)
{
    if (base->steps == 0 || other->steps == 0 || (subject != BY_OP && subject != BY_SHAPE))
        return false;
    double a = (double)base->n / (double)base->steps, b = (double)other->n / (double)other->steps;
    return fabs(b - a) >= 0.5 && fabs(b - a) > COUNT_DIFFERS * a;
}

static enum row_verdict judge(const struct compare_row *row, const struct side_row *base, const struct side_row *other,
                              const struct compare_question *question, const struct counts *counts)
{
    const struct compare_options *options = question->options;
    double total = row->total_new - row->total_base, least = options->least_share * question->step_ns;
    enum row_verdict direction = total > 0 ? ROW_REGRESSION : ROW_IMPROVEMENT;

    if (base == NULL || other == NULL)
        return fabs(total) <= least ? ROW_UNCHANGED : tells_count(counts, base, other) ? direction : ROW_NOISE;
    if (count_differs(base, other, question->subject) && fabs(total) > least && tells_count(counts, base, other))
        return fabs(total) > options->least_change * row->total_base ? direction : ROW_UNCHANGED;
    double share = expm1(row->effect);
    if (fabs(share) <= options->least_change || fabs(share) * row->total_base <= least)
        return ROW_UNCHANGED;
    if (row->q >= options->alpha)
        return ROW_NOISE;
    return share > 0 ? ROW_REGRESSION : ROW_IMPROVEMENT;
}

static void judge_rows(struct building *building, const struct compare_question *question, const struct counts *counts)
{
    for (size_t i = 0; i < building->count; i++)
        building->rows[i].verdict = judge(&building->rows[i], building->base[i], building->other[i], question, counts);
}

/* Whether so many rows differ from what the others share that the latter is no drift for sure. */
static bool differ_too_often(const struct building *building)
{
    size_t changed = 0, both = 0;

    for (size_t i = 0; i < building->count; i++) {
        both += is_on_both(building, i);
        changed += is_on_both(building, i) && building->rows[i].verdict >= ROW_IMPROVEMENT;
    }
    return changed > both / 4;
}

static int judge_table(struct building *building, const struct compare_question *question, const struct noise *noise,
                       const struct counts *counts, struct err *err)
{
    const struct compare_options *options = question->options;
    bool told = noise_is_told(noise, options->least_change);
    struct judging judging = judging_of(building, noise, told);
    int status = measure_rows(building, &judging, err);

    judge_rows(building, question, counts);
    if (status == 0 && !told && fabs(expm1(noise->change)) > options->least_change && differ_too_often(building)) {
        judging.whole = true;
        status = measure_rows(building, &judging, err);
        judge_rows(building, question, counts);
    }
    find_needed(building, &judging);
    return status;
}

static int by_change(const void *a, const void *b)
{
    const struct compare_row *x = a, *y = b;
    double dx = fabs(x->total_new - x->total_base), dy = fabs(y->total_new - y->total_base);

    if (dx != dy)
        return dx > dy ? -1 : 1;
    if (x->total_new != y->total_new)
        return x->total_new > y->total_new ? -1 : 1;
    return strcmp(x->key, y->key);
}

static int compare_table(const struct side *base, const struct side *new_side, const struct compare_question *question,
                         struct compare_rows *ret, struct err *err)
{
    const size_t captures[2] = {base->count, new_side->count};
    SCOPED(side_rows_release) struct side_rows a = {.rows = NULL}, b = {.rows = NULL};
    SCOPED_FREE struct match_operator *a_match = NULL, *b_match = NULL;
    struct building building = {.rows = NULL};
    struct counts counts;
    struct noise own;
    bool failed = side_rows_make(base, question->subject, &a, err) < 0 ||
                  side_rows_make(new_side, question->subject, &b, err) < 0 ||
                  match_rows(&a, &b, &a_match, &b_match, err) < 0;

    building.rows = calloc(a.count + b.count + 1, sizeof *building.rows);
    building.base = calloc(a.count + b.count + 1, sizeof *building.base);
    building.other = calloc(a.count + b.count + 1, sizeof *building.other);
    if (!failed && (building.rows == NULL || building.base == NULL || building.other == NULL))
        failed = err_no_memory(err) < 0;
    if (!failed) {
        fill_rows(&building, &a, &b, a_match, b_match);
        counts = counts_of(&building, base, new_side, question);
        failed = (question->noise == NULL && learn(&building, captures, question->options, &own, err) < 0) ||
                 judge_table(&building, question, question->noise != NULL ? question->noise : &own, &counts, err) < 0;
    }
    if (!failed) {
        array_sort(building.rows, building.count, sizeof *building.rows, by_change);
        *ret = (struct compare_rows){.items = building.rows, .count = building.count};
        ret->noise = question->noise != NULL ? *question->noise : own;
        ret->steps_differ = !counts.regular;
        building.rows = NULL;
    }
    free(building.rows);
    free((void *)building.base);
    free((void *)building.other);
    return failed ? err_status(err) : 0;
}

ENUM_NAMES(compare_row_verdict_name, enum row_verdict, "unchanged", "noise", "improvement", "regression")

ENUM_NAMES(compare_verdict_name, enum verdict, "ok", "regression", "inconclusive")

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

/* Checks which inferences each side tells of; where they differ, single ones compare, and nothing that is between them.
 */
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

/* A metric that is one number a side, for a step; negative: not known. */
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
        step_gates_take(result, row->key, a, b, step_new);
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
        SCOPED_FREE struct compare_rows rows = {.items = NULL};
        if (subjects[i].metric != result->gate->metric)
            continue;
        const struct compare_question question = {subjects[i].subject, &comparison->options, comparison->step_base,
                                                  NULL, comparison->steps_differ};
        status = compare_table(base, other, &question, &rows, err);
        if (status == 0)
            hold_rows(result, &rows, base, other, comparison->step_new);
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
        step_gates_hold(result, base, other, comparison->step_new);
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
    SCOPED_FREE double *values = scoped_memory(comparison->rows.count + 1, sizeof *values);
    size_t n = 0;

    if (values == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < comparison->rows.count; i++)
        if (comparison->rows.items[i].smallest >= 0)
            values[n++] = comparison->rows.items[i].smallest;
    comparison->smallest = n > 0 ? statistics_numbers_median(values, n) : -1;
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

int comparison_make(const struct side *base, const struct side *new_side, const struct compare_options *options,
                    const struct gate *gates, size_t gate_count, struct comparison *ret, struct err *err)
{
    struct compare_rows ops = {.items = NULL};

    *ret = (struct comparison){.options = *options, .gate_count = gate_count};
    if (check_sides(base, new_side, err) < 0)
        return err_status(err);
    ret->step_base = comparison_side_measure(base, MEASURE_STEP);
    ret->step_new = comparison_side_measure(new_side, MEASURE_STEP);
    ret->run_to_run = base->count > 1 && new_side->count > 1;
    ret->gates = calloc(gate_count + 1, sizeof *ret->gates);
    if (ret->gates == NULL)
        return err_no_memory(err);
    const struct compare_question first = {BY_OP, options, ret->step_base, NULL, false};
    int status = compare_table(base, new_side, &first, &ops, err);
    if (status == 0) {
        ret->noise = ops.noise;
        ret->steps_differ = ops.steps_differ;
        check_side(ret, base, new_side, &ops);
        free(ops.items); /* of many names it is large, and so is what follows */
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
