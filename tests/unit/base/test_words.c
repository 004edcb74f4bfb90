/* SPDX-License-Identifier: Apache-2.0 */
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* wanted: the words with '|' behind each. */
static void expect_words(const char *text, const char *wanted)
{
    struct err err = ERR_INIT;
    struct words words = {.items = NULL};
    struct strbuf joined;

    strbuf_init(&joined, 1000);
    assert_int_equal(words_split(&words, text, &err), 0);
    for (size_t i = 0; i < words.count; i++) {
        strbuf_adds(&joined, words.items[i]);
        strbuf_addc(&joined, '|');
    }
    assert_string_equal(joined.data, wanted);
    if (words.count > 0)
        assert_null(words.items[words.count]);
    strbuf_release(&joined);
    words_release(&words);
}

static void blanks_separate_words_however_many_they_are(void **state)
{
    (void)state;
    expect_words("", "");
    expect_words(" \t\n ", "");
    expect_words("out/main", "out/main|");
    expect_words("  out/main -n\t 5  ", "out/main|-n|5|");
}

static void quotes_and_backslashes_keep_blanks(void **state)
{
    (void)state;
    expect_words("'a  b' \"c  d\" e\\ f", "a  b|c  d|e f|");
    expect_words("--name='a b'c", "--name=a bc|");
    expect_words("'' \"\" x", "||x|");
    expect_words("'a\"b' \"a'b\" \\' \\\"", "a\"b|a'b|'|\"|");
    expect_words("'a\\' \"a\\b\" \"\\\\\" \"\\\"\" a\\\\", "a\\|a\\b|\\|\"|a\\|");
    expect_words("end\\", "end\\|");
}

static void nothing_is_expanded(void **state)
{
    (void)state;
    expect_words("$HOME ~ * `x` \"$(y)\" ; &", "$HOME|~|*|`x`|$(y)|;|&|");
}

static void a_quote_without_end_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct words words = {.items = NULL};

    assert_int_equal(words_add(&words, "first", &err), 0);
    assert_int_equal(words_split(&words, "a 'b c", &err), -ERR_USAGE);
    assert_int_equal(words_split(&words, "a \"b\\\"", &err), -ERR_USAGE);
    assert_int_equal(words.count, 1);
    assert_string_equal(words.items[0], "first");
    assert_null(words.items[1]);
    words_release(&words);
}

static void a_word_that_is_too_long_is_refused(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct words words = {.items = NULL};
    size_t length = 200000;
    char *text = malloc(length + 1);

    assert_non_null(text);
    memset(text, 'a', length);
    text[length] = '\0';
    assert_int_equal(words_split(&words, text, &err), -ERR_LIMIT);
    assert_int_equal(words.count, 0);
    words_release(&words);
    free(text);
}

static void the_first_word_can_be_taken_out(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct words words = {.items = NULL};
    char *first;

    assert_null(words_take_first(&words));
    assert_int_equal(words_split(&words, "a b", &err), 0);
    first = words_take_first(&words);
    assert_string_equal(first, "a");
    free(first);
    assert_int_equal(words.count, 1);
    assert_string_equal(words.items[0], "b");
    assert_null(words.items[1]);
    words_release(&words);
}

static void what_is_shown_reads_back_as_the_same_words(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct words words = {.items = NULL}, again = {.items = NULL};
    struct strbuf text;

    strbuf_init(&text, 1000);
    assert_int_equal(words_split(&words, "plain -n=5 'a b' '' \"it's\" a\\\\b '$x'", &err), 0);
    words_show(&words, &text);
    assert_string_equal(text.data, " plain -n=5 'a b' '' 'it'\\''s' 'a\\b' '$x'");
    assert_int_equal(words_split(&again, text.data, &err), 0);
    assert_int_equal(again.count, words.count);
    for (size_t i = 0; i < words.count; i++)
        assert_string_equal(again.items[i], words.items[i]);
    strbuf_release(&text);
    words_release(&words);
    words_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_separate_words_however_many_they_are),
        cmocka_unit_test(quotes_and_backslashes_keep_blanks),
        cmocka_unit_test(nothing_is_expanded),
        cmocka_unit_test(a_quote_without_end_is_refused_and_changes_nothing),
        cmocka_unit_test(a_word_that_is_too_long_is_refused),
        cmocka_unit_test(the_first_word_can_be_taken_out),
        cmocka_unit_test(what_is_shown_reads_back_as_the_same_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
