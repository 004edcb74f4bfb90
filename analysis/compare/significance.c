/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/compare/significance.h"
#include "base/array.h"

#include <math.h>
#include <stdlib.h>

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

/* The regularised incomplete beta function I_x(a, b). */
static double beta_share(double a, double b, double x)
{
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_p(double t, double df)
{
    return beta_share(df / 2, 0.5, df / (df + t * t));
}

double student_quantile(double p, double df)
{
    double low = 0, high = 1;

    while (student_p(high, df) > p && high < 1e12)
        high *= 2;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_p(middle, df) > p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double fisher_p(double f, double df1, double df2)
{
    return beta_share(df2 / 2, df1 / 2, df2 / (df2 + df1 * f));
}

double split_p(double n, double m, double share)
{
    double all = n + m, few = n + 1 <= all ? beta_share(all - n, n + 1, 1 - share) : 1; /* at most n: DLMF 8.17.5 */
    double many = n > 0 ? beta_share(n, all - n + 1, share) : 1;

    return fmin(1, 2 * fmin(few, many));
}

double fisher_log_likelihood(double f, double df1, double df2)
{
    return lgamma((df1 + df2) / 2) - lgamma(df2 / 2) - df1 / 2 * log(df2) - (df1 + df2) / 2 * log1p(df1 * f / df2);
}

double chi_square_median(double df)
{
    return df * pow(1 - 2 / (9 * df), 3);
}

struct placed {
    double p;
    size_t place;
};

static int by_p(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;

    if (x->p != y->p)
        return x->p < y->p ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

int false_discovery(const double *p, size_t n, double *q, struct err *err)
{
    struct placed *sorted = calloc(n > 0 ? n : 1, sizeof *sorted);
    double least = 1;

    if (sorted == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct placed){p[i], i};
    array_sort(sorted, n, sizeof *sorted, by_p);
    for (size_t i = n; i-- > 0;) {
        double value = sorted[i].p * (double)n / (double)(i + 1);
        if (value < least)
            least = value;
        q[sorted[i].place] = least;
    }
    free(sorted);
    return 0;
}

double cliff_delta(const int64_t *base, size_t base_count, const int64_t *new_side, size_t new_count)
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
