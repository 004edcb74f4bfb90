/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder: single records through a layout, streams of several slices, inferences, tasks. */
#include "tests/lib/collect.h"
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include "base/progress.h"
#include "parsers/decode/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- one record ---- */

static const struct record_kind *acl_kind(void)
{
    return record_kind_find("acl_call");
}

/* Decodes one record of the ACL kind, of `size` bytes, with this one field for start_ns. */
static bool decode_sized(const struct field *field, uint32_t size, bool big_endian, const unsigned char *record,
                         int64_t *ret)
{
    const struct layout layout = {
        .name = "test", .record_size = size, .big_endian = big_endian, .fields = field, .field_count = 1};
    struct cell cells[RECORD_MAX_COLUMNS];
    uint64_t present;
    struct row row = {cells, &present};
    struct decode_plan plan;
    struct err err = ERR_INIT;
    int bad_column;
    assert_int_equal(layout_check(acl_kind(), &layout, &err), 0);
    decode_plan_init(&plan, acl_kind(), &layout);
    decode_record(&plan, record, &row, &bad_column);
    int column = record_kind_column(acl_kind(), "start_ns");
    assert_int_equal(bad_column, present == 0 ? column : -1);
    *ret = cells[column].integer;
    return present != 0;
}

static bool decode_field(const struct field *field, bool big_endian, const unsigned char *record, int64_t *ret)
{
    return decode_sized(field, 16, big_endian, record, ret);
}

