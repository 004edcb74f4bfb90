/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/progress.h"
#include "base/utf8.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void setting_an_error_returns_its_negative_code_and_keeps_its_text(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(err_set(&err, ERR_FORMAT, "record %d", 7), -ERR_FORMAT);
    assert_int_equal(err.code, ERR_FORMAT);
    assert_int_equal(err.depth, 1);
    assert_string_equal(err_message(&err), "record 7");
    assert_string_equal(err.hint, "");
}

static void the_message_of_no_error_is_a_text_too(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_string_equal(err_message(&err), "no error");
}

static void a_second_error_starts_a_new_chain(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, ERR_IO, "first");
    err_wrap(&err, "outer");
    err_hint(&err, "try again");
    err_set(&err, ERR_ACCESS, "second");
    assert_int_equal(err.depth, 1);
    assert_string_equal(err_message(&err), "second");
    assert_string_equal(err.hint, "");
}

static void a_system_error_gets_the_code_of_its_number_and_the_systems_words(void **state)
{
    (void)state;
    static const struct {
        int errnum;
        enum err_code code;
        const char *text;
    } cases[] = {
        {ENOENT, ERR_NOT_FOUND, "cannot open 'x': No such file or directory"},
        {ENOTDIR, ERR_NOT_FOUND, "cannot open 'x': Not a directory"},
        {EACCES, ERR_ACCESS, "cannot open 'x': Permission denied"},
        {EROFS, ERR_ACCESS, "cannot open 'x': Read-only file system"},
        {ENOSPC, ERR_NO_SPACE, "cannot open 'x': No space left on device"},
        {EDQUOT, ERR_NO_SPACE, "cannot open 'x': Disk quota exceeded"},
        {ENOMEM, ERR_NO_MEMORY, "cannot open 'x': Cannot allocate memory"},
        {ENAMETOOLONG, ERR_LIMIT, "cannot open 'x': File name too long"},
        {EIO, ERR_IO, "cannot open 'x': Input/output error"},
        {123456, ERR_IO, "cannot open 'x': unknown system error 123456"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = ERR_INIT;
        assert_int_equal(err_set_errno(&err, cases[i].errnum, "cannot open '%s'", "x"), -(int)cases[i].code);
        assert_int_equal(err.code, cases[i].code);
        assert_string_equal(err_message(&err), cases[i].text);
    }
}

static void a_path_that_fills_the_message_does_not_push_the_reason_out(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    char path[4000];
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    err_set_errno(&err, ENOENT, "cannot open '%s'", path);
    static const char end[] = "ppp...: No such file or directory";
    assert_int_equal(strlen(err_message(&err)), ERR_TEXT_SIZE - 1);
    assert_string_equal(err_message(&err) + ERR_TEXT_SIZE - sizeof end, end);
}

static void a_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    char text[3 * 400 + 2];
    for (size_t shift = 0; shift < 3; shift++) {
        struct err err = ERR_INIT;
        memset(text, 'a', shift);
        for (size_t i = 0; i < 400; i++)
            memcpy(text + shift + 3 * i, "层", 3);
        text[shift + 1199] = '\0'; /* the last character is broken, but out of sight */
        err_set(&err, ERR_FORMAT, "%s", text);
        const char *message = err_message(&err);
        size_t length = strlen(message);
        assert_in_range(length, ERR_TEXT_SIZE - 4, ERR_TEXT_SIZE - 1);
        assert_string_equal(message + length - 3, "...");
        assert_null(strchr(message, '?'));
        assert_memory_equal(message, text, length - 3);
    }
}

static void wrapping_adds_outer_causes(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, ERR_IO, "inner");
    assert_int_equal(err_wrap(&err, "middle %d", 1), -ERR_IO);
    assert_int_equal(err_wrap(&err, "outer"), -ERR_IO);
    assert_int_equal(err.depth, 3);
    assert_string_equal(err.causes[0], "inner");
    assert_string_equal(err.causes[1], "middle 1");
    assert_string_equal(err_message(&err), "outer");
}

static void a_full_chain_keeps_the_innermost_cause_and_the_newest_outer_one(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, ERR_IO, "inner");
    for (int i = 1; i <= 20; i++)
        err_wrap(&err, "outer %d", i);
    assert_int_equal(err.depth, ERR_MAX_CAUSES);
    assert_string_equal(err.causes[0], "inner");
    assert_string_equal(err.causes[1], "outer 1");
    assert_string_equal(err_message(&err), "outer 20");
}

static void an_error_may_be_made_from_its_own_text(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, ERR_IO, "inner");
    err_set(&err, ERR_FORMAT, "again: %s", err_message(&err));
    assert_string_equal(err_message(&err), "again: inner");
    for (int i = 0; i < ERR_MAX_CAUSES; i++)
        err_wrap(&err, "<%s>", err_message(&err));
    assert_string_equal(err_message(&err), "<<<<<<again: inner>>>>>>");
}

