/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of CANN beyond their tables: records of several sizes, dictionaries cut by slices, texts, pairs. */
#include "tests/lib/collect.h"
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include "parsers/decode/decode.h"
#include "parsers/kinds/common/device_stream.h"
#include "parsers/kinds/common/text/tensor_names.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void put16(unsigned char *p, unsigned value)
{
    p[0] = (unsigned char)value;
    p[1] = (unsigned char)(value >> 8);
}

static void put32(unsigned char *p, uint32_t value)
{
    put16(p, value & 0xffff);
    put16(p + 2, value >> 16);
}

static void put64(unsigned char *p, uint64_t value)
{
    put32(p, (uint32_t)value);
    put32(p + 4, (uint32_t)(value >> 32));
}

/* ---- ts_track ---- */

#define TIME_LINE_SIZE 32
#define TAGGED_SIZE 40

static unsigned char *put_time_line(unsigned char *p, unsigned state, unsigned task_id, uint64_t tick)
{
    memset(p, 0, TIME_LINE_SIZE);
    p[1] = 3;
    put16(p + 2, TIME_LINE_SIZE);
    put16(p + 10, state);
    put16(p + 12, 5);
    put16(p + 14, task_id);
    put64(p + 16, tick);
    return p + TIME_LINE_SIZE;
}

static unsigned char *put_step(unsigned char *p, unsigned size, unsigned step_tag, uint64_t index, uint64_t tick)
{
    memset(p, 0, TAGGED_SIZE);
    p[1] = 10;
    put16(p + 2, size);
    put64(p + 8, tick);
    put64(p + 16, index);
    put64(p + 24, 7);
    put16(p + 32, 5);
    put16(p + 36, step_tag);
    return p + TAGGED_SIZE;
}

static void records_of_several_sizes_stand_in_one_stream(void **state)
{
    (void)state;
    unsigned char bytes[4 * TIME_LINE_SIZE + 2 * TAGGED_SIZE], *p = bytes;
    make_job();
    p = put_time_line(p, 1, 9, 100);
    p = put_step(p, TAGGED_SIZE, 0, 1, 110);
    p = put_time_line(p, 2, 9, 120);
    p = put_time_line(p, 3, 9, 130);
    p = put_step(p, TAGGED_SIZE, 1, 1, 140);
    put_time_line(p, 1, 10, 150);
    for (size_t cut = 1; cut < sizeof bytes; cut += 7) {
        put_file("ts_track.data.0.slice_0", bytes, cut);
        put_file("ts_track.data.0.slice_1", bytes + cut, sizeof bytes - cut);
        struct collection *collection = collect(in_scratch("J"), NULL);
        assert_int_equal(diag_problems(collection_diagnostics(collection)), 0);
        assert_int_equal(row_count(collection, "ts_track"), 6);
        assert_int_equal(row_integer(collection, "ts_track", 0, "task_state"), 1);
        assert_int_equal(row_integer(collection, "ts_track", 1, "step_tag"), 0);
        assert_int_equal(row_integer(collection, "ts_track", 1, "model_id"), 7);
        assert_int_equal(row_integer(collection, "ts_track", 4, "tick"), 140);
        assert_int_equal(row_integer(collection, "ts_track", 5, "task_id"), 10);
        collection_free(collection);
    }
}

static void damage_between_records_of_several_sizes_costs_only_what_it_touches(void **state)
{
    (void)state;
    unsigned char bytes[3 * TIME_LINE_SIZE + TAGGED_SIZE + 11], *p = bytes;
    make_job();
    p = put_time_line(p, 1, 9, 100);
    memset(p, 0xff, 11);
    p = put_step(p + 11, TAGGED_SIZE, 0, 1, 110);
    p = put_time_line(p, 2, 9, 120);
    put_time_line(p, 3, 9, 130);
    put_file("ts_track.data.0.slice_0", bytes, sizeof bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "ts_track"), 4);
    assert_int_equal(row_integer(collection, "ts_track", 1, "tick"), 110);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_MAGIC, "11 bytes are skipped", NULL);
    collection_free(collection);
}

