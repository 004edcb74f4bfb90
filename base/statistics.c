/* SPDX-License-Identifier: Apache-2.0 */
#include "base/statistics.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/number.h"
#include "base/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIX_LEAST 256 /* values from which on counting digits is faster than comparing */
#define DIGITS 256

__extension__ typedef __int128 int128;

static size_t digit(int64_t value, unsigned shift)
{
    return (((uint64_t)value ^ (uint64_t)1 << 63) >> shift) % DIGITS;
}

/* By digits, the lowest first; digits that all values share are passed over. The result is in values. */
static void sort_by_digits(int64_t *values, int64_t *other, size_t n)
{
    int64_t *from = values, *to = other;
    uint64_t differ = 0;

    for (size_t i = 0; i < n; i++) {
        large_pass(i);
        differ |= (uint64_t)(values[i] ^ values[0]);
    }
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t places[DIGITS] = {0}, next = 0;
        if ((differ >> shift) % DIGITS == 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            large_pass(i);
            places[digit(from[i], shift)]++;
        }
        for (size_t d = 0; d < DIGITS; d++) {
            size_t count = places[d];
            places[d] = next;
            next += count;
        }
        for (size_t i = 0; i < n; i++) {
            large_pass(i);
            to[places[digit(from[i], shift)]++] = from[i];
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; from != values && i < n; i++) {
        large_pass(i);
        values[i] = from[i];
    }
}

void statistics_sort(int64_t *values, size_t n)
{
    struct err ignored = ERR_INIT; /* sorted in place then */
    int64_t *other = n >= RADIX_LEAST ? large_new(n, sizeof *other, &ignored) : NULL;

    if (other != NULL)
        sort_by_digits(values, other, n);
    else
        array_sort(values, n, sizeof *values, array_compare_numbers);
    large_free(other);
}

int statistics_durations_add(struct durations *durations, int64_t duration_ns, int64_t rate, struct err *err)
{
    if (large_reserve(durations, 1, err) < 0)
        return err_status(err);
    ticks_share_hz(&durations->hz, rate);
    durations->items[durations->count++] = duration_ns;
    large_passed(1);
    return 0;
}

double statistics_percentile(const int64_t *sorted, size_t n, double p)
{
    if (n == 0)
        return 0;
    double place = p * (double)(n - 1);
    size_t below = (size_t)place;
    if (below + 1 >= n)
        return (double)sorted[n - 1];
    double low = (double)sorted[below], high = (double)sorted[below + 1];
    return low + (high - low) * (place - (double)below);
}

double statistics_median(const int64_t *sorted, size_t n)
{
    return statistics_percentile(sorted, n, 0.5);
}

/* Whether lengths that were rounded from ticks of a clock say how many ticks each is. */
static bool says_ticks(int64_t hz)
{
    return hz > 0 && hz < TICKS_OF_NS && TICKS_OF_NS % hz != 0;
}

/* ticks / parts of a clock, in nanoseconds: the fraction behind the whole ones is not rounded on its own. */
static double part_of_ticks(int64_t hz, int64_t ticks, int64_t parts)
{
    const int128 product = (int128)ticks * TICKS_OF_NS, divisor = (int128)hz * parts;
    const int64_t whole = (int64_t)(product / divisor), rest = (int64_t)(product % divisor);
    return (double)whole + (double)rest / (double)(int64_t)divisor;
}

static int64_t ticks_at(const int64_t *sorted, size_t i, int64_t hz)
{
    return number_rescale(sorted[i], hz, TICKS_OF_NS);
}

/* The two in the middle, which are one where n is odd. */
static int64_t middle_ticks(const int64_t *sorted, size_t n, int64_t hz)
{
    return number_add(ticks_at(sorted, (n - 1) / 2, hz), ticks_at(sorted, n / 2, hz));
}

