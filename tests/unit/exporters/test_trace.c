/* SPDX-License-Identifier: Apache-2.0 */
/* The trace writer: valid JSON whatever the names hold, exact times, stable bytes. */
#include "base/file/fsutil.h"
#include "base/format/json_in.h"
#include "db/database.h"
#include "exporters/timeline/document.h"
#include "exporters/timeline/lanes.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define TEXT_LIMIT (1024 * 1024)

static const struct trace_info some_info = {
    .clock = "system monotonic", .device_id = 0, .model = "m", .model_id = 6, .batch_num = 1};

static struct export_result result;
static const struct export_options some_options;
static struct timeline_run some_run = {.options = &some_options, .result = &result};

static void begin(struct trace *trace, const struct trace_style *style)
{
    struct err err = ERR_INIT;
    some_run.origin = (struct capture_origin){0, 12345678901234567, DB_NULL};
    assert_int_equal(trace_open_path(trace, &some_run, style, "task_time", strdup(in_scratch("trace.json")), &err), 0);
    trace_name_process(trace, 0, 0, "Task Scheduler", NULL);
}

static void add_task(struct event *event, int64_t stream_id, int64_t task_id)
{
    event_known(event, "Stream Id", stream_id);
    event_known(event, "Task Id", task_id);
}

static void write_event(struct trace *trace, const char *name, size_t length, const struct trace_slice *slice)
{
    struct err err = ERR_INIT;
    struct event event;
    struct strbuf buf;
    strbuf_init(&buf, TEXT_LIMIT);
    assert_int_equal(json_text_append(&buf, name, length), 0);
    event_slice(&event, slice);
    event_name_copy(&event, buf.data, buf.length);
    add_task(&event, 3, 7);
    assert_int_equal(trace_put(trace, &event, &err), 0);
    strbuf_release(&buf);
}

/* The finished file's text; free() it. */
static char *finish(struct trace *trace, const struct trace_info *info)
{
    struct err err = ERR_INIT;
    char *text;
    size_t length;
    trace->events += trace->events == 0;
    assert_int_equal(trace_close(trace, 0, info, &err), 0);
    assert_int_equal(path_read_file(in_scratch("trace.json"), TEXT_LIMIT, &text, &length, &err), 0);
    assert_int_equal(strlen(text), length);
    return text;
}

static char *trace_in_style(const struct trace_style *style, const struct trace_slice *slice)
{
    struct trace trace;
    begin(&trace, style);
    write_event(&trace, "a", 1, slice);
    return finish(&trace, &some_info);
}

static char *trace_of_one(const char *name, size_t length, const struct trace_slice *slice)
{
    struct trace trace;
    begin(&trace, &trace_style_msprof);
    write_event(&trace, name, length, slice);
    return finish(&trace, &some_info);
}

static void an_event_is_one_line_with_its_members_in_order(void **state)
{
    (void)state;
    struct trace_slice slice = {.pid = 0, .tid = 3, .start_ns = 1234567, .duration_ns = 1000};
    char *text = trace_of_one("conv1,relu1", 11, &slice);
    assert_non_null(
        strstr(text, ",\n{\"name\":\"conv1,relu1\",\"ph\":\"X\",\"pid\":0,\"tid\":3,\"ts\":1234.567,\"dur\":1.000,"
                     "\"args\":{\"Stream Id\":3,\"Task Id\":7}},\n"));
    free(text);
}

static void the_document_says_tool_clock_origin_and_model(void **state)
{
    (void)state;
    struct trace_slice slice = {.tid = 3};
    char *text = trace_of_one("a", 1, &slice);
    const char head[] = "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,"
                        "\"args\":{\"name\":\"Task Scheduler\"}},\n";
    assert_int_equal(strncmp(text, head, strlen(head)), 0);
    assert_non_null(
        strstr(text, ",\n{\"name\":\"TraceConfig\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"value\":"
                     "{\"tool\":\"msprof\",\"version\":\"" MSPROF_VERSION
                     "\",\"clock\":\"system monotonic\",\"origin_ns\":\"12345678901234567\",\"origin_unix_ns\":null,"
                     "\"device_id\":0,"
                     "\"model\":\"m\",\"model_id\":6,\"batch_num\":1}}}\n]\n"));
    free(text);
}