static void records_without_their_size_are_told_apart_by_their_tag(void **state)
{
    (void)state;
    unsigned char bytes[4 * TAGGED_SIZE], *p = bytes;
    make_job();
    p = put_step(p, 0, 4, 2, 100);
    memset(p, 0, TAGGED_SIZE); /* a flip */
    p[1] = 14;
    put64(p + 8, 110);
    put16(p + 16, 0x0803);
    put16(p + 18, 2);
    put16(p + 22, 8);
    p += TAGGED_SIZE;
    memset(p, 0, TAGGED_SIZE); /* blocks */
    p[1] = 15;
    put64(p + 8, 120);
    put32(p + 20, 0x10002);
    p += TAGGED_SIZE;
    memset(p, 0, TAGGED_SIZE); /* nobody knows */
    p[1] = 99;
    put_file("ts_track.data.0.slice_0", bytes, sizeof bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "ts_track"), 3);
    assert_int_equal(row_integer(collection, "ts_track", 0, "index_id"), 2);
    assert_int_equal(row_integer(collection, "ts_track", 1, "stream_id"), 3);
    assert_int_equal(row_integer(collection, "ts_track", 1, "flip_num"), 2);
    assert_int_equal(row_integer(collection, "ts_track", 1, "task_id"), 8);
    assert_int_equal(row_integer(collection, "ts_track", 2, "block_num"), 0x10002);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_VALUE, "tag 99", NULL);
    collection_free(collection);
}

/* ---- dictionaries and texts ---- */

static void a_dictionary_line_may_be_cut_by_a_slice(void **state)
{
    (void)state;
    static const char text[] = "1:first\n18446744073709551615:a:b\n3:third\n";
    make_job();
    for (size_t cut = 1; cut < sizeof text - 1; cut++) {
        put_file("Framework.hash_dic.0.slice_0", text, cut);
        put_file("Framework.hash_dic.0.slice_1", text + cut, sizeof text - 1 - cut);
        struct collection *collection = collect(in_scratch("J"), NULL);
        assert_int_equal(diag_problems(collection_diagnostics(collection)), 0);
        assert_int_equal(row_count(collection, "framework_hash"), 3);
        assert_int_equal(row_integer(collection, "framework_hash", 1, "hash_id"), -1);
        assert_string_equal(row_text(collection, "framework_hash", 1, "name"), "a:b");
        assert_string_equal(row_text(collection, "framework_hash", 2, "name"), "third");
        collection_free(collection);
    }
}

static void dictionary_lines_that_are_none_are_named(void **state)
{
    (void)state;
    make_job();
    put_text("Framework.hash_dic.0.slice_0", "x:first\n18446744073709551616:big\n7\n8:sound\n9:cut");
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(row_count(collection, "framework_hash"), 1);
    assert_int_equal(reported(diag, DIAG_TEXT_LINE, NULL), 3);
    assert_int_equal(reported(diag, DIAG_RECORD_TRUNCATED, NULL), 1);
    collection_free(collection);
}

static void a_name_is_a_text_or_an_id(void **state)
{
    (void)state;
    unsigned char bytes[512];
    make_job();
    memset(bytes, 0, sizeof bytes);
    put16(bytes, 0x5a5a);
    bytes[8] = 1;
    memcpy(bytes + 16, "conv", 4);
    put64(bytes + 144, 77);
    put16(bytes + 256, 0x5a5a);
    put64(bytes + 256 + 16, 78);
    bytes[256 + 136] = 1;
    memcpy(bytes + 256 + 144, "Mul", 3);
    put_file("Framework.task_desc_info.0.slice_0", bytes, sizeof bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "framework_task"), 2);
    assert_string_equal(row_text(collection, "framework_task", 0, "op_name"), "conv");
    assert_int_equal(row_integer(collection, "framework_task", 0, "op_type_id"), 77);
    assert_int_equal(row_integer(collection, "framework_task", 1, "op_name_id"), 78);
    assert_string_equal(row_text(collection, "framework_task", 1, "op_type"), "Mul");
    collection_free(collection);
}

static void tensors_become_texts(void **state)
{
    (void)state;
    static const uint32_t tensors[3][5] = {/* kind, format, data type, two dimensions */
                                           {0, 2, 1, 64, 3},
                                           {0, 7 << 8 | 29, 0, 16, 0},
                                           {1, 250, 5, 1, 2}};
    unsigned char record[256], description[256];
    make_job();
    memset(record, 0, sizeof record);
    put16(record, 0x5a5a);
    put32(record + 24, 3);
    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 5; k++)
            put32(record + 28 + 44 * i + 4 * k, tensors[i][k]);
    }
    put_file("Framework.tensor_data_info.0.slice_0", record, sizeof record);
    memset(description, 0, sizeof description);
    put16(description, 0x5a5a);
    put_file("Framework.task_desc_info.0.slice_0", description, sizeof description);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "tensor_set"), 1);
    assert_string_equal(row_text(collection, "tensor_set", 0, "input_shapes"), "64,3;16");
    assert_string_equal(row_text(collection, "tensor_set", 0, "input_data_types"), "FLOAT16;FLOAT");
    assert_string_equal(row_text(collection, "tensor_set", 0, "input_formats"), "FORMAT_ND;FRACTAL_NZ:7");
    assert_string_equal(row_text(collection, "tensor_set", 0, "output_data_types"), "5");
    assert_string_equal(row_text(collection, "tensor_set", 0, "output_formats"), "250");
    collection_free(collection);
    put32(record + 24, 6);
    put_file("Framework.tensor_data_info.0.slice_0", record, sizeof record);
    collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "tensor_set"), 0);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_VALUE, "6 tensors; expected at most 5", NULL);
    collection_free(collection);
}

