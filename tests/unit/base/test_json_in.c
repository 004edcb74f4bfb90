/* SPDX-License-Identifier: Apache-2.0 */
#include "base/format/json_in.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Parses a copy that ends exactly where the text does, so that AddressSanitizer sees a read beyond it. */
static struct json *parse(const char *text, size_t length, struct err *err)
{
    char *copy = malloc(length > 0 ? length : 1);
    assert_non_null(copy);
    memcpy(copy, text, length);
    struct json *root = json_parse(copy, length, err);
    free(copy);
    return root;
}

static struct json *parse_good(const char *text)
{
    struct err err = ERR_INIT;
    struct json *root = parse(text, strlen(text), &err);
    if (root == NULL)
        fail_msg("%s: %s", text, err_message(&err));
    return root;
}

static void an_info_file_is_read(void **state)
{
    (void)state;
    struct json *root = parse_good("{\"DeviceInfo\": [{\"aic_frequency\": \"600\", \"id\": 3}]}\n");
    const struct json *devices = json_member(root, "DeviceInfo");
    assert_true(json_is_object(root));
    assert_true(json_is_array(devices));
    const struct json *device = json_element(devices, 0);
    int64_t value = 0;
    assert_string_equal(json_string(json_member(device, "aic_frequency")), "600");
    assert_true(json_integer(json_member(device, "aic_frequency"), &value));
    assert_int_equal(value, 600);
    assert_true(json_integer(json_member(device, "id"), &value));
    assert_int_equal(value, 3);
    assert_null(json_element(devices, 1));
    json_free(root);
}

static void values_are_walked_in_order(void **state)
{
    (void)state;
    struct json *root = parse_good("[10, {\"a\": 20, \"b\": 30}, []]");
    int64_t value = 0;
    const struct json *element = json_first(root);
    assert_true(json_integer(element, &value) && value == 10);
    element = json_next(element);
    assert_ptr_equal(element, json_element(root, 1));
    const struct json *member = json_first(element);
    assert_true(json_integer(member, &value) && value == 20);
    member = json_next(member);
    assert_true(json_integer(member, &value) && value == 30);
    assert_null(json_next(member));
    element = json_next(element);
    assert_true(json_is_array(element));
    assert_null(json_first(element));
    assert_null(json_next(element));
    json_free(root);
}

static void asking_a_value_of_another_type_gives_nothing(void **state)
{
    (void)state;
    struct json *root = parse_good("{\"text\": \"x\", \"list\": [1], \"nothing\": null, \"yes\": true}");
    const struct json *text = json_member(root, "text");
    const struct json *list = json_member(root, "list");
    int64_t value = -7;
    assert_null(json_member(text, "a"));
    assert_null(json_member(list, "a"));
    assert_null(json_member(NULL, "a"));
    assert_null(json_member(root, "Text"));
    assert_null(json_member(root, "absent"));
    assert_null(json_element(root, 0));
    assert_null(json_element(NULL, 0));
    assert_null(json_first(text));
    assert_null(json_first(NULL));
    assert_null(json_next(NULL));
    assert_null(json_string(list));
    assert_null(json_string(NULL));
    assert_false(json_is_object(list) || json_is_object(NULL));
    assert_false(json_is_array(root) || json_is_array(NULL));
    assert_false(json_integer(text, &value));
    assert_false(json_integer(list, &value));
    assert_false(json_integer(json_member(root, "nothing"), &value));
    assert_false(json_integer(json_member(root, "yes"), &value));
    assert_false(json_integer(NULL, &value));
    assert_int_equal(value, -7);
    json_free(root);
}

static void the_first_of_several_equal_names_counts(void **state)
{
    (void)state;
    struct json *root = parse_good("{\"a\": 1, \"A\": 2, \"a\": 3}");
    int64_t value = 0;
    assert_true(json_integer(json_member(root, "a"), &value));
    assert_int_equal(value, 1);
    json_free(root);
}

static void escapes_and_utf8_are_decoded(void **state)
{
    (void)state;
    struct json *root = parse_good("[\"a\\\"\\\\\\n\\u5c42\\ud83d\\ude00\", \"层\"]");
    assert_string_equal(json_string(json_element(root, 0)), "a\"\\\n层😀");
    assert_string_equal(json_string(json_element(root, 1)), "层");
    json_free(root);
}

