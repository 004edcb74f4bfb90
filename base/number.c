/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

static const uint64_t powers_of_ten[] = {
    1U,
    10U,
    100U,
    1000U,
    10000U,
    100000U,
    1000000U,
    10000000U,
    100000000U,
    1000000000U,
    10000000000U,
    100000000000U,
    1000000000000U,
    10000000000000U,
    100000000000000U,
    1000000000000000U,
    10000000000000000U,
    100000000000000000U,
    1000000000000000000U,
    10000000000000000000U,
};

/* Numbers below 1000 as decimals behind a point, and how many bytes that is without zeros at the end, and the point. */
#define THOUSANDTH(h, t, u)                                                                                            \
    {                                                                                                                  \
        {'.', '0' + (h), '0' + (t), '0' + (u)}, (u) > 0 ? 4 : (t) > 0 ? 3 : (h) > 0 ? 2 : 0                            \
    }
#define HUNDREDTH(h, t)                                                                                                \
    THOUSANDTH(h, t, 0), THOUSANDTH(h, t, 1), THOUSANDTH(h, t, 2), THOUSANDTH(h, t, 3), THOUSANDTH(h, t, 4),           \
        THOUSANDTH(h, t, 5), THOUSANDTH(h, t, 6), THOUSANDTH(h, t, 7), THOUSANDTH(h, t, 8), THOUSANDTH(h, t, 9)
#define TENTH(h)                                                                                                       \
    HUNDREDTH(h, 0), HUNDREDTH(h, 1), HUNDREDTH(h, 2), HUNDREDTH(h, 3), HUNDREDTH(h, 4), HUNDREDTH(h, 5),              \
        HUNDREDTH(h, 6), HUNDREDTH(h, 7), HUNDREDTH(h, 8), HUNDREDTH(h, 9)
static const struct {
    char text[4];
    uint32_t length;
} thousandths[] = {TENTH(0), TENTH(1), TENTH(2), TENTH(3), TENTH(4), TENTH(5), TENTH(6), TENTH(7), TENTH(8), TENTH(9)};

static inline unsigned count_digits(uint64_t value)
{
    unsigned bits = 64U - (unsigned)__builtin_clzll(value | 1);
    unsigned estimate = bits * 1233 >> 12; /* bits * log10(2), rounded down */
    return estimate + (value >= powers_of_ten[estimate]) + (value == 0);
}

/* Exactly three digits; writes four bytes. */
static inline char *put_three(char *p, uint32_t value)
{
    memcpy(p, thousandths[value].text + 1, 4);
    return p + 3;
}

/* Up to three digits; writes four bytes. */
static inline char *put_head(char *p, uint32_t value)
{
    size_t zeros = (value < 10) + (size_t)(value < 100);
    memcpy(p, thousandths[value].text + 1 + zeros, 4);
    return p + 3 - zeros;
}

/* Exactly nine digits. */
static inline char *put_nine(char *p, uint32_t value)
{
    uint32_t high = value / 1000;
    return put_three(put_three(put_three(p, high / 1000), high % 1000), value % 1000);
}

/* Up to nine digits. */
static inline char *put_short(char *p, uint32_t value)
{
    if (value < 1000)
        return put_head(p, value);
    uint32_t high = value / 1000;
    p = high < 1000 ? put_head(p, high) : put_three(put_head(p, high / 1000), high % 1000);
    return put_three(p, value % 1000);
}

char *number_put_unsigned(char *p, uint64_t value)
{
    const uint64_t billion = 1000000000;
    if (value < billion)
        return put_short(p, (uint32_t)value);
    uint64_t high = value / billion;
    p = high < billion ? put_short(p, (uint32_t)high)
                       : put_nine(put_head(p, (uint32_t)(high / billion)), (uint32_t)(high % billion));
    return put_nine(p, (uint32_t)(value % billion));
}