static const unsigned char sixteen[16] = {0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88,
                                          0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

static void every_width_is_read_in_both_byte_orders(void **state)
{
    (void)state;
    static const uint64_t little[] = {0x01,         0x8201,         0x038201,        0x84038201,
                                      0x0584038201, 0x860584038201, 0x07860584038201};
    static const uint64_t big[] = {0x01, 0x0182, 0x018203, 0x01820384, 0x0182038405, 0x018203840586, 0x01820384058607};
    for (unsigned width = 1; width <= 7; width++) {
        const struct field field = {.column = "start_ns", .width = width};
        int64_t value;
        assert_true(decode_field(&field, false, sixteen, &value));
        assert_int_equal(value, little[width - 1]);
        assert_true(decode_field(&field, true, sixteen, &value));
        assert_int_equal(value, big[width - 1]);
    }
}

static void every_width_is_read_anywhere_in_a_record_of_any_size_and_nothing_beside_it(void **state)
{
    (void)state;
    for (uint32_t size = 1; size <= 20; size++) {
        unsigned char *record = malloc(size); /* what is read beyond it is found by ASan */
        assert_non_null(record);
        for (unsigned width = 1; width <= 8 && width <= size; width++) {
            for (uint32_t offset = 0; offset + width <= size; offset++) {
                const struct field field = {.column = "start_ns", .offset = offset, .width = width};
                uint64_t expected = 0;
                int64_t value;
                memset(record, 0xff, size);
                for (unsigned i = width; i-- > 0;) {
                    record[offset + i] = (unsigned char)(0x71 - i);
                    expected = expected << 8 | record[offset + i];
                }
                assert_true(decode_sized(&field, size, false, record, &value));
                assert_int_equal(value, expected);
            }
        }
        free(record);
    }
}

static void signed_values_and_bit_ranges_are_extended_from_their_own_top_bit(void **state)
{
    (void)state;
    int64_t value;
    struct field field = {.column = "start_ns", .offset = 8, .width = 8, .is_signed = true};
    assert_true(decode_field(&field, false, sixteen, &value));
    assert_int_equal(value, -1);
    field = (struct field){.column = "start_ns", .offset = 1, .width = 1, .is_signed = true};
    assert_true(decode_field(&field, false, sixteen, &value));
    assert_int_equal(value, (int8_t)0x82);
    field = (struct field){.column = "start_ns", .offset = 1, .width = 1, .first_bit = 4, .bit_count = 4};
    assert_true(decode_field(&field, false, sixteen, &value));
    assert_int_equal(value, 8);
    field.is_signed = true;
    assert_true(decode_field(&field, false, sixteen, &value));
    assert_int_equal(value, -8);
}

static void scales_multiply_first_and_an_overflow_is_a_bad_value(void **state)
{
    (void)state;
    int64_t value;
    struct field field = {.column = "start_ns", .width = 2, .multiply = 1000, .divide = 3};
    assert_true(decode_field(&field, false, sixteen, &value));
    assert_int_equal(value, 0x8201 * 1000 / 3);
    field = (struct field){.column = "start_ns", .width = 7, .multiply = 1000000};
    assert_false(decode_field(&field, false, sixteen, &value));
    field = (struct field){.column = "start_ns", .offset = 8, .width = 8};
    assert_false(decode_field(&field, false, sixteen, &value));
}

/* ---- streams ---- */

/* Those of the records: a device without a host, which is each of these captures, is one more. */
static size_t problems(struct collection *collection)
{
    const struct diagnostics *diagnostics = collection_diagnostics(collection);
    assert_int_equal(reported(diagnostics, DIAG_HALF_MISSING, NULL), 1);
    return diag_problems(diagnostics) - 1;
}

/* Cuts 6 hwts records at every pair of places into three slices. */
static void records_that_straddle_slices_are_whole(void **state)
{
    (void)state;
    unsigned char bytes[6 * HWTS_SIZE], *p = bytes;
    make_job();
    for (unsigned i = 0; i < 6; i++)
        p = put_hwts(p, i & 1, i, 3, 25000 + i / 2, 100 * i);
    for (size_t first = 1; first < sizeof bytes; first += 13) {
        for (size_t second = first; second < sizeof bytes; second += 29) {
            put_file("hwts.data.0.slice_9", bytes, first);
            put_file("hwts.data.0.slice_10", bytes + first, second - first);
            put_file("hwts.data.0.slice_11", bytes + second, sizeof bytes - second);
            struct collection *collection = collect(in_scratch("J"), NULL);
            assert_int_equal(row_count(collection, "hwts"), 6);
            assert_int_equal(row_count(collection, "device_task"), 3);
            assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_EMPTY, NULL), second == first);
            assert_int_equal(problems(collection), second == first);
            /* A record belongs to the slice in which it begins. */
            assert_int_equal(collection_file(collection, "data/hwts.data.0.slice_9")->decoded,
                             (first + HWTS_SIZE - 1) / HWTS_SIZE);
            for (size_t i = 0; i < 6; i++) {
                const char *name = i * HWTS_SIZE < first    ? "data/hwts.data.0.slice_9"
                                   : i * HWTS_SIZE < second ? "data/hwts.data.0.slice_10"
                                                            : "data/hwts.data.0.slice_11";
                assert_int_equal(row_integer(collection, "hwts", i, "file_id"), collection_file(collection, name)->id);
            }
            collection_free(collection);
        }
    }
}

static void slices_are_read_in_the_order_of_their_numbers(void **state)
{
    (void)state;
    unsigned char bytes[HWTS_SIZE];
    char name[32];
    make_job();
    for (unsigned i = 0; i < 12; i++) {
        put_hwts(bytes, 0, i, 3, i, 100 * i);
        snprintf(name, sizeof name, "hwts.data.0.slice_%u", i);
        put_file(name, bytes, sizeof bytes);
    }
    struct collection *collection = collect(in_scratch("J"), NULL);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(row_integer(collection, "hwts", i, "task_id"), i);
    assert_int_equal(diag_problems(collection_diagnostics(collection)), 0);
    collection_free(collection);
}

