/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/counters/pmu_rounding.h"

#include <sqlite3.h>
#include <stdlib.h>

/* ---- digits 2022 ---- */

double pmu_digits_2022_plainly(double value)
{
    char text[64];
    sqlite3_snprintf(sizeof text, text, "%!.15g", value);
    return strtod(text, NULL);
}

/* ---- SQLite's arithmetic: that of a long double of x86, whose mantissa has 64 bits, on every machine ---- */

__extension__ typedef unsigned __int128 wide;

struct real80 {
    uint64_t mantissa;
    int exponent; /* of two */
};

/* The nearest; of two that are equally near the even one. */
static struct real80 rounded(wide bits, int exponent)
{
    const uint64_t high = (uint64_t)(bits >> 64);
    const int extra = high != 0 ? 64 - __builtin_clzll(high) : 0;
    const wide kept = bits >> extra, lost = bits - (kept << extra), half = extra > 0 ? (wide)1 << (extra - 1) : 1;
    const wide next = kept + (lost > half || (lost == half && (kept & 1) != 0));
    const int carry = next >> 64 != 0;
    return (struct real80){(uint64_t)(next >> carry), exponent + extra + carry};
}

static struct real80 of_double(double value)
{
    int exponent;
    double fraction = frexp(value, &exponent);
    return (struct real80){(uint64_t)ldexp(fraction, 53), exponent - 53};
}

static struct real80 divided(struct real80 value, uint64_t divisor)
{
    const wide bits = (wide)value.mantissa
                      << 74; /* of 53 bits: nothing is lost, and the rest is below all that counts */
    return rounded(bits / divisor | (bits % divisor != 0), value.exponent - 74);
}

/* to must not be less than what is added, nor more than 2^63 times that. */
static struct real80 added(struct real80 to, struct real80 value)
{
    return rounded(((wide)to.mantissa << (to.exponent - value.exponent)) + value.mantissa, value.exponent);
}

static uint64_t whole_of(struct real80 value)
{
    return -value.exponent < 64 ? value.mantissa >> -value.exponent : 0;
}

/* Takes the digit before the point away and moves the others to the left. */
static uint64_t take_digit(struct real80 *value)
{
    const uint64_t digit = whole_of(*value), taken = digit > 0 ? digit << -value->exponent : 0;
    *value = rounded((wide)(value->mantissa - taken) * 10, value->exponent);
    return digit;
}

/* The 15 digits of SQLite's printf (3.40), for 1 <= value / unit < 10; unit is a power of ten. scale: 10 to the power
 * of the digits behind the point. */
static double digits_as_sqlite(double value, double unit, double scale)
{
    enum { DIGITS = 15 };
    struct real80 left = added(divided(of_double(value), (uint64_t)unit), of_double(5.0e-05 * 1.0e-10));
    uint64_t digits = 0;

    if (whole_of(left) >= 10) {
        const struct real80 tenth = of_double(0.1);
        left = rounded((wide)left.mantissa * tenth.mantissa, left.exponent + tenth.exponent);
        scale /= 10;
    }
    for (int i = 0; i < DIGITS; i++)
        digits = digits * 10 + take_digit(&left);
    return (double)digits / scale; /* both are exact, so that this is the nearest to the text, too */
}

/* A value that is nearly between two numbers is left to SQLite's arithmetic, which is no better than that of a long
 * double. */
#define NEAR_THE_MIDDLE 0.01

double pmu_digits_2022(double value)
{
    /* the smallest numbers with so many digits before the point, and 10 to the power of those behind it */
    static const struct {
        double from;
        double scale;
    } sizes[] = {{1e14, 1}, {1e13, 10}, {1e12, 100}, {1e11, 1000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!(value >= sizes[i].from && value < sizes[i].from * 10))
            continue;
        /* All is exact: behind the point there are at most 16 bits, and 10 more of the scale. */
        const double whole = (double)(int64_t)value, behind = (value - whole) * sizes[i].scale,
                     cut = (double)(int64_t)behind, part = behind - cut;
        if (fabs(part - 0.5) < NEAR_THE_MIDDLE)
            return digits_as_sqlite(value, sizes[i].from, sizes[i].scale);
        return (whole * sizes[i].scale + cut + (part > 0.5)) / sizes[i].scale;
    }
    return pmu_digits_2022_plainly(value);
}
