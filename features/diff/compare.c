/* SPDX-License-Identifier: Apache-2.0 */
#include "features/diff/compare.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/language.h"
#include "base/words.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rows of a comparison: matching, medians, tests, verdicts. */

/* A key whose executions a step differ by more is another amount of work, whatever the durations say. */
#define COUNT_DIFFERS 0.05

/* Number of executions from which on the MAD measures their scatter, because outliers do not move it; and its
 * efficiency. */
#define MAD_ENOUGH 8
#define MAD_EFFICIENCY 0.37

#define NO_ROW UINT32_MAX

/* One key of one side, over its profiles. */
struct side_row {
    const struct profile_row *first; /* of the first profile that has it: names */
    struct runs runs;
    int64_t n, steps;       /* of the profiles that have it; steps 0: not all have steps */
    const int64_t *samples; /* of all runs, ascending */
    size_t sample_count;
    double median, total;
    uint32_t other; /* which row of the other side it is; NO_ROW: of none */
    uint8_t match;  /* enum match_kind */
    bool varies;    /* from step to step */
};

/* Keys may be as many as operators: what has one of each is as base/file/large.h has it. */
struct side_rows {
    struct side_row *rows; /* by key */
    struct run *runs;      /* of all rows */
    size_t count;
    struct text_blocks gathered; /* samples of several captures */
    struct profile_row *made;    /* of groups of steps, which no profile has as a table */
};

/* Inside: the rows of one subject, sorted. */
struct compare_question {
    enum subject subject;
    const struct compare_options *options;
    double step_ns;
    const struct noise *noise; /* NULL: that of the rows themselves */
    bool steps_differ;         /* found by comparing operators */
    bool of_groups;            /* of this measure of groups of steps, as BY_STEP */
    enum measure measure;
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

static void take_row(struct side_row *row, struct of_captures *numbers, enum subject subject,
                     const struct profile *profile, const struct profile_row *from)
{
    const bool whole = subject == BY_API || subject == BY_LINE;
    bool stepped = profile->steps > 0 && (row->first == NULL || row->steps > 0);

    if (row->first == NULL)
        row->first = from;
    numbers->medians[row->runs.count] = from->durations.median;
    numbers->totals[row->runs.count] =
        from->durations.total / (whole ? profile_all_steps(profile) : profile_steps(profile));
    row->n += from->durations.n;
    row->steps = stepped ? row->steps + profile->steps : 0;
    row->varies = row->varies || from->varies;
    row->samples = from->durations.samples;
    row->sample_count = from->durations.sample_count;
}

/* A row of several captures has the samples of all. */
static int gather_samples(struct side_row *row, struct durations *samples, struct text_blocks *gathered,
                          struct err *err)
{
    int64_t *copy = texts_numbers(gathered, samples->count);

    if (copy == NULL)
        return err_no_memory(err);
    statistics_sort(samples->items, samples->count);
    for (size_t i = 0; i < samples->count; i++)
        copy[i] = samples->items[i];
    row->samples = copy;
    row->sample_count = samples->count;
    return 0;
}

static void finish_row(struct side_row *row, struct of_captures *numbers, size_t captures)
{
    row->median = median_of(numbers->medians, row->runs.count);
    for (size_t i = row->runs.count; i < captures; i++)
        numbers->totals[i] = 0; /* a capture without it */
    row->total = median_of(numbers->totals, captures);
}

static void side_rows_release(struct side_rows *rows)
{
    large_free(rows->rows);
    large_free(rows->runs);
    free(rows->made);
    texts_release(&rows->gathered);
}

/* The tables of a side's profiles, each of which is sorted by key, while they are merged. */
struct merging {
    const struct side *side;
    enum subject subject;
    struct profile_table tables[RUNS_MAX];
    size_t next[RUNS_MAX];
};

/* The first row of a profile that is not taken yet; NULL: all are. */
static const struct profile_row *next_row(const struct merging *merging, size_t profile)
{
    const struct profile_table *table = &merging->tables[profile];

    return merging->next[profile] < table->count ? &table->rows[merging->next[profile]] : NULL;
}

/* NULL: there are no more. */
static const char *least_key(const struct merging *merging)
{
    const char *least = NULL;

    for (size_t i = 0; i < merging->side->count; i++) {
        const struct profile_row *row = next_row(merging, i);
        if (row != NULL && (least == NULL || strcmp(row->key, least) < 0))
            least = row->key;
    }
    return least;
}

/* Takes what all profiles have with this key; row->runs has room. */
static int merge_row(struct merging *merging, const char *key, struct side_row *row, struct text_blocks *gathered,
                     struct err *err)
{
    const struct side *side = merging->side;
    SCOPED_FREE struct durations samples = {.items = NULL};
    struct of_captures numbers;

