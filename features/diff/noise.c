/* SPDX-License-Identifier: Apache-2.0 */
#include "features/diff/noise.h"

#include "base/array.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

/* Number of keys that shows their common change and their noise. */
#define KEYS_ENOUGH 8
/* So much the assumed drift weighs, in degrees of freedom. */
#define DRIFT_DF 8.0
/* A median of squares uses about so much of what they say. */
#define MEDIAN_EFFICIENCY 0.37
/* The variance of a median is that of a mean, times pi / 2. */
#define MEDIAN_FACTOR 1.5708
/* Between single captures, more than this is no drift of one key but a change, unless executions were too few to say.
 */
#define ALONE_MOST 0.01
#define ALONE_MOST_UNKNOWN 0.2

/* One key while noise is learnt. */
struct key {
    const struct runs *sides[2];
    double scatter, scatter_df; /* variance of one execution */
    double squares, df;         /* of its centers within the sides */
    double inner;               /* mean variance of a center that the scatter explains */
    double own;
};

static double square(double x)
{
    return x * x;
}

/* ---- scatter within captures ---- */

/* The scatter of one key's executions in all captures, before that of the others is known. */
static void key_scatter(const struct runs *base, const struct runs *new_side, double *ret, double *ret_df)
{
    const struct runs *sides[2] = {base, new_side};
    double sum = 0, df = 0;

    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < sides[s]->count; i++) {
            const struct run *run = &sides[s]->items[i];
            if (run->scatter < 0 || run->scatter_df <= 0)
                continue;
            sum += run->scatter_df * square(run->scatter);
            df += run->scatter_df;
        }
    *ret = df > 0 ? sum / df : 0;
    *ret_df = df;
}

/* The variance of a center that scatter explains, in the mean of a side. */
static double inner_of(const struct runs *runs, double scatter)
{
    double sum = 0;

    for (size_t i = 0; i < runs->count; i++)
        sum += MEDIAN_FACTOR * scatter / fmax(1, runs->items[i].executions) + square(runs->items[i].excess);
    return sum / (double)runs->count;
}

static double shrunk(const struct noise *noise, double scatter, double df)
{
    return (noise->scatter_df * noise->typical_scatter + df * scatter) / (noise->scatter_df + df);
}

/* How much some values, each a variance over what is expected of it, agree, by the largest likelihood. */
struct ratio {
    double value, df;
};

static double learn_df(const struct ratio *ratios, size_t count)
{
    static const double choices[] = {1, 2, 3, 4, 6, 9, 14, 20, 30, 50, 100, 200};
    double best = choices[0], best_likelihood = -INFINITY;

    for (size_t c = 0; c < sizeof choices / sizeof *choices; c++) {
        double likelihood = 0;
        for (size_t i = 0; i < count; i++)
            if (ratios[i].df > 0)
                likelihood += statistics_fisher_likelihood(fmax(0.01, ratios[i].value), ratios[i].df, choices[c]);
        if (likelihood > best_likelihood) {
            best_likelihood = likelihood;
            best = choices[c];
        }
    }
    return best;
}

static void learn_scatter(struct noise *noise, struct key *keys, size_t count, double *scratch, struct ratio *ratios)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        key_scatter(keys[i].sides[0], keys[i].sides[1], &keys[i].scatter, &keys[i].scatter_df);
        if (keys[i].scatter_df > 0)
            scratch[n++] = keys[i].scatter;
    }
    noise->typical_scatter = statistics_numbers_median(scratch, n);
    for (size_t i = 0; i < count; i++)
        ratios[i] = (struct ratio){keys[i].scatter / fmax(noise->typical_scatter, 1e-300), keys[i].scatter_df};
    noise->scatter_df = learn_df(ratios, count);
    for (size_t i = 0; i < count; i++) {
        double scatter = shrunk(noise, keys[i].scatter, keys[i].scatter_df);
        keys[i].inner = (inner_of(keys[i].sides[0], scatter) + inner_of(keys[i].sides[1], scatter)) / 2;
    }
}

/* ---- what all keys share ---- */

struct weighted {
    double value, weight;
};

ARRAY_COMPARE(by_value, struct weighted, ARRAY_BY(value))

static double weighted_median(struct weighted *values, size_t n)
{
    double all = 0, below = 0;

    for (size_t i = 0; i < n; i++)
        all += values[i].weight;
    array_sort(values, n, sizeof *values, by_value);
    for (size_t i = 0; i < n; i++) {
        below += values[i].weight;
        if (below >= all / 2)
            return values[i].value;
    }
    return 0;
}

static bool is_everywhere(const struct noise *noise, const struct key *key)
{
    return key->sides[0]->count == noise->captures[0] && key->sides[1]->count == noise->captures[1];
}

