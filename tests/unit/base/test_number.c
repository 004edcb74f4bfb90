/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

__extension__ typedef __int128 int128;

#define ROUNDS 200000

/* Values of every magnitude come equally often; the seed is fixed so that a failure comes back. */
static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t value = random_state;
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static uint64_t random_unsigned(void)
{
    uint64_t value = random_bits();
    return value >> random_bits() % 64;
}

static int64_t random_signed(void)
{
    return (int64_t)(random_bits() % 2 == 0 ? random_unsigned() : 0 - random_unsigned());
}

static int start_random(void **state)
{
    (void)state;
    random_state = 20240607;
    return 0;
}

/* Where numbers change their length or their sign, and one step to either side. */
static const int64_t boundaries[] = {
    INT64_MIN,
    INT64_MIN + 1,
    -1000001,
    -1000000,
    -999999,
    -1001,
    -1000,
    -999,
    -101,
    -100,
    -99,
    -11,
    -10,
    -9,
    -1,
    0,
    1,
    9,
    10,
    11,
    99,
    100,
    101,
    999,
    1000,
    1001,
    9999,
    10000,
    99999,
    100000,
    999999,
    1000000,
    4294967295,
    4294967296,
    999999999999999999,
    1000000000000000000,
    INT64_MAX - 1,
    INT64_MAX,
};
#define BOUNDARY_COUNT (sizeof boundaries / sizeof boundaries[0])

/* One of the functions under test has written from text to end: not more than it may, and the expected text. */
static void check_text(char text[NUMBER_MAX + 8], const char *end, const char *expected)
{
    size_t length = (size_t)(end - text);
    assert_in_range(length, 1, NUMBER_MAX);
    for (size_t i = NUMBER_MAX; i < NUMBER_MAX + 8; i++)
        assert_int_equal(text[i], '#');
    text[length] = '\0';
    assert_string_equal(text, expected);
}

static void check_unsigned(uint64_t value)
{
    char text[NUMBER_MAX + 8];
    char expected[64];
    memset(text, '#', sizeof text);
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    check_text(text, number_put_unsigned(text, value), expected);
}

static void unsigned_numbers_are_written_as_printf_does(void **state)
{
    (void)state;
    check_unsigned(0);
    check_unsigned(UINT64_MAX);
    for (uint64_t power = 1;; power *= 10) {
        check_unsigned(power - 1);
        check_unsigned(power);
        check_unsigned(power + 1);
        if (power > UINT64_MAX / 10)
            break;
    }
    for (unsigned bit = 0; bit < 64; bit++) {
        check_unsigned((UINT64_C(1) << bit) - 1);
        check_unsigned(UINT64_C(1) << bit);
    }
    for (int i = 0; i < ROUNDS; i++)
        check_unsigned(random_unsigned());
}

static void check_signed(int64_t value)
{
    char text[NUMBER_MAX + 8];
    char expected[64];
    memset(text, '#', sizeof text);
    snprintf(expected, sizeof expected, "%" PRId64, value);
    check_text(text, number_put_signed(text, value), expected);
}

static void signed_numbers_are_written_as_printf_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < BOUNDARY_COUNT; i++)
        check_signed(boundaries[i]);
    for (int i = 0; i < ROUNDS; i++)
        check_signed(random_signed());
}

/* value / 10^decimals with all its decimals, from printf's digits and a point put between them. */
static void fixed_point(char *out, size_t size, int64_t value, unsigned decimals)
{
    char digits[64];
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int length = snprintf(digits, sizeof digits, "%0*" PRIu64, (int)decimals + 1, magnitude);
    snprintf(out, size, "%s%.*s.%s", value < 0 ? "-" : "", length - (int)decimals, digits, digits + length - decimals);
}

static void check_us(int64_t value)
{
    char text[NUMBER_MAX + 8];
    char expected[80];
    memset(text, '#', sizeof text);
    fixed_point(expected, sizeof expected, value, 3);
    check_text(text, number_put_us(text, value), expected);
}

static void nanoseconds_are_written_as_microseconds_with_three_decimals(void **state)
{
    (void)state;
    char text[NUMBER_MAX + 8];
    memset(text, '#', sizeof text);
    check_text(text, number_put_us(text, 1234567), "1234.567");
    check_text(text, number_put_us(text, 0), "0.000");
    check_text(text, number_put_us(text, -1), "-0.001");
    check_text(text, number_put_us(text, 1050), "1.050");
    check_text(text, number_put_us(text, INT64_MIN), "-9223372036854775.808");
    for (size_t i = 0; i < BOUNDARY_COUNT; i++)
        check_us(boundaries[i]);
    for (int i = 0; i < ROUNDS; i++)
        check_us(random_signed());
}

