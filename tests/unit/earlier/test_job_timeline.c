/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of Ascend captures of the JOB era out of a database that the test fills. */
#include "tests/lib/scratch.h"
#include "tests/lib/timeline_database.h"
#include "tests/lib/timeline_reader.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* Tasks of {stream, task, start, duration, name or 0}. */
static void insert_tasks(const int64_t (*tasks)[5], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        run_sql("INSERT INTO device_task(id, device_id, stream_id, task_id, start_ns, duration_ns, op_name_id,"
                "  start_tick, end_tick) VALUES(%zu, 1, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
                ", nullif(%" PRId64 ", 0), %" PRId64 ", %" PRId64 ")",
                i + 1, tasks[i][0], tasks[i][1], tasks[i][2], tasks[i][3], tasks[i][4], tasks[i][2],
                tasks[i][2] + tasks[i][3]);
    }
}

static void job_operators_are_threads_by_stream_and_overlap_never(void **state)
{
    (void)state;
    begin_database("ascend-job");
    run_sql("INSERT INTO name(id, text) VALUES(1, 'Default/Mul-op29')");
    insert_tasks(
        (const int64_t[][5]){{3, 30092, 100, 50, 1}, {3, 2, 120, 50, 1}, {4, 3, 130, 10, 1}, {3, 4, 170, 10, 1}}, 4);
    struct export_result result = export_all();
    assert_int_equal(result.rows, 4);
    assert_string_equal(reports[0], "task_time task_time_1.json");
    struct timeline *timeline = read_timeline("task_time_1.json");
    assert_string_equal(timeline->events[0].name, "Mul-op29");
    assert_string_equal(timeline->events[0].args, "{\"Task Type\":\"AI_CORE\",\"Stream Id\":3,\"Task Id\":30092,"
                                                  "\"Op Name\":\"Default/Mul-op29\"}},");
    assert_int_equal(timeline->events[0].tid, 3);
    assert_int_equal(timeline->events[2].tid, 4);
    assert_int_equal(timeline->events[3].tid, 3);
    assert_string_equal(thread_name(timeline, 0, timeline->events[1].tid), "Stream 3 (2)");
    free_timeline(timeline);
}

static void tasks_without_a_name_are_stretches_of_one_thread_from_the_first_operator_on(void **state)
{
    (void)state;
    begin_database("ascend-job");
    run_sql("INSERT INTO name(id, text) VALUES(1, 'Default/Mul-op29')");
    insert_tasks((const int64_t[][5]){{3, 1, 100, 10, 0},
                                      {3, 2, 50000, 400, 1},
                                      {5, 3, 50100, 20, 0},
                                      {6, 4, 60120, 30, 0}, /* 10 us later */
                                      {5, 5, 60130, 5, 0},
                                      {5, 6, 70151, 7, 0}},
                 6);
    struct export_result result = export_all();
    assert_int_equal(result.rows, 3);
    struct timeline *timeline = read_timeline("task_time_1.json");
    assert_string_equal(timeline->events[0].name, "Mul-op29");
    assert_true(timeline->events[0].start_ns == 0);
    assert_string_equal(timeline->events[1].name, "3 tasks without a name");
    assert_string_equal(timeline->events[1].args, "{\"Tasks\":3,\"Streams\":2,\"Total Time(us)\":0.055}},");
    assert_true(timeline->events[1].start_ns == 100);
    assert_true(timeline->events[1].duration_ns == 10050);
    assert_string_equal(timeline->events[2].name, "1 task without a name");
    assert_string_equal(timeline->events[2].args, "{\"Tasks\":1,\"Streams\":1,\"Total Time(us)\":0.007}},");
    assert_string_equal(thread_name(timeline, 0, timeline->events[2].tid), "Tasks without a name");
    free_timeline(timeline);
}

static void a_timeline_of_tasks_without_a_name_alone_begins_with_the_first(void **state)
{
    (void)state;
    begin_database("ascend-job");
    insert_tasks((const int64_t[][5]){{3, 1, 100, 10, 0}}, 1);
    assert_int_equal(export_all().rows, 1);
    struct timeline *timeline = read_timeline("task_time_1.json");
    assert_true(timeline->events[0].start_ns == 0);
    free_timeline(timeline);
}

#define TIMELINE_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE_TEST(job_operators_are_threads_by_stream_and_overlap_never),
        TIMELINE_TEST(tasks_without_a_name_are_stretches_of_one_thread_from_the_first_operator_on),
        TIMELINE_TEST(a_timeline_of_tasks_without_a_name_alone_begins_with_the_first),
    };
    return cmocka_run_group_tests_name("JOB timeline", tests, NULL, NULL);
}
