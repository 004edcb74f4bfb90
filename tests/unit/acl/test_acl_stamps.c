/* SPDX-License-Identifier: Apache-2.0 */
/* msproftx stamps: limits, codes, order. Records are read from the capture. */
#include "acl/stamp.h"
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

/* --- order --- */

static void nothing_works_before_start_and_the_message_names_the_bit(void **state)
{
    uint32_t range = 7;
    char other;
    (void)state;
    assert_null(aclprofCreateStamp());
    assert_acl_message(
        "EK0002: Please call the APIs in the following order: call aclprofStart first, then aclprofCreateStamp.");
    assert_acl_message("ACL_PROF_MSPROFTX (0x80)");
    assert_int_not_equal(aclprofMark(&other), ACL_SUCCESS);
    assert_int_not_equal(aclprofMarkEx("x", 1, &other), ACL_SUCCESS);
    assert_int_not_equal(aclprofPush(&other), ACL_SUCCESS);
    assert_int_not_equal(aclprofPop(), ACL_SUCCESS);
    assert_int_not_equal(aclprofRangeStart(&other, &range), ACL_SUCCESS);
    assert_int_equal(range, 7);
    assert_int_not_equal(aclprofRangeStop(0), ACL_SUCCESS);
    assert_int_not_equal(aclprofSetStampTraceMessage(&other, "x", 1), ACL_SUCCESS);
    aclprofDestroyStamp(NULL);
    aclprofDestroyStamp(&other);
}

static void stamps_work_in_captures_without_the_bit(void **state)
{
    static const uint64_t masks[] = {
        ACL_PROF_ACL_API | ACL_PROF_TASK_TIME,
        ACL_PROF_MSPROFTX | ACL_PROF_API_STATS, /* API_STATS leaves ACL_API only */
    };
    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        start_capture(masks[i]);
        void *stamp = stamp_of("unasked");
        assert_int_equal(aclprofMark(stamp), ACL_SUCCESS);
        aclprofDestroyStamp(stamp);
        stop_capture();
    }
}

static void a_stamp_outlives_its_capture_but_works_only_in_one(void **state)
{
    uint32_t range;
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    void *stamp = stamp_of("survivor");
    assert_int_equal(aclprofRangeStart(stamp, &range), ACL_SUCCESS);
    void *pushed = stamp_of("pushed");
    assert_int_equal(aclprofPush(pushed), ACL_SUCCESS);
    stop_capture();
    assert_int_not_equal(aclprofRangeStop(range), ACL_SUCCESS);
    assert_int_not_equal(aclprofMark(stamp), ACL_SUCCESS);
    start_capture(ACL_PROF_MSPROFTX);
    assert_int_not_equal(aclprofRangeStop(range), ACL_SUCCESS);
    assert_int_not_equal(aclprofPop(), ACL_SUCCESS);
    assert_int_equal(aclprofMark(stamp), ACL_SUCCESS);
    stop_capture();
    aclprofDestroyStamp(stamp);
    aclprofDestroyStamp(pushed);
    assert_int_equal(read_tx_records(), 1);
    assert_tx_record(0, 0, "survivor");
}

/* --- the pool --- */

static void the_pool_has_a_hundred_stamps_and_takes_them_back(void **state)
{
    void *stamps[ACL_STAMPS];
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < ACL_STAMPS; i++) {
            stamps[i] = aclprofCreateStamp();
            assert_non_null(stamps[i]);
            for (int j = 0; j < i; j++)
                assert_ptr_not_equal(stamps[i], stamps[j]);
        }
        assert_null(aclprofCreateStamp());
        assert_acl_message("All 100 stamps are in use");
        aclprofDestroyStamp(stamps[42]);
        assert_ptr_equal(aclprofCreateStamp(), stamps[42]);
        for (int i = 0; i < ACL_STAMPS; i++)
            aclprofDestroyStamp(stamps[i]);
    }
    assert_int_equal(stop_capture_quietly(), ACL_ERROR_PROFILING_FAILURE);
    assert_acl_message("' is incomplete: 3 msproftx records lost: all 100 stamps were in use at once");
}

static void scopes_beyond_the_hundredth_are_told_as_lost(void **state)
{
    struct msprof_range ranges[ACL_STAMPS + 50];
    const size_t count = sizeof ranges / sizeof *ranges;
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    for (size_t i = 0; i < count; i++)
        ranges[i] = msprof_range_start("scope");
    for (size_t i = 0; i < count; i++)
        msprof_range_end(&ranges[i]);
    msprof_mark("afterwards");
    assert_int_equal(stop_capture_quietly(), ACL_ERROR_PROFILING_FAILURE);
    assert_acl_message("50 msproftx records lost: all 100 stamps were in use at once");
    assert_int_equal(read_tx_records(), ACL_STAMPS + 1);
}