static double mean_of(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += values[i];
    return n > 0 ? sum / (double)n : 0;
}

static double mean_center(const struct runs *runs)
{
    double sum = 0;

    for (size_t i = 0; i < runs->count; i++)
        sum += runs->items[i].center;
    return runs->count > 0 ? sum / (double)runs->count : 0;
}

/* The median over keys of how far a capture's centers lie from the keys' means. A key whose noise is small weighs more,
 * but none so much that it decides alone. */
static int learn_shared(struct noise *noise, const struct key *keys, size_t count, double *scratch, struct err *err)
{
    SCOPED_FREE struct weighted *values = scoped_memory(count + 1, sizeof *values);
    size_t n = 0;

    if (values == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < count; i++)
        scratch[n++] = keys[i].inner;
    double typical = fmax(statistics_numbers_median(scratch, n), 1e-12);
    for (int s = 0; s < 2; s++)
        for (size_t c = 0; c < noise->captures[s]; c++) {
            n = 0;
            for (size_t i = 0; i < count; i++) {
                const struct runs *const *sides = keys[i].sides;
                if (!is_everywhere(noise, &keys[i]))
                    continue;
                double middle = (mean_center(sides[0]) + mean_center(sides[1])) / 2;
                values[n++] = (struct weighted){sides[s]->items[c].center - middle, 1 / (keys[i].inner + typical)};
            }
            noise->separated = n >= KEYS_ENOUGH;
            noise->shared[s][c] = noise->separated ? weighted_median(values, n) : 0;
        }
    return 0;
}

/* Squares of distances from the mean. */
static double squares_of(const double *values, size_t n)
{
    double mean = mean_of(values, n), sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += square(values[i] - mean);
    return sum;
}

static double both_sides(const struct noise *noise)
{
    return 1 / (double)noise->captures[0] + 1 / (double)noise->captures[1];
}

/* Drift is measured where captures of a side are several; what is assumed of it weighs as DRIFT_DF such. */
static void learn_change(struct noise *noise, const struct key *keys, size_t count)
{
    double df = DRIFT_DF, squares = DRIFT_DF * square(noise->options.drift), inner = 0;

    for (int s = 0; s < 2 && noise->separated; s++) {
        df += (double)noise->captures[s] - 1;
        squares += squares_of(noise->shared[s], noise->captures[s]);
    }
    for (size_t i = 0; i < count; i++)
        inner += keys[i].inner / (double)count;
    noise->change = mean_of(noise->shared[1], noise->captures[1]) - mean_of(noise->shared[0], noise->captures[0]);
    noise->change_error =
        sqrt((squares / df + MEDIAN_FACTOR * (inner + noise->between) / fmax(1, (double)count)) * both_sides(noise));
    noise->change_df = df;
    noise->change_p = statistics_student_p(noise->change / noise->change_error, df);
}

/* ---- what one key does between runs ---- */

static double without_shared(const struct noise *noise, int side, const struct runs *runs, double *ret_squares)
{
    double values[RUNS_MAX];

    for (size_t i = 0; i < runs->count; i++)
        values[i] = runs->items[i].center - noise->shared[side][runs->items[i].capture];
    *ret_squares = squares_of(values, runs->count);
    return mean_of(values, runs->count);
}

static void learn_keys(const struct noise *noise, struct key *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct key *key = &keys[i];
        double squares[2], means[2];
        for (int s = 0; s < 2; s++)
            means[s] = without_shared(noise, s, key->sides[s], &squares[s]);
        key->own = means[1] - means[0];
        key->squares = squares[0] + squares[1];
        key->df = (double)(key->sides[0]->count + key->sides[1]->count - 2);
    }
}

/* How large the squares of half of the keys are against what a variance between runs makes one expect. */
static double fit(const struct key *keys, size_t count, double between, bool alone, double *scratch)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (alone)
            scratch[n++] = square(keys[i].own) / (2 * (between + keys[i].inner) * statistics_chi_square_median(1));
        else if (keys[i].df > 0)
            scratch[n++] = keys[i].squares / ((between + keys[i].inner) * statistics_chi_square_median(keys[i].df));
    return statistics_numbers_median(scratch, n);
}

/* The variance that makes half of the keys differ as they do; within sides, or where each has one capture, between
 * them: most keys did not change. */
