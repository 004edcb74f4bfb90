/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes, steps, and ranges with tensors. */
#define MSPROF_ACL_TENSOR_INFO
#include "msprof/acl_prof.h"
#include "tests/lib/acl_capture.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void scopes_nest_and_do_nothing_without_a_capture(void **state)
{
    char long_text[300];
    (void)state;
    {
        MSPROF_SCOPE("nobody looks");
        MSPROF_MARK("nobody looks");
    }
    memset(long_text, 'l', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    start_capture(ACL_PROF_MSPROFTX);
    {
        MSPROF_SCOPE("outer");
        MSPROF_SCOPE("inner");
        MSPROF_MARK(long_text);
    }
    MSPROF_RANGE_START(load, "load");
    MSPROF_RANGE_END(load);
    MSPROF_RANGE_END(load);
    memcpy(long_text + 126, "\xe6\xb5\x8b", 3); /* a character that the limit would divide */
    MSPROF_MARK(long_text);
    MSPROF_MARK(NULL);
    stop_capture();
    assert_int_equal(read_tx_records(), 6);
    assert_int_equal(strlen(tx_records[0].message), 127);
    assert_int_equal(strlen(tx_records[4].message), 126);
    assert_tx_record(5, 0, "");
    assert_tx_record(1, 2, "inner");
    assert_tx_record(2, 2, "outer");
    assert_tx_record(3, 2, "load");
}

static void steps_are_ranges_with_the_number_of_the_step(void **state)
{
    int stream;
    (void)state;
    aclprofStepInfo *step = aclprofCreateStepInfo();
    assert_non_null(step);
    assert_int_equal(aclprofGetStepTimestamp(NULL, ACL_STEP_START, &stream), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofGetStepTimestamp(step, (aclprofStepTag)2, &stream), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofGetStepTimestamp(step, ACL_STEP_END, &stream), ACL_ERROR_INVALID_PARAM);
    ((uint64_t *)(void *)step)[1] = 17; /* as frameworks set it */
    start_capture(ACL_PROF_MSPROFTX);
    assert_int_equal(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), ACL_SUCCESS);
    assert_int_equal(aclprofGetStepTimestamp(step, ACL_STEP_START, NULL), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofGetStepTimestamp(step, ACL_STEP_END, &stream), ACL_SUCCESS);
    assert_int_equal(aclprofGetStepTimestamp(step, ACL_STEP_END, &stream), ACL_ERROR_INVALID_PARAM);
    stop_capture();
    aclprofDestroyStepInfo(step);
    aclprofDestroyStepInfo(NULL);
    assert_int_equal(read_tx_records(), 1);
    assert_tx_record(0, 2, "step 17");
}

static void texts_have_the_ids_that_records_of_devices_use(void **state)
{
    (void)state;
    assert_int_equal(aclprofStr2Id(NULL), UINT64_MAX);
    assert_int_equal(aclprofStr2Id(""), UINT64_MAX);
    assert_int_equal(aclprofStr2Id("a"), (UINT64_C(97) << 32) | 97);
    assert_int_equal(aclprofStr2Id("ab"), (UINT64_C(2911) << 32) | 12805);
}

static void tensors_are_checked(void **state)
{
    aclprofTensor tensors[6] = {{.shapeDim = 8}, {.shapeDim = 9}};
    aclprofTensorInfo info = {.opNameId = aclprofStr2Id("MatMul"), .tensorNum = 1, .tensors = tensors};
    aclprofEventAttributes attributes = {.version = 1, .size = sizeof attributes.message, .message = {&info}};
    (void)state;
    assert_int_equal(aclprofRangePushEx(NULL), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofRangePushEx(&attributes), ACL_ERROR_PROF_NOT_RUN);
    start_capture(ACL_PROF_ACL_API);
    assert_int_equal(aclprofRangePop(), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofRangePushEx(&attributes), ACL_SUCCESS);
    assert_int_equal(aclprofRangePop(), ACL_SUCCESS);
    assert_int_equal(aclprofRangePop(), ACL_ERROR_INVALID_PARAM);
    attributes.messageType = 1;
    assert_int_not_equal(aclprofRangePushEx(&attributes), ACL_SUCCESS);
    attributes.messageType = 0;
    info.tensorNum = 2;
    assert_int_equal(aclprofRangePushEx(&attributes), ACL_ERROR_INVALID_PARAM);
    info.tensorNum = 6;
    assert_int_equal(aclprofRangePushEx(&attributes), ACL_ERROR_INVALID_PARAM);
    info.tensorNum = 1;
    info.tensors = NULL;
    assert_int_equal(aclprofRangePushEx(&attributes), ACL_ERROR_INVALID_PARAM);
    attributes.message.tensorInfo = NULL;
    assert_int_equal(aclprofRangePushEx(&attributes), ACL_ERROR_INVALID_PARAM);
    stop_capture();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(scopes_nest_and_do_nothing_without_a_capture),
        TEST(steps_are_ranges_with_the_number_of_the_step),
        TEST(texts_have_the_ids_that_records_of_devices_use),
        TEST(tensors_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