    row->other = NO_ROW;
    for (size_t i = 0; i < side->count; i++) {
        const struct profile_row *from = next_row(merging, i);
        if (from == NULL || strcmp(from->key, key) != 0)
            continue;
        merging->next[i]++;
        take_row(row, &numbers, merging->subject, side->profiles[i], from);
        row->runs.items[row->runs.count++] = run_of(i, merging->subject, side->profiles[i], &from->durations);
        for (size_t k = 0; side->count > 1 && k < from->durations.sample_count; k++)
            if (array_add(&samples, err, from->durations.samples[k]) < 0)
                return err_status(err);
    }
    finish_row(row, &numbers, side->count);
    return side->count > 1 ? gather_samples(row, &samples, gathered, err) : 0;
}

ARRAY_COMPARE(by_key, struct profile_row, ARRAY_BY_TEXT(key))

/* A row for each group of steps that has the measure. */
static int rows_of_groups(const struct profile *profile, enum measure measure, struct profile_row *rows)
{
    int count = 0;

    for (size_t g = 0; g < profile->group_count; g++) {
        const struct profile_group *group = &profile->groups[g];
        if (group->measures[measure].n > 0)
            rows[count++] = (struct profile_row){.key = group->key,
                                                 .name = group->key,
                                                 .type = "",
                                                 .shapes = "",
                                                 .order = g,
                                                 .durations = group->measures[measure]};
    }
    array_sort(rows, (size_t)count, sizeof *rows, by_key);
    return count;
}

/* The tables that the rows of a side are made of. */
static int find_tables(struct merging *merging, const struct compare_question *question, struct profile_row **ret_made,
                       struct err *err)
{
    const struct side *side = merging->side;
    size_t groups = 0, made = 0;

    if (side->count > RUNS_MAX)
        return err_set(err, ERR_LIMIT, "more than %d captures on one side", RUNS_MAX);
    for (size_t i = 0; i < side->count; i++)
        groups += side->profiles[i]->group_count;
    *ret_made = scoped_memory(groups + 1, sizeof **ret_made);
    if (*ret_made == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < side->count; i++) {
        merging->tables[i] = side->profiles[i]->tables[question->subject];
        if (!question->of_groups)
            continue;
        merging->tables[i].rows = *ret_made + made;
        merging->tables[i].count = (size_t)rows_of_groups(side->profiles[i], question->measure, *ret_made + made);
        made += merging->tables[i].count;
    }
    return 0;
}

static int side_rows_make(const struct side *side, const struct compare_question *question, struct side_rows *ret,
                          struct err *err)
{
    struct merging merging = {.side = side, .subject = question->subject};
    size_t most = 0, runs = 0;

