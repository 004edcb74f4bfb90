/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of binary floating point to decimals, correct for the exact binary value, exact ties to even: as the round()
 * of Python does. */
#ifndef MSPROF_EXPORTERS_COUNTERS_PMU_ROUNDING_H
#define MSPROF_EXPORTERS_COUNTERS_PMU_ROUNDING_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Here, where most divisors are constants: captures have some dozen values a task. */
static const double pmu_powers_of_ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

/* Beyond, a double has no decimals to round. */
#define PMU_EXACT_LIMIT 4503599627370496.0 /* 2^52 */

/* Below half of that the sum with this has no decimals either: it is rounded to the nearest, of two the even one. */
#define PMU_ROUNDER 6755399441055744.0 /* 1.5 * 2^52 */

/* The nearest whole number to value * power, where the product is below PMU_EXACT_LIMIT. */
static inline double pmu_nearest(double value, double power)
{
    const double product = value * power, whole = (product + PMU_ROUNDER) - PMU_ROUNDER;
    if (fabs(product) < PMU_EXACT_LIMIT / 2 && fabs(product - whole) != 0.5)
        return whole;
    const double below = floor(product), rest = product - below;
    bool up = rest > 0.5;
    if (rest == 0.5) { /* perhaps only because the product was rounded */
        double error = fma(value, power, -product);
        up = error > 0 || (error == 0 && fmod(below, 2) != 0);
    }
    return below + up;
}

/* value * 10^decimals as a whole number; INT64_MIN when it is not a number, held at the ends otherwise. decimals 0..9.
 */
static inline int64_t pmu_round_decimal(double value, unsigned decimals)
{
    const double product = value * pmu_powers_of_ten[decimals];
    if (fabs(product) < PMU_EXACT_LIMIT)
        return (int64_t)pmu_nearest(value, pmu_powers_of_ten[decimals]);
    return isnan(product)                      ? INT64_MIN
           : product >= 9223372036854775807.0  ? INT64_MAX
           : product <= -9223372036854775808.0 ? INT64_MIN + 1
                                               : (int64_t)product;
}

/* Rounds likewise to a floating-point number again: the one nearest to the decimal. */
static inline double pmu_round_binary(double value, unsigned decimals)
{
    if (!isfinite(value) || fabs(value) * pmu_powers_of_ten[decimals] >= PMU_EXACT_LIMIT)
        return value;
    return pmu_nearest(value, pmu_powers_of_ten[decimals]) / pmu_powers_of_ten[decimals];
}

/* The number that SQLite makes of one that is stored as a text and read again: the nearest of 15 digits. */
double pmu_digits_2022(double value);
/* Does that by SQLite itself, which is slow: for what is nearly between two numbers, and for tests. */
double pmu_digits_2022_plainly(double value);

#endif