static void a_shape_ends_with_its_last_dimension_that_is_not_zero(void **state)
{
    (void)state;
    static const struct {
        uint32_t dimensions[8];
        const char *text;
    } shapes[] = {{{64, 3, 7, 7}, "64,3,7,7"},
                  {{4, 0, 5}, "4,0,5"},
                  {{0, 0, 2}, "0,0,2"},
                  {{0}, ""},
                  {{1, 2, 3, 4, 5, 6, 7, 8}, "1,2,3,4,5,6,7,8"}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char text[TENSOR_SHAPE_MAX + 1];
        *tensor_shape_put(text, shapes[i].dimensions, 8) = '\0';
        assert_string_equal(text, shapes[i].text);
    }
}

static void names_of_tensors_follow_the_era(void **state)
{
    (void)state;
    char text[TENSOR_NAME_MAX + 1];
    *tensor_format_put(text, 2, TENSOR_ERA_NOW) = '\0';
    assert_string_equal(text, "ND");
    *tensor_format_put(text, UINT32_MAX, TENSOR_ERA_NOW) = '\0';
    assert_string_equal(text, "UNDEFINED");
    *tensor_format_put(text, 203, TENSOR_ERA_NOW) = '\0';
    assert_string_equal(text, "ND_");
    *tensor_type_put(text, 28, TENSOR_ERA_NOW) = '\0';
    assert_string_equal(text, "DT_UNDEFINED");
    *tensor_type_put(text, 28, TENSOR_ERA_2022) = '\0';
    assert_string_equal(text, "UNDEFINED");
    *tensor_type_put(text, 242, TENSOR_ERA_NOW) = '\0';
    assert_string_equal(text, "FLOAT16_");
    *tensor_type_put(text, 4000000000U, TENSOR_ERA_NOW) = '\0';
    assert_string_equal(text, "4000000000");
}

/* ---- counters ---- */

static void lost_counters_are_told_and_samples_end_with_mode_0(void **state)
{
    (void)state;
    unsigned char tasks[3 * 128], samples[3 * 96];
    make_job();
    memset(tasks, 0, sizeof tasks);
    for (unsigned i = 0; i < 3; i++) {
        tasks[128 * i] = (unsigned char)((i == 2 ? 9 : i) << 4);
        put16(tasks + 128 * i + 2, 0x6bd3);
        put16(tasks + 128 * i + 6, i);
    }
    memset(samples, 0, sizeof samples);
    for (unsigned i = 0; i < 2; i++) {
        samples[96 * i] = 1;
        put64(samples + 96 * i + 72, 1000 + i);
        samples[96 * i + 89] = (unsigned char)(30 + i);
    }
    put_file("aicore.data.0.slice_0", tasks, sizeof tasks);
    put_file("aiVectorCore.data.0.slice_0", samples, sizeof samples);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "aicore_pmu"), 3);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_LOST, "counter 9 after 1; expected 2", NULL);
    assert_int_equal(row_count(collection, "aiv_pmu"), 2);
    assert_int_equal(row_integer(collection, "aiv_pmu", 1, "core_id"), 31);
    assert_int_equal(row_integer(collection, "aiv_pmu", 1, "total_cycle"), 1001);
    collection_free(collection);
}

static void stream_and_task_of_stars_share_their_bits(void **state)
{
    (void)state;
    static const struct {
        uint32_t stream_word, task_word, stream_id, task_id;
    } words[] = {
        {5, 900, 5, 900},
        {2049, 7, 1, 7},
        {0x1007, 0x2001, 7, 0x0001}, /* bit 12: the stream's upper bits are the task's */
        {0xf7ff, 0x1fff, 0x7ff, 0xffff},
        {0x2abc, 0x5123, 0x123, 0x5abc}, /* bit 13: exchanged */
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        uint32_t stream_id, task_id;
        stars_decode_ids(words[i].stream_word, words[i].task_word, &stream_id, &task_id);
        assert_int_equal(stream_id, words[i].stream_id);
        assert_int_equal(task_id, words[i].task_id);
    }
}

