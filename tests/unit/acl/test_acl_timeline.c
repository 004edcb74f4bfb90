/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of ACL calls out of a database that each test fills: nesting, threads, processes. */
#include "tests/lib/scratch.h"
#include "tests/lib/timeline_database.h"
#include "tests/lib/timeline_reader.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void nested_calls_share_a_thread_and_come_parent_first(void **state)
{
    (void)state;
    begin_database("svp");
    add_call(77, 1432, 200, 300, "inner");
    add_call(77, 1432, 100, 400, "outer");
    add_call(77, 1432, 400, 500, "next");
    struct export_result result = export_all();
    assert_int_equal(result.rows, 6); /* 3 in the file of calls, and in that of the model */
    assert_string_equal(reports[0], "acl " ACL);
    struct timeline *timeline = read_timeline(ACL);
    assert_int_equal(timeline->count, 3);
    assert_string_equal(timeline->events[0].name, "outer");
    assert_string_equal(timeline->events[0].args, "{\"Mode\":\"model\",\"Process_Id\":77,\"Thread_Id\":1432}},");
    assert_string_equal(timeline->events[1].name, "inner");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(timeline->events[i].tid, 1432);
        assert_int_equal(timeline->events[i].pid, 0);
    }
    assert_int_equal(timeline->thread_count, 1);
    assert_string_equal(thread_name(timeline, 0, 1432), "Thread 1432");
    free_timeline(timeline);
}

static void calls_that_overlap_in_part_go_to_another_thread(void **state)
{
    (void)state;
    begin_database("svp");
    add_call(77, 10, 100, 300, "a");
    add_call(77, 10, 200, 400, "b");
    add_call(77, 10, 250, 300, "c");
    add_call(77, 11, 100, 300, "d");
    export_all();
    struct timeline *timeline = read_timeline(ACL);
    assert_int_equal(timeline->count, 4);
    assert_int_equal(timeline->events[0].tid, 10);
    assert_int_equal(timeline->events[1].tid, 12);
    assert_int_equal(timeline->events[2].tid, 10);
    assert_int_equal(timeline->events[3].tid, 11);
    assert_string_equal(thread_name(timeline, 0, 12), "Thread 10 (2)");
    free_timeline(timeline);
}

static void calls_nested_or_overlapping_beyond_all_bounds_lose_nothing(void **state)
{
    (void)state;
    begin_database("svp");
    run_sql("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499)"
            " INSERT INTO acl_call(file_id, api_type, process_id, thread_id, start_ns, end_ns, name)"
            " SELECT 2, 9, 1, 1 + i %% 2, %" PRId64 " + i, %" PRId64
            " + CASE i %% 2 WHEN 0 THEN 9000 - i ELSE 9000 + i END, 'x'"
            " FROM n",
            TIMELINE_ORIGIN, TIMELINE_ORIGIN);
    run_sql("UPDATE source_file SET records_decoded = 500 WHERE id = 2");
    export_all();
    struct timeline *timeline = read_timeline(ACL);
    assert_int_equal(timeline->count, 500);
    size_t instants = 0;
    for (size_t i = 0; i < timeline->count; i++)
        instants += timeline->events[i].phase == 'i';
    assert_int_equal(instants, 250 - 64); /* of the thread whose calls overlap in part */
    free_timeline(timeline);
}

static void each_process_is_a_process_of_the_trace(void **state)
{
    (void)state;
    begin_database("svp");
    add_call(500, 1, 100, 200, "second");
    add_call(77, 1, 100, 200, "first");
    export_all();
    struct timeline *timeline = read_timeline(ACL);
    assert_string_equal(timeline->events[0].name, "first");
    assert_int_equal(timeline->events[0].pid, 0);
    assert_int_equal(timeline->events[1].pid, 1);
    assert_string_equal(thread_name(timeline, 1, 1), "Thread 1");
    free_timeline(timeline);
    char *text = read_text(ACL);
    assert_non_null(strstr(text,
                           "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,\"args\":{\"name\":\"Host: ACL "
                           "calls of process 500\"}}"));
    free(text);
}

#define TIMELINE_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE_TEST(nested_calls_share_a_thread_and_come_parent_first),
        TIMELINE_TEST(calls_that_overlap_in_part_go_to_another_thread),
        TIMELINE_TEST(calls_nested_or_overlapping_beyond_all_bounds_lose_nothing),
        TIMELINE_TEST(each_process_is_a_process_of_the_trace),
    };
    return cmocka_run_group_tests_name("ACL timeline", tests, NULL, NULL);
}
