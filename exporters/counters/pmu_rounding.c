/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/counters/pmu_rounding.h"

#include <math.h>
#include <stdbool.h>

static const double powers_of_ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};

/* Beyond, a double has no decimals to round. */
#define EXACT_LIMIT 4503599627370496.0 /* 2^52 */

int64_t pmu_round_decimal(double value, unsigned decimals)
{
    double product = value * powers_of_ten[decimals], whole = floor(product), rest = product - whole;
    if (isnan(product))
        return INT64_MIN;
    if (fabs(product) >= EXACT_LIMIT)
        return product >= 9223372036854775807.0    ? INT64_MAX
               : product <= -9223372036854775808.0 ? INT64_MIN + 1
                                                   : (int64_t)product;
    bool up = rest > 0.5;
    if (rest == 0.5) { /* perhaps only because the product was rounded */
        double error = fma(value, powers_of_ten[decimals], -product);
        up = error > 0 || (error == 0 && fmod(whole, 2) != 0);
    }
    return (int64_t)whole + up;
}

double pmu_round_binary(double value, unsigned decimals)
{
    if (!isfinite(value) || fabs(value) * powers_of_ten[decimals] >= EXACT_LIMIT)
        return value;
    return (double)pmu_round_decimal(value, decimals) / powers_of_ten[decimals];
}
