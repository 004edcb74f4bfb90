/* SPDX-License-Identifier: Apache-2.0 */
/* Facts in file names: numbers are taken from both ends, because a model may be called anything. */
#include "parsers/capture/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ACL "acl_api.{device_id}.{model}.{model_id}"
#define AICPU "aicpu.{device_id}.{model}.{model_id}.{batch_num}.{input_pic_num}.{current_pic_count}"
#define PMU "aicore.{device_id}.{batch_num}.{input_pic_num}"
#define LAYER "{model}.{model_id}.layer.info"
#define HWTS "hwts.log.data.{number}.dev.profiler_default_tag.{device_id}.slice_{slice}"
#define MODULE "AclModule.acl_{tag}.{device_id}.slice_{slice}"

static void assert_no_match(const char *pattern, const char *name)
{
    struct file_identity identity = {.device_id = 77};
    if (capture_match_name(pattern, name, &identity))
        fail_msg("'%s' must not match '%s'", name, pattern);
    assert_int_equal(identity.device_id, 77); /* untouched */
}

static void numbers_are_taken_from_both_ends_of_a_name(void **state)
{
    (void)state;
    struct file_identity identity;
    assert_true(capture_match_name(AICPU, "aicpu.0.yolov5n_noquat.32.1.2.3", &identity));
    assert_int_equal(identity.device_id, 0);
    assert_string_equal(identity.model, "yolov5n_noquat");
    assert_int_equal(identity.model_id, 32);
    assert_int_equal(identity.batch_num, 1);
    assert_int_equal(identity.input_pic_num, 2);
    assert_int_equal(identity.current_pic_count, 3);
    assert_int_equal(identity.slice, -1);
    assert_null(identity.tag);
    file_identity_release(&identity);
}

static void model_names_may_hold_dots_blanks_digits_and_any_bytes(void **state)
{
    (void)state;
    static const char *const models[] = {"a.b.c",        "v1.2 final", "1.2.3",   "\xe4\xba\xba\xe8\x84\xb8",
                                         "\xff\xfe\x80", ".",          "a\nb\"c", "net.info",
                                         "{model}",      "..",         "7"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char name[128];
        struct file_identity identity;
        snprintf(name, sizeof name, "acl_api.1.%s.9", models[i]);
        assert_true(capture_match_name(ACL, name, &identity));
        assert_string_equal(identity.model, models[i]);
        assert_int_equal(identity.device_id, 1);
        assert_int_equal(identity.model_id, 9);
        file_identity_release(&identity);
        snprintf(name, sizeof name, "%s.9.layer.info", models[i]);
        assert_true(capture_match_name(LAYER, name, &identity));
        assert_string_equal(identity.model, models[i]);
        file_identity_release(&identity);
    }
}

static void a_pattern_without_a_model_matches_the_whole_name(void **state)
{
    (void)state;
    struct file_identity identity;
    assert_true(capture_match_name(PMU, "aicore.3.2.1", &identity));
    assert_int_equal(identity.device_id, 3);
    assert_int_equal(identity.batch_num, 2);
    assert_int_equal(identity.input_pic_num, 1);
    assert_null(identity.model);
    assert_true(capture_match_name(HWTS, "hwts.log.data.45.dev.profiler_default_tag.1.slice_0", &identity));
    assert_int_equal(identity.device_id, 1);
    assert_int_equal(identity.slice, 0);
    assert_true(capture_match_name(MODULE, "AclModule.acl_model.2.slice_11", &identity));
    assert_string_equal(identity.tag, "model");
    assert_int_equal(identity.slice, 11);
    file_identity_release(&identity);
}

static void names_that_miss_or_add_a_part_do_not_match(void **state)
{
    (void)state;
    static const char *const names[] = {
        "aicore.3.2",    "aicore.3.2.1.", "aicore.3.2.1.0", "aicore..2.1", "aicore.3.2.1x",
        "xaicore.3.2.1", "aicore.-3.2.1", "aicore.3.2.+1",  "aicore",      "",
        "AICORE.3.2.1",  "aicore.3 .2.1", "aicore.3.2.1 "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_no_match(PMU, names[i]);
    assert_no_match(ACL, "acl_api.0..1");
    assert_no_match(ACL, "acl_api.0.1");
    assert_no_match(ACL, "acl_api.x.net.1");
    assert_no_match(LAYER, ".1.layer.info");
    assert_no_match(LAYER, "net.layer.info");
    assert_no_match(MODULE, "AclModule.acl_.0.slice_0");
}

static void numbers_beyond_63_bits_do_not_match(void **state)
{
    (void)state;
    struct file_identity identity;
    assert_true(capture_match_name(PMU, "aicore.9223372036854775807.1.1", &identity));
    assert_int_equal(identity.device_id, INT64_MAX);
    assert_no_match(PMU, "aicore.9223372036854775808.1.1");
    assert_no_match(ACL, "acl_api.0.net.99999999999999999999");
}

static void identities_are_ordered_by_their_numbers_and_not_as_text(void **state)
{
    (void)state;
    struct file_identity a = {0, 1, 1, 1, 9, 2, NULL, NULL, -1, false, -1, -1},
                         b = {0, 1, 1, 1, 10, 1, NULL, NULL, -1, false, -1, -1};
    assert_true(file_identity_compare(&a, &b, true) < 0);
    b.current_pic_count = 9;
    assert_true(file_identity_compare(&a, &b, true) > 0);
    assert_int_equal(file_identity_compare(&a, &b, false), 0);
    a.device_id = 1;
    assert_true(file_identity_compare(&a, &b, false) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_taken_from_both_ends_of_a_name),
        cmocka_unit_test(model_names_may_hold_dots_blanks_digits_and_any_bytes),
        cmocka_unit_test(a_pattern_without_a_model_matches_the_whole_name),
        cmocka_unit_test(names_that_miss_or_add_a_part_do_not_match),
        cmocka_unit_test(numbers_beyond_63_bits_do_not_match),
        cmocka_unit_test(identities_are_ordered_by_their_numbers_and_not_as_text),
    };
    return cmocka_run_group_tests_name("file names", tests, NULL, NULL);
}