static void only_integers_that_a_double_holds_exactly_are_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"-12", true, -12},
        {"1e3", true, 1000},
        {"12.0", true, 12},
        {"9007199254740991", true, INT64_C(9007199254740991)},
        {"-9007199254740991", true, INT64_C(-9007199254740991)},
        {"9007199254740992", false, 0},
        {"9007199254740993", false, 0},
        {"-9007199254740993", false, 0},
        {"9223372036854775807", false, 0},
        {"1e300", false, 0},
        {"1e999", false, 0},
        {"-1e999", false, 0},
        {"1.5", false, 0},
        {"-0.001", false, 0},
        {"\"12\"", true, 12},
        {"\"-12\"", true, -12},
        {"\"9223372036854775807\"", true, INT64_MAX},
        {"\"-9223372036854775807\"", true, -INT64_MAX},
        {"\"9223372036854775808\"", false, 0},
        {"\"\"", false, 0},
        {"\"-\"", false, 0},
        {"\"--1\"", false, 0},
        {"\"+1\"", false, 0},
        {"\" 1\"", false, 0},
        {"\"1.0\"", false, 0},
        {"\"0x1\"", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct json *root = parse_good(cases[i].text);
        int64_t value = -77;
        bool good = json_integer(root, &value);
        if (good != cases[i].good || value != (good ? cases[i].value : -77))
            fail_msg("%s: %d, %" PRId64, cases[i].text, good, value);
        json_free(root);
    }
}

static void a_mistake_is_told_with_its_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place;
    } cases[] = {
        {"", "line 1, column 1:"},
        {" \n\n ", "line 3, column 2:"},
        {"x", "line 1, column 1:"},
        {"{\"a\" 1}", "line 1, column 6:"},
        {"{\n  \"a\": 1,\n  \"b\": ?\n}", "line 3, column 8:"},
        {"[\"层层\", ?]", "line 1, column 8:"},
        {"{} {}", "line 1, column 4:"},
        {"{}\n}", "line 2, column 1:"},
        {"[1,]", "line 1, column 4:"},
        {"tru", "line 1, column 1:"},
        {"[\"\\ud800\"]", "line 1, column 3:"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = ERR_INIT;
        char expected[64];
        assert_null(parse(cases[i].text, strlen(cases[i].text), &err));
        assert_int_equal(err.code, ERR_FORMAT);
        snprintf(expected, sizeof expected, "not JSON at %s", cases[i].place);
        if (strncmp(err_message(&err), expected, strlen(expected)) != 0)
            fail_msg("%s: %s, expected %s", cases[i].text, err_message(&err), expected);
    }
}

static void every_beginning_of_a_document_is_a_mistake_and_nothing_is_read_beyond_it(void **state)
{
    (void)state;
    static const char text[] = "{\"name\": [\"a\\u5c42\", -1.5e3, true, null, {\"x\": {}}], \"k\": \"v\"}";
    for (size_t length = 0; length < sizeof text - 1; length++) {
        struct err err = ERR_INIT;
        assert_null(parse(text, length, &err));
        assert_int_equal(err.code, ERR_FORMAT);
    }
    struct err err = ERR_INIT;
    struct json *root = parse(text, sizeof text - 1, &err);
    assert_non_null(root);
    json_free(root);
}

static void damaged_documents_never_crash(void **state)
{
    (void)state;
    static const char text[] = "{\"name\": [\"a\\u5c42\", -1.5e3, true, null, {\"x\": {}}], \"k\": \"v\"}";
    char copy[sizeof text];
    for (size_t i = 0; i < sizeof text - 1; i++) {
        for (int byte = 0; byte < 256; byte++) {
            struct err err = ERR_INIT;
            memcpy(copy, text, sizeof text);
            copy[i] = (char)byte;
            struct json *root = parse(copy, sizeof text - 1, &err);
            assert_true(root != NULL || err.code == ERR_FORMAT);
            json_free(root);
        }
    }
}

static void numbers_that_json_does_not_write_and_texts_with_a_nul_are_mistakes(void **state)
{
    (void)state;
    static const char *const mistakes[] = {
        "[5.]", "[05]", "[-]", "[1e]", "{\"a\": -.5}", "[\"a\\u0000b\"]", "{\"a\\u0000\": 1}"};
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct err err = ERR_INIT;
        struct json *root = parse(mistakes[i], strlen(mistakes[i]), &err);
        if (root != NULL)
            fail_msg("%s is taken", mistakes[i]);
        assert_int_equal(err.code, ERR_FORMAT);
    }
    struct err err = ERR_INIT;
    assert_null(parse("[\"a\0b\"]", 7, &err));
    json_free(parse_good("[\"05 5. \\\\u0000\", -0, 0.5, 1e+3, 10, {\"007\": \"\\\"5.\"}]"));
}