static void the_first_hint_stays(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, ERR_ACCESS, "inner");
    assert_int_equal(err_hint(&err, "ask %s", "root"), -ERR_ACCESS);
    assert_int_equal(err_hint(&err, "another"), -ERR_ACCESS);
    assert_string_equal(err.hint, "ask root");
}

static void masking_replaces_what_could_drive_a_terminal_and_keeps_words(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
    } cases[] = {
        {"", ""},
        {"plain text", "plain text"},
        {"a\nb\tc\rd", "a?b?c?d"},
        {"\x1b[31mred\x1b[0m", "?[31mred?[0m"},
        {"del\x7f", "del?"},
        {"c1 \xC2\x9B"
         "31m",
         "c1 ?31m"},
        {"no-break\xC2\xA0space", "no-break\xC2\xA0space"},
        {"层 é 😀", "层 é 😀"},
        {"broken \xE5\xB1", "broken ??"},
        {"stray \x80 \xFF", "stray ? ?"},
        {"overlong \xC0\xAF", "overlong ??"},
        {"surrogate \xED\xA0\x80", "surrogate ???"},
        {"too great \xF4\x90\x80\x80", "too great ????"},
        {"\xE5\x41", "?A"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s", cases[i].before);
        utf8_mask(text);
        assert_string_equal(text, cases[i].after);
    }
}

static void messages_are_masked(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    err_set(&err, ERR_IO, "file 'a\nb\x1b[2J'");
    assert_string_equal(err_message(&err), "file 'a?b?[2J'");
    err_wrap(&err, "outer\n");
    assert_string_equal(err_message(&err), "outer?");
    err_hint(&err, "hint\r");
    assert_string_equal(err.hint, "hint?");
}

/* Encodes without any check; the length, or 0 for values that four bytes cannot hold. */
static size_t encode(uint32_t value, unsigned size, char *out)
{
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    if (size == 1) {
        out[0] = (char)value;
        return 1;
    }
    for (unsigned i = size; i-- > 1; value >>= 6)
        out[i] = (char)(0x80 | (value & 0x3F));
    out[0] = (char)(leads[size] | value);
    return size;
}

static void exactly_the_shortest_form_of_every_scalar_value_is_utf8(void **state)
{
    (void)state;
    static const uint32_t limits[] = {0, 0x80, 0x800, 0x10000, 0x200000}; /* what each size can hold */
    for (unsigned size = 1; size <= 4; size++) {
        for (uint32_t value = 0; value < limits[size]; value++) {
            char text[4];
            encode(value, size, text);
            bool good = value >= limits[size - 1] && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
            if (utf8_character(text, size) != (good ? size : 0))
                fail_msg("U+%04X in %u bytes", (unsigned)value, size);
            if (good && size > 1 && utf8_character(text, size - 1) != 0)
                fail_msg("U+%04X cut off", (unsigned)value);
        }
    }
}

static void cutting_never_splits_a_character(void **state)
{
    (void)state;
    static const char text[] = "aé层😀z";
    static const size_t cuts[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
    for (size_t limit = 0; limit < sizeof cuts / sizeof cuts[0]; limit++)
        assert_int_equal(utf8_cut(text, limit), cuts[limit]);
    assert_int_equal(utf8_cut("\x80\x80\x80\x80\x80\x80", 5), 5);
}

static void an_interrupt_tells_its_signal(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_false(interrupted());
    interrupt_signal = SIGINT;
    assert_true(interrupted());
    assert_int_equal(interrupt_error(&err), -ERR_INTERRUPTED);
    assert_string_equal(err_message(&err), "interrupted by SIGINT");
    interrupt_signal = 0;
    assert_int_equal(interrupt_error(&err), -ERR_INTERRUPTED);
    assert_string_equal(err_message(&err), "interrupted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setting_an_error_returns_its_negative_code_and_keeps_its_text),
        cmocka_unit_test(the_message_of_no_error_is_a_text_too),
        cmocka_unit_test(a_second_error_starts_a_new_chain),
        cmocka_unit_test(a_system_error_gets_the_code_of_its_number_and_the_systems_words),
        cmocka_unit_test(a_path_that_fills_the_message_does_not_push_the_reason_out),
        cmocka_unit_test(a_long_text_is_cut_between_characters),
        cmocka_unit_test(wrapping_adds_outer_causes),
        cmocka_unit_test(a_full_chain_keeps_the_innermost_cause_and_the_newest_outer_one),
        cmocka_unit_test(an_error_may_be_made_from_its_own_text),
        cmocka_unit_test(the_first_hint_stays),
        cmocka_unit_test(masking_replaces_what_could_drive_a_terminal_and_keeps_words),
        cmocka_unit_test(messages_are_masked),
        cmocka_unit_test(exactly_the_shortest_form_of_every_scalar_value_is_utf8),
        cmocka_unit_test(cutting_never_splits_a_character),
        cmocka_unit_test(an_interrupt_tells_its_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