static double learn_between(const struct key *keys, size_t count, bool alone, double most, double *scratch)
{
    double low = 0, high = square(most);

    if (fit(keys, count, 0, alone, scratch) <= 1)
        return 0;
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        if (fit(keys, count, middle, alone, scratch) > 1)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static void learn_noise(struct noise *noise, struct key *keys, size_t count, double *scratch, struct ratio *ratios)
{
    bool alone = noise->captures[0] + noise->captures[1] == 2, enough = count >= KEYS_ENOUGH;
    double scatter_df = 0;

    learn_keys(noise, keys, count);
    for (size_t i = 0; i < count; i++)
        scatter_df += keys[i].scatter_df / (double)count;
    double most = !alone ? 1 : scatter_df >= 1 ? ALONE_MOST : ALONE_MOST_UNKNOWN;
    if (!enough || !noise->separated)
        noise->between = square(alone && scatter_df < 1 ? ALONE_MOST_UNKNOWN : noise->options.drift);
    else
        noise->between = learn_between(keys, count, alone, most, scratch);
    for (size_t i = 0; i < count; i++)
        ratios[i] = (struct ratio){keys[i].squares / fmax(1, keys[i].df) / fmax(noise->between + keys[i].inner, 1e-300),
                                   keys[i].df};
    if (!enough)
        noise->prior_df = DRIFT_DF;
    else
        noise->prior_df = alone ? MEDIAN_EFFICIENCY * (double)count : learn_df(ratios, count);
}

int noise_learn(const struct runs *const *base, const struct runs *const *new_side, size_t count,
                const size_t captures[2], const struct noise_options *options, struct noise *ret, struct err *err)
{
    SCOPED_FREE struct key *keys = scoped_memory(count + 1, sizeof *keys);
    SCOPED_FREE double *scratch = scoped_memory(count + 1, sizeof *scratch);
    SCOPED_FREE struct ratio *ratios = scoped_memory(count + 1, sizeof *ratios);
    int status = keys == NULL || scratch == NULL || ratios == NULL ? err_no_memory(err) : 0;

    *ret = (struct noise){.options = *options, .captures = {captures[0], captures[1]}, .keys = count};
    for (size_t i = 0; status == 0 && i < count; i++)
        keys[i] = (struct key){.sides = {base[i], new_side[i]}};
    if (status == 0) {
        learn_scatter(ret, keys, count, scratch, ratios);
        status = learn_shared(ret, keys, count, scratch, err);
    }
    if (status == 0) {
        learn_noise(ret, keys, count, scratch, ratios);
        learn_change(ret, keys, count);
    }
    return status;
}

/* ---- answers ---- */

/* Single captures show nothing of a key's noise between runs: that of the other keys stands for it. */
struct noise_change noise_of(const struct noise *noise, const struct runs *base, const struct runs *new_side)
{
    double squares[2], scatter, scatter_df, df = (double)(base->count + new_side->count - 2);
    double n[2] = {(double)base->count, (double)new_side->count};
    double means[2] = {without_shared(noise, 0, base, &squares[0]), without_shared(noise, 1, new_side, &squares[1])};
    struct noise_change change = {.own = means[1] - means[0]};

    change.whole = mean_center(new_side) - mean_center(base);
    key_scatter(base, new_side, &scatter, &scatter_df);
    double within = shrunk(noise, scatter, scatter_df);
    double inner[2] = {inner_of(base, within), inner_of(new_side, within)};
    double expected = fmax(noise->between + (inner[0] + inner[1]) / 2, 1e-300), factor = 1;
    change.df = noise->prior_df;
    if (df > 0) {
        double found = (squares[0] + squares[1]) / df / expected;
        bool alike = statistics_fisher_p(found, df, noise->prior_df) >= 0.01;
        factor = alike ? (noise->prior_df + df * found) / (noise->prior_df + df) : found;
        change.df = alike ? noise->prior_df + df : df;
    } else {
        change.df = fmin(change.df, noise->scatter_df + scatter_df);
    }
    change.error = sqrt(factor * ((noise->between + inner[0]) / n[0] + (noise->between + inner[1]) / n[1]));
    change.error = fmax(change.error, 1e-9);
    return change;
}

bool noise_is_told(const struct noise *noise, double least)
{
    return noise->separated && noise->change_p < noise->options.alpha && fabs(expm1(noise->change)) > least;
}

double noise_smallest(double error, double df, double p)
{
    const double nine_of_ten = 1.2816;

    return error * (statistics_student_quantile(p, df) + nine_of_ten);
}

size_t noise_captures_for(const struct noise *noise, double change, double error, double df, double p)
{
    double one = error / sqrt(both_sides(noise)), captures = (double)(noise->captures[0] + noise->captures[1]);
    size_t low = 2, high = RUNS_MAX + 1;

    /* More captures detect a smaller change: the fewest are found by halving. The most are tried first, because they
     * often do not suffice. */
    for (size_t n = RUNS_MAX; low < high; n = (low + high) / 2) {
        double more = fmax(0, 2 * (double)n - captures);
        if (fabs(change) > statistics_student_quantile(p, df + more) * one * sqrt(2 / (double)n))
            high = n;
        else
            low = n + 1;
    }
    return low <= RUNS_MAX ? low : 0;
}
