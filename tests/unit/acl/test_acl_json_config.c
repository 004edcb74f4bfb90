/* SPDX-License-Identifier: Apache-2.0 */
/* acl.json: which keys and values it may have, where its captures go, and what it excludes. */
#include "acl/config/json_config.h"
#include "acl/config/option_rule.h"
#include "acl/mode.h"
#include "acl/stamp.h"
#include "msprof/acl_prof.h"
#include "tests/lib/acl_capture.h"
#include "tests/lib/scratch.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct acl_json_config config;

/* Writes acl.json with these members of "profiler" and loads it. */
static aclError load(const char *members)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "{\"profiler\": {%s}}", members);
    scratch_make_file("acl.json", text);
    acl_json_config_release(&config);
    return acl_json_config_load(in_scratch("acl.json"), RECORDER_PROF, &config);
}

static aclError load_on(const char *members)
{
    char text[1024];
    (void)snprintf(text, sizeof text, "\"switch\": \"on\", \"output\": \"%s\"%s%s", in_scratch("out"),
                   *members == '\0' ? "" : ", ", members);
    return load(text);
}

static int release(void **state)
{
    acl_json_config_release(&config);
    (void)msprof_acl_json_stop();
    unsetenv("ASCEND_WORK_PATH");
    return scratch_teardown(state);
}

static void what_is_absent_has_its_default(void **state)
{
    (void)state;
    assert_int_equal(load_on(""), ACL_SUCCESS);
    assert_true(config.enabled && config.options.sample.acl_calls && config.options.sample.task_time &&
                config.options.sample.runtime_calls);
    assert_false(config.options.sample.msproftx);
    assert_string_equal(config.options.sample.metrics, "PipeUtilization");
    assert_int_equal(config.options.storage_limit, 0);
    assert_ends_with(config.output, "/out");
    assert_int_equal(access(config.output, W_OK), 0);
}

static void what_is_said_counts(void **state)
{
    (void)state;
    assert_int_equal(
        load_on("\"ascendcl\": \"off\", \"task_time\": \"off\", \"runtime_api\": \"off\", \"msproftx\": \"on\","
                "\"aic_metrics\": \"Memory\", \"storage_limit\": \"200MB\""),
        ACL_SUCCESS);
    assert_false(config.options.sample.acl_calls || config.options.sample.task_time ||
                 config.options.sample.runtime_calls);
    assert_true(config.options.sample.msproftx);
    assert_string_equal(config.options.sample.metrics, "Memory");
    assert_int_equal(config.options.storage_limit, 200 * 1024 * 1024);
    assert_int_equal(load_on("\"acl_api\": \"off\", \"aic_metrics\": \"None\", \"task_time\": \"l1\""), ACL_SUCCESS);
    assert_int_equal(config.options.form, RECORDER_PROF);
    assert_false(config.options.sample.acl_calls);
    assert_null(config.options.sample.metrics);
    assert_true(config.options.sample.task_time);
}

static void a_key_of_boards_makes_the_file_one_of_a_board(void **state)
{
    static const char *const members[] = {"\"aacpu\": \"on\"", "\"interval\": \"25\"",
                                          "\"aac_metrics\": \"ArithmeticUtilization\""};
    (void)state;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        assert_int_equal(load_on(members[i]), ACL_SUCCESS);
        assert_int_equal(config.options.form, RECORDER_JOB);
        assert_string_equal(config.options.sample.metrics, "ArithmeticUtilization");
    }
    assert_int_equal(load_on("\"interval\": 7"), ACL_SUCCESS);
}

static void metrics_that_boards_do_not_count_are_not_collected(void **state)
{
    static const char *const members[] = {"\"aac_metrics\": \"off\"", "\"aac_metrics\": \"none\"",
                                          "\"aac_metrics\": \"\"",
                                          "\"interval\": 0, \"aic_metrics\": \"PipeUtilization\""};
    (void)state;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        assert_int_equal(load_on(members[i]), ACL_SUCCESS);
        assert_null(config.options.sample.metrics);
    }
    assert_int_equal(load_on("\"aic_metrics\": \"off\""), ACL_ERROR_INVALID_PROFILING_CONFIG); /* of CANN */
}