    if (find_tables(&merging, question, &ret->made, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < side->count; i++)
        most += merging.tables[i].count;
    ret->rows = large_new(most + 1, sizeof *ret->rows, err);
    ret->runs = large_new(most + 1, sizeof *ret->runs, err);
    if (ret->rows == NULL || ret->runs == NULL)
        return err_status(err);
    for (const char *key; (key = least_key(&merging)) != NULL; ret->count++) {
        struct side_row *row = &ret->rows[ret->count];
        large_pass(ret->count);
        row->runs.items = &ret->runs[runs];
        if (merge_row(&merging, key, row, &ret->gathered, err) < 0)
            return err_status(err);
        runs += row->runs.count;
    }
    return 0;
}

static void pair(struct side_rows *base, size_t i, struct side_rows *other, size_t k, enum match_kind match)
{
    base->rows[i].other = (uint32_t)k;
    other->rows[k].other = (uint32_t)i;
    base->rows[i].match = other->rows[k].match = (uint8_t)match;
}

/* Most keys are on both sides. */
static size_t pair_exact(struct side_rows *base, struct side_rows *other)
{
    size_t i = 0, k = 0, pairs = 0;

    while (i < base->count && k < other->count) {
        int order = strcmp(base->rows[i].first->key, other->rows[k].first->key);
        large_pass(i);
        if (order == 0) {
            pair(base, i, other, k, MATCH_EXACT);
            pairs++;
        }
        i += order <= 0;
        k += order >= 0;
    }
    return pairs;
}

/* Rows without a partner, and which they are. */
struct single_rows {
    struct match_operator *items;
    uint32_t *rows;
    size_t count;
};

static void single_rows_release(struct single_rows *singles)
{
    large_free(singles->items);
    large_free(singles->rows);
}

static int find_singles(const struct side_rows *side, size_t count, struct single_rows *ret, struct err *err)
{
    ret->items = large_new(count + 1, sizeof *ret->items, err);
    ret->rows = large_new(count + 1, sizeof *ret->rows, err);
    if (ret->items == NULL || ret->rows == NULL)
        return err_status(err);
    for (size_t i = 0; i < side->count; i++) {
        const struct profile_row *row = side->rows[i].first;
        large_pass(i);
        if (side->rows[i].other != NO_ROW)
            continue;
        ret->rows[ret->count] = (uint32_t)i;
        ret->items[ret->count++] = (struct match_operator){.key = row->key,
                                                           .name = row->name[0] != '\0' ? row->name : row->key,
                                                           .type = row->type,
                                                           .shapes = row->shapes,
                                                           .order = row->order};
    }
    return 0;
}

static int match_rows(struct side_rows *base, struct side_rows *other, size_t *ret_pairs, struct err *err)
{
    SCOPED(single_rows_release) struct single_rows a = {.count = 0}, b = {.count = 0};
    size_t pairs = pair_exact(base, other);

    if (find_singles(base, base->count - pairs, &a, err) < 0 || find_singles(other, other->count - pairs, &b, err) < 0)
        return err_status(err);
    large_forget();
    if (match_operators(a.items, a.count, b.items, b.count, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < a.count; i++)
        if (a.items[i].other != SIZE_MAX) {
            pair(base, a.rows[i], other, b.rows[a.items[i].other], a.items[i].kind);
            pairs++;
        }
    *ret_pairs = pairs;
    return 0;
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

static void building_release(struct building *building)
{
    large_free(building->rows);
    large_free((void *)building->base);
    large_free((void *)building->other);
}

static void add_row(struct building *building, const struct side_row *base, const struct side_row *other,
                    enum match_kind match)
{
    const size_t at = building->count++;

    large_passed(4); /* each is written beside the rows of both sides and of their profiles */
    building->base[at] = base;
    building->other[at] = other;
    fill_row(&building->rows[at], base, other, match);
    if (base != NULL && other != NULL)
        building->rows[at].cliff =
            statistics_cliff_delta(base->samples, base->sample_count, other->samples, other->sample_count);
}

static int build_rows(struct side_rows *base, struct side_rows *other, struct building *ret, struct err *err)
{
    size_t pairs = 0;

    large_forget();
    if (match_rows(base, other, &pairs, err) < 0)
        return err_status(err);
    large_forget();
    const size_t count = base->count + other->count - pairs + 1;
    ret->rows = large_new(count, sizeof *ret->rows, err);
    ret->base = large_new(count, sizeof *ret->base, err);
    ret->other = large_new(count, sizeof *ret->other, err);
    if (ret->rows == NULL || ret->base == NULL || ret->other == NULL)
        return err_status(err);
    for (size_t i = 0; i < base->count; i++) {
        const struct side_row *row = &base->rows[i];
        add_row(ret, row, row->other != NO_ROW ? &other->rows[row->other] : NULL, (enum match_kind)row->match);
    }
    for (size_t i = 0; i < other->count; i++)
        if (other->rows[i].other == NO_ROW)
            add_row(ret, NULL, &other->rows[i], MATCH_NONE);
    return 0;
}

/* Walks over all rows ask this of each. */
static bool is_on_both(const struct building *building, size_t i)
{
    large_pass(i);
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

/* Counts how many captures would detect the changes that are noise so far. */
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

/* Whether a row's executions a step prove a change: where every step has as many that is a fact that no noise makes,
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

static void compare_rows_release(struct compare_rows *rows)
{
    large_free(rows->items);
    rows->items = NULL;
}

static int compare_table(const struct side *base, const struct side *new_side, const struct compare_question *question,
                         struct compare_rows *ret, struct err *err)
{
    const size_t captures[2] = {base->count, new_side->count};
    SCOPED(side_rows_release) struct side_rows a = {.rows = NULL}, b = {.rows = NULL};
    SCOPED(building_release) struct building building = {.rows = NULL};

    if (side_rows_make(base, question, &a, err) < 0 || side_rows_make(new_side, question, &b, err) < 0 ||
        build_rows(&a, &b, &building, err) < 0)
        return err_status(err);
    large_forget(); /* the profiles are not read from here on */
    const struct counts counts = counts_of(&building, base, new_side, question);
    struct noise noise = {.keys = 0};
    if (question->noise != NULL)
        noise = *question->noise;
    else if (learn(&building, captures, question->options, &noise, err) < 0)
        return err_status(err);
    if (judge_table(&building, question, &noise, &counts, err) < 0)
        return err_status(err);
    array_sort(building.rows, building.count, sizeof *building.rows, by_change);
    *ret = (struct compare_rows){building.rows, building.count, noise, !counts.regular};
    building.rows = NULL;
    return 0;
}

ENUM_NAMES(compare_row_verdict_name, enum row_verdict, "unchanged", "noise", "improvement", "regression")

ENUM_NAMES(compare_verdict_name, enum verdict, "ok", "regression", "inconclusive")

ENUM_NAMES(compare_cause_name, enum verdict_cause, "step_time", "period", "operators", "gaps", "calls", "gates")

/* ---- gates ---- */

/* A metric that is one number a side, for a step; NAN: not known. */
static double simple_value(const struct side *side, enum gate_metric metric)
{
    double sum = 0;

    for (size_t i = 0; i < side->count; i++) {
        const struct profile *profile = side->profiles[i];
        double value = 0;
        if (profile->group_count == 0 || !profile->facts.times_known)
            return NAN;
        if (metric == GATE_AI_CPU)
            value = profile->ai_cpu_ns / profile_steps(profile);
        else if (metric == GATE_CONVERSIONS)
            value = profile->conversion_ns / profile_steps(profile);
        else if (metric == GATE_CUBE)
            value = profile->cube_share >= 0 ? 100 * profile->cube_share : -1;
        else if (metric == GATE_BYTES)
            value = profile->read_write_bytes >= 0 ? profile->read_write_bytes / profile_all_steps(profile) : -1;
        else
            value = -1; /* of captures of one operator */
        if (value < 0)
            return NAN;
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
        double a = counted ? (double)row->n_base / fmax(1, all_steps(base)) : row->total_base;
        double b = counted ? (double)row->n_new / fmax(1, all_steps(other)) : row->total_new;

        if ((row->base_key == NULL || fnmatch(gate->pattern, row->base_key, 0) != 0) &&
            (row->new_key == NULL || fnmatch(gate->pattern, row->new_key, 0) != 0))
            continue;
        step_gates_take(result, row->key, a, b, step_new);
    }
}

/* The rows that a gate with a pattern is held against. */
static const struct {
    enum gate_metric metric;
    enum subject subject;
} gate_subjects[] = {{GATE_OP, BY_OP},    {GATE_TYPE, BY_TYPE},  {GATE_API, BY_API},
                     {GATE_COUNT, BY_OP}, {GATE_COUNT, BY_TYPE}, {GATE_GAP, BY_GAP}};
#define GATE_SUBJECTS (sizeof gate_subjects / sizeof *gate_subjects)

unsigned comparison_subjects(const struct compare_options *options, const struct gate *gates, size_t gate_count)
{
    unsigned subjects = SUBJECT_BIT(BY_OP) | SUBJECT_BIT(BY_GAP) | SUBJECT_BIT(BY_API) | SUBJECT_BIT(options->by);

    for (size_t i = 0; i < gate_count; i++)
        for (size_t k = 0; k < GATE_SUBJECTS; k++)
            if (gate_subjects[k].metric == gates[i].metric)
                subjects |= SUBJECT_BIT(gate_subjects[k].subject);
    return subjects;
}

static int hold_pattern(struct compare_gate *result, const struct comparison *comparison, const struct side *base,
                        const struct side *other, struct err *err)
{
    result->passed = !gate_is_of_operator(result->gate->metric);
    for (size_t i = 0; i < GATE_SUBJECTS; i++) {
        SCOPED(compare_rows_release) struct compare_rows rows = {.items = NULL};
        if (gate_subjects[i].metric != result->gate->metric)
            continue;
        const struct compare_question question = {.subject = gate_subjects[i].subject,
                                                  .options = &comparison->options,
                                                  .step_ns = comparison->step_base,
                                                  .steps_differ = comparison->steps_differ};
        if (compare_table(base, other, &question, &rows, err) < 0)
            return err_status(err);
        hold_rows(result, &rows, base, other, comparison->step_new);
    }
    if (!result->known && result->passed && result->gate->kind != LIMIT_WORSE_BY) { /* there is none: 0 */
        result->known = true;
        result->base = result->new_value = 0;
        result->passed = gate_holds(result->gate, 0, 0, comparison->step_new);
    }
    return 0;
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
        snprintf(result->why, sizeof result->why,
                 language_shown("start times of tasks in a capture are synthesised, so gaps are meaningless"));
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
    result->known = !isnan(result->base) && !isnan(result->new_value);
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
    const struct compare_question question = {.subject = subject,
                                              .options = &comparison->options,
                                              .step_ns = comparison->step_base,
                                              .noise = subject <= BY_STEP ? &comparison->noise : NULL,
                                              .steps_differ = comparison->steps_differ};

    return compare_table(base, new_side, &question, ret, err);
}

static int compare_groups(struct comparison *comparison, const struct side *base, const struct side *new_side,
                          enum measure measure, struct compare_rows *ret, struct err *err)
{
    const struct compare_question question = {.subject = BY_STEP,
                                              .options = &comparison->options,
                                              .step_ns = comparison->step_base,
                                              .noise = &comparison->noise,
                                              .steps_differ = comparison->steps_differ,
                                              .of_groups = true,
                                              .measure = measure};

    return compare_table(base, new_side, &question, ret, err);
}

static bool has_calls(const struct side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->profiles[i]->tables[BY_API].count == 0)
            return false;
    return true;
}

/* The rows that only the verdict is made of, and those of gaps. */
static int compare_whole(struct comparison *comparison, const struct side *base, const struct side *new_side,
                         struct err *err)
{
    bool failed = compare_rows_by(comparison, base, new_side, BY_GAP, &comparison->gaps, err) < 0 ||
                  compare_groups(comparison, base, new_side, MEASURE_STEP, &comparison->steps, err) < 0 ||
                  compare_groups(comparison, base, new_side, MEASURE_PERIOD, &comparison->periods, err) < 0 ||
                  (has_calls(base) && has_calls(new_side) &&
                   compare_rows_by(comparison, base, new_side, BY_API, &comparison->calls, err) < 0);

    return failed ? err_status(err) : 0;
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
    const struct compare_question first = {.subject = BY_OP, .options = options, .step_ns = ret->step_base};
    int status = compare_table(base, new_side, &first, &ops, err);
    if (status == 0) {
        ret->noise = ops.noise;
        ret->steps_differ = ops.steps_differ;
        comparison_check_facts(ret, base, new_side, &ops);
        if (options->by == BY_OP)
            ret->rows = ops;
        else
            compare_rows_release(&ops);
    }
    if (status == 0 && options->by != BY_OP)
        status = compare_rows_by(ret, base, new_side, options->by, &ret->rows, err);
    if (status == 0)
        status = compare_whole(ret, base, new_side, err);
    for (size_t i = 0; status == 0 && i < gate_count; i++) {
        ret->gates[i] = (struct compare_gate){.gate = &gates[i], .base = NAN, .new_value = NAN};
        status = hold_gate(&ret->gates[i], ret, base, new_side, err);
    }
    comparison_judge(ret);
    if (status == 0)
        status = find_smallest(ret, err);
    if (status != 0)
        comparison_release(ret);
    return status;
}

void comparison_release(struct comparison *comparison)
{
    compare_rows_release(&comparison->rows);
    compare_rows_release(&comparison->gaps);
    compare_rows_release(&comparison->steps);
    compare_rows_release(&comparison->periods);
    compare_rows_release(&comparison->calls);
    free(comparison->gates);
    *comparison = (struct comparison){.score = 0};
}