static void a_missing_slice_is_named_and_the_others_are_decoded_apart(void **state)
{
    (void)state;
    unsigned char bytes[6 * HWTS_SIZE], *p = bytes;
    make_job();
    for (unsigned i = 0; i < 6; i++)
        p = put_hwts(p, 0, i, 3, i, 100 * i);
    put_file("hwts.data.0.slice_0", bytes, 2 * HWTS_SIZE + 10);
    put_file("hwts.data.0.slice_2", bytes + 3 * HWTS_SIZE, 3 * HWTS_SIZE);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(row_count(collection, "hwts"), 5);
    assert_report(diag, DIAG_FILE_MISSING, "hwts.data.0.slice_2", "slice 2 follows slice 0", NULL);
    assert_report(diag, DIAG_RECORD_TRUNCATED, "hwts.data.0.slice_0", "offset 128", "10 bytes", NULL);
    assert_report(diag, DIAG_RECORD_LOST, "hwts.data.0.slice_2", "counter 3 after 1", NULL);
    collection_free(collection);
}

static void damage_in_a_later_slice_is_told_with_its_own_offset(void **state)
{
    (void)state;
    unsigned char bytes[6 * HWTS_SIZE], *p = bytes;
    make_job();
    for (unsigned i = 0; i < 6; i++)
        p = put_hwts(p, 0, i, 3, i, 100 * i);
    bytes[4 * HWTS_SIZE + 2] = 0;
    put_file("hwts.data.0.slice_0", bytes, 2 * HWTS_SIZE + 32);
    put_file("hwts.data.0.slice_1", bytes + 2 * HWTS_SIZE + 32, 3 * HWTS_SIZE + 32);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "hwts"), 5);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_MAGIC, "hwts.data.0.slice_1", "record 4", "offset 98",
                  NULL);
    collection_free(collection);
}

/* ---- hardware task scheduler ---- */

static void the_record_counter_wraps_from_15_to_0_and_a_gap_is_told(void **state)
{
    (void)state;
    unsigned char bytes[40 * HWTS_SIZE], *p = bytes;
    make_job();
    for (unsigned i = 0; i < 40; i++)
        p = put_hwts(p, i & 1, i + 9, 3, 1, 100 * i);
    put_file("hwts.data.0.slice_0", bytes, sizeof bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(problems(collection), 0);
    assert_int_equal(row_count(collection, "device_task"), 20);
    collection_free(collection);
    put_hwts(bytes + 20 * HWTS_SIZE, 0, 3, 3, 1, 2000); /* was 20 + 9 = 13 modulo 16 */
    put_file("hwts.data.0.slice_0", bytes, sizeof bytes);
    collection = collect(in_scratch("J"), NULL);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_LOST, NULL), 2); /* there and back */
    assert_report(collection_diagnostics(collection), DIAG_RECORD_LOST, "record 20", "offset 1280",
                  "counter 3 after 12", "expected 13", NULL);
    collection_free(collection);
}

static void of_several_starts_the_latest_counts_and_an_end_needs_one(void **state)
{
    (void)state;
    unsigned char bytes[8 * HWTS_SIZE], *p = bytes;
    make_job();
    p = put_hwts(p, 1, 0, 3, 7, 100);
    p = put_hwts(p, 0, 1, 3, 7, 200);
    p = put_hwts(p, 0, 2, 3, 7, 300);
    p = put_hwts(p, 0, 3, 4, 7, 350); /* another stream, which does not end */
    p = put_hwts(p, 2, 4, 3, 7, 360); /* a block of a task */
    p = put_hwts(p, 1, 5, 3, 7, 400);
    p = put_hwts(p, 1, 6, 3, 7, 500);
    put_file("hwts.data.0.slice_0", bytes, (size_t)(p - bytes));
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "hwts"), 7);
    assert_int_equal(row_count(collection, "device_task"), 1);
    assert_int_equal(row_integer(collection, "device_task", 0, "start_ns"), 3000);
    assert_int_equal(row_integer(collection, "device_task", 0, "duration_ns"), 1000);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_TASK_UNMATCHED_END, NULL), 2);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_TASK_UNMATCHED_START, NULL), 2);
    collection_free(collection);
}

