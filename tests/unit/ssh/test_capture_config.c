/* SPDX-License-Identifier: Apache-2.0 */
/* The small files beside the data: what .done and info.json say, and what they may not. */
#include "tests/lib/collect.h"
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- .done files ---- */

static void a_done_file_gives_times_and_counts_with_blanks_allowed(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    put_layers();
    put_text("aicore.0.net.1.1.1.0.done", "filesize:128\r\nstarttime : 5000\n\tendtime  :  9000 \nicache_hit: 90\n"
                                          "icache_miss:10\nfuture key: anything: at all\n\n");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_integer(collection, "inference", 0, "start_ns"), 5000);
    assert_int_equal(row_integer(collection, "inference", 0, "icache_hit"), 90);
    assert_int_equal(row_integer(collection, "inference", 0, "icache_miss"), 10);
    assert_int_equal(diag_problems(collection_diagnostics(collection)), 0);
    collection_free(collection);
}

static void a_done_file_that_contradicts_its_data_is_reported(void **state)
{
    (void)state;
    make_job();
    put_one_call("acl_api.0.net.1");
    put_text("acl_api.0.net.1.done", "filesize:256\n");
    put_text("acl_api.0.gone.1.done", "filesize:128\n");
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(row_count(collection, "acl_call"), 1);
    assert_report(diag, DIAG_FILE_SIZE, "data/acl_api.0.net.1", "128 bytes", "expects 256", "copy it again", NULL);
    assert_report(diag, DIAG_FILE_MISSING, "data/acl_api.0.gone.1.done", "'data/acl_api.0.gone.1'", NULL);
    collection_free(collection);
}

static void a_done_file_with_impossible_times_is_ignored_and_its_records_kept(void **state)
{
    (void)state;
    static const char *const texts[] = {"starttime:9000\nendtime:5000\n",
                                        "starttime:9223372036854775807\n",
                                        "starttime:5\nendtime:9223372036854775807\n",
                                        "starttime:-5\n",
                                        "starttime:99999999999999999999\n",
                                        "starttime:0x10\n",
                                        "garbage\n"};
    make_job();
    put_one_task("aicore.0.1.1");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_text("aicore.0.net.1.1.1.0.done", texts[i]);
        struct collection *collection = collect(in_scratch("J"), NULL);
        assert_int_equal(row_integer(collection, "inference", 0, "start_ns"), 0);
        assert_int_equal(row_integer(collection, "inference", 0, "start_known"), 0);
        assert_report(collection_diagnostics(collection), DIAG_CONFIG_INVALID, "data/aicore.0.net.1.1.1.0.done",
                      "expected", NULL);
        collection_free(collection);
    }
}

static void a_missing_done_file_is_a_note_and_no_problem(void **state)
{
    (void)state;
    make_job();
    put_one_call("acl_api.0.net.1");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(diag_problems(collection_diagnostics(collection)), 0);
    assert_report(collection_diagnostics(collection), DIAG_NO_FINALIZE, "acl_api.0.net.1", "svp_acl_finalize()", NULL);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_NO_DEVICE_DATA, NULL), 1);
    collection_free(collection);
}

/* ---- info.json ---- */

static int64_t frequency_of_device(int64_t device_id, uint64_t *ret_problems)
{
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct device_info *device = capture_device(collection_capture(collection), device_id);
    int64_t khz = device != NULL ? device->core_khz : -1;
    *ret_problems = reported(collection_diagnostics(collection), DIAG_CONFIG_INVALID, NULL);
    collection_free(collection);
    return khz;
}

static void info_json_gives_the_frequency_as_text_or_number(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t khz;
    } cases[] = {
        {"{\"DeviceInfo\": [{\"aic_frequency\": \"600\"}]}", 600000},
        {"{\"DeviceInfo\": [{\"aic_frequency\": \"38.4\"}]}", 38400},
        {"{\"DeviceInfo\": [{\"aic_frequency\": 475}]}", 475000},
        {"{\"DeviceInfo\": [{\"id\": 0, \"aic_frequency\": \"594\", \"more\": {}}], \"x\": 1}", 594000},
    };
    uint64_t problems;
    make_job();
    put_one_task("aicore.0.1.1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scratch_make_file("J/info.json.0", cases[i].text);
        assert_int_equal(frequency_of_device(0, &problems), cases[i].khz);
        assert_int_equal(problems, 0);
    }
}