/* The absolute value, also of INT64_MIN. */
static inline uint64_t magnitude(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

char *number_put_signed(char *p, int64_t value)
{
    if (value < 0)
        *p++ = '-';
    return number_put_unsigned(p, magnitude(value));
}

char *number_put_us(char *p, int64_t nanoseconds)
{
    if (nanoseconds < 0)
        *p++ = '-';
    uint64_t value = magnitude(nanoseconds);
    p = number_put_unsigned(p, value / 1000);
    memcpy(p, thousandths[value % 1000].text, 4);
    return p + 4;
}

#define DECIMALS_MAX 20

/* Apart, so that the usual decimals need fewer registers. All divisors are constants: others take many times as long.
 */
__attribute__((noinline)) static char *put_decimals(char *p, uint64_t size, unsigned decimals)
{
    uint16_t pieces[DECIMALS_MAX / 3 + 1]; /* by three behind the point, the last one filled up */
    const unsigned tail = decimals % 3;
    unsigned i = decimals / 3;
    char *end = NULL;
    pieces[i] = (uint16_t)(tail == 0 ? 0 : tail == 1 ? size % 10 * 100 : size % 100 * 10);
    size = tail == 0 ? size : tail == 1 ? size / 10 : size / 100;
    while (i-- > 0) {
        pieces[i] = (uint16_t)(size % 1000);
        size /= 1000;
    }
    p = number_put_unsigned(p, size);
    /* From the end on, each with a point that the three before it cover. */
    for (i = decimals / 3;; i--) {
        const size_t at = 3 * (size_t)i;
        memcpy(p + at, thousandths[pieces[i]].text, sizeof thousandths[pieces[i]].text);
        if (end == NULL && pieces[i] > 0)
            end = p + at + thousandths[pieces[i]].length;
        if (i == 0)
            return end != NULL ? end : p;
    }
}

char *number_put_shortest(char *p, int64_t value, unsigned decimals)
{
    if (value < 0)
        *p++ = '-';
    uint64_t size = magnitude(value);
    if (decimals == 0)
        return number_put_unsigned(p, size);
    if (decimals == 3) { /* the usual */
        p = number_put_unsigned(p, size / 1000);
        memcpy(p, thousandths[size % 1000].text, 4);
        return p + thousandths[size % 1000].length;
    }
    if (decimals == 4) {
        const uint32_t rest = (uint32_t)(size % 10000), last = rest % 10;
        p = number_put_unsigned(p, size / 10000);
        memcpy(p, thousandths[rest / 10].text, 4);
        p[4] = (char)('0' + last);
        return p + (last > 0 ? 5 : thousandths[rest / 10].length);
    }
    return put_decimals(p, size, decimals);
}

int64_t number_ratio(int64_t numerator, int64_t denominator, unsigned decimals)
{
    if (denominator == 0)
        return 0;
    bool negative = (numerator < 0) != (denominator < 0);
    uint64_t divisor = magnitude(denominator);
    uint128 dividend = (uint128)magnitude(numerator) * powers_of_ten[decimals];
    uint128 quotient;
    uint64_t rest;
    if (dividend <= UINT64_MAX) { /* the common case: one machine division instead of a library call */
        quotient = (uint64_t)dividend / divisor;
        rest = (uint64_t)dividend % divisor;
    } else {
        quotient = dividend / divisor;
        rest = (uint64_t)(dividend % divisor);
    }
    if (rest >= divisor - rest)
        quotient++;
    if (negative)
        return quotient > INT64_MAX ? INT64_MIN : -(int64_t)quotient;
    return quotient > INT64_MAX ? INT64_MAX : (int64_t)quotient;
}

int64_t number_scale(int64_t a, int64_t b, int64_t c)
{
    if (a < 0 || b < 0 || c <= 0)
        return 0;
    uint128 product = (uint128)(uint64_t)a * (uint64_t)b;
    uint128 quotient = product <= UINT64_MAX ? (uint64_t)product / (uint64_t)c : product / (uint64_t)c;
    return quotient > INT64_MAX ? INT64_MAX : (int64_t)quotient;
}

int64_t number_rescale(int64_t a, int64_t b, int64_t c)
{
    if (b < 0 || c <= 0)
        return 0;
    const uint64_t divisor = (uint64_t)c;
    uint128 product = (uint128)magnitude(a) * (uint64_t)b, quotient;
    if (product <= UINT64_MAX - divisor / 2)
        quotient = ((uint64_t)product + divisor / 2) / divisor;
    else
        quotient = product / divisor + (product % divisor >= divisor - product % divisor);
    if (quotient > INT64_MAX)
        return a < 0 ? INT64_MIN : INT64_MAX;
    return a < 0 ? -(int64_t)quotient : (int64_t)quotient;
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int number_parse_integer(const char *text, size_t length, int64_t *ret)
{
    if (length == 0)
        return -1;
    int64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (!is_digit(text[i]))
            return -1;
        int digit = text[i] - '0';
        if (value > (INT64_MAX - digit) / 10)
            return -1;
        value = value * 10 + digit;
    }
    *ret = value;
    return 0;
}

static const char *digits_end(const char *text, const char *end)
{
    const char *p = text;
    while (p < end && is_digit(*p))
        p++;
    return p > text ? p : NULL;
}

const char *number_decimal_end(const char *text, const char *end)
{
    const char *p = text + (text < end && *text == '-');
    p = p < end && *p == '0' ? p + 1 : digits_end(p, end);
    if (p != NULL && p < end && *p == '.')
        p = digits_end(p + 1, end);
    if (p != NULL && p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p = digits_end(p + (p < end && (*p == '+' || *p == '-')), end);
    }
    return p;
}

int number_parse_real(const char *text, double *ret)
{
    const char *end = text + strlen(text);
    if (number_decimal_end(text, end) != end)
        return -1;
    double value = strtod(text, NULL);
    if (!isfinite(value))
        return -1;
    *ret = value;
    return 0;
}

#define THOUSANDTHS_MAX INT64_C(1000000000000000)

int64_t number_parse_thousandths(const char *text, size_t length)
{
    size_t whole_length = 0;
    while (whole_length < length && is_digit(text[whole_length]))
        whole_length++;
    int64_t whole;
    if (number_parse_integer(text, whole_length, &whole) < 0 || whole > THOUSANDTHS_MAX / 1000)
        return -1;
    int64_t value = whole * 1000;
    if (whole_length < length) {
        const char *decimals = text + whole_length + 1;
        size_t count = length - whole_length - 1;
        if (text[whole_length] != '.' || count == 0)
            return -1;
        int64_t unit = 100;
        for (size_t i = 0; i < count; i++, unit /= 10) {
            if (!is_digit(decimals[i]) || (unit == 0 && decimals[i] != '0'))
                return -1;
            value += (decimals[i] - '0') * unit;
        }
    }
    return value <= THOUSANDTHS_MAX ? value : -1;
}

/* ---- reals ---- */

enum { REAL_FRACTION_BITS = 52, REAL_EXPONENT_BITS = 11, REAL_EXPONENT_BIAS = 1023 };

/* The power of ten of the first digit, of 0.0001 and more. */
static int exponent_of_ten(double real)
{
    /* Doubles next to powers of ten below 1 are all a little more than those. */
    static const double parts[] = {1, 0.1, 0.01, 0.001, 0.0001};
    int exponent = 0;
    if (real >= 1)
        return (int)count_digits((uint64_t)real) - 1;
    while (real < parts[-exponent])
        exponent--;
    return exponent;
}

/* A power of ten up to 10^20. */
static uint128 power_of_ten(unsigned exponent)
{
    unsigned half = exponent / 2;
    return (uint128)powers_of_ten[half] * powers_of_ten[exponent - half];
}

/* The nearest number with so many significant digits, in units of 10^-decimals, of fraction / 2^shift; whether the
 * nearest double of that is the same again. */
static bool round_to_digits(uint64_t fraction, unsigned shift, unsigned decimals, uint64_t *ret)
{
    uint128 unit = power_of_ten(decimals), exact = fraction * unit, half = (uint128)1 << (shift - 1);
    uint64_t nearest = (uint64_t)(exact >> shift);
    uint128 rest = exact - ((uint128)nearest << shift);
    if (rest > half || (rest == half && nearest % 2 == 1))
        nearest++;
    uint128 rounded = (uint128)nearest << shift, off = rounded > exact ? rounded - exact : exact - rounded;
    /* The double before a power of two is nearer than the one behind. */
    bool narrow = fraction == UINT64_C(1) << REAL_FRACTION_BITS && rounded < exact;
    uint128 most = narrow ? unit : 2 * unit;
    *ret = nearest;
    return 4 * off < most || (4 * off == most && fraction % 2 == 0);
}

/* The number with so many significant digits, in units of 10^-decimals, of 10^-4 to below 2^52; as round_to_digits. */
static bool round_real(double real, unsigned digits, unsigned *ret_decimals, uint64_t *ret)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    uint64_t fraction = (bits & ((UINT64_C(1) << REAL_FRACTION_BITS) - 1)) | UINT64_C(1) << REAL_FRACTION_BITS;
    unsigned exponent = (unsigned)(bits >> REAL_FRACTION_BITS) % (1U << REAL_EXPONENT_BITS);
    *ret_decimals = (unsigned)((int)digits - 1 - exponent_of_ten(real));
    return round_to_digits(fraction, REAL_EXPONENT_BIAS + REAL_FRACTION_BITS - exponent, *ret_decimals, ret);
}

