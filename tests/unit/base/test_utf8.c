/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that people may see: what drives a terminal and what is no UTF-8 is replaced, everything else stays. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_made_safe(const char *text, size_t length, const char *expected)
{
    char safe[128];
    size_t used = utf8_make_safe(text, length, safe);
    assert_true(used <= 3 * length);
    assert_int_equal(used, strlen(expected));
    assert_memory_equal(safe, expected, used);
    assert_int_equal(utf8_first_unsafe(safe, used), used);
}

static void sound_texts_stay_as_they_are(void **state)
{
    (void)state;
    static const char *const texts[] = {"",         "conv1",           "a\tb\nc", "\xE5\x8D\xB7\xE7\xA7\xAF",
                                        "\xC2\xA0", "\xF0\x9F\x99\x82"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(utf8_first_unsafe(texts[i], strlen(texts[i])), strlen(texts[i]));
        assert_made_safe(texts[i], strlen(texts[i]), texts[i]);
    }
}

static void control_characters_and_broken_bytes_are_replaced_one_by_one(void **state)
{
    (void)state;
#define R UTF8_REPLACEMENT
    assert_made_safe("a\0b", 3, "a" R "b");
    assert_made_safe("\x1b[31mred", 8, R "[31mred");
    assert_made_safe("a\rb\x7f", 4, "a" R "b" R);
    assert_made_safe("\xC2\x9B"
                     "2J",
                     4, R "2J");
    assert_made_safe("\xFF\xFE", 2, R R);
    assert_made_safe("\xE5\x8D", 2, R R); /* cut off */
    assert_made_safe("x\xC0\xAFy", 4, "x" R R "y");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_texts_stay_as_they_are),
        cmocka_unit_test(control_characters_and_broken_bytes_are_replaced_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