static void deep_nesting_is_a_mistake(void **state)
{
    (void)state;
    size_t length = 1000000;
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, '[', length);
    struct err err = ERR_INIT;
    assert_null(parse(text, length, &err));
    assert_int_equal(err.code, ERR_FORMAT);
    free(text);
}

static void a_document_of_too_many_values_is_refused(void **state)
{
    (void)state;
    size_t count = JSON_MEMORY_LIMIT / 32;
    char *text = malloc(2 * count + 1);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++)
        memcpy(text + 2 * i, i == 0 ? "[1" : ",1", 2);
    text[2 * count] = ']';
    struct err err = ERR_INIT;
    assert_null(parse(text, 2 * count + 1, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    struct json *root = parse_good("[1]");
    json_free(root);
    free(text);
}

static size_t memory_in_use(void)
{
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
}

/* [0, and so many members, ]: free() it. */
static char *document_of(const char *member, size_t count, size_t *ret_length)
{
    const size_t length = strlen(member);
    char *text = malloc(3 + count * length);
    assert_non_null(text);
    memcpy(text, "[0", 2);
    for (size_t i = 0; i < count; i++)
        memcpy(text + 2 + i * length, member, length);
    text[2 + count * length] = ']';
    *ret_length = 3 + count * length;
    return text;
}

static bool is_taken(const char *member, size_t count)
{
    struct err err = ERR_INIT;
    size_t length;
    char *text = document_of(member, count, &length);
    struct json *root = json_parse(text, length, &err);
    const bool taken = root != NULL;
    if (!taken)
        assert_int_equal(err.code, ERR_LIMIT);
    json_free(root);
    free(text);
    return taken;
}

/* By what malloc() says: documents are refused from the limit on, whatever they are made of. */
static void what_is_counted_is_what_is_taken(void **state)
{
    static const char *const members[] = {",1", ",\"\"", ",\"forty bytes of text, and so many of others\"",
                                          ",{\"\":\"\"}", ",[[1]]"};
    (void)state;
    if (memory_in_use() == 0)
        skip(); /* the allocator is another one */
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const size_t some = 100000;
        struct err err = ERR_INIT;
        size_t length;
        char *text = document_of(members[i], some, &length);
        const size_t before = memory_in_use();
        struct json *root = json_parse(text, length, &err);
        const double each = (double)(memory_in_use() - before) / (double)some;
        assert_non_null(root);
        json_free(root);
        free(text);
        const double most = (double)JSON_MEMORY_LIMIT / each;
        if (!is_taken(members[i], (size_t)(most * 0.98)) || is_taken(members[i], (size_t)(most * 1.02)))
            fail_msg("members %s take %.1f bytes", members[i], each);
    }
}

/* Boards run in threads, and each reads acl.json; what one needs of the limit must not count for another. */
static void *parse_most_of_the_limit(void *arg)
{
    size_t values = JSON_MEMORY_LIMIT / 2 / 64, length = 2 * values + 1;
    char *text = malloc(length);
    uintptr_t failures = 0;
    (void)arg;
    memset(text, '0', length);
    for (size_t i = 0; i < values; i++)
        text[2 * i] = i == 0 ? '[' : ',';
    text[length - 1] = ']';
    for (int i = 0; i < 3; i++) {
        struct err err = ERR_INIT;
        struct json *root = json_parse(text, length, &err);
        failures += root == NULL;
        json_free(root);
    }
    free(text);
    return (void *)failures; /* NOLINT(performance-no-int-to-ptr) */
}

static void threads_parse_at_the_same_time(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, parse_most_of_the_limit, NULL), 0);
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        void *failures = NULL;
        pthread_join(threads[i], &failures);
        assert_null(failures);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_parse_at_the_same_time),
        cmocka_unit_test(an_info_file_is_read),
        cmocka_unit_test(values_are_walked_in_order),
        cmocka_unit_test(asking_a_value_of_another_type_gives_nothing),
        cmocka_unit_test(the_first_of_several_equal_names_counts),
        cmocka_unit_test(escapes_and_utf8_are_decoded),
        cmocka_unit_test(only_integers_that_a_double_holds_exactly_are_integers),
        cmocka_unit_test(a_mistake_is_told_with_its_line_and_column),
        cmocka_unit_test(every_beginning_of_a_document_is_a_mistake_and_nothing_is_read_beyond_it),
        cmocka_unit_test(damaged_documents_never_crash),
        cmocka_unit_test(numbers_that_json_does_not_write_and_texts_with_a_nul_are_mistakes),
        cmocka_unit_test(deep_nesting_is_a_mistake),
        cmocka_unit_test(a_document_of_too_many_values_is_refused),
        cmocka_unit_test(what_is_counted_is_what_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