static void boards_make_no_output_and_write_beside_the_program_then(void **state)
{
    char program[512];
    (void)state;
    (void)snprintf(program, sizeof program, "%s", in_scratch("main.py"));
    setenv("ASCEND_WORK_PATH", in_scratch("work"), 1);
    msprof_acl_set_program(program);
    assert_int_equal(load_on("\"aacpu\": \"on\""), ACL_SUCCESS);
    assert_string_equal(config.output, scratch_directory);
    assert_int_equal(access(in_scratch("out"), F_OK), -1);
    assert_int_equal(mkdir(in_scratch("out"), 0700), 0);
    assert_int_equal(load_on("\"aacpu\": \"on\""), ACL_SUCCESS);
    assert_ends_with(config.output, "/out");
    assert_int_equal(load("\"switch\": \"on\", \"aacpu\": \"on\""), ACL_SUCCESS);
    assert_string_equal(config.output, scratch_directory);
    msprof_acl_set_program(NULL);
}

static void boards_have_metrics_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(load_on(""), ACL_SUCCESS);
    acl_json_config_release(&config);
    assert_int_equal(acl_json_config_load(in_scratch("acl.json"), RECORDER_JOB, &config), ACL_SUCCESS);
    assert_string_equal(config.options.sample.metrics, "ArithmeticUtilization");
}

static void only_a_switch_that_says_on_is_on(void **state)
{
    static const char *const off[] = {"",
                                      "\"switch\": \"off\"",
                                      "\"switch\": \"ON\"",
                                      "\"switch\": \"true\"",
                                      "\"output\": \"/x\"",
                                      "\"switch\": \"off\", \"msproftx\": \"on\""};
    (void)state;
    for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
        assert_int_equal(load(off[i]), ACL_SUCCESS);
        assert_false(config.enabled);
        assert_null(config.output);
    }
    scratch_make_file("acl.json", "{\"dump\": {}}");
    assert_int_equal(acl_json_config_load(in_scratch("acl.json"), RECORDER_PROF, &config), ACL_SUCCESS);
    assert_false(config.enabled);
}

static void every_documented_key_is_known(void **state)
{
    static const char *const keys[] = {
        "\"aicpu\": \"on\"",
        "\"aacpu\": \"on\"",
        "\"l2\": \"on\"",
        "\"hccl\": \"off\"",
        "\"instr_profiling\": \"off\"",
        "\"instr_profiling_freq\": \"300\"",
        "\"task_tsfw\": \"on\"",
        "\"ge_api\": \"l0\"",
        "\"task_memory\": \"on\"",
        "\"sys_hardware_mem_freq\": \"100\"",
        "\"sys_mem_serviceflow\": \"a,b\"",
        "\"llc_profiling\": \"read\"",
        "\"sys_io_sampling_freq\": \"1\"",
        "\"sys_interconnection_freq\": 50",
        "\"sys_cpu_freq\": \"50\"",
        "\"dvpp_freq\": \"100\"",
        "\"host_sys\": \"cpu,mem\"",
        "\"host_sys_usage\": \"cpu\"",
        "\"host_sys_usage_freq\": \"50\"",
        "\"sys_lp_freq\": \"100\"",
        "\"optype\": \"Conv2D\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (load_on(keys[i]) != ACL_SUCCESS)
            fail_msg("%s: %s", keys[i], msprof_acl_message());
    }
}

static void an_unknown_key_is_left_out_and_the_rest_holds(void **state)
{
    (void)state;
    assert_int_equal(load_on("\"colour\": \"red\", \"ascendcl\": \"off\""), ACL_SUCCESS);
    assert_true(config.enabled);
    assert_false(config.options.sample.acl_calls);
}

static void values_are_taken_as_cann_takes_them(void **state)
{
    static const char *const custom = "\"aic_metrics\": \"Custom:0x49,0x8,0x15,0x1b,0x64,0x10\"";
    (void)state;
    assert_int_equal(load_on("\"aic_metrics\": \"\""), ACL_SUCCESS);
    assert_string_equal(config.options.sample.metrics, "PipeUtilization");
    assert_int_equal(load_on(custom), ACL_SUCCESS);
    assert_string_equal(config.options.sample.metrics, "Custom:0x49,0x8,0x15,0x1b,0x64,0x10");
    assert_int_equal(load_on("\"task_trace\": \"off\""), ACL_SUCCESS);
    assert_false(config.options.sample.task_time);
    assert_int_equal(load_on("\"task_trace\": \"l1\", \"scale\": \"all\""), ACL_SUCCESS);
    assert_true(config.options.sample.task_time);
    assert_int_equal(load_on("\"task_trace\": \"l4\""), ACL_ERROR_INVALID_PROFILING_CONFIG);
}