static void check_shortest(int64_t value, unsigned decimals)
{
    char text[NUMBER_MAX + 8];
    char expected[80];
    memset(text, '#', sizeof text);
    fixed_point(expected, sizeof expected, value, decimals);
    size_t length = strlen(expected);
    while (expected[length - 1] == '0')
        length--;
    if (expected[length - 1] == '.')
        length--;
    expected[length] = '\0';
    check_text(text, number_put_shortest(text, value, decimals), expected);
}

static void check_real(double value, unsigned digits)
{
    char expected[40], text[40];
    snprintf(expected, sizeof expected, "%.*g", (int)digits, value);
    *number_put_real(text, value, digits) = '\0';
    assert_string_equal(text, expected);
}

static void real_numbers_are_those_of_printf_to_the_last_digit(void **state)
{
    static const double odd[] = {0,
                                 -0.0,
                                 0.5,
                                 2.5,
                                 0.1,
                                 1e-4,
                                 9.9999999e-5,
                                 1e15,
                                 1e300,
                                 -1.25,
                                 1e-300,
                                 5e-324,
                                 999.95,
                                 1e17,
                                 9.5e14,
                                 999999999999999.9,
                                 0.00099999999999999999,
                                 INFINITY,
                                 NAN};
    (void)state;
    for (unsigned digits = 1; digits <= 17; digits++) {
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
            check_real(odd[i], digits);
        for (int exponent = -5; exponent < 18; exponent++) {
            double power = pow(10, exponent);
            check_real(power, digits);
            check_real(nextafter(power, 0), digits);
            check_real(power * 0.5, digits);
        }
    }
    for (int i = 0; i < 20000; i++) {
        double value = ldexp((double)random_signed(), -(i % 80));
        check_real(value, 17);
        check_real(fabs(value), 15 + (unsigned)i % 3);
        check_real((double)(i * 37) / 64, 1 + (unsigned)i % 17); /* halves between two numbers */
    }
}

static void the_shortest_form_has_no_superfluous_zero_and_loses_no_digit(void **state)
{
    (void)state;
    char text[NUMBER_MAX + 8];
    memset(text, '#', sizeof text);
    check_text(text, number_put_shortest(text, 1560, 2), "15.6");
    check_text(text, number_put_shortest(text, 9700, 2), "97");
    check_text(text, number_put_shortest(text, 0, 2), "0");
    check_text(text, number_put_shortest(text, 5, 3), "0.005");
    check_text(text, number_put_shortest(text, -50, 3), "-0.05");
    check_text(text, number_put_shortest(text, 100, 0), "100");
    check_text(text, number_put_shortest(text, INT64_MIN, 18), "-9.223372036854775808");
    for (unsigned decimals = 0; decimals <= 18; decimals++) {
        for (size_t i = 0; i < BOUNDARY_COUNT; i++)
            check_shortest(boundaries[i], decimals);
        for (int i = 0; i < ROUNDS / 19; i++)
            check_shortest(random_signed(), decimals);
    }
}

/* By libc: the first of 15, 16 and 17 digits that reads back the same. */
static void check_shortest_real(double real)
{
    char text[REAL_SHORTEST_MAX], expected[REAL_SHORTEST_MAX];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(expected, sizeof expected, "%.*g", digits, real);
        if (strtod(expected, NULL) == real)
            break;
    }
    size_t length = number_print_real(text, real);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void reals_are_printed_as_libc_prints_the_fewest_digits_that_read_back_the_same(void **state)
{
    (void)state;
    for (int e = -8; e <= 18; e++) { /* beside powers of ten, and of two */
        double up = pow(10, e), down = up;
        for (int i = 0; i < 40; i++) {
            check_shortest_real(up);
            check_shortest_real(-down);
            up = nextafter(up, INFINITY);
            down = nextafter(down, 0);
        }
    }
    for (int e = -20; e <= 64; e++) {
        check_shortest_real(ldexp(1, e));
        check_shortest_real(nextafter(ldexp(1, e), 0));
        check_shortest_real(nextafter(ldexp(1, e), INFINITY));
    }
    for (int i = 0; i < ROUNDS / 20; i++) { /* microseconds since 1970, as doubles hold them, and tens of them */
        double us = 1e15 + (double)((uint64_t)random_signed() % 36000000000000000) / 10;
        check_shortest_real(us);
        check_shortest_real(floor(us / 10) * 10);
    }
    for (int i = 0; i < ROUNDS / 20; i++) {
        int64_t value = random_signed();
        double any;
        memcpy(&any, &value, sizeof any);
        check_shortest_real(any);
        check_shortest_real((double)(value % 1000000000000) / 1000);
        check_shortest_real((double)(value % 1000003) / 997);
        check_shortest_real(ldexp(1 + (double)(value >> 12) / 0x1p53, (int)(value & 63) - 15));
    }
    check_shortest_real(0);
    check_shortest_real(-0.0);
    check_shortest_real(INFINITY);
    check_shortest_real(NAN);
}