static void an_info_json_that_makes_no_sense_is_reported_and_ignored(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "null",
        "{\"DeviceInfo\": {}}",
        "{\"DeviceInfo\": [1]}",
        "{}",
        "{\"DeviceInfo\": [{\"aic_frequency\": -5}]}",
        "{\"DeviceInfo\": [{\"aic_frequency\": \"0\"}]}",
        "{\"DeviceInfo\": [{\"aic_frequency\": \"1e3\"}]}",
        "{\"DeviceInfo\": [{\"aic_frequency\": []}]}",
        "{\"DeviceInfo\": [{\"aic_frequency\": \"100001\"}]}",
        "{\"DeviceInfo\": [{\"id\": -1, \"aic_frequency\": \"600\"}]}",
        "{\"DeviceInfo\": [{\"id\": \"x\", \"aic_frequency\": \"600\"}]}",
        "{\"DeviceInfo\": [{\"id\": 99999999999999999999, \"aic_frequency\": \"600\"}]}",
        "\xff\xfe{\"DeviceInfo\": [{\"aic_frequency\": \"600\"}]}",
    };
    uint64_t problems;
    make_job();
    put_one_task("aicore.0.1.1");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        scratch_make_file("J/info.json.0", texts[i]);
        if (frequency_of_device(0, &problems) != -1 || problems != 1)
            fail_msg("'%s': %d problems", texts[i], (int)problems);
    }
}

static void info_json_without_a_device_number_in_its_name_is_not_taken_for_device_0(void **state)
{
    (void)state;
    uint64_t problems;
    make_job();
    put_one_task("aicore.0.1.1");
    assert_int_equal(rename(in_scratch("J/info.json.0"), in_scratch("J/info.json.old")), 0);
    assert_int_equal(frequency_of_device(0, &problems), -1);
    assert_int_equal(problems, 1);
}

static void a_missing_info_json_costs_the_times_and_nothing_else(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    assert_int_equal(remove(in_scratch("J/info.json.0")), 0);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_integer(collection, "svp_pmu", 0, "total_cycle"), 600);
    assert_report(collection_diagnostics(collection), DIAG_CONFIG_MISSING, "aic_frequency", "device 0", "--freq-mhz",
                  NULL);
    collection_free(collection);
}

static void an_info_json_of_100_megabytes_is_not_read(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    assert_int_equal(truncate(in_scratch("J/info.json.0"), INT64_C(100) << 20), 0);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "svp_pmu"), 1);
    assert_report(collection_diagnostics(collection), DIAG_FILE_LIMIT, "info.json.0", "at most 1048576 bytes", NULL);
    collection_free(collection);
}

static void as_many_devices_as_are_documented_fit_and_no_more(void **state)
{
    (void)state;
    char *text = malloc(1 << 20), *p = text;
    assert_non_null(text);
    make_job();
    put_one_task("aicore.0.1.1");
    p += sprintf(p, "{\"DeviceInfo\": [");
    for (int i = 0; i < CAPTURE_MAX_DEVICES + 2; i++)
        p += sprintf(p, "%s{\"id\": %d, \"aic_frequency\": \"%d\"}", i > 0 ? "," : "", i, i + 1);
    sprintf(p, "]}");
    scratch_make_file("J/info.json.0", text);
    free(text);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct capture *capture = collection_capture(collection);
    assert_int_equal(capture_device(capture, CAPTURE_MAX_DEVICES - 1)->core_khz, CAPTURE_MAX_DEVICES * 1000);
    assert_null(capture_device(capture, CAPTURE_MAX_DEVICES));
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_LIMIT, NULL), 2);
    collection_free(collection);
}

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_done_file_gives_times_and_counts_with_blanks_allowed),
        SCRATCH_TEST(a_done_file_that_contradicts_its_data_is_reported),
        SCRATCH_TEST(a_done_file_with_impossible_times_is_ignored_and_its_records_kept),
        SCRATCH_TEST(a_missing_done_file_is_a_note_and_no_problem),
        SCRATCH_TEST(info_json_gives_the_frequency_as_text_or_number),
        SCRATCH_TEST(an_info_json_that_makes_no_sense_is_reported_and_ignored),
        SCRATCH_TEST(info_json_without_a_device_number_in_its_name_is_not_taken_for_device_0),
        SCRATCH_TEST(a_missing_info_json_costs_the_times_and_nothing_else),
        SCRATCH_TEST(an_info_json_of_100_megabytes_is_not_read),
        SCRATCH_TEST(as_many_devices_as_are_documented_fit_and_no_more),
    };
    return cmocka_run_group_tests_name("small files of a capture", tests, NULL, NULL);
}
