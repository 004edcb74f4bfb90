/* SPDX-License-Identifier: Apache-2.0 */
/* Ini files: what a value may hold, and what is wrong without being shown. */
#include "base/format/ini.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void parse(struct ini *ini, const char *text)
{
    struct err err = ERR_INIT;

    assert_int_equal(ini_parse(ini, text, strlen(text), "x.ini", &err), 0);
}

static const char *ini_value(const struct ini *ini, const char *section, const char *key)
{
    const struct ini_entry *entry = ini_find(ini, section, key);
    return entry != NULL ? entry->value : NULL;
}

static void assert_refused(const char *text, size_t length, const char *message)
{
    struct err err = ERR_INIT;
    struct ini ini;

    assert_int_equal(ini_parse(&ini, text, length, "x.ini", &err), -ERR_FORMAT);
    assert_non_null(strstr(err_message(&err), message));
    assert_int_equal(ini.count, 0);
    assert_null(strstr(err_message(&err), "secret"));
}

static void a_value_may_hold_comment_signs_quotes_and_equals(void **state)
{
    struct ini ini;

    (void)state;
    parse(&ini, "[s]\npwd = a ;b #c \"d\" =e:f\n");
    assert_string_equal(ini_value(&ini, "s", "pwd"), "a ;b #c \"d\" =e:f");
    ini_release(&ini);
}

static void a_value_may_be_long(void **state)
{
    const size_t length = 100000;
    char *text = calloc(1, length + 32);
    struct ini ini;

    (void)state;
    assert_non_null(text);
    memcpy(text, "[s]\nk=", 6);
    memset(text + 6, 'x', length);
    parse(&ini, text);
    assert_int_equal(strlen(ini_value(&ini, "s", "k")), length);
    ini_release(&ini);
    free(text);
}

static void blanks_line_ends_comments_and_a_byte_order_mark_do_not_count(void **state)
{
    struct ini ini;

    (void)state;
    parse(&ini,
          "\xEF\xBB\xBF; first\r\n  # second\r\n\r\n [ s ] \r\n\tKey\t: value with blanks \t\r\nempty =\r\nlast=1");
    assert_string_equal(ini_value(&ini, "s", "key"), "value with blanks");
    assert_string_equal(ini_value(&ini, "s", "EMPTY"), "");
    assert_string_equal(ini_value(&ini, "s", "last"), "1");
    assert_int_equal(ini_find(&ini, "s", "last")->line, 7);
    ini_release(&ini);
}

static void sections_are_told_apart(void **state)
{
    struct ini ini;

    (void)state;
    parse(&ini, "[a]\nk=1\n[a:b]\nk=2\n[none]\n");
    assert_string_equal(ini_value(&ini, "a", "k"), "1");
    assert_string_equal(ini_value(&ini, "a:b", "k"), "2");
    assert_true(ini_has_section(&ini, "none"));
    assert_false(ini_has_section(&ini, "A"));
    assert_null(ini_value(&ini, "none", "k"));
    assert_null(ini_value(&ini, "no such", "k"));
    ini_release(&ini);
}

static void mistakes_are_told_by_line_and_never_shown(void **state)
{
    static const char nul[] = "[s]\nsecret = a\0b\n";

    (void)state;
    assert_refused("[s]\nsecret\n", 11, "line 2");
    assert_refused("= secret\n", 9, "line 1");
    assert_refused("k = secret\n", 11, "before the first [section]");
    assert_refused("[s\nk = secret", 13, "line 1: missing ']' after the section name");
    assert_refused("[ ]\n", 4, "empty section name");
    assert_refused("[s]\n[t]\n[s]\n", 12, "line 3: duplicate section [s], first in line 1");
    assert_refused("[s]\nk=secret\nK=secret\n", 22, "line 3: duplicate key 'k', first in line 2");
    assert_refused(nul, sizeof nul - 1, "line 2: a NUL byte");
}

static void a_file_is_read_and_a_missing_or_long_one_refused(void **state)
{
    struct err err = ERR_INIT;
    struct ini ini;
    char *text = calloc(1, INI_FILE_LIMIT + 2);

    (void)state;
    assert_non_null(text);
    scratch_make_file("a.ini", "[s]\nk = v\n");
    assert_int_equal(ini_load(&ini, in_scratch("a.ini"), &err), 0);
    assert_string_equal(ini_value(&ini, "s", "k"), "v");
    ini_release(&ini);
    assert_int_equal(ini_load(&ini, in_scratch("none.ini"), &err), -ERR_NOT_FOUND);
    memset(text, ';', INI_FILE_LIMIT + 1);
    scratch_make_file("long.ini", text);
    assert_int_equal(ini_load(&ini, in_scratch("long.ini"), &err), -ERR_LIMIT);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_may_hold_comment_signs_quotes_and_equals),
        cmocka_unit_test(a_value_may_be_long),
        cmocka_unit_test(blanks_line_ends_comments_and_a_byte_order_mark_do_not_count),
        cmocka_unit_test(sections_are_told_apart),
        cmocka_unit_test(mistakes_are_told_by_line_and_never_shown),
        cmocka_unit_test_setup_teardown(a_file_is_read_and_a_missing_or_long_one_refused, scratch_setup,
                                        scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