static void what_is_not_known_is_left_out_of_the_document(void **state)
{
    (void)state;
    struct trace trace;
    const struct trace_info info = {.clock = "system counter", .device_id = DB_NULL};
    begin(&trace, &trace_style_msprof);
    some_run.origin = (struct capture_origin){0, DB_NULL, 1700000000000000001};
    char *text = finish(&trace, &info);
    assert_non_null(strstr(text, "\"origin_ns\":null,\"origin_unix_ns\":\"1700000000000000001\"}}}\n]\n"));
    free(text);
}

/* Catapult warns of metadata that it does not know. */
static void the_start_of_the_capture_is_in_metadata_that_viewers_know(void **state)
{
    (void)state;
    struct trace_slice slice = {.tid = 3};
    char *text = trace_of_one("a", 1, &slice);
    const char *facts = strstr(text, "{\"name\":\"TraceConfig\",\"ph\":\"M\"");
    assert_non_null(facts);
    assert_non_null(strstr(facts, "\"origin_ns\":\"12345678901234567\",\"origin_unix_ns\":null"));
    free(text);
}

static void the_tool_of_2023_has_texts_as_times_in_an_array(void **state)
{
    (void)state;
    struct trace_slice slice = {.pid = 7, .tid = 3, .start_ns = 1735689600001000500, .duration_ns = 7480};
    char *text = trace_in_style(&trace_style_2023, &slice);
    const char head[] = "[\n{\"name\":\"process_name\",\"pid\":0,\"tid\":0,\"ph\":\"M\",";
    assert_int_equal(strncmp(text, head, strlen(head)), 0);
    assert_non_null(strstr(text, ",\n{\"name\":\"a\",\"pid\":7,\"tid\":3,\"ts\":\"1735689600001000.500\",\"dur\":7.48,"
                                 "\"ph\":\"X\",\"args\":{\"Stream Id\":3,\"Task Id\":7}}\n]\n"));
    free(text);
}

static void the_tool_of_2022_has_tagged_processes_and_the_phase_at_the_end(void **state)
{
    (void)state;
    struct trace_slice slice = {.pid = trace_tagged(7, 1), .tid = 3, .start_ns = 1000001000500, .duration_ns = 7480};
    char *text = trace_in_style(&trace_style_2022, &slice);
    assert_non_null(strstr(text, ",\n{\"name\":\"a\",\"pid\":\"7_1\",\"tid\":3,\"ts\":1000001000.500,\"dur\":7.480,"
                                 "\"args\":{\"Stream Id\":3,\"Task Id\":7},\"ph\":\"X\"}\n]\n"));
    assert_null(strstr(text, "capture_start"));
    free(text);
}

static void times_are_exact_up_to_the_largest(void **state)
{
    (void)state;
    struct trace_slice slice = {.tid = 1, .start_ns = INT64_MAX, .duration_ns = 1};
    char *text = trace_of_one("a", 1, &slice);
    assert_non_null(strstr(text, "\"ts\":9223372036854775.807,\"dur\":0.001,"));
    free(text);
}

static char *duration_of(const struct trace_slice *slice)
{
    static char text[64];
    *trace_put_duration(text, &trace_style_msprof, slice) = '\0';
    return strchr(text, ':') + 1;
}

static void a_slice_whose_end_comes_out_late_in_doubles_is_a_picosecond_shorter(void **state)
{
    (void)state;
    assert_int_equal(trace_shortening(0, 0, 57833, 0), 0);
    assert_int_equal(trace_shortening(0, 3005, 0, 0), 0);
    assert_true(1.002 + 2.004 > 3.006); /* what the test is about */
    assert_int_equal(trace_shortening(0, 1002, 2004, 0), 1);
    assert_string_equal(duration_of(&(struct trace_slice){.duration_ns = 2004}), "2.004");
    assert_string_equal(duration_of(&(struct trace_slice){.duration_ns = 2004, .short_ps = 1}), "2.003999");
}