static void an_end_before_its_start_makes_no_task_and_is_out_of_order(void **state)
{
    (void)state;
    unsigned char bytes[4 * HWTS_SIZE], *p = bytes;
    make_job();
    p = put_hwts(p, 0, 0, 3, 7, 500);
    p = put_hwts(p, 1, 1, 3, 7, 400);
    p = put_hwts(p, 0, 2, 3, 8, 0);
    p = put_hwts(p, 1, 3, 3, 8, UINT64_C(1) << 62);
    put_file("hwts.data.0.slice_0", bytes, sizeof bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "device_task"), 0);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_VALUE, NULL), 2);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_RECORD_ORDER, NULL), 2);
    assert_report(collection_diagnostics(collection), DIAG_RECORD_VALUE, "record 1", "offset 64",
                  "stream 3 task 7 ends (4000 ns) before it starts (5000 ns)", NULL);
    collection_free(collection);
}

static void many_tasks_under_way_at_once_are_all_paired(void **state)
{
    (void)state;
    const unsigned count = 20000;
    unsigned char *bytes = malloc(2 * (size_t)count * HWTS_SIZE), *p = bytes;
    assert_non_null(bytes);
    make_job();
    for (unsigned i = 0; i < 2 * count; i++) /* ends in the order of the starts */
        p = put_hwts(p, i >= count, i, i % count >> 8, i % count, i);
    put_file("hwts.data.0.slice_0", bytes, 2 * (size_t)count * HWTS_SIZE);
    free(bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "device_task"), count);
    for (size_t i = 0; i < count; i += 997) {
        assert_int_equal(row_integer(collection, "device_task", i, "task_id"), i);
        assert_int_equal(row_integer(collection, "device_task", i, "duration_ns"), 10 * (int64_t)count);
    }
    assert_int_equal(problems(collection), 0);
    collection_free(collection);
}

/* A layout may give the task id all 32 bits; the largest of them is a task like any other. */
static void the_largest_ids_that_a_layout_can_give_are_paired_too(void **state)
{
    (void)state;
    static const char text[] = "kind hwts\nlayout wide\nsize 64\nmagic offset 2 width 2 value 0x6bd3\n"
                               "column type offset 0 width 1 bits 0-2\ncolumn task_id offset 20 width 4\n"
                               "column tick offset 8 width 8\ncolumn stream_id offset 16 width 4\n";
    unsigned char bytes[3 * HWTS_SIZE];
    struct layout_set layouts;
    struct err err = ERR_INIT;
    make_job();
    for (unsigned i = 0; i < 3; i++) {
        put_hwts(bytes + i * HWTS_SIZE, i != 1, 0, UINT32_MAX, 0, 100 * i);
        memset(bytes + i * HWTS_SIZE + 20, 0xff, 4);
    }
    put_file("hwts.data.0.slice_0", bytes, sizeof bytes);
    layout_set_init(&layouts);
    assert_int_equal(layout_set_parse(&layouts, "wide.layout", text, strlen(text), &err), 0);
    struct collection *collection = collect(in_scratch("J"), &layouts);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_TASK_UNMATCHED_END, NULL), 1);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_TASK_UNMATCHED_START, NULL), 0);
    assert_int_equal(row_count(collection, "device_task"), 1);
    assert_int_equal(row_integer(collection, "device_task", 0, "task_id"), UINT32_MAX);
    assert_int_equal(row_integer(collection, "device_task", 0, "duration_ns"), 1000);
    collection_free(collection);
    layout_set_release(&layouts);
}

/* ---- inferences ---- */

static void interleaved_inferences_keep_their_own_times(void **state)
{
    (void)state;
    const unsigned pics = 4096, tasks = 2; /* as many as are followed at once */
    unsigned char *bytes = malloc((size_t)pics * tasks * PMU_SIZE), *p = bytes;
    assert_non_null(bytes);
    make_job();
    for (unsigned task = 0; task < tasks; task++) {
        for (unsigned pic = 0; pic < pics; pic++)
            p = put_pmu(p, task, 600 * (pic + 1), 1, pic);
    }
    put_file("aicore.0.1.1", bytes, (size_t)pics * tasks * PMU_SIZE);
    free(bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "inference"), pics);
    assert_int_equal(row_count(collection, "inference_run"), pics * tasks);
    for (size_t i = 0; i < pics; i += 511) {
        assert_int_equal(row_integer(collection, "inference", i, "current_pic_count"), i);
        assert_int_equal(row_integer(collection, "inference", i, "tasks"), tasks);
        assert_int_equal(row_integer(collection, "inference", i, "total_cycle"), 1200 * (i + 1));
        int64_t start = row_integer(collection, "inference", i, "start_ns");
        assert_int_equal(row_integer(collection, "inference", i, "end_ns"), start + 2000 * ((int64_t)i + 1));
        assert_int_equal(row_integer(collection, "svp_pmu", pics + i, "start_ns"), start + 1000 * ((int64_t)i + 1));
    }
    collection_free(collection);
}