char *number_put_real(char *p, double value, unsigned digits)
{
    if (digits >= 15 && value >= 1 && value < 1e15 && (double)(int64_t)value == value)
        return number_put_signed(p, (int64_t)value);
    if (value >= 1e-4 && value < 1e15 && exponent_of_ten(value) < (int)digits) {
        unsigned decimals;
        uint64_t nearest;
        round_real(value, digits, &decimals, &nearest);
        if (decimals > 0 || nearest < powers_of_ten[digits])
            return number_put_shortest(p, (int64_t)nearest, decimals);
    }
    return p + snprintf(p, NUMBER_MAX, "%.*g", (int)digits, value);
}

/* Whether a number is neither too small nor too large for 128 bits and digits without an exponent. From 10^15 on tens
 * have an exponent, and nothing else has 15 digits. */
static bool is_common(double real)
{
    return real >= 1e-4 && real < 0x1p52 && (real < 1e15 || real > (double)(uint64_t)real || (uint64_t)real % 10 != 0);
}

/* Multiples of 2^-11 that have at most 15 digits, as parts of a MiB are, stand for no other double. */
enum { PARTS = 2048, PARTS_DECIMALS = 11, PARTS_BELOW = 10000 };
#define PART_UNITS UINT64_C(48828125) /* of 10^-11 */