static void a_viewer_that_counts_from_the_first_slice_of_a_thread_finds_no_overlap_either(void **state)
{
    (void)state;
    /* what the test is about */
    assert_true(1582.5 + 172.8 <= 1755.3 && 1582.5 - 1562.4 + 172.8 > 1755.3 - 1562.4);
    assert_int_equal(trace_shortening(0, 1582500, 172800, 0), 0);
    assert_int_equal(trace_shortening(1562400, 1582500, 172800, 0), 1);
    assert_int_equal(trace_shortening_anywhere(1582500, 172800), 1);
}

static void a_slice_that_ends_with_those_around_it_ends_before_them(void **state)
{
    (void)state;
    assert_int_equal(trace_shortening(0, 0, 5000, 1), 2);
    assert_int_equal(trace_shortening(0, 0, 5000, 2), 3);
    assert_int_equal(trace_shortening(0, 0, 5000, 4000000000u), 129);
    assert_int_equal(trace_shortening(0, INT64_MAX - 5000, 5000, 4000000000u), 499);
    assert_string_equal(duration_of(&(struct trace_slice){.duration_ns = 5000, .short_ps = 129}), "4.999871");
    assert_string_equal(duration_of(&(struct trace_slice){.duration_ns = 5000, .short_ps = 499}), "4.999501");
}

/* A time as it is written, which may be a picosecond later. */
static double written_us(int64_t time_ns)
{
    char text[64];
    *trace_put_time(text, &trace_style_msprof, time_ns) = '\0';
    return strtod(text + strlen(",\"ts\":"), NULL);
}

/* As a viewer has it that counts from first_ns. */
static double seen_end(int64_t first_ns, const struct trace_slice *slice, double *ret_length)
{
    *ret_length = strtod(duration_of(slice), NULL);
    return written_us(slice->start_ns) - (first_ns != 0 ? written_us(first_ns) : 0) + *ret_length;
}

/* 133401.24 * 1000 is less than 133401240 in doubles. */
static void a_reader_that_cuts_off_gets_every_nanosecond(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    assert_int_equal((int64_t)(133401.24 * 1000), 133401239);
    for (int i = 0; i < 200000; i++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        int64_t time_ns = i == 0 ? 133401240 : (int64_t)(random % UINT64_C(3600000000000));
        assert_int_equal((int64_t)(written_us(time_ns) * 1000), time_ns);
        assert_int_equal((int64_t)(written_us(time_ns) * 1000 + 0.5), time_ns);
    }
}

/* Draws captures as long as ten days, on threads that begin anywhere. */
static void no_slice_ends_late_in_doubles_and_all_are_exact_in_nanoseconds(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (int64_t begin = 1; begin < INT64_C(864000000000000); begin = begin * 7 + 13) {
        int64_t start = begin, first = begin - (int64_t)(random % (uint64_t)begin);
        for (int i = 0; i < 2000; i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            struct trace_slice slice = {.start_ns = start, .duration_ns = (int64_t)(random % 300000) + 1};
            double end_us = written_us(slice.start_ns + slice.duration_ns), length;
            slice.short_ps = i % 2 == 0 ? trace_shortening(first, slice.start_ns, slice.duration_ns, 0)
                                        : trace_shortening_anywhere(slice.start_ns, slice.duration_ns);
            assert_true(seen_end(0, &slice, &length) <= end_us);
            assert_true(seen_end(first, &slice, &length) <= end_us - written_us(first));
            assert_int_equal((int64_t)(length * 1000 + 0.5), slice.duration_ns);
            start += slice.duration_ns;
        }
    }
}

/* Calls in calls that all end together, in captures as long as an hour. */
static void what_is_inside_never_ends_after_what_is_around_it_in_doubles(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (int64_t end = 1000000; end < INT64_C(3600000000000); end = end * 3 + 13) {
        int64_t first = end - 900000 - (int64_t)(random % (uint64_t)(end - 900000));
        double around = written_us(end), around_from_first = around - written_us(first);
        for (unsigned depth = 0; depth < 100; depth++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            int64_t start = end - 900000 + depth * 8000 + (int64_t)(random % 8000);
            struct trace_slice slice = {.start_ns = start, .duration_ns = end - start};
            slice.short_ps = trace_shortening(first, start, end - start, depth);
            double length, sum = seen_end(0, &slice, &length), from_first = seen_end(first, &slice, &length);
            assert_true(sum <= around && from_first <= around_from_first);
            assert_int_equal((int64_t)(length * 1000 + 0.5), slice.duration_ns);
            around = sum;
            around_from_first = from_first;
        }
    }
}