static void what_is_no_stamp_is_refused(void **state)
{
    uint32_t range;
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    void *stamp = aclprofCreateStamp();
    char *inside = (char *)stamp + 1;
    assert_int_not_equal(aclprofMark(NULL), ACL_SUCCESS);
    assert_int_not_equal(aclprofMark(inside), ACL_SUCCESS);
    assert_int_not_equal(aclprofPush(inside), ACL_SUCCESS);
    assert_int_not_equal(aclprofRangeStart(inside, &range), ACL_SUCCESS);
    assert_int_not_equal(aclprofSetStampTraceMessage(inside, "x", 1), ACL_SUCCESS);
    aclprofDestroyStamp(inside);
    assert_int_equal(aclprofMark(stamp), ACL_SUCCESS);
    aclprofDestroyStamp(stamp);
    assert_int_not_equal(aclprofMark(stamp), ACL_SUCCESS);
    aclprofDestroyStamp(stamp);
    assert_int_not_equal(aclprofPop(), ACL_SUCCESS);
    stop_capture();
}

static void a_message_has_at_most_127_bytes_and_the_old_one_stays(void **state)
{
    char text[129];
    (void)state;
    memset(text, 'm', 128);
    text[128] = '\0';
    start_capture(ACL_PROF_MSPROFTX);
    void *stamp = stamp_of("old");
    assert_int_not_equal(aclprofSetStampTraceMessage(stamp, text, 128), ACL_SUCCESS);
    assert_acl_message("EK0001: Value 128 for parameter msgLen is invalid.");
    assert_int_not_equal(aclprofSetStampTraceMessage(stamp, "abc", 2), ACL_SUCCESS);
    assert_int_not_equal(aclprofSetStampTraceMessage(stamp, "abc", 4), ACL_SUCCESS);
    assert_int_not_equal(aclprofSetStampTraceMessage(stamp, NULL, 0), ACL_SUCCESS);
    assert_int_equal(aclprofMark(stamp), ACL_SUCCESS);
    assert_int_equal(aclprofSetStampTraceMessage(stamp, text + 1, 127), ACL_SUCCESS);
    assert_int_equal(aclprofMark(stamp), ACL_SUCCESS);
    assert_int_equal(aclprofSetStampTraceMessage(stamp, "", 0), ACL_SUCCESS);
    assert_int_equal(aclprofMark(stamp), ACL_SUCCESS);
    stop_capture();
    aclprofDestroyStamp(stamp);
    assert_int_equal(read_tx_records(), 3);
    assert_tx_record(0, 0, "old");
    assert_tx_record(1, 0, text + 1);
    assert_tx_record(2, 0, "");
}

/* --- events --- */

static void a_mark_has_no_duration_and_lies_between_its_call_and_its_return(void **state)
{
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    void *stamp = stamp_of("mark");
    uint64_t before = msprof_acl_now();
    assert_int_equal(aclprofMark(stamp), ACL_SUCCESS);
    uint64_t after = msprof_acl_now();
    aclprofDestroyStamp(stamp);
    stop_capture();
    assert_int_equal(read_tx_records(), 1);
    assert_tx_record(0, 0, "mark");
    assert_int_equal(tx_records[0].begin, tx_records[0].end);
    assert_in_range(tx_records[0].begin, before, after);
}

static void mark_ex_wants_a_stream_and_1_to_127_bytes_and_numbers_its_marks(void **state)
{
    char text[129];
    int stream;
    (void)state;
    memset(text, 'm', 128);
    text[128] = '\0';
    start_capture(ACL_PROF_MSPROFTX);
    assert_int_not_equal(aclprofMarkEx(NULL, 1, &stream), ACL_SUCCESS);
    assert_int_not_equal(aclprofMarkEx("x", 1, NULL), ACL_SUCCESS);
    assert_int_not_equal(aclprofMarkEx("", 0, &stream), ACL_SUCCESS);
    assert_int_not_equal(aclprofMarkEx("xy", 1, &stream), ACL_SUCCESS);
    assert_int_not_equal(aclprofMarkEx("xy", 3, &stream), ACL_SUCCESS);
    assert_int_not_equal(aclprofMarkEx(text, 128, &stream), ACL_SUCCESS);
    assert_int_equal(aclprofMarkEx(text + 1, 127, &stream), ACL_SUCCESS);
    assert_int_equal(aclprofMarkEx("x", 1, &stream), ACL_SUCCESS);
    stop_capture();
    assert_int_equal(read_tx_records(), 2);
    assert_tx_record(0, 3, text + 1);
    assert_tx_record(1, 3, "x");
    assert_int_not_equal(tx_records[0].mark_id, 0);
    assert_int_equal(tx_records[1].mark_id, tx_records[0].mark_id + 1);
}

