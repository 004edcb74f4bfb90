/* SPDX-License-Identifier: Apache-2.0 */
#include "base/strbuf.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* AddressSanitizer asks this: an allocation that is too large shall fail, as it does without it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void a_new_buffer_is_an_empty_string_without_memory(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, 10);
    assert_string_equal(buf.data, "");
    assert_int_equal(buf.length, 0);
    assert_int_equal(buf.capacity, 0);
    strbuf_release(&buf);
    assert_string_equal(buf.data, "");
}

static void every_way_of_appending_is_kept_in_order(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, 100);
    assert_int_equal(strbuf_adds(&buf, "one"), 0);
    assert_int_equal(strbuf_addc(&buf, ' '), 0);
    assert_int_equal(strbuf_addf(&buf, "%d+%s", 2, "three"), 0);
    assert_int_equal(strbuf_add(&buf, "\0x", 2), 0);
    assert_int_equal(strbuf_add(&buf, NULL, 0), 0);
    assert_int_equal(strbuf_add_integer(&buf, INT64_MIN), 0);
    assert_int_equal(buf.length, 33);
    assert_memory_equal(buf.data, "one 2+three\0x-9223372036854775808", 34);
    strbuf_release(&buf);
}

static void a_buffer_grows_to_exactly_its_maximum(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, 1000);
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(strbuf_addc(&buf, (char)('a' + i % 26)), 0);
        assert_int_equal(buf.data[buf.length], '\0');
    }
    assert_int_equal(strbuf_addc(&buf, 'x'), -1);
    assert_true(buf.failed);
    assert_int_equal(buf.length, 1000);
    for (size_t i = 0; i < 1000; i++)
        assert_int_equal(buf.data[i], 'a' + i % 26);
    assert_in_range(buf.capacity, 1001, 1001);
    strbuf_release(&buf);
}

static void an_append_that_does_not_fit_leaves_the_content(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, 5);
    strbuf_adds(&buf, "abc");
    assert_int_equal(strbuf_adds(&buf, "def"), -1);
    assert_int_equal(strbuf_addf(&buf, "%d", 123456), -1);
    assert_int_equal(strbuf_add(&buf, "x", SIZE_MAX), -1);
    assert_string_equal(buf.data, "abc");
    assert_true(buf.failed);
    assert_int_equal(strbuf_adds(&buf, "de"), 0);
    assert_string_equal(buf.data, "abcde");
    assert_true(buf.failed);
    strbuf_cut(&buf, 5);
    assert_string_equal(buf.data, "abcde");
    strbuf_cut(&buf, 2);
    assert_string_equal(buf.data, "ab");
    strbuf_clear(&buf);
    assert_false(buf.failed);
    assert_string_equal(buf.data, "");
    assert_int_equal(strbuf_adds(&buf, "12345"), 0);
    strbuf_release(&buf);
}

static void a_text_made_of_one_that_lost_a_part_has_lost_one_too(void **state)
{
    (void)state;
    struct strbuf part, whole;
    strbuf_init(&part, 3);
    strbuf_init(&whole, 10);
    strbuf_adds(&part, "abc");
    assert_int_equal(strbuf_add_built(&whole, &part), 0);
    strbuf_adds(&part, "d");
    assert_int_equal(strbuf_add_built(&whole, &part), -1);
    assert_string_equal(whole.data, "abc");
    assert_true(whole.failed);
    assert_null(strbuf_detach(&whole));
    strbuf_release(&part);
}

static void memory_that_nobody_has_is_a_failed_append(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, SIZE_MAX);
    strbuf_adds(&buf, "abc");
    assert_int_equal(strbuf_add(&buf, "x", SIZE_MAX / 2), -1);
    assert_string_equal(buf.data, "abc");
    assert_true(buf.failed);
    strbuf_release(&buf);
}

static void a_maximum_of_zero_takes_nothing_but_the_empty_text(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, 0);
    assert_int_equal(strbuf_adds(&buf, ""), 0);
    assert_int_equal(strbuf_addc(&buf, 'x'), -1);
    assert_string_equal(buf.data, "");
    strbuf_release(&buf);
}

static void clearing_keeps_the_memory(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, 100);
    strbuf_clear(&buf);
    strbuf_adds(&buf, "text");
    const char *data = buf.data;
    strbuf_clear(&buf);
    strbuf_adds(&buf, "next");
    assert_ptr_equal(buf.data, data);
    assert_string_equal(buf.data, "next");
    strbuf_release(&buf);
}

static void detaching_gives_the_string_away(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, 100);
    char *nothing = strbuf_detach(&buf);
    assert_string_equal(nothing, "");
    free(nothing);
    strbuf_adds(&buf, "text");
    char *text = strbuf_detach(&buf);
    assert_string_equal(text, "text");
    assert_string_equal(buf.data, "");
    assert_int_equal(strbuf_adds(&buf, "more"), 0);
    assert_string_equal(buf.data, "more");
    assert_string_equal(text, "text");
    free(text);
    strbuf_release(&buf);
}

static void what_lost_a_part_is_not_given_away(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, 4);
    strbuf_adds(&buf, "text");
    assert_int_equal(strbuf_adds(&buf, "more"), -1);
    assert_null(strbuf_detach(&buf));
    assert_int_equal(strbuf_adds(&buf, "next"), 0);
    char *text = strbuf_detach(&buf);
    assert_string_equal(text, "next");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_buffer_is_an_empty_string_without_memory),
        cmocka_unit_test(every_way_of_appending_is_kept_in_order),
        cmocka_unit_test(a_buffer_grows_to_exactly_its_maximum),
        cmocka_unit_test(an_append_that_does_not_fit_leaves_the_content),
        cmocka_unit_test(a_text_made_of_one_that_lost_a_part_has_lost_one_too),
        cmocka_unit_test(memory_that_nobody_has_is_a_failed_append),
        cmocka_unit_test(a_maximum_of_zero_takes_nothing_but_the_empty_text),
        cmocka_unit_test(clearing_keeps_the_memory),
        cmocka_unit_test(detaching_gives_the_string_away),
        cmocka_unit_test(what_lost_a_part_is_not_given_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