static void an_instant_keeps_its_duration_as_the_last_argument(void **state)
{
    (void)state;
    struct trace_slice slice = {.tid = 1, .start_ns = 5, .duration_ns = 2500, .instant = true};
    char *text = trace_of_one("a", 1, &slice);
    assert_non_null(strstr(text, "\"ph\":\"i\",\"pid\":0,\"tid\":1,\"ts\":0.005,\"s\":\"t\",\"args\":{"
                                 "\"Stream Id\":3,\"Task Id\":7,\"Duration(us)\":2.500}}"));
    free(text);
}

static void the_longest_numbers_fit_the_room_that_is_promised(void **state)
{
    (void)state;
    char buffer[2 * TRACE_EVENT_MAX];
    struct trace_slice slice = {
        .pid = INT64_MIN, .tid = INT64_MIN, .start_ns = INT64_MIN, .duration_ns = INT64_MIN, .instant = true};
    struct trace_place place = {.length = 0};
    struct event event;
    event_slice(&event, &slice);
    event_name_word(&event, "");
    add_task(&event, INT64_MIN + 1, INT64_MIN + 1);
    assert_true(event_room(&event) <= sizeof buffer);
    char *p = event_put_json(buffer, &trace_style_2023, &event, &place);
    assert_true((size_t)(p - buffer) + NUMBER_MAX <= event_room(&event));
    assert_true(place.length <= sizeof place.text);
    place.length = 0;
    slice.pid = trace_tagged(INT64_MAX >> TRACE_TAG_SHIFT, (INT64_C(1) << TRACE_TAG_SHIFT) - 1);
    event_slice(&event, &slice);
    event_name_word(&event, "");
    event_put_json(buffer, &trace_style_2022, &event, &place);
    assert_true(place.length <= sizeof place.text);
}

static void every_pair_of_bytes_makes_a_valid_document(void **state)
{
    struct trace_slice slice = {.tid = 3};
    for (unsigned first = 0; first < 256; first += 5) {
        (void)state;
        struct err err = ERR_INIT;
        struct trace trace;
        begin(&trace, &trace_style_msprof);
        for (unsigned second = 0; second < 256; second++) {
            char name[2] = {(char)first, (char)second};
            write_event(&trace, name, 2, &slice);
        }
        char *text = finish(&trace, &some_info);
        /* JSON's grammar has this NUL, which json_parse refuses in what it reads. */
        for (char *nul = text; (nul = strstr(nul, "\\u0000")) != NULL;)
            nul[5] = '1';
        struct json *root = json_parse(text, strlen(text), &err);
        if (root == NULL)
            fail_msg("first byte 0x%02x: %s", first, err_message(&err));
        size_t events = 0;
        for (const struct json *e = json_first(root); e != NULL; e = json_next(e))
            events++;
        assert_int_equal(events, 2 + 256 + 1);
        json_free(root);
        free(text);
    }
}