static void pop_ends_what_was_pushed_last(void **state)
{
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    assert_int_not_equal(aclprofPop(), ACL_SUCCESS);
    assert_acl_message("EK0002: Please call the APIs in the following order: call aclprofPush first, then aclprofPop.");
    void *outer = stamp_of("outer");
    void *inner = stamp_of("inner");
    assert_int_equal(aclprofPush(outer), ACL_SUCCESS);
    assert_int_not_equal(aclprofPush(outer), ACL_SUCCESS);
    assert_int_equal(aclprofPush(inner), ACL_SUCCESS);
    assert_int_equal(aclprofPop(), ACL_SUCCESS);
    assert_int_equal(aclprofPop(), ACL_SUCCESS);
    assert_int_not_equal(aclprofPop(), ACL_SUCCESS);
    stop_capture();
    aclprofDestroyStamp(outer);
    aclprofDestroyStamp(inner);
    assert_int_equal(read_tx_records(), 2);
    assert_tx_record(0, 1, "inner");
    assert_tx_record(1, 1, "outer");
    assert_true(tx_records[1].begin <= tx_records[0].begin && tx_records[0].begin <= tx_records[0].end &&
                tx_records[0].end <= tx_records[1].end);
}

static void a_pushed_stamp_that_is_destroyed_is_not_popped(void **state)
{
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    void *outer = stamp_of("outer");
    void *gone = stamp_of("gone");
    assert_int_equal(aclprofPush(outer), ACL_SUCCESS);
    assert_int_equal(aclprofPush(gone), ACL_SUCCESS);
    aclprofDestroyStamp(gone);
    assert_int_equal(aclprofPop(), ACL_SUCCESS);
    assert_int_not_equal(aclprofPop(), ACL_SUCCESS);
    stop_capture();
    aclprofDestroyStamp(outer);
    assert_int_equal(read_tx_records(), 1);
    assert_tx_record(0, 1, "outer");
}

static void pushes_that_are_never_popped_take_no_place_for_ever(void **state)
{
    (void)state;
    for (int capture = 0; capture < 3; capture++) {
        void *stamps[ACL_STAMPS];
        start_capture(ACL_PROF_MSPROFTX);
        for (int i = 0; i < 3 * ACL_STAMPS; i++) {
            void *stamp = stamp_of("destroyed");
            assert_int_equal(aclprofPush(stamp), ACL_SUCCESS);
            aclprofDestroyStamp(stamp);
        }
        for (int i = 0; i < ACL_STAMPS; i++) {
            stamps[i] = stamp_of("left");
            assert_int_equal(aclprofPush(stamps[i]), ACL_SUCCESS);
        }
        stop_capture();
        for (int i = 0; i < ACL_STAMPS; i++)
            aclprofDestroyStamp(stamps[i]);
        assert_int_equal(read_tx_records(), 0);
    }
}

static void ranges_end_in_any_order_by_their_numbers(void **state)
{
    uint32_t a = 1000;
    uint32_t b = 1000;
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    void *first = stamp_of("first");
    void *second = stamp_of("second");
    assert_int_not_equal(aclprofRangeStart(first, NULL), ACL_SUCCESS);
    assert_int_equal(aclprofRangeStart(first, &a), ACL_SUCCESS);
    assert_int_equal(aclprofRangeStart(second, &b), ACL_SUCCESS);
    assert_true(a < 100 && b < 100 && a != b);
    assert_int_not_equal(aclprofRangeStart(first, &b), ACL_SUCCESS);
    assert_int_not_equal(aclprofPush(first), ACL_SUCCESS);
    assert_int_equal(aclprofRangeStop(a), ACL_SUCCESS);
    assert_int_not_equal(aclprofRangeStop(a), ACL_SUCCESS);
    assert_acl_message("for parameter rangeId is invalid");
    assert_int_equal(aclprofRangeStop(b), ACL_SUCCESS);
    assert_int_not_equal(aclprofRangeStop(99), ACL_SUCCESS);
    assert_int_not_equal(aclprofRangeStop(100), ACL_SUCCESS);
    assert_int_not_equal(aclprofRangeStop(UINT32_MAX), ACL_SUCCESS);
    stop_capture();
    aclprofDestroyStamp(first);
    aclprofDestroyStamp(second);
    assert_int_equal(read_tx_records(), 2);
    assert_tx_record(0, 2, "first");
    assert_tx_record(1, 2, "second");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_works_before_start_and_the_message_names_the_bit),
        TEST(stamps_work_in_captures_without_the_bit),
        TEST(a_stamp_outlives_its_capture_but_works_only_in_one),
        TEST(the_pool_has_a_hundred_stamps_and_takes_them_back),
        TEST(scopes_beyond_the_hundredth_are_told_as_lost),
        TEST(what_is_no_stamp_is_refused),
        TEST(a_message_has_at_most_127_bytes_and_the_old_one_stays),
        TEST(a_mark_has_no_duration_and_lies_between_its_call_and_its_return),
        TEST(mark_ex_wants_a_stream_and_1_to_127_bytes_and_numbers_its_marks),
        TEST(pop_ends_what_was_pushed_last),
        TEST(a_pushed_stamp_that_is_destroyed_is_not_popped),
        TEST(pushes_that_are_never_popped_take_no_place_for_ever),
        TEST(ranges_end_in_any_order_by_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