/* ---- calls ---- */

#define CALL_SIZE 40

static unsigned char *put_call(unsigned char *p, unsigned level, unsigned request, uint64_t begin, uint64_t end)
{
    memset(p, 0, CALL_SIZE);
    put16(p, 0x5a5a);
    put16(p + 2, level);
    put32(p + 4, 1);
    put32(p + 8, 42);
    put32(p + 12, request);
    put64(p + 16, begin);
    put64(p + 24, end);
    return p + CALL_SIZE;
}

static void two_events_are_one_call_and_half_a_call_is_named(void **state)
{
    (void)state;
    unsigned char bytes[6 * CALL_SIZE], *p = bytes;
    make_job();
    p = put_call(p, 15000, 1, 1000, UINT64_MAX);
    p = put_call(p, 15000, 2, 1100, UINT64_MAX); /* never ends */
    p = put_call(p, 5000, 0, 1200, 1300);
    p = put_call(p, 15000, 1, 2000, UINT64_MAX);
    p = put_call(p, 5000, 0, 1300, 1200); /* ends before it begins */
    put_call(p, 5000, 0, 1300, UINT64_MAX - 1);
    put_file("unaging.api_event.data.slice_0", bytes, sizeof bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(row_count(collection, "host_call"), 2);
    assert_int_equal(row_integer(collection, "host_call", 0, "level"), 15000);
    assert_int_equal(row_integer(collection, "host_call", 0, "duration_ns"), 1000);
    assert_int_equal(row_integer(collection, "host_call", 1, "level"), 5000);
    assert_int_equal(row_integer(collection, "host_call", 1, "start_ns"),
                     row_integer(collection, "host_call", 0, "start_ns") + 200);
    assert_report(diag, DIAG_CALL_UNMATCHED, "has no second half", NULL);
    assert_int_equal(reported(diag, DIAG_RECORD_VALUE, NULL), 2);
    assert_int_equal(collection_file(collection, "data/unaging.api_event.data.slice_0")->rejected, 3);
    collection_free(collection);
}

/* ---- records that are read without the interpreter ---- */

static void frequent_records_are_read_from_their_bytes_as_the_interpreter_reads_them(void **state)
{
    (void)state;
    glob_t captures;
    assert_int_equal(glob("testdata/cann/*/PROF*", 0, NULL, &captures), 0);
    for (size_t i = 0; i < captures.gl_pathc; i++) {
        const struct capture_options options = {.interpreted = true};
        struct collection *collection = collect(captures.gl_pathv[i], NULL);
        struct collection *interpreted = collect_with(captures.gl_pathv[i], &options);
        assert_same_rows(collection, interpreted);
        assert_int_equal(diag_reports(collection_diagnostics(collection)),
                         diag_reports(collection_diagnostics(interpreted)));
        collection_free(interpreted);
        collection_free(collection);
    }
    globfree(&captures);
}

static void so_are_six_kinds_by_their_own_layouts_and_no_other(void **state)
{
    static const char *const names[] = {"api_event",  "node_basic_info", "tensor_info",
                                        "task_track", "stars_soc",       "ffts_profile"};
    static struct decode_plan plan;
    (void)state;
    size_t direct = 0;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        for (size_t k = 0; k < record_kinds[i]->layout_count; k++) {
            decode_plan_init(&plan, record_kinds[i], &record_kinds[i]->layouts[k]);
            direct += plan.direct;
        }
    }
    assert_int_equal(direct, sizeof names / sizeof *names);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct record_kind *kind = record_kind_find(names[i]);
        struct layout other = kind->layouts[0];
        struct field fields[RECORD_MAX_COLUMNS];
        memcpy(fields, other.fields, other.field_count * sizeof *fields);
        other.fields = fields;
        decode_plan_init(&plan, kind, &kind->layouts[0]);
        assert_true(plan.direct);
        decode_plan_init(&plan, kind, &other);
        assert_false(plan.direct);
    }
}

static void a_number_of_2_63_is_refused_in_them_too(void **state)
{
    (void)state;
    unsigned char bytes[3 * CALL_SIZE], *p = bytes;
    make_job();
    p = put_call(p, 5000, 0, 1200, 1300);
    p = put_call(p, 5000, 0, UINT64_C(1) << 63, 1300);
    put_call(p, 5000, 0, 1400, 1500);
    put_file("unaging.api_event.data.slice_0", bytes, sizeof bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "host_call"), 2);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_VALUE, "2^63 or more", NULL);
    collection_free(collection);
}