double statistics_lengths_median(const int64_t *sorted, size_t n, int64_t hz)
{
    return n > 0 && says_ticks(hz) ? part_of_ticks(hz, middle_ticks(sorted, n, hz), 2) : statistics_median(sorted, n);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double statistics_numbers_median(double *values, size_t n)
{
    if (n == 0)
        return 0;
    array_sort(values, n, sizeof *values, by_number);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double distance(int64_t value, double median)
{
    double d = (double)value - median;

    return d < 0 ? -d : d;
}

double statistics_mad(const int64_t *sorted, size_t n, double median)
{
    size_t right = 0, left;
    double last = 0, before = 0;

    while (right < n && (double)sorted[right] < median)
        large_pass(right++);
    left = right; /* the values below the median are [0, left) */
    for (size_t taken = 0; n > 0 && taken <= n / 2; taken++) {
        large_pass(taken);
        before = last;
        if (left > 0 && (right >= n || distance(sorted[left - 1], median) <= distance(sorted[right], median)))
            last = distance(sorted[--left], median);
        else
            last = distance(sorted[right++], median);
    }
    return n % 2 == 1 ? last : (before + last) / 2;
}

static int64_t twice_ticks_at(const int64_t *sorted, size_t i, int64_t hz)
{
    const int64_t ticks = ticks_at(sorted, i, hz);
    return number_add(ticks, ticks);
}

double statistics_lengths_mad(const int64_t *sorted, size_t n, int64_t hz)
{
    if (n == 0 || !says_ticks(hz))
        return statistics_mad(sorted, n, statistics_median(sorted, n));
    const int64_t middle = middle_ticks(sorted, n, hz); /* twice the median, as the distances below are of twice */
    size_t right = n / 2, left = right;
    int64_t last = 0, before = 0;
    for (size_t taken = 0; taken <= n / 2; taken++) {
        const int64_t down = left > 0 ? number_subtract(middle, twice_ticks_at(sorted, left - 1, hz)) : INT64_MAX,
                      up = right < n ? number_subtract(twice_ticks_at(sorted, right, hz), middle) : INT64_MAX;
        large_pass(taken);
        before = last;
        last = down <= up ? down : up;
        left -= down <= up;
        right += down > up;
    }
    return part_of_ticks(hz, n % 2 == 1 ? number_add(last, last) : number_add(before, last), 4);
}

void series_fill(struct series *series, int64_t *values, size_t n, int64_t hz, int64_t *samples)
{
    const size_t kept = series_samples(n);

    *series = (struct series){.n = (int64_t)n};
    if (n == 0)
        return;
    statistics_sort(values, n);
    for (size_t i = 0; i < n; i++) {
        large_pass(i);
        series->total += (double)values[i];
    }
    large_passed(n);
    series->median = statistics_lengths_median(values, n, hz);
    series->mad = statistics_lengths_mad(values, n, hz);
    series->minimum = (double)values[0];
    series->maximum = (double)values[n - 1];
    const size_t beyond = n / 20;
    series->p95 = (double)values[n - 1 - beyond];
    series->samples = samples;
    series->sample_count = kept;
    for (size_t i = 0; i < kept; i++)
        samples[i] = values[kept > 1 ? i * (n - 1) / (kept - 1) : 0];
}

int series_make(struct series *series, int64_t *values, size_t n, int64_t hz, struct err *err)
{
    int64_t *samples = n > 0 ? malloc(series_samples(n) * sizeof *samples) : NULL;

    *series = (struct series){.n = 0};
    if (samples == NULL && n > 0)
        return err_no_memory(err);
    series_fill(series, values, n, hz, samples);
    return 0;
}

int series_of_durations(struct series *series, const struct durations *durations, struct err *err)
{
    return series_make(series, durations->items, durations->count, durations->hz, err);
}

void series_release(struct series *series)
{
    free(series->samples);
    *series = (struct series){.n = 0};
}

int grouped_add(struct grouped *grouped, uint32_t *last, int64_t value, struct err *err)
{
    if (grouped->values.count == UINT32_MAX)
        return err_set(err, ERR_LIMIT, "there are more than %zu values of groups", grouped->values.count);
    if (large_reserve(&grouped->before, 1, err) < 0 ||
        statistics_durations_add(&grouped->values, value, TICKS_OF_NS, err) < 0)
        return err_status(err);
    grouped->before.items[grouped->before.count++] = *last;
    *last = (uint32_t)grouped->values.count;
    return 0;
}

int grouped_series(const struct grouped *grouped, uint32_t last, size_t count, int64_t hz, struct series *ret,
                   struct err *err)
{
    int64_t *values = large_new(count, sizeof *values, err);

    *ret = (struct series){.n = 0};
    if (values == NULL)
        return err_status(err);
    for (size_t i = count; i-- > 0; last = grouped->before.items[last - 1])
        values[i] = grouped->values.items[last - 1];
    large_passed(count);
    const int status = series_make(ret, values, count, hz, err);
    large_free(values);
    return status;
}

void grouped_release(struct grouped *grouped)
{
    large_free(grouped->values.items);
    large_free(grouped->before.items);
}

double series_percentile(const struct series *series, double p)
{
    return statistics_percentile(series->samples, series->sample_count, p);
}

double series_scale(const struct series *series, double tick)
{
    double range = (series_percentile(series, 0.75) - series_percentile(series, 0.25)) / 1.349;

    if (series->mad > 0)
        return 1.4826 * series->mad;
    return range > tick ? range : tick;
}

double series_deviation(const struct series *series)
{
    double mean = 0, squares = 0, n = (double)series->sample_count;

    for (size_t i = 0; i < series->sample_count; i++)
        mean += (double)series->samples[i] / n;
    for (size_t i = 0; i < series->sample_count; i++)
        squares += ((double)series->samples[i] - mean) * ((double)series->samples[i] - mean);
    return n > 1 ? sqrt(squares / (n - 1)) : 0;
}

void histogram_init(struct histogram *histogram)
{
    static const int64_t steps[] = {1, 2, 5};
    int64_t decade = 1000, bound = 0;

    memset(histogram, 0, sizeof *histogram);
    for (size_t i = 0; i < HISTOGRAM_BINS; i++) {
        histogram->bins[i].from_ns = bound;
        bound = i + 1 < HISTOGRAM_BINS ? steps[i % 3] * decade : INT64_MAX;
        histogram->bins[i].until_ns = bound;
        if (i % 3 == 2)
            decade *= 10;
    }
}

void histogram_add(struct histogram *histogram, double duration_ns)
{
    size_t i = 0;

    while (i + 1 < HISTOGRAM_BINS && duration_ns >= (double)histogram->bins[i].until_ns)
        i++;
    histogram->bins[i].count++;
    histogram->bins[i].total_ns += duration_ns;
}

/* The continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22). */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);

    d = 1 / (fabs(d) < tiny ? tiny : d);
    double fraction = d;
    for (int m = 1; m <= 500; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        fraction *= d * c;
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        fraction *= d * c;
        if (fabs(d * c - 1) < 1e-14)
            break;
    }
    return fraction;
}

