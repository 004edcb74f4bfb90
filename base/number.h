/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers: sums that saturate, and texts: integers only, no locale, no floating point, straight into a caller's buffer.
 */
#ifndef MSPROF_BASE_NUMBER_H
#define MSPROF_BASE_NUMBER_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* Sums, differences and products of numbers that a file says: they saturate at INT64_MIN and INT64_MAX. */
static inline int64_t number_add(int64_t a, int64_t b)
{
    int64_t sum;
    return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t number_subtract(int64_t a, int64_t b)
{
    int64_t difference;
    return !__builtin_sub_overflow(a, b, &difference) ? difference : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t number_multiply(int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) ? product : (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

/* Towards 0; what is beyond the integers saturates, no number is 0. */
static inline int64_t number_from_real(double value)
{
    if (value != value)
        return 0;
    return value >= 0x1p63 ? INT64_MAX : value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

/* The nearest integer, halves away from 0; the rest as above. */
static inline int64_t number_rounded(double value)
{
    return number_from_real(round(value));
}

#define NUMBER_MAX 32 /* bytes that any of these functions may write */

/* A value in a unit, to three decimals, halves away from 0: for printf, which rounds the nearest double, that can lie
 * on either side of a half. Nanoseconds in microseconds. */
static inline double number_in(double value, double unit)
{
    return round(value / (unit / 1000)) / 1000;
}
static inline double number_us(double ns)
{
    return number_in(ns, 1e3);
}

/* Each writes at p, without a final NUL, and returns the end. */
char *number_put_unsigned(char *p, uint64_t value);
char *number_put_signed(char *p, int64_t value);

/* nanoseconds as microseconds with exactly three decimals: 1234567 -> "1234.567". */
char *number_put_us(char *p, int64_t nanoseconds);

/* value / 10^decimals in the shortest form: (1560, 2) -> "15.6", (9700, 2) -> "97", (0, 2) -> "0". decimals 0..20. */
char *number_put_shortest(char *p, int64_t value, unsigned decimals);

/* As printf does with "%.<digits>g"; digits 1 to 17. Takes NUMBER_MAX bytes at most. */
char *number_put_real(char *p, double value, unsigned digits);

/* numerator * 10^decimals / denominator rounded half away from zero, 128 bits inside; 0 when the denominator is 0;
 * saturates at INT64_MIN/INT64_MAX. decimals 0..18. */
int64_t number_ratio(int64_t numerator, int64_t denominator, unsigned decimals);

/* a * b / c, rounded down, 128 bits inside (a, b >= 0, c > 0; else 0); saturates at INT64_MAX. */
int64_t number_scale(int64_t a, int64_t b, int64_t c);

/* a * b / c rounded half away from zero, 128 bits inside (b >= 0, c > 0; else 0); saturates. */
int64_t number_rescale(int64_t a, int64_t b, int64_t c);

/* Parses a whole decimal text ("600", "38.4") into thousandths (600000, 38400); -1 when it is not a number >= 0, has
 * digits other than zero after the third decimal, or the result exceeds 10^15. */
int64_t number_parse_thousandths(const char *text, size_t length);

/* Parses a whole unsigned decimal integer; 0 and *ret set, or -1 (empty, other characters, overflow over INT64_MAX). */
int number_parse_integer(const char *text, size_t length, int64_t *ret);

/* The end of the decimal number, as JSON writes them, that text begins with; NULL: it begins with none. */
const char *number_decimal_end(const char *text, const char *end);

/* Parses a whole text that is such a number; -1 when it is none (a plus or a blank in front, "5.", "0x10", "nan") or
 * beyond what a double holds. */
int number_parse_real(const char *text, double *ret);

/* Real numbers as text. */

#define REAL_SHORTEST_MAX 32 /* bytes of a number with 17 digits, its sign, point and exponent, ".0" and a NUL */

/* The shortest of 15 to 17 digits that reads back the same, as %g has it; its length, without the NUL. */
size_t number_print_real(char text[REAL_SHORTEST_MAX], double real);
/* Prints it with ".0" behind a whole number, as Python prints a float. */
size_t number_print_float(char text[REAL_SHORTEST_MAX], double real);

#endif