static void bad_values_are_refused(void **state)
{
    static const char *const bad[] = {
        "\"interval\": \"10000\"",
        "\"interval\": \"-1\"",
        "\"interval\": \"x\"",
        "\"ascendcl\": \"yes\"",
        "\"ascendcl\": true",
        "\"ascendcl\": null",
        "\"aic_metrics\": \"Everything\"",
        "\"storage_limit\": \"100MB\"",
        "\"sys_hardware_mem_freq\": 10001",
        "\"sys_hardware_mem_freq\": 1.5",
        "\"host_sys\": \"gpu\"",
        "\"instr_profiling_freq\": \"299\"",
        "\"task_time\": \"l4\"",
        "\"optype\": {}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (load_on(bad[i]) != ACL_ERROR_INVALID_PROFILING_CONFIG)
            fail_msg("%s is accepted", bad[i]);
        assert_false(config.enabled);
    }
    scratch_make_file("acl.json", "{\"profiler\": []}");
    assert_int_equal(acl_json_config_load(in_scratch("acl.json"), RECORDER_PROF, &config),
                     ACL_ERROR_INVALID_PROFILING_CONFIG);
}

static void a_file_that_cannot_be_read_is_refused(void **state)
{
    char *text = malloc(1024 * 1024 + 2);
    (void)state;
    assert_non_null(text);
    assert_int_equal(acl_json_config_load(in_scratch("absent"), RECORDER_PROF, &config), ACL_ERROR_INVALID_FILE);
    scratch_make_file("acl.json", "{\"profiler\": ");
    assert_int_equal(acl_json_config_load(in_scratch("acl.json"), RECORDER_PROF, &config), ACL_ERROR_INVALID_FILE);
    assert_acl_message("line 1, column");
    memset(text, ' ', 1024 * 1024 + 1);
    text[0] = '{';
    text[1024 * 1024 - 1] = '}';
    text[1024 * 1024] = '\0';
    scratch_make_file("acl.json", text);
    assert_int_equal(acl_json_config_load(in_scratch("acl.json"), RECORDER_PROF, &config), ACL_SUCCESS);
    text[1024 * 1024] = ' ';
    text[1024 * 1024 + 1] = '\0';
    scratch_make_file("acl.json", text);
    assert_int_equal(acl_json_config_load(in_scratch("acl.json"), RECORDER_PROF, &config), ACL_ERROR_INVALID_FILE);
    free(text);
}

static void a_bad_output_gives_way_to_the_work_path_and_that_to_the_directory_of_the_program(void **state)
{
    char program[PATH_MAX];
    (void)state;
    setenv("ASCEND_WORK_PATH", in_scratch("work"), 1);
    assert_int_equal(load("\"switch\": \"on\", \"output\": \"a;b\""), ACL_SUCCESS);
    assert_ends_with(config.output, "/work/profiling_data");
    assert_int_equal(load("\"switch\": \"on\""), ACL_SUCCESS);
    assert_ends_with(config.output, "/work/profiling_data");
    assert_int_equal(load("\"switch\": \"on\", \"output\": \"/proc/nowhere\""), ACL_SUCCESS);
    assert_ends_with(config.output, "/work/profiling_data");
    unsetenv("ASCEND_WORK_PATH");
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    assert_true(length > 0);
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    assert_int_equal(load("\"switch\": \"on\""), ACL_SUCCESS);
    assert_string_equal(config.output, program);
}

