/* SPDX-License-Identifier: Apache-2.0 */
/* acl.json is patched in its text: what is not ours stays to the last byte. */
#include "ssh/acl_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct acl_settings settings = {
    .output = "/home/p", .ai_cpu = true, .acl_api = false, .enabled = true, .metrics = "M", .interval = 5};

#define ALL                                                                                                            \
    "\"output\": \"/home/p\", \"aacpu\": \"on\", \"aac_metrics\": \"M\", \"interval\": \"5\", \"acl_api\": \"off\", "  \
    "\"switch\": \"on\""

static void assert_patched(const char *text, const char *expected)
{
    struct err err = ERR_INIT;
    struct acl_dump dump;
    struct strbuf patched;

    strbuf_init(&patched, 65536);
    assert_int_equal(acl_json_patch(text, text != NULL ? strlen(text) : 0, &settings, &patched, &dump, &err), 0);
    assert_string_equal(patched.data, expected);
    strbuf_release(&patched);
}

static void a_file_is_made_or_gets_the_object(void **state)
{
    (void)state;
    assert_patched(NULL, "{\"profiler\": {" ALL "}}\n");
    assert_patched(" { }\n", "{\"profiler\": {" ALL "} }\n");
    assert_patched("{\"a\": 1.10}", "{\"profiler\": {" ALL "},\"a\": 1.10}");
    assert_patched("{\"profiler\":{}}", "{\"profiler\":{" ALL "}}");
}

static void values_are_replaced_in_their_places(void **state)
{
    (void)state;
    assert_patched(
        "{\"x\":[{\"profiler\":1},\"}\\\"{\"],\n \"profiler\" : {\"switch\" : \"off\", \"keep\": "
        "12345678901234567890,\n"
        "\"interval\":3, \"aicpu\":\"off\"\n} , \"z\":null}",
        "{\"x\":[{\"profiler\":1},\"}\\\"{\"],\n \"profiler\" : {\"switch\" : \"on\", \"keep\": 12345678901234567890,\n"
        "\"interval\":\"5\", \"aicpu\":\"on\", \"output\": \"/home/p\", \"aac_metrics\": \"M\", \"acl_api\": "
        "\"off\"\n} , \"z\":null}");
}

static void what_is_no_object_is_refused(void **state)
{
    static const char *const bad[] = {"", "[]", "{", "{\"profiler\": 3}", "{\"profiler\": \"x\"}", "{} x"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct err err = ERR_INIT;
        struct acl_dump dump;
        struct strbuf patched;

        strbuf_init(&patched, 65536);
        assert_int_equal(acl_json_patch(bad[i], strlen(bad[i]), &settings, &patched, &dump, &err), -ERR_FORMAT);
        strbuf_release(&patched);
    }
}

static struct acl_dump dump_of(const char *text)
{
    struct err err = ERR_INIT;
    struct acl_dump dump;
    struct strbuf patched;

    strbuf_init(&patched, 65536);
    assert_int_equal(acl_json_patch(text, strlen(text), &settings, &patched, &dump, &err), 0);
    strbuf_release(&patched);
    return dump;
}

static void a_dump_that_is_on_is_told_from_one_that_is_off(void **state)
{
    (void)state;
    assert_false(dump_of("{}").present);
    assert_true(dump_of("{\"dump\":{}}").present);
    assert_false(dump_of("{\"dump\":{\"dump_list\":[], \"dump_op_switch\":\"off\"}}").on);
    assert_true(dump_of("{\"dump\":{\"dump_list\":[{\"model_name\":\"m\"}]}}").on);
    assert_true(dump_of("{\"dump\":{\"dump_op_switch\":\"on\"}}").on);
}

static void characters_that_the_profiler_does_not_take_are_found(void **state)
{
    (void)state;
    assert_int_equal(acl_path_problem("/home/User_1/a-b.c/out"), 0);
    assert_int_equal(acl_path_problem("/home/a b"), ' ');
    assert_int_equal(acl_path_problem("/home/a+b"), '+');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_made_or_gets_the_object),
        cmocka_unit_test(values_are_replaced_in_their_places),
        cmocka_unit_test(what_is_no_object_is_refused),
        cmocka_unit_test(a_dump_that_is_on_is_told_from_one_that_is_off),
        cmocka_unit_test(characters_that_the_profiler_does_not_take_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