static bool plan_matches(const struct decode_plan *plan, const unsigned char *record)
{
    bool stands = true;
    for (size_t i = 0; i < plan->magic_count; i++) {
        const struct magic_step *step = &plan->magics[i];
        stands = stands && (bytes_load(record + step->offset, 8, false) & step->mask) == step->value;
    }
    return stands;
}

static void magics_made_ready_stand_where_those_of_the_layout_do(void **state)
{
    static struct decode_plan plan;
    static unsigned char record[RECORD_MAX_SIZE];
    (void)state;
    size_t plans = 0;
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        for (size_t k = 0; k < record_kinds[i]->layout_count; k++) {
            const struct layout *layout = &record_kinds[i]->layouts[k];
            decode_plan_init(&plan, record_kinds[i], layout);
            if (!plan.magics_whole)
                continue;
            plans += plan.magic_count > 0;
            memset(record, 0xa7, sizeof record); /* beside the magics */
            for (size_t m = 0; m < LAYOUT_MAX_MAGICS && layout->magics[m].width != 0; m++)
                bytes_store(record + layout->magics[m].offset, layout->magics[m].width, false, layout->magics[m].value);
            assert_true(plan_matches(&plan, record));
            for (size_t bit = 0; bit < 8 * (size_t)layout->record_size; bit++) {
                record[bit / 8] ^= (unsigned char)(1 << bit % 8);
                assert_int_equal(plan_matches(&plan, record), layout_matches(layout, record));
                record[bit / 8] ^= (unsigned char)(1 << bit % 8);
            }
        }
    }
    assert_true(plans > 20);
}

static void ticks_of_a_stream_are_converted_as_single_ones(void **state)
{
    static const int64_t rates[] = {-1, 0, 38400000, 48000000, 50000000, 100000000, 1000000000, INT64_MAX};
    static const int64_t values[] = {
        INT64_MIN,        -1,       0, 1, 1000003, INT64_C(1) << 40, (INT64_C(1) << 52) - 1, INT64_C(1) << 52,
        INT64_C(1) << 61, INT64_MAX};
    enum { VALUES = sizeof values / sizeof *values };
    (void)state;
    size_t products = 0;
    for (size_t rate = 0; rate < sizeof rates / sizeof *rates; rate++) {
        for (size_t choice = 0; choice < (size_t)VALUES * VALUES * VALUES * VALUES; choice++) {
            const int64_t start = values[choice % VALUES], late = values[choice / VALUES % VALUES];
            const int64_t base = values[choice / VALUES / VALUES % VALUES],
                          tick = values[choice / VALUES / VALUES / VALUES];
            const struct capture_part part = {.host_hz = rates[rate],
                                              .device_hz = rates[rate],
                                              .chip = 5,
                                              .host_tick = start,
                                              .device_tick = start,
                                              .host_tick_diff = late,
                                              .host_monotonic_ns = base,
                                              .unix_offset_ns = choice % 3 == 0 ? base : 17};
            const struct part_ticks host = part_host_ticks(&part), device = part_device_ticks(&part);
            assert_int_equal(part_ticks_ns(&host, tick), part_host_ns(&part, tick));
            assert_int_equal(part_ticks_ns(&device, tick), part_device_ns(&part, tick));
            products += (uint64_t)tick - host.first < host.count;
        }
    }
    assert_true(products > 1000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(records_of_several_sizes_stand_in_one_stream),
        TEST(damage_between_records_of_several_sizes_costs_only_what_it_touches),
        TEST(records_without_their_size_are_told_apart_by_their_tag),
        TEST(a_dictionary_line_may_be_cut_by_a_slice),
        TEST(dictionary_lines_that_are_none_are_named),
        TEST(a_name_is_a_text_or_an_id),
        TEST(tensors_become_texts),
        TEST(a_shape_ends_with_its_last_dimension_that_is_not_zero),
        TEST(names_of_tensors_follow_the_era),
        TEST(lost_counters_are_told_and_samples_end_with_mode_0),
        TEST(stream_and_task_of_stars_share_their_bits),
        TEST(two_events_are_one_call_and_half_a_call_is_named),
        TEST(frequent_records_are_read_from_their_bytes_as_the_interpreter_reads_them),
        TEST(so_are_six_kinds_by_their_own_layouts_and_no_other),
        TEST(a_number_of_2_63_is_refused_in_them_too),
        TEST(magics_made_ready_stand_where_those_of_the_layout_do),
        TEST(ticks_of_a_stream_are_converted_as_single_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