/* By the definition: the integer nearest to n * 10^decimals / d, halves away from zero, inside int64_t. */
static int64_t reference_ratio(int64_t n, int64_t d, unsigned decimals)
{
    int128 top = n;
    int128 bottom = d;
    if (d == 0)
        return 0;
    for (unsigned i = 0; i < decimals; i++)
        top *= 10;
    int sign = (top < 0) != (bottom < 0) ? -1 : 1;
    top = top < 0 ? -top : top;
    bottom = bottom < 0 ? -bottom : bottom;
    int128 result = sign * ((2 * top + bottom) / (2 * bottom));
    return result > INT64_MAX ? INT64_MAX : result < INT64_MIN ? INT64_MIN : (int64_t)result;
}

static void check_ratio(int64_t n, int64_t d, unsigned decimals)
{
    int64_t got = number_ratio(n, d, decimals);
    int64_t expected = reference_ratio(n, d, decimals);
    if (got != expected)
        fail_msg("%" PRId64 " / %" PRId64 " with %u decimals: %" PRId64 ", expected %" PRId64, n, d, decimals, got,
                 expected);
}

static void ratios_are_rounded_half_away_from_zero(void **state)
{
    (void)state;
    assert_int_equal(number_ratio(1, 3, 4), 3333);
    assert_int_equal(number_ratio(2, 3, 4), 6667);
    assert_int_equal(number_ratio(1, 2, 0), 1);
    assert_int_equal(number_ratio(-1, 2, 0), -1);
    assert_int_equal(number_ratio(1, -2, 0), -1);
    assert_int_equal(number_ratio(-1, -2, 0), 1);
    assert_int_equal(number_ratio(49, 100, 0), 0);
    assert_int_equal(number_ratio(1, 8, 2), 13);
    for (unsigned decimals = 0; decimals <= 18; decimals++) {
        for (size_t i = 0; i < BOUNDARY_COUNT; i++) {
            for (size_t k = 0; k < BOUNDARY_COUNT; k++)
                check_ratio(boundaries[i], boundaries[k], decimals);
        }
        for (int i = 0; i < ROUNDS / 19; i++)
            check_ratio(random_signed(), random_signed(), decimals);
    }
}

static void a_ratio_to_nothing_is_zero_and_one_out_of_range_saturates(void **state)
{
    (void)state;
    assert_int_equal(number_ratio(5, 0, 3), 0);
    assert_int_equal(number_ratio(INT64_MAX, 1, 1), INT64_MAX);
    assert_int_equal(number_ratio(INT64_MIN, 1, 18), INT64_MIN);
    assert_int_equal(number_ratio(INT64_MIN, -1, 0), INT64_MAX);
    assert_int_equal(number_ratio(INT64_MIN, 1, 0), INT64_MIN);
    assert_int_equal(number_ratio(INT64_MAX, -1, 0), -INT64_MAX);
}

static void check_scale(int64_t a, int64_t b, int64_t c)
{
    int128 expected = (int128)a * b / c;
    if (expected > INT64_MAX)
        expected = INT64_MAX;
    int64_t got = number_scale(a, b, c);
    if (got != (int64_t)expected)
        fail_msg("%" PRId64 " * %" PRId64 " / %" PRId64 ": %" PRId64 ", expected %" PRId64, a, b, c, got,
                 (int64_t)expected);
}

