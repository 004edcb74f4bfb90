/* SPDX-License-Identifier: Apache-2.0 */
/* Timelines of tasks out of a database that each test fills: threads, order, numbering, what does not fit. */
#include "base/format/json_in.h"
#include "tests/lib/scratch.h"
#include "tests/lib/timeline_database.h"
#include "tests/lib/timeline_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- tests: one inference after another ---- */

static void a_task_is_named_after_its_original_layers(void **state)
{
    (void)state;
    begin_database("svp");
    add_layer(0, 0, "AI_CORE", "data");
    add_layer(1, 0, "AI_CORE", "conv 1");
    add_layer(2, 1, "AI_CPU", "softmax");
    add_inference(1000, true);
    add_tasks(1, 3, 0, 5500);
    add_tasks(1, 3, 9, 10);
    add_cpu_tasks(1, 7000, 0, 100, 4, 1);
    struct export_result result = export_all();
    assert_int_equal(result.files, 2); /* of tasks, of the model */
    assert_int_equal(result.rows, 7);
    assert_int_equal(report_count, 2);
    assert_string_equal(reports[0], "task_time " TASK_TIME);
    char *text = read_text(TASK_TIME);
    assert_non_null(
        strstr(text, ",\n{\"name\":\"data,conv 1\",\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":1.000,\"dur\":5.499999,"
                     "\"args\":{\"Task Type\":\"AI_CORE\",\"Stream Id\":3,\"Task Id\":0,\"Layer Type\":\"t,t\"}},\n"
                     "{\"name\":\"N/A\",\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":6.500,\"dur\":0.009999,"
                     "\"args\":{\"Task Type\":\"AI_CORE\",\"Stream Id\":3,\"Task Id\":9}},\n"
                     "{\"name\":\"softmax\",\"ph\":\"X\",\"pid\":0,\"tid\":4,\"ts\":7.000,\"dur\":0.099999,"
                     "\"args\":{\"Task Type\":\"AI_CPU\",\"Stream Id\":4,\"Task Id\":1,\"Layer Type\":\"t\"}},\n"));
    assert_non_null(strstr(text, "\"origin_ns\":\"54382576024666\",\"origin_unix_ns\":null,\"device_id\":0,\"model\":"
                                 "\"net\",\"model_id\":6,\"batch_num\":1}"));
    free(text);
}

static void hostile_layer_names_keep_the_document_valid(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    begin_database("svp");
    add_layer(0, 0, "AI_CORE", "a\"b\\c\n\t\x01\xff\xc3");
    add_inference(0, true);
    add_tasks(2, 0, 0, 5);
    export_all();
    char *text = read_text(TASK_TIME);
    struct json *root = json_parse(text, strlen(text), &err);
    if (root == NULL)
        fail_msg("%s", err_message(&err));
    const struct json *event = json_element(root, 3);
    assert_string_equal(json_string(json_member(event, "name")), "a\"b\\c\n\t\x01\xef\xbf\xbd\xef\xbf\xbd");
    json_free(root);
    free(text);
}

static void a_name_longer_than_every_buffer_is_written_whole(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 200; i++)
        run_sql("INSERT INTO layer(model_name, model_id, layer_id, task_id, engine, ori_name)"
                " VALUES('net', 6, %d, 0, 'AI_CORE', printf('%%.*c', 16000, 'x'))",
                i);
    add_inference(0, true);
    add_tasks(3, 0, 0, 5);
    export_all();
    char *text = read_text(TASK_TIME);
    const char *first = strstr(text, "{\"name\":\"xxxx");
    assert_non_null(first);
    assert_int_equal(strspn(first + 9, "x,"), 200 * 16000 + 199);
    free(text);
}

static void an_inference_without_a_start_counts_from_the_capture(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(500, false);
    add_tasks(1, 0, 0, 100);
    add_inference(250, true);
    add_tasks(1, 0, 0, 100);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 2);
    assert_int_equal(timeline->events[0].start_ns, 250);
    assert_int_equal(timeline->events[1].start_ns, 500);
    check_tasks(timeline);
    free_timeline(timeline);
}

static void without_times_there_is_no_file(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(3, 0, 0, 100);
    run_sql("UPDATE ai_core_task SET start_ns = NULL, duration_ns = NULL");
    run_sql("UPDATE inference SET start_ns = NULL, end_ns = NULL, core_khz = NULL WHERE inference_id > 0");
    struct export_result result = export_all();
    assert_int_equal(result.files, 0);
    assert_int_equal(result.rows, 0);
    assert_int_equal(report_count, 0);
    assert_int_equal(scratch_count(), 1); /* the database */
}

static void ai_cpu_tasks_alone_make_a_timeline(void **state)
{
    (void)state;
    begin_database("svp");
    add_cpu_tasks(3, 10, 100, 50, 1, 0);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 3);
    check_tasks(timeline);
    free_timeline(timeline);
}