static void an_inference_without_a_done_file_follows_the_one_before_on_its_clock(void **state)
{
    (void)state;
    unsigned char bytes[2 * PMU_SIZE];
    make_job();
    put_pmu(put_pmu(bytes, 0, 600, 1, 0), 0, 600, 1, 1);
    put_file("aicore.0.1.1", bytes, sizeof bytes);
    put_text("aicore.0.net.1.1.1.0.done", "starttime:5000\nendtime:9000\n");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_integer(collection, "inference", 0, "start_ns"), 5000);
    assert_int_equal(row_integer(collection, "inference", 1, "start_ns"), 6000);
    assert_int_equal(row_integer(collection, "inference", 0, "start_known"), 1);
    assert_int_equal(row_integer(collection, "inference", 1, "start_known"), 1);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_START_UNKNOWN, NULL), 1);
    collection_free(collection);
    remove(in_scratch("J/data/aicore.0.net.1.1.1.0.done"));
    collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_integer(collection, "inference", 0, "start_ns"), 0);
    assert_int_equal(row_integer(collection, "inference", 0, "start_known"), 0);
    assert_int_equal(row_integer(collection, "inference", 1, "start_known"), 0);
    collection_free(collection);
}

static void rounding_never_adds_up_over_the_tasks_of_an_inference(void **state)
{
    (void)state;
    const unsigned tasks = 1000;
    unsigned char bytes[1000 * PMU_SIZE], *p = bytes;
    make_job();
    for (unsigned i = 0; i < tasks; i++)
        p = put_pmu(p, i, 100, 1, 0); /* 166.67 ns each */
    put_file("aicore.0.1.1", bytes, sizeof bytes);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_integer(collection, "inference", 0, "end_ns"), 166666);
    int64_t end = 0;
    for (size_t i = 0; i < tasks; i++) {
        assert_int_equal(row_integer(collection, "svp_pmu", i, "start_ns"), end);
        end += row_integer(collection, "svp_pmu", i, "duration_ns");
    }
    assert_int_equal(end, 166666);
    collection_free(collection);
}

static void exactly_512_api_records_say_that_the_buffer_was_full(void **state)
{
    (void)state;
    unsigned char *bytes = malloc(513 * (size_t)ACL_SIZE), *p = bytes;
    assert_non_null(bytes);
    make_job();
    for (unsigned i = 0; i < 513; i++)
        p = put_acl(p, "call", i, i + 1);
    for (size_t count = 511; count <= 513; count++) {
        put_file("acl_api.0.net.1", bytes, count * ACL_SIZE);
        struct collection *collection = collect(in_scratch("J"), NULL);
        assert_int_equal(reported(collection_diagnostics(collection), DIAG_API_OVERFLOW, NULL), count == 512);
        collection_free(collection);
    }
    free(bytes);
}

static void missing_layers_are_told_once_for_each_task(void **state)
{
    (void)state;
    unsigned char bytes[6 * PMU_SIZE], *p = bytes;
    make_job();
    for (unsigned i = 0; i < 6; i++)
        p = put_pmu(p, i % 3, 600, 1, i / 3);
    put_file("aicore.0.1.1", bytes, sizeof bytes);
    put_text("net.1.layer.info", "[{\"layer_id\":0,\"task_id\":1}]");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_LAYER_MISSING, NULL), 2);
    assert_int_equal(row_count(collection, "svp_pmu"), 6);
    collection_free(collection);
}