/* lgamma() tells the sign in one place for all threads of the process. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double beta_scale(double a, double b)
{
    return log_gamma(a + b) - log_gamma(a) - log_gamma(b);
}

/* The regularised incomplete beta function I_x(a, b), by its scale. */
static double beta_share_of(double a, double b, double scale, double x)
{
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    double front = exp(scale + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static double beta_share(double a, double b, double x)
{
    return beta_share_of(a, b, beta_scale(a, b), x);
}

double statistics_student_p(double t, double df)
{
    return beta_share(df / 2, 0.5, df / (df + t * t));
}

double statistics_student_quantile(double p, double df)
{
    const double scale = beta_scale(df / 2, 0.5);
    double low = 0, high = 1;

    while (beta_share_of(df / 2, 0.5, scale, df / (df + high * high)) > p && high < 1e12)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (beta_share_of(df / 2, 0.5, scale, df / (df + middle * middle)) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double statistics_fisher_p(double f, double df1, double df2)
{
    return beta_share(df2 / 2, df1 / 2, df2 / (df2 + df1 * f));
}

double statistics_split_p(double n, double m, double share)
{
    double all = n + m, few = n + 1 <= all ? beta_share(all - n, n + 1, 1 - share) : 1; /* at most n: DLMF 8.17.5 */
    double many = n > 0 ? beta_share(n, all - n + 1, share) : 1;

    return fmin(1, 2 * fmin(few, many));
}

double statistics_fisher_likelihood(double f, double df1, double df2)
{
    return log_gamma((df1 + df2) / 2) - log_gamma(df2 / 2) - df1 / 2 * log(df2) -
           (df1 + df2) / 2 * log1p(df1 * f / df2);
}

double statistics_chi_square_median(double df)
{
    return df * pow(1 - 2 / (9 * df), 3);
}

struct placed {
    double p;
    size_t place;
};

ARRAY_COMPARE(by_p, struct placed, ARRAY_BY(p), ARRAY_BY(place))

int statistics_false_discovery(const double *p, size_t n, double *q, struct err *err)
{
    SCOPED_FREE struct placed *sorted = scoped_memory(n > 0 ? n : 1, sizeof *sorted);
    double least = 1;

    if (sorted == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct placed){p[i], i};
    array_sort(sorted, n, sizeof *sorted, by_p);
    for (size_t i = n; i-- > 0;) {
        double value = sorted[i].p * (double)n / (double)(i + 1);
        if (value < least)
            least = value;
        q[sorted[i].place] = least;
    }
    return 0;
}

double statistics_cliff_delta(const int64_t *base, size_t base_count, const int64_t *new_side, size_t new_count)
{
    size_t below = 0, upto = 0;
    double more = 0;

    if (base_count == 0 || new_count == 0)
        return 0;
    for (size_t i = 0; i < new_count; i++) {
        while (below < base_count && base[below] < new_side[i])
            below++;
        while (upto < base_count && base[upto] <= new_side[i])
            upto++;
        more += (double)below - (double)(base_count - upto);
    }
    return more / ((double)base_count * (double)new_count);
}