/* As number_print_real, of numbers that are common. */
static size_t print_common(char *text, double real)
{
    const double parts = real * PARTS;
    if (real < PARTS_BELOW && parts == (double)(int64_t)parts)
        return (size_t)(number_put_shortest(text, (int64_t)((uint64_t)parts * PART_UNITS), PARTS_DECIMALS) - text);
    uint64_t nearest = 0;
    unsigned decimals = 0, digits = real < 1e15 ? 15 : 16;
    while (!round_real(real, digits, &decimals, &nearest) && digits < 17)
        digits++;
    return (size_t)(number_put_shortest(text, (int64_t)nearest, decimals) - text);
}

size_t number_print_real(char text[REAL_SHORTEST_MAX], double real)
{
    double size = fabs(real);
    if (size == 0 || is_common(size)) {
        size_t sign = signbit(real) != 0, length = sign;
        text[0] = '-';
        text[sign] = '0';
        length += size == 0 ? 1 : print_common(text + sign, size);
        text[length] = '\0';
        return length;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, REAL_SHORTEST_MAX, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    return strlen(text);
}

size_t number_print_float(char text[REAL_SHORTEST_MAX], double real)
{
    size_t length = number_print_real(text, real);
    if (memchr(text, '.', length) == NULL && strspn(text, "-0123456789") == length) {
        memcpy(text + length, ".0", 3);
        length += 2;
    }
    return length;
}