static void a_model_name_of_hostile_bytes_keeps_the_document_valid(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct trace trace;
    struct trace_info info = {.clock = "system monotonic", .device_id = 0, .model = "a\"b\\c\n\xff\xc0\x80"};
    begin(&trace, &trace_style_msprof);
    char *text = finish(&trace, &info);
    struct json *root = json_parse(text, strlen(text), &err);
    assert_non_null(root);
    const struct json *facts = NULL;
    for (const struct json *event = json_first(root); event != NULL; event = json_next(event))
        facts = json_member(json_member(event, "args"), "value");
    assert_string_equal(json_string(json_member(facts, "model")), "a\"b\\c\n\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    json_free(root);
    free(text);
}

static void take_lost_name(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    (void)arg;
    (void)pid;
    strbuf_adds(ret, "thread");
    if (number == 1)
        strbuf_add(ret, "x", SIZE_MAX / 2); /* which no memory has */
}

static void a_trace_whose_thread_lost_a_part_of_its_name_does_not_appear(void **state)
{
    (void)state;
    struct trace trace;
    struct trace_lanes lanes;
    struct err err = ERR_INIT;
    begin(&trace, &trace_style_msprof);
    trace_lanes_init(&lanes, &trace_style_msprof, "Thread ", NULL, NULL);
    for (int64_t number = 1; number <= 2; number++)
        assert_int_equal(trace_lanes_add(&lanes, 0, number, NULL, &err), 0);
    write_event(&trace, "a", 1, &(struct trace_slice){.tid = 1});
    int status = trace_lanes_name(&lanes, &trace, take_lost_name, NULL, &err);
    assert_true(status < 0);
    assert_true(trace_close(&trace, 0, &some_info, &err) < 0); /* whoever does not look at the status */
    assert_false(scratch_exists("trace.json"));
    trace_lanes_release(&lanes);
}

static void a_name_that_does_not_fit_leaves_the_buffer_as_it_was(void **state)
{
    (void)state;
    struct strbuf buf;
    strbuf_init(&buf, 20);
    assert_int_equal(strbuf_adds(&buf, "abc"), 0);
    assert_int_equal(json_text_quote(&buf, "a name of more bytes", 20), -1);
    assert_true(buf.failed);
    assert_int_equal(buf.length, 3);
    strbuf_release(&buf);
}

/* As printf and strtod find it, digit by digit. */
static void put_slowly(char *text, size_t size, double real)
{
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, size, "%.*g", digits, real);
        if (strtod(text, NULL) == real)
            break;
    }
    if (strspn(text, "-0123456789") == strlen(text))
        (void)snprintf(text + strlen(text), size - strlen(text), ".0");
}

static void a_number_is_as_short_as_it_reads_back(void **state)
{
    static const double own[] = {0,   -0.0, 1,      0.5,   0.015625, 1e15,    999999999999999.9,
                                 0.1, 0.3,  2.5e-5, 1e300, -12.25,   8388608, 64e12};
    uint64_t random = 88172645463325252;
    char expected[64], text[64];
    (void)state;
    for (size_t i = 0; i < 300000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        double real = i < sizeof own / sizeof *own ? own[i]
                      : i % 3 == 0                 ? (double)(random % 100000000) * 32 / 1048576 / 0.02
                      : i % 3 == 1                 ? (double)(random % 100000) / 100
                                                   : (double)(random >> 20) / (double)((random & 0xfffff) + 1);
        put_slowly(expected, sizeof expected, real);
        *trace_put_float(text, real) = '\0';
        assert_string_equal(text, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_event_is_one_line_with_its_members_in_order, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(the_document_says_tool_clock_origin_and_model, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(what_is_not_known_is_left_out_of_the_document, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(times_are_exact_up_to_the_largest, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(the_start_of_the_capture_is_in_metadata_that_viewers_know, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(the_tool_of_2023_has_texts_as_times_in_an_array, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(the_tool_of_2022_has_tagged_processes_and_the_phase_at_the_end, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test(a_slice_whose_end_comes_out_late_in_doubles_is_a_picosecond_shorter),
        cmocka_unit_test(a_viewer_that_counts_from_the_first_slice_of_a_thread_finds_no_overlap_either),
        cmocka_unit_test(a_slice_that_ends_with_those_around_it_ends_before_them),
        cmocka_unit_test(no_slice_ends_late_in_doubles_and_all_are_exact_in_nanoseconds),
        cmocka_unit_test(a_reader_that_cuts_off_gets_every_nanosecond),
        cmocka_unit_test(what_is_inside_never_ends_after_what_is_around_it_in_doubles),
        cmocka_unit_test_setup_teardown(an_instant_keeps_its_duration_as_the_last_argument, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(the_longest_numbers_fit_the_room_that_is_promised, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(every_pair_of_bytes_makes_a_valid_document, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(a_model_name_of_hostile_bytes_keeps_the_document_valid, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_trace_whose_thread_lost_a_part_of_its_name_does_not_appear, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test_setup_teardown(a_name_that_does_not_fit_leaves_the_buffer_as_it_was, scratch_setup,
                                        scratch_teardown),
        cmocka_unit_test(a_number_is_as_short_as_it_reads_back),
    };
    return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