/* ---- ending early ---- */

static struct row_batch *refuse(struct row_sink *sink, const struct record_kind *kind, struct err *err)
{
    (void)sink;
    (void)kind;
    err_set(err, ERR_NO_SPACE, "no room");
    return NULL;
}

static int decode_with(struct row_sink *sink, bool strict, struct err *err)
{
    const struct capture_options options = {.clock_khz = 0};
    struct diagnostics diag;
    struct capture capture;
    diag_init(&diag, strict);
    assert_int_equal(capture_open(&capture, in_scratch("J"), &options, &diag, err), 0);
    int status = decode_capture(&capture, sink, NULL, err);
    capture_release(&capture);
    diag_release(&diag);
    return status;
}

static void a_sink_that_fails_ends_the_decoding_with_its_error(void **state)
{
    (void)state;
    unsigned char bytes[PMU_SIZE];
    struct row_sink sink = {refuse, NULL, NULL};
    struct err err = ERR_INIT;
    make_job();
    put_pmu(bytes, 0, 600, 1, 0);
    put_file("aicore.0.1.1", bytes, sizeof bytes);
    assert_int_equal(decode_with(&sink, false, &err), -ERR_NO_SPACE);
    assert_string_equal(err.causes[0], "no room");
}

static void an_interrupt_or_a_strict_problem_ends_the_decoding(void **state)
{
    (void)state;
    unsigned char bytes[PMU_SIZE];
    struct row_sink sink = {refuse, NULL, NULL};
    struct err err = ERR_INIT;
    make_job();
    put_acl(bytes, "backwards", 2, 1);
    put_file("acl_api.0.net.1", bytes, 5);
    assert_int_equal(decode_with(&sink, true, &err), -ERR_STRICT);
    assert_non_null(strstr(err_message(&err), "acl_api.0.net.1"));
    interrupt_signal = 2;
    err = (struct err)ERR_INIT;
    assert_int_equal(decode_with(&sink, false, &err), -ERR_INTERRUPTED);
    interrupt_signal = 0;
}

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_is_read_in_both_byte_orders),
        cmocka_unit_test(every_width_is_read_anywhere_in_a_record_of_any_size_and_nothing_beside_it),
        cmocka_unit_test(signed_values_and_bit_ranges_are_extended_from_their_own_top_bit),
        cmocka_unit_test(scales_multiply_first_and_an_overflow_is_a_bad_value),
        SCRATCH_TEST(records_that_straddle_slices_are_whole),
        SCRATCH_TEST(slices_are_read_in_the_order_of_their_numbers),
        SCRATCH_TEST(a_missing_slice_is_named_and_the_others_are_decoded_apart),
        SCRATCH_TEST(damage_in_a_later_slice_is_told_with_its_own_offset),
        SCRATCH_TEST(the_record_counter_wraps_from_15_to_0_and_a_gap_is_told),
        SCRATCH_TEST(of_several_starts_the_latest_counts_and_an_end_needs_one),
        SCRATCH_TEST(an_end_before_its_start_makes_no_task_and_is_out_of_order),
        SCRATCH_TEST(many_tasks_under_way_at_once_are_all_paired),
        SCRATCH_TEST(the_largest_ids_that_a_layout_can_give_are_paired_too),
        SCRATCH_TEST(interleaved_inferences_keep_their_own_times),
        SCRATCH_TEST(an_inference_without_a_done_file_follows_the_one_before_on_its_clock),
        SCRATCH_TEST(rounding_never_adds_up_over_the_tasks_of_an_inference),
        SCRATCH_TEST(exactly_512_api_records_say_that_the_buffer_was_full),
        SCRATCH_TEST(missing_layers_are_told_once_for_each_task),
        SCRATCH_TEST(a_sink_that_fails_ends_the_decoding_with_its_error),
        SCRATCH_TEST(an_interrupt_or_a_strict_problem_ends_the_decoding),
    };
    return cmocka_run_group_tests_name("decoder", tests, NULL, NULL);
}