static void scaling_rounds_down_and_saturates(void **state)
{
    (void)state;
    assert_int_equal(number_scale(7, 3, 2), 10);
    assert_int_equal(number_scale(INT64_MAX, INT64_MAX, INT64_MAX), INT64_MAX);
    assert_int_equal(number_scale(INT64_MAX, 2, 1), INT64_MAX);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t c = (int64_t)(random_unsigned() >> 1);
        check_scale((int64_t)(random_unsigned() >> 1), (int64_t)(random_unsigned() >> 1), c > 0 ? c : 1);
    }
    for (size_t i = 0; i < BOUNDARY_COUNT; i++) {
        for (size_t k = 0; k < BOUNDARY_COUNT; k++) {
            if (boundaries[i] >= 0 && boundaries[k] > 0)
                check_scale(boundaries[i], 1000000, boundaries[k]);
        }
    }
}

static void scaling_what_is_out_of_its_range_gives_zero(void **state)
{
    (void)state;
    assert_int_equal(number_scale(-1, 2, 3), 0);
    assert_int_equal(number_scale(1, -2, 3), 0);
    assert_int_equal(number_scale(1, 2, 0), 0);
    assert_int_equal(number_scale(1, 2, -3), 0);
}

static void whole_decimal_texts_are_parsed_into_thousandths(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"600", 600000},
        {"38.4", 38400},
        {"38.400", 38400},
        {"38.4000000000000000000000000", 38400},
        {"0.001", 1},
        {"0", 0},
        {"007.25", 7250},
        {"1000000000000", 1000000000000000},
        {"1000000000000.000", 1000000000000000},
        {"999999999999.999", 999999999999999},
        {"1000000000000.001", -1},
        {"1000000000001", -1},
        {"99999999999999999999999999", -1},
        {"9223372036854775807", -1},
        {"38.4001", -1},
        {"", -1},
        {".", -1},
        {".5", -1},
        {"5.", -1},
        {"-1", -1},
        {"+1", -1},
        {" 1", -1},
        {"1 ", -1},
        {"1e3", -1},
        {"1.2.3", -1},
        {"1,5", -1},
        {"0x10", -1},
        {"1.5x", -1},
        {"1.0000x", -1},
        {"nan", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t got = number_parse_thousandths(cases[i].text, strlen(cases[i].text));
        if (got != cases[i].value)
            fail_msg("'%s': %" PRId64 ", expected %" PRId64, cases[i].text, got, cases[i].value);
    }
}

static void only_the_given_length_is_parsed(void **state)
{
    (void)state;
    int64_t value = 0;
    assert_int_equal(number_parse_thousandths("12.345678", 4), 12300);
    assert_int_equal(number_parse_integer("1234", 2, &value), 0);
    assert_int_equal(value, 12);
    assert_int_equal(number_parse_integer("12\0"
                                          "4",
                                          4, &value),
                     -1);
}

static void whole_integers_up_to_the_greatest_are_parsed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"0000000000000000000000000000012", 12},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775799", INT64_C(9223372036854775799)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = -7;
        assert_int_equal(number_parse_integer(cases[i].text, strlen(cases[i].text), &value), 0);
        assert_int_equal(value, cases[i].value);
    }
}

static void other_texts_are_no_integers_and_change_nothing(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "-1",
        "+1",
        " 1",
        "1 ",
        "1.0",
        "x",
        "1x",
        "9223372036854775808",
        "9223372036854775810",
        "10000000000000000000",
        "99999999999999999999999999999999",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = -7;
        assert_int_equal(number_parse_integer(cases[i], strlen(cases[i]), &value), -1);
        assert_int_equal(value, -7);
    }
}

static void a_real_number_is_what_json_writes_and_nothing_else(void **state)
{
    (void)state;
    static const char *const none[] = {"",    "-",     "+5",    " 5",       "5 ",  "5.",   ".5",   "-.5",
                                       "05",  "1e",    "1e+",   "0x10",     "inf", "-inf", "nan",  "1_000",
                                       "1,5", "1e999", "5\x01", "\xd9\xa5", "--5", "5-1",  "1.2.3"};
    static const struct {
        const char *text;
        double value;
    } sound[] = {{"0", 0},
                 {"-0", 0},
                 {"-5", -5},
                 {"1e3", 1000},
                 {"1E-05", 1e-5},
                 {"0E-7", 0},
                 {"191.96000000000004", 191.96000000000004}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double value = 7;
        if (number_parse_real(none[i], &value) != -1 || value != 7)
            fail_msg("'%s' is taken for a number", none[i]);
    }
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        double value = 7;
        assert_int_equal(number_parse_real(sound[i].text, &value), 0);
        assert_true(value == sound[i].value);
    }
}