static void a_missing_directory_is_an_error(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct export_result result;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(3, 0, 0, 100);
    finish_database();
    assert_int_equal(export_to(in_scratch("missing"), &result, &err), -ERR_NOT_FOUND);
    assert_int_equal(result.files, 0);
}

static void the_same_capture_gives_the_same_bytes(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct export_result result;
    begin_database("svp");
    for (int i = 0; i < 500; i++) {
        add_inference(i * 1000, true);
        add_tasks(60, i % 3, 0, 30);
    }
    add_cpu_tasks(2000, 5, 250, 300, 2, 0);
    export_all();
    char *first = read_text(TASK_TIME);
    assert_int_equal(export_to(scratch_directory, &result, &err), 0);
    char *second = read_text(TASK_TIME);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* ---- tests: what runs at the same time ---- */

static void ai_cpu_tasks_never_share_a_thread_with_ai_core_tasks(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(10, 0, 0, 100);
    add_cpu_tasks(1, 150, 0, 100, 0, 0); /* the number of an AI core stream */
    add_cpu_tasks(1, 160, 0, 100, 5, 0);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_in_time_order(timeline);
    check_tasks(timeline);
    assert_int_equal(timeline->thread_count, 3);
    assert_string_equal(thread_name(timeline, 0, 0), "Stream 0");
    assert_string_equal(thread_name(timeline, 0, 5), "Stream 5");
    assert_string_equal(thread_name(timeline, 0, 6), "Stream 0 AI_CPU");
    free_timeline(timeline);
}

static void overlapping_inferences_of_two_streams_keep_their_streams_threads(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 200; i++) {
        add_inference(i * 600, true);
        add_tasks(50, i % 2, 0, 20);
    }
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 200 * 50);
    assert_in_time_order(timeline);
    for (size_t i = 0; i < timeline->count; i++)
        assert_int_equal(timeline->events[i].tid, timeline->events[i].stream_id);
    check_tasks(timeline);
    assert_int_equal(timeline->thread_count, 2);
    free_timeline(timeline);
}

static void overlapping_inferences_of_one_stream_get_threads_of_their_own(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(10, 4, 0, 100);
    add_inference(450, true);
    add_tasks(10, 4, 0, 100);
    add_inference(2000, true);
    add_tasks(1, 4, 0, 100);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_in_time_order(timeline);
    check_tasks(timeline);
    assert_int_equal(timeline->thread_count, 2);
    assert_string_equal(thread_name(timeline, 0, 4), "Stream 4");
    assert_string_equal(thread_name(timeline, 0, 5), "Stream 4 (2)");
    free_timeline(timeline);
}

static void overlapping_ai_cpu_tasks_get_threads_of_their_own(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(10, 0, 0, 100);
    add_cpu_tasks(3, 50, 10, 100, 1, 0);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    check_tasks(timeline);
    assert_string_equal(thread_name(timeline, 0, 1), "Stream 1");
    assert_string_equal(thread_name(timeline, 0, 2), "Stream 1 (2)");
    assert_string_equal(thread_name(timeline, 0, 3), "Stream 1 (3)");
    free_timeline(timeline);
}

static void a_stream_that_appears_late_still_has_its_number_to_itself(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 100; i++) {
        add_inference(i * 1000, true);
        add_tasks(20, 0, 0, 10);
    }
    add_cpu_tasks(2, 50, 1, 100, 0, 0); /* would take the numbers 1 and 2 */
    add_inference(200000, true);
    add_tasks(20, 1, 0, 10);
    add_inference(300000, true);
    add_tasks(20, 2, 0, 10);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    for (size_t i = 0; i < timeline->count; i++) {
        if (!timeline->events[i].ai_cpu)
            assert_int_equal(timeline->events[i].tid, timeline->events[i].stream_id);
    }
    check_tasks(timeline);
    assert_string_equal(thread_name(timeline, 0, 3), "Stream 0 AI_CPU");
    free_timeline(timeline);
}

static void a_task_without_a_stream_is_drawn_on_a_thread_without_a_number(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(2, 0, 0, 10);
    add_tasks(2, -1, 0, 10);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 4);
    assert_string_equal(timeline->events[3].args, "{\"Task Type\":\"AI_CORE\",\"Stream Id\":\"N/A\",\"Task Id\":0}},");
    assert_string_equal(thread_name(timeline, 0, timeline->events[3].tid), "Stream N/A");
    assert_int_not_equal(timeline->events[3].tid, 0);
    check_tasks(timeline);
    free_timeline(timeline);
}

static void what_finds_no_lane_is_an_instant_with_its_duration(void **state)
{
    (void)state;
    begin_database("svp");
    add_cpu_tasks(300, 50, 1, 100000, 1, 0);
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 300);
    assert_int_equal(timeline->events[255].phase, 'X');
    assert_int_equal(timeline->events[256].phase, 'i');
    assert_int_equal(timeline->events[299].duration_ns, 100000);
    assert_string_equal(thread_name(timeline, 0, timeline->events[299].tid), "Stream 1");
    check_tasks(timeline);
    free_timeline(timeline);
}