static void dump_and_profiling_exclude_each_other(void **state)
{
    (void)state;
    scratch_make_file("acl.json", "{\"dump\": {\"dump_list\": [{}]}, \"profiler\": {\"switch\": \"on\"}}");
    assert_int_equal(acl_json_config_load(in_scratch("acl.json"), RECORDER_PROF, &config), 100044);
    scratch_make_file("acl.json", "{\"dump\": {\"dump_list\": [{}]}, \"profiler\": {\"switch\": \"off\"}}");
    assert_int_equal(acl_json_config_load(in_scratch("acl.json"), RECORDER_PROF, &config), ACL_SUCCESS);
    scratch_make_file("acl.json", "{\"dump\": {\"dump_switch\": \"on\"}, \"profiler\": {\"switch\": \"on\"}}");
    assert_int_equal(acl_json_config_load(in_scratch("acl.json"), RECORDER_PROF, &config), 100044);
}

static void a_capture_by_acl_json_excludes_the_api_and_has_stamps(void **state)
{
    const char *path = in_scratch("api");
    (void)state;
    assert_int_equal(load_on("\"msproftx\": \"on\""), ACL_SUCCESS);
    assert_int_equal(msprof_acl_json_start(in_scratch("acl.json")), ACL_SUCCESS);
    assert_int_equal(acl_mode_active(), ACL_MODE_JSON);
    assert_int_equal(aclprofInit(path, strlen(path)), ACL_ERROR_PROF_ALREADY_RUN);
    assert_int_equal(msprof_acl_json_start(in_scratch("acl.json")), ACL_ERROR_PROF_ALREADY_RUN);
    msprof_mark("from acl.json");
    assert_int_equal(msprof_acl_json_stop(), ACL_SUCCESS);
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
    assert_null(aclprofCreateStamp());
    assert_int_equal(read_tx_records(), 1);
    assert_tx_record(0, 0, "from acl.json");
    assert_int_equal(load_on(""), ACL_SUCCESS);
    assert_int_equal(msprof_acl_json_start(in_scratch("acl.json")), ACL_SUCCESS);
    msprof_mark("unasked");
    assert_int_equal(msprof_acl_json_stop(), ACL_SUCCESS);
    assert_int_equal(read_tx_records(), 1);
    assert_int_equal(msprof_acl_json_stop(), ACL_SUCCESS);
}

static void nothing_begins_without_a_file_or_a_switch_or_while_the_api_is_used(void **state)
{
    (void)state;
    assert_int_equal(msprof_acl_json_start(NULL), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(acl_json_begin(NULL, RECORDER_PROF, "aclInit"), ACL_SUCCESS);
    assert_int_equal(acl_json_begin("", RECORDER_PROF, "aclInit"), ACL_SUCCESS);
    assert_int_equal(load("\"switch\": \"off\""), ACL_SUCCESS);
    assert_int_equal(msprof_acl_json_start(in_scratch("acl.json")), ACL_SUCCESS);
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
    assert_int_equal(load_on(""), ACL_SUCCESS);
    start_capture(ACL_PROF_ACL_API);
    assert_int_equal(msprof_acl_json_start(in_scratch("acl.json")), ACL_ERROR_PROF_ALREADY_RUN);
    assert_int_equal(msprof_acl_json_stop(), ACL_SUCCESS);
    assert_true(recorder_running());
    stop_capture();
    assert_int_equal(acl_mode_claim(ACL_MODE_SUBSCRIBE, "test"), ACL_SUCCESS);
    assert_int_equal(msprof_acl_json_start(in_scratch("acl.json")), ACL_ERROR_PROF_API_CONFLICT);
    acl_mode_release(ACL_MODE_SUBSCRIBE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_absent_has_its_default),
        TEST(what_is_said_counts),
        TEST(boards_have_metrics_of_their_own),
        TEST(a_key_of_boards_makes_the_file_one_of_a_board),
        TEST(metrics_that_boards_do_not_count_are_not_collected),
        TEST(boards_make_no_output_and_write_beside_the_program_then),
        TEST(only_a_switch_that_says_on_is_on),
        TEST(every_documented_key_is_known),
        TEST(an_unknown_key_is_left_out_and_the_rest_holds),
        TEST(values_are_taken_as_cann_takes_them),
        TEST(bad_values_are_refused),
        TEST(a_file_that_cannot_be_read_is_refused),
        TEST(a_bad_output_gives_way_to_the_work_path_and_that_to_the_directory_of_the_program),
        TEST(dump_and_profiling_exclude_each_other),
        TEST(a_capture_by_acl_json_excludes_the_api_and_has_stamps),
        TEST(nothing_begins_without_a_file_or_a_switch_or_while_the_api_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