static void what_is_written_is_parsed_back(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        char text[NUMBER_MAX];
        int64_t value = (int64_t)(random_unsigned() >> 1);
        int64_t back = -1;
        const char *end = number_put_signed(text, value);
        assert_int_equal(number_parse_integer(text, (size_t)(end - text), &back), 0);
        assert_int_equal(back, value);
        value %= INT64_C(1000000000000001);
        end = number_put_us(text, value);
        assert_int_equal(number_parse_thousandths(text, (size_t)(end - text)), value);
        end = number_put_shortest(text, value, 3);
        assert_int_equal(number_parse_thousandths(text, (size_t)(end - text)), value);
    }
}

static void a_real_becomes_the_whole_number_towards_zero_or_the_nearest_there_is(void **state)
{
    (void)state;
    assert_int_equal(number_from_real(1.9), 1);
    assert_int_equal(number_from_real(-1.9), -1);
    assert_int_equal(number_from_real(0x1p62), INT64_C(1) << 62);
    assert_int_equal(number_from_real(0x1p63), INT64_MAX);
    assert_int_equal(number_from_real(7.3e19), INT64_MAX);
    assert_int_equal(number_from_real(-0x1p63), INT64_MIN);
    assert_int_equal(number_from_real(-7.3e19), INT64_MIN);
    assert_int_equal(number_from_real(NAN), 0);
    assert_int_equal(number_rounded(1.5), 2);
    assert_int_equal(number_rounded(-1.5), -2);
    assert_int_equal(number_rounded(0.49999999999999994), 0);
    assert_int_equal(number_rounded(1e300), INT64_MAX);
    assert_int_equal(number_rounded(-INFINITY), INT64_MIN);
    assert_int_equal(number_rounded(NAN), 0);
}

static void sums_differences_and_products_saturate(void **state)
{
    (void)state;
    assert_int_equal(number_add(1, -3), -2);
    assert_true(number_add(INT64_MAX, 1) == INT64_MAX && number_add(INT64_MIN, -1) == INT64_MIN);
    assert_true(number_add(INT64_MAX, INT64_MIN) == -1);
    assert_int_equal(number_subtract(1, -3), 4);
    assert_true(number_subtract(INT64_MAX, -1) == INT64_MAX && number_subtract(INT64_MIN, 1) == INT64_MIN);
    assert_true(number_subtract(0, INT64_MIN) == INT64_MAX && number_subtract(-1, INT64_MIN) == INT64_MAX);
    assert_int_equal(number_multiply(-4, 5), -20);
    assert_true(number_multiply(INT64_MAX, 2) == INT64_MAX && number_multiply(INT64_MAX, -2) == INT64_MIN);
    assert_true(number_multiply(INT64_MIN, -1) == INT64_MAX && number_multiply(INT64_MIN, 2) == INT64_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_becomes_the_whole_number_towards_zero_or_the_nearest_there_is),
        cmocka_unit_test(sums_differences_and_products_saturate),
        cmocka_unit_test(unsigned_numbers_are_written_as_printf_does),
        cmocka_unit_test(signed_numbers_are_written_as_printf_does),
        cmocka_unit_test(nanoseconds_are_written_as_microseconds_with_three_decimals),
        cmocka_unit_test(real_numbers_are_those_of_printf_to_the_last_digit),
        cmocka_unit_test(the_shortest_form_has_no_superfluous_zero_and_loses_no_digit),
        cmocka_unit_test(ratios_are_rounded_half_away_from_zero),
        cmocka_unit_test(a_ratio_to_nothing_is_zero_and_one_out_of_range_saturates),
        cmocka_unit_test(scaling_rounds_down_and_saturates),
        cmocka_unit_test(scaling_what_is_out_of_its_range_gives_zero),
        cmocka_unit_test(reals_are_printed_as_libc_prints_the_fewest_digits_that_read_back_the_same),
        cmocka_unit_test(whole_decimal_texts_are_parsed_into_thousandths),
        cmocka_unit_test(only_the_given_length_is_parsed),
        cmocka_unit_test(whole_integers_up_to_the_greatest_are_parsed),
        cmocka_unit_test(other_texts_are_no_integers_and_change_nothing),
        cmocka_unit_test(a_real_number_is_what_json_writes_and_nothing_else),
        cmocka_unit_test(what_is_written_is_parsed_back),
    };
    return cmocka_run_group_tests(tests, start_random, NULL);
}
