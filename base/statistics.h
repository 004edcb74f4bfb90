/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers about many numbers. Sorted means ascending; every function takes n == 0 and then gives 0. */
#ifndef MSPROF_BASE_STATISTICS_H
#define MSPROF_BASE_STATISTICS_H

#include "base/array.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

void statistics_sort(int64_t *values, size_t n);
/* By linear interpolation between the two nearest ranks; p from 0 to 1. */
double statistics_percentile(const int64_t *sorted, size_t n, double p);
double statistics_median(const int64_t *sorted, size_t n);
/* Sorts the values. */
double statistics_numbers_median(double *values, size_t n);
/* The median of the distances from the median: two pointers walk from the middle outwards, nothing is copied. */
double statistics_mad(const int64_t *sorted, size_t n, double median);
/* Both of lengths, each rounded once from ticks of a clock of hz (base/ticks.h, ticks_hz; TICKS_OF_NS: they are
 * nanoseconds): of the ticks, not rounded. */
double statistics_lengths_median(const int64_t *sorted, size_t n, int64_t hz);
double statistics_lengths_mad(const int64_t *sorted, size_t n, int64_t hz);

/* Values that are collected one by one, and the frequency of the clock of all of them (ticks_share_hz). All zero: none;
 * large_free(items). */
struct durations {
    int64_t *items;
    size_t count, capacity;
    int64_t hz;
};

/* rate: of the clock of whose ticks it was rounded. */
int statistics_durations_add(struct durations *durations, int64_t duration_ns, int64_t rate, struct err *err);

/* At most this many values stand for all of them. */
#define SAMPLES_MAX 256

/* Facts about many values that outlast them. All zero: no value; series_release() it. */
struct series {
    int64_t n;
    double median, mad, total, minimum, maximum;
    double p95;       /* the smallest value that 19 of 20 do not exceed: one that occurred. Baselines have none */
    int64_t *samples; /* ascending, evenly ranked, the smallest and the largest among them; all when there are few */
    size_t sample_count;
};

/* How many samples stand for so many values. */
static inline size_t series_samples(size_t n)
{
    return n < SAMPLES_MAX ? n : SAMPLES_MAX;
}
/* With its samples where there is room for them, which stays with whoever has it: it is not released. Sorts the values.
 * hz: of the clock whose ticks they are, as above. */
void series_fill(struct series *series, int64_t *values, size_t n, int64_t hz, int64_t *samples);
/* Sorts the values. */
int series_make(struct series *series, int64_t *values, size_t n, int64_t hz, struct err *err);
int series_of_durations(struct series *series, const struct durations *durations, struct err *err);
void series_release(struct series *series);
double series_percentile(const struct series *series, double p);
/* Values of many groups, collected one by one in any order. All zero: none; grouped_release() it. */
struct grouped {
    struct durations values;
    struct ARRAY_OF(uint32_t) before; /* the number of the value of its group before it */
};

/* last: the number of the group's last value, from 1; 0: it has none. */
int grouped_add(struct grouped *grouped, uint32_t *last, int64_t value, struct err *err);
/* series_make() of the values of a group, which has so many. */
int grouped_series(const struct grouped *grouped, uint32_t last, size_t count, int64_t hz, struct series *ret,
                   struct err *err);
void grouped_release(struct grouped *grouped);
/* How far values scatter: 1.4826 MAD; when that is 0 the larger of tick and interquartile range / 1.349. */
double series_scale(const struct series *series, double tick);
/* The standard deviation of the samples. */
double series_deviation(const struct series *series);

/* Bins of durations: 1, 2, 5, 10 ... us and so on, each up to the bound of the next. */
#define HISTOGRAM_BINS 24

struct histogram {
    struct histogram_bin {
        int64_t from_ns, until_ns; /* the last one's is INT64_MAX */
        int64_t count;
        double total_ns;
    } bins[HISTOGRAM_BINS];
};

void histogram_init(struct histogram *histogram);
void histogram_add(struct histogram *histogram, double duration_ns);

/* How often chance alone does as much: Student's t, Snedecor's F, false findings among many, and how far two sides
 * overlap. */

/* The probability that |T| is at least |t|, with df > 0 degrees of freedom. */
double statistics_student_p(double t, double df);
/* The t > 0 whose statistics_student_p() is p; p from 1e-12 to 1. */
double statistics_student_quantile(double p, double df);
/* The probability that F(df1, df2) is at least f. */
double statistics_fisher_p(double f, double df1, double df2);
/* ln of the density of F(df1, df2) at f > 0, without the terms that do not depend on df2. */
double statistics_fisher_likelihood(double f, double df1, double df2);
/* The median of chi-square with df degrees of freedom (Wilson and Hilferty). */
double statistics_chi_square_median(double df);

/* The probability that of n + m events at least as uneven a number falls into one of two stretches as n into one that
 * is share of both together: twice that of the rarer side, at most 1. */
double statistics_split_p(double n, double m, double share);

/* Benjamini and Hochberg: q[i] is the share of false findings when everything with a p up to p[i] counts as one. p and
 * q may be the same array. */
int statistics_false_discovery(const double *p, size_t n, double *q, struct err *err);

/* Cliff's delta of two ascending arrays: -1 all new values are smaller, 1 all are larger; 0 when one is empty. */
double statistics_cliff_delta(const int64_t *base, size_t base_count, const int64_t *new_side, size_t new_count);

#endif