static void hundreds_of_inferences_at_once_lose_nothing(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 400; i++) {
        add_inference(i * 10, true);
        add_tasks(40, i % 2, 0, 1000);
    }
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 400 * 40);
    check_tasks(timeline);
    free_timeline(timeline);
}

/* ---- tests: sizes that do not fit one unit ---- */

static void an_inference_larger_than_a_buffer_is_drawn_whole_and_in_order(void **state)
{
    (void)state;
    begin_database("svp");
    for (int i = 0; i < 4; i++) {
        add_inference(i * 1000000, true);
        add_tasks(15000, 0, 0, 50);
    }
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 60000);
    assert_in_time_order(timeline);
    check_tasks(timeline);
    free_timeline(timeline);
}

static void an_inference_with_very_many_ai_cpu_tasks_is_divided_without_loss(void **state)
{
    (void)state;
    begin_database("svp");
    add_inference(0, true);
    add_tasks(5000, 0, 0, 1000);
    add_inference(6000000, true);
    add_tasks(100, 0, 0, 10);
    add_cpu_tasks(70000, 1003, 70, 20, 1, 0);
    add_cpu_tasks(40000, 6000000, 0, 0, 1, 0); /* all at the same time */
    export_all();
    struct timeline *timeline = read_timeline(TASK_TIME);
    assert_int_equal(timeline->count, 5100 + 110000);
    assert_in_time_order(timeline);
    check_tasks(timeline);
    free_timeline(timeline);
}

static uint64_t random_state;
static int64_t random_below(int64_t limit)
{
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((random_state >> 33) % (uint64_t)limit);
}

static void random_captures_come_out_complete_ordered_and_without_overlap(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 6; seed++) {
        random_state = seed;
        begin_database("svp");
        int64_t tasks = 0, total_ns = 0, start_ns = 0;
        for (int i = 0; i < 300; i++) {
            int64_t count = 1 + random_below(60), duration_ns = random_below(40);
            add_inference(start_ns, true);
            add_tasks(count, random_below(3), random_below(9), duration_ns);
            tasks += count;
            total_ns += count * duration_ns;
            start_ns += random_below(seed % 2 == 0 ? 1500 : 9000);
        }
        for (int i = 0; i < 300; i++) {
            int64_t count = 1 + random_below(20), duration_ns = random_below(50);
            add_cpu_tasks(count, random_below(start_ns), random_below(100), duration_ns, random_below(4), 0);
            tasks += count;
            total_ns += count * duration_ns;
        }
        export_all();
        struct timeline *timeline = read_timeline(TASK_TIME);
        assert_int_equal(timeline->count, tasks);
        assert_in_time_order(timeline);
        for (size_t i = 0; i < timeline->count; i++)
            total_ns -= timeline->events[i].duration_ns;
        assert_int_equal(total_ns, 0);
        check_tasks(timeline);
        free_timeline(timeline);
        unlink(in_scratch("runtime.db"));
        unlink(in_scratch(TASK_TIME));
    }
}

#define TIMELINE_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMELINE_TEST(a_task_is_named_after_its_original_layers),
        TIMELINE_TEST(hostile_layer_names_keep_the_document_valid),
        TIMELINE_TEST(a_name_longer_than_every_buffer_is_written_whole),
        TIMELINE_TEST(an_inference_without_a_start_counts_from_the_capture),
        TIMELINE_TEST(without_times_there_is_no_file),
        TIMELINE_TEST(ai_cpu_tasks_alone_make_a_timeline),
        TIMELINE_TEST(a_missing_directory_is_an_error),
        TIMELINE_TEST(the_same_capture_gives_the_same_bytes),
        TIMELINE_TEST(ai_cpu_tasks_never_share_a_thread_with_ai_core_tasks),
        TIMELINE_TEST(overlapping_inferences_of_two_streams_keep_their_streams_threads),
        TIMELINE_TEST(overlapping_inferences_of_one_stream_get_threads_of_their_own),
        TIMELINE_TEST(overlapping_ai_cpu_tasks_get_threads_of_their_own),
        TIMELINE_TEST(a_stream_that_appears_late_still_has_its_number_to_itself),
        TIMELINE_TEST(a_task_without_a_stream_is_drawn_on_a_thread_without_a_number),
        TIMELINE_TEST(what_finds_no_lane_is_an_instant_with_its_duration),
        TIMELINE_TEST(hundreds_of_inferences_at_once_lose_nothing),
        TIMELINE_TEST(an_inference_larger_than_a_buffer_is_drawn_whole_and_in_order),
        TIMELINE_TEST(an_inference_with_very_many_ai_cpu_tasks_is_divided_without_loss),
        TIMELINE_TEST(random_captures_come_out_complete_ordered_and_without_overlap),
    };
    return cmocka_run_group_tests_name("task timeline", tests, NULL, NULL);
}
