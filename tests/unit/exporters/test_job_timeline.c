/* Timelines of Ascend captures of the JOB era out of a database that the test fills. */
#include "tests/lib/scratch.h"
#include "tests/lib/timeline_database.h"
#include "tests/lib/timeline_reader.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void job_tasks_are_threads_by_stream_and_overlap_never(void **state)
{
    (void)state;
    begin_database("ascend-job");
    const int64_t times[][4] = {{3, 30092, 100, 50}, {3, 2, 120, 50}, {4, 3, 130, 10}, {3, 4, 170, 10}};
    run_sql("INSERT INTO name(id, text) VALUES(1, 'Default/Mul-op29')");
    for (size_t i = 0; i < 4; i++) {
        run_sql(
            "INSERT INTO device_task(id, device_id, stream_id, task_id, start_ns, duration_ns, op_name_id) VALUES(%zu,"
            " 1, %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %s)",
            i + 1, times[i][0], times[i][1], TIMELINE_ORIGIN + times[i][2], times[i][3], i == 0 ? "1" : "NULL");
        run_sql("INSERT INTO task_state(task_row_id, start_tick, end_tick) VALUES(%zu, %" PRId64 ", %" PRId64 ")",
                i + 1, times[i][2], times[i][2] + times[i][3]);
    }
    struct export_result result = export_all();
    assert_int_equal(result.rows, 4);
    assert_string_equal(reports[0], "task_time task_time_1.json");
    struct timeline *timeline = read_timeline("task_time_1.json");
    assert_string_equal(timeline->events[0].name, "Default/Mul-op29");
    assert_string_equal(timeline->events[0].args, "{\"Task Type\":\"AI_CORE\",\"Stream Id\":3,\"Task Id\":30092}},");
    assert_string_equal(timeline->events[1].name, "N/A");
    assert_string_equal(timeline->events[1].args, "{\"Task Type\":\"UNKNOWN\",\"Stream Id\":3,\"Task Id\":2}},");
    assert_int_equal(timeline->events[0].tid, 3);
    assert_int_equal(timeline->events[1].tid, 5);
    assert_int_equal(timeline->events[2].tid, 4);
    assert_int_equal(timeline->events[3].tid, 3);
    assert_string_equal(thread_name(timeline, 0, 5), "Stream 3 (2)");
    free_timeline(timeline);
}

#define TIMELINE_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE_TEST(job_tasks_are_threads_by_stream_and_overlap_never),
    };
    return cmocka_run_group_tests_name("JOB timeline", tests, NULL, NULL);
}
