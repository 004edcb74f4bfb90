/* SPDX-License-Identifier: Apache-2.0 */
/* File mode of the ACL API: every documented check, code and order. */
#include "acl/config/config.h"
#include "acl/mode.h"
#include "acl/recorder/recorder.h"
#define MSPROF_ACL_TENSOR_INFO
#include "msprof/acl_prof.h"
#include "msprof/svp_acl_prof.h"
#include "tests/lib/acl_capture.h"
#include "tests/lib/scratch.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MASK (ACL_PROF_ACL_API | ACL_PROF_TASK_TIME)

static aclError init(const char *name)
{
    const char *path = in_scratch(name);
    return aclprofInit(path, strlen(path));
}

static aclprofConfig *config_of(uint32_t device, uint64_t mask)
{
    aclprofConfig *config = aclprofCreateConfig(&device, 1, ACL_AICORE_PIPE_UTILIZATION, NULL, mask);
    assert_non_null(config);
    return config;
}

/* Names that begin with a text in a directory of the scratch directory. */
static size_t count_entries(const char *name, const char *beginning)
{
    size_t count = 0;
    DIR *directory = opendir(in_scratch(name));
    if (directory == NULL)
        return 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory))
        count += strncmp(entry->d_name, beginning, strlen(beginning)) == 0;
    (void)closedir(directory);
    return count;
}

/* --- init and finalize --- */

static void init_refuses_a_path_that_is_no_path(void **state)
{
    char longest[4098];
    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(aclprofInit(NULL, 3), ACL_ERROR_INVALID_PARAM);
    assert_acl_message("EK0006");
    assert_int_equal(aclprofInit("abc", 0), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofInit("abc", 2), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofInit("abc", 4), ACL_ERROR_INVALID_PARAM);
    assert_acl_message("EK0001: Value 4 for parameter length is invalid.");
    assert_int_equal(aclprofInit(longest + 1, 4096), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
}

static void init_refuses_every_forbidden_character(void **state)
{
    const char *forbidden = "\n\f\r\b\t\v\x7f\"'\\%><|&$;`";
    (void)state;
    for (const char *c = forbidden; *c != '\0'; c++) {
        char name[] = "a?b";
        name[1] = *c;
        assert_int_equal(init(name), ACL_ERROR_INVALID_FILE);
        assert_false(scratch_exists(name));
    }
    assert_acl_message("'`'");
    assert_int_equal(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
}

static void init_creates_the_directory_with_its_parents(void **state)
{
    struct stat st;
    (void)state;
    assert_int_equal(init("a/b c/d"), ACL_SUCCESS);
    assert_int_equal(stat(in_scratch("a/b c/d"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0750);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
}

static void init_refuses_what_cannot_be_a_directory(void **state)
{
    (void)state;
    scratch_make_file("file", "x");
    assert_int_equal(init("file"), ACL_ERROR_INVALID_FILE);
    assert_int_equal(init("file/below"), ACL_ERROR_INVALID_FILE);
    assert_int_equal(aclprofInit("/proc/nothing/here", 18), ACL_ERROR_INVALID_FILE);
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
}

static void a_second_init_is_refused_and_the_first_one_stays(void **state)
{
    (void)state;
    assert_int_equal(init("one"), ACL_SUCCESS);
    assert_int_equal(init("two"), ACL_ERROR_REPEAT_INITIALIZE);
    assert_false(scratch_exists("two"));
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
    assert_acl_message(
        "EK0002: Please call the APIs in the following order: call aclprofInit first, then aclprofFinalize.");
    assert_int_equal(init("two"), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
}

static void other_ways_of_profiling_exclude_file_mode(void **state)
{
    (void)state;
    assert_int_equal(acl_mode_claim(ACL_MODE_SUBSCRIBE, "test"), ACL_SUCCESS);
    assert_int_equal(init("x"), ACL_ERROR_PROF_API_CONFLICT);
    assert_acl_message("EK0007");
    assert_int_equal(aclprofFinalize(), ACL_ERROR_PROF_API_CONFLICT);
    acl_mode_release(ACL_MODE_SUBSCRIBE);
    assert_int_equal(acl_mode_claim(ACL_MODE_COMMAND, "test"), ACL_SUCCESS);
    assert_int_equal(init("x"), ACL_ERROR_PROF_ALREADY_RUN);
    acl_mode_release(ACL_MODE_COMMAND);
    assert_int_equal(acl_mode_claim(ACL_MODE_JSON, "test"), ACL_SUCCESS);
    assert_int_equal(init("x"), ACL_ERROR_PROF_ALREADY_RUN);
    acl_mode_release(ACL_MODE_JSON);
    assert_int_equal(init("x"), ACL_SUCCESS);
    assert_int_equal(acl_mode_claim(ACL_MODE_SUBSCRIBE, "test"), ACL_ERROR_PROF_API_CONFLICT);
    assert_int_equal(acl_mode_claim(ACL_MODE_JSON, "test"), ACL_ERROR_PROF_ALREADY_RUN);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
}

static void claims_of_subscription_are_counted(void **state)
{
    (void)state;
    assert_int_equal(acl_mode_claim(ACL_MODE_SUBSCRIBE, "test"), ACL_SUCCESS);
    assert_int_equal(acl_mode_claim(ACL_MODE_SUBSCRIBE, "test"), ACL_SUCCESS);
    acl_mode_release(ACL_MODE_SUBSCRIBE);
    assert_int_equal(acl_mode_active(), ACL_MODE_SUBSCRIBE);
    acl_mode_release(ACL_MODE_API);
    assert_int_equal(acl_mode_active(), ACL_MODE_SUBSCRIBE);
    acl_mode_release(ACL_MODE_SUBSCRIBE);
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
    acl_mode_release(ACL_MODE_SUBSCRIBE);
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
}

/* --- configurations --- */

static void a_configuration_needs_devices_that_exist_once(void **state)
{
    uint32_t devices[65];
    (void)state;
    for (uint32_t i = 0; i < 65; i++)
        devices[i] = i;
    assert_null(aclprofCreateConfig(NULL, 1, ACL_AICORE_NONE, NULL, MASK));
    assert_null(aclprofCreateConfig(devices, 65, ACL_AICORE_NONE, NULL, MASK));
    assert_null(aclprofCreateConfig(devices + 64, 1, ACL_AICORE_NONE, NULL, MASK));
    devices[1] = 0;
    assert_null(aclprofCreateConfig(devices, 2, ACL_AICORE_NONE, NULL, MASK));
    assert_acl_message("Value 0 for parameter deviceIdList is invalid. Reason: the device is named twice.");
    devices[1] = 1;
    aclprofConfig *all = aclprofCreateConfig(devices, 64, ACL_AICORE_NONE, NULL, MASK);
    assert_non_null(all);
    assert_int_equal(aclprofDestroyConfig(all), ACL_SUCCESS);
}

static void the_environment_says_how_many_devices_there_are(void **state)
{
    uint32_t devices[] = {0, 1, 2};
    (void)state;
    setenv("MSPROF_ACL_DEVICES", "2", 1);
    assert_null(aclprofCreateConfig(devices, 3, ACL_AICORE_NONE, NULL, MASK));
    assert_null(aclprofCreateConfig(devices + 2, 1, ACL_AICORE_NONE, NULL, MASK));
    aclprofConfig *config = aclprofCreateConfig(devices, 2, ACL_AICORE_NONE, NULL, MASK);
    assert_non_null(config);
    assert_int_equal(aclprofDestroyConfig(config), ACL_SUCCESS);
    static const char *const nonsense[] = {"0", "65", "x", ""};
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        setenv("MSPROF_ACL_DEVICES", nonsense[i], 1);
        assert_int_equal(acl_device_count(), 64);
    }
    unsetenv("MSPROF_ACL_DEVICES");
}

static void a_configuration_without_devices_needs_msproftx(void **state)
{
    (void)state;
    assert_null(aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, MASK));
    aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
    assert_non_null(config);
    assert_int_equal(init("x"), ACL_SUCCESS);
    assert_int_equal(aclprofStart(config), ACL_SUCCESS);
    assert_int_equal(aclprofStart(config), ACL_ERROR_PROF_ALREADY_RUN);
    assert_int_equal(aclprofStop(config), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    assert_int_equal(aclprofDestroyConfig(config), ACL_SUCCESS);
}

static void events_and_unknown_metrics_are_refused(void **state)
{
    uint32_t device = 0;
    const aclprofAicoreEvents *events = (const aclprofAicoreEvents *)(const void *)&device;
    (void)state;
    assert_null(aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, events, MASK));
    assert_null(aclprofCreateConfig(&device, 1, (aclprofAicoreMetrics)9, NULL, MASK));
    for (int metrics = 0; metrics <= 8; metrics++) {
        aclprofConfig *config = aclprofCreateConfig(&device, 1, (aclprofAicoreMetrics)metrics, NULL, MASK);
        assert_non_null(config);
        assert_int_equal(aclprofDestroyConfig(config), ACL_SUCCESS);
    }
}

static void a_destroyed_configuration_is_an_error_everywhere(void **state)
{
    (void)state;
    aclprofConfig *config = config_of(0, MASK);
    assert_int_equal(aclprofDestroyConfig(config), ACL_SUCCESS);
    assert_int_equal(aclprofDestroyConfig(config), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofDestroyConfig(NULL), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(init("x"), ACL_SUCCESS);
    assert_int_equal(aclprofStart(config), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofStop(config), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
}

static void bits_bring_other_bits(void **state)
{
    const uint64_t always = 0x4000000000000000;
    (void)state;
    assert_int_equal(acl_mask_expand(ACL_PROF_ACL_API), ACL_PROF_ACL_API | always);
    assert_int_equal(acl_mask_expand(0x2), 0x2 | 0x800 | 0x40 | always);
    assert_int_equal(acl_mask_expand(0x800), 0x800 | 0x40 | always);
    assert_int_equal(acl_mask_expand(0x2000), 0x2000 | 0x2 | 0x800 | 0x40 | always);
    assert_int_equal(acl_mask_expand(0x4000), 0x4000 | 0x2 | 0x800 | 0x40 | always);
    assert_int_equal(acl_mask_expand(0x8000), 0x8000 | 0x2000 | 0x2 | 0x800 | 0x40 | always);
    assert_int_equal(acl_mask_expand(0x400000000 | 0x1 | 0x2 | 0x80), 0x400000000 | 0x1 | always);
}

/* --- start and stop --- */

static void start_checks_its_configuration_first(void **state)
{
    (void)state;
    aclprofConfig *nothing = config_of(0, 0);
    aclprofConfig *unknown = config_of(0, MASK | 0x400);
    aclprofConfig *good = config_of(0, MASK);
    assert_int_equal(aclprofStart(NULL), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofStart(nothing), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofStart(unknown), ACL_ERROR_PROF_MODULES_UNSUPPORTED);
    assert_acl_message("EK0005: Parameter dataTypeConfig is not supported: 0x400.");
    assert_int_equal(aclprofStart(good), ACL_ERROR_PROF_NOT_RUN);
    assert_acl_message("call aclprofInit first, then aclprofStart");
    assert_int_equal(aclprofStop(good), ACL_ERROR_PROF_NOT_RUN);
    assert_false(recorder_running());
    aclprofDestroyConfig(nothing);
    aclprofDestroyConfig(unknown);
    aclprofDestroyConfig(good);
}

static void captures_repeat_and_either_order_of_the_end_is_right(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        aclprofConfig *config = config_of((uint32_t)i, MASK);
        assert_int_equal(init("out"), ACL_SUCCESS);
        for (int j = 0; j < 2; j++) {
            assert_int_equal(aclprofStart(config), ACL_SUCCESS);
            assert_true(recorder_running());
            assert_int_equal(aclprofStop(config), ACL_SUCCESS);
            assert_false(recorder_running());
        }
        if (i % 2 == 0)
            assert_int_equal(aclprofDestroyConfig(config), ACL_SUCCESS);
        assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
        if (i % 2 == 1)
            assert_int_equal(aclprofDestroyConfig(config), ACL_SUCCESS);
    }
    assert_int_equal(count_entries("out", "PROF_"), 8);
}

static void a_configuration_that_runs_may_be_destroyed_and_stopped_by_an_equal_one(void **state)
{
    (void)state;
    aclprofConfig *config = config_of(3, MASK);
    assert_int_equal(init("out"), ACL_SUCCESS);
    assert_int_equal(aclprofStart(config), ACL_SUCCESS);
    assert_int_equal(aclprofDestroyConfig(config), ACL_SUCCESS);
    config = config_of(3, MASK);
    assert_int_equal(aclprofStop(config), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    aclprofDestroyConfig(config);
}

static void a_device_is_started_once_and_all_have_the_same_settings(void **state)
{
    (void)state;
    aclprofConfig *first = config_of(0, MASK);
    aclprofConfig *second = config_of(1, MASK);
    aclprofConfig *other = config_of(2, ACL_PROF_ACL_API);
    assert_int_equal(init("out"), ACL_SUCCESS);
    assert_int_equal(aclprofStart(first), ACL_SUCCESS);
    assert_int_equal(aclprofStart(first), ACL_ERROR_PROF_ALREADY_RUN);
    assert_int_equal(aclprofStart(other), ACL_ERROR_INVALID_PROFILING_CONFIG);
    assert_int_equal(aclprofStart(second), ACL_SUCCESS);
    assert_int_equal(aclprofStop(other), ACL_ERROR_INVALID_PROFILING_CONFIG);
    assert_int_equal(aclprofStop(first), ACL_SUCCESS);
    assert_true(recorder_running());
    assert_int_equal(aclprofStop(first), ACL_ERROR_INVALID_PROFILING_CONFIG);
    assert_int_equal(aclprofStop(second), ACL_SUCCESS);
    assert_false(recorder_running());
    assert_int_equal(aclprofStop(second), ACL_ERROR_PROF_NOT_RUN);
    assert_int_equal(aclprofStart(other), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    assert_false(recorder_running());
    assert_int_equal(count_entries("out", "PROF_"), 2);
    aclprofDestroyConfig(first);
    aclprofDestroyConfig(second);
    aclprofDestroyConfig(other);
}

static void the_path_option_stands_for_a_missing_init(void **state)
{
    (void)state;
    aclprofConfig *config = config_of(0, MASK);
    const char *path = in_scratch("by option");
    assert_int_equal(aclprofSetConfig(ACL_PROF_PATH, path, strlen(path)), ACL_SUCCESS);
    assert_int_equal(aclprofStart(config), ACL_SUCCESS);
    assert_int_equal(aclprofStop(config), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    assert_int_equal(count_entries("by option", "PROF_"), 1);
    assert_int_equal(aclprofStart(config), ACL_ERROR_PROF_NOT_RUN); /* finalize forgets options */
    aclprofDestroyConfig(config);
}

static void a_start_by_option_that_fails_changes_nothing(void **state)
{
    struct rlimit before;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    aclprofConfig *config = config_of(0, MASK);
    const char *path = in_scratch("by option");
    assert_int_equal(aclprofSetConfig(ACL_PROF_PATH, path, strlen(path)), ACL_SUCCESS);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(aclprofStart(config), ACL_ERROR_PROFILING_FAILURE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(acl_mode_active(), ACL_MODE_NONE);
    assert_int_equal(aclprofFinalize(), ACL_ERROR_PROF_NOT_RUN);
    assert_int_equal(init("by init"), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    aclprofDestroyConfig(config);
}

static void the_capture_is_where_init_said_whatever_the_working_directory_is(void **state)
{
    char before[4096];
    char path[4096];
    (void)state;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(scratch_directory), 0);
    aclprofConfig *config = config_of(0, MASK);
    assert_int_equal(aclprofInit("relative", 8), ACL_SUCCESS);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(aclprofStart(config), ACL_SUCCESS);
    assert_int_equal(aclprofStop(config), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(count_entries("relative", "PROF_"), 1);
    size_t length = msprof_acl_capture_path(path, sizeof path);
    assert_int_equal(length, strlen(path));
    assert_non_null(strstr(path, "/relative/PROF_"));
    char cut[5];
    assert_int_equal(msprof_acl_capture_path(cut, sizeof cut), length);
    assert_int_equal(strlen(cut), 4);
    assert_int_equal(msprof_acl_capture_path(NULL, 0), length);
    aclprofDestroyConfig(config);
}

static void a_directory_that_goes_away_makes_start_fail_and_a_later_start_succeed(void **state)
{
    (void)state;
    aclprofConfig *config = config_of(0, MASK);
    assert_int_equal(init("gone"), ACL_SUCCESS);
    assert_int_equal(rmdir(in_scratch("gone")), 0);
    scratch_make_file("gone", "a file in its place");
    assert_int_equal(aclprofStart(config), ACL_ERROR_PROFILING_FAILURE);
    assert_acl_message("gone");
    assert_false(recorder_running());
    assert_int_equal(unlink(in_scratch("gone")), 0);
    assert_int_equal(aclprofStart(config), ACL_SUCCESS);
    assert_int_equal(aclprofStop(config), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    aclprofDestroyConfig(config);
}

static void a_forked_child_may_stop_and_so_may_its_parent(void **state)
{
    int status;
    (void)state;
    aclprofConfig *config = config_of(0, MASK);
    assert_int_equal(init("out"), ACL_SUCCESS);
    assert_int_equal(aclprofStart(config), ACL_SUCCESS);
    pid_t child = fork();
    if (child == 0)
        _exit(aclprofStop(config) == ACL_SUCCESS && aclprofFinalize() == ACL_SUCCESS ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(aclprofStop(config), ACL_SUCCESS);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    aclprofDestroyConfig(config);
}

/* --- options --- */

static void assert_option(aclprofConfigType type, const char *value, aclError code)
{
    aclError found = aclprofSetConfig(type, value, strlen(value));
    if (found != code)
        fail_msg("option %d = '%s': %d, expected %d", (int)type, value, found, code);
}

static void options_are_checked_as_documented(void **state)
{
    static const struct {
        aclprofConfigType type;
        const char *good[3], *bad[4];
    } cases[] = {
        {ACL_PROF_STORAGE_LIMIT, {"200MB", "4294967295MB"}, {"199MB", "4294967296MB", "200", "MB"}},
        {ACL_PROF_SYS_HARDWARE_MEM_FREQ, {"1", "15", "10000"}, {"0", "10001", "1.5", "-1"}},
        {ACL_PROF_LLC_MODE, {"read", "write"}, {"read,write", "", "READ"}},
        {ACL_PROF_SYS_IO_FREQ, {"1", "100"}, {"0", "101"}},
        {ACL_PROF_SYS_INTERCONNECTION_FREQ, {"1", "50"}, {"0", "51"}},
        {ACL_PROF_DVPP_FREQ, {"1", "100"}, {"0", "101", "99999999999999999999"}},
        {ACL_PROF_HOST_SYS, {"cpu", "cpu,mem", "osrt,numa,disk"}, {"", "cpu,", "gpu", ",cpu"}},
        {ACL_PROF_HOST_SYS_USAGE, {"cpu,mem", "mem"}, {"disk", ""}},
        {ACL_PROF_HOST_SYS_USAGE_FREQ, {"50"}, {"51"}},
        {ACL_PROF_LOW_POWER_FREQ, {"100"}, {"101"}},
        {ACL_PROF_SYS_MEM_SERVICEFLOW, {"a", "a,b"}, {"", "a,,b"}},
        {ACL_PROF_SYS_CPU_FREQ, {"50"}, {"51", "x"}},
        {ACL_PROF_OPTYPE, {"Conv2D,MatMul"}, {""}},
        {ACL_PROF_NTS_METRICS, {"PipeUtilization"}, {"Memory"}},
        {ACL_PROF_PATH, {"captures"}, {"a;b"}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t j = 0; j < 3 && cases[i].good[j] != NULL; j++)
            assert_option(cases[i].type, cases[i].good[j], ACL_SUCCESS);
        for (size_t j = 0; j < 4 && cases[i].bad[j] != NULL; j++)
            assert_option(cases[i].type, cases[i].bad[j], ACL_ERROR_INVALID_PROFILING_CONFIG);
    }
}

static void options_refuse_unknown_types_and_wrong_lengths(void **state)
{
    char long_value[258];
    (void)state;
    memset(long_value, 'a', sizeof long_value - 1);
    long_value[sizeof long_value - 1] = '\0';
    static const int unknown[] = {-1, 0, 2, 17, 1000};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_int_equal(aclprofSetConfig((aclprofConfigType)unknown[i], "1", 1), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofSetConfig(ACL_PROF_OPTYPE, NULL, 1), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofSetConfig(ACL_PROF_OPTYPE, "abc", 2), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofSetConfig(ACL_PROF_OPTYPE, "abc", 4), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofSetConfig(ACL_PROF_OPTYPE, long_value, 257), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofSetConfig(ACL_PROF_OPTYPE, long_value + 1, 256), ACL_SUCCESS);
}

/* --- the names of SVP boards --- */

static void svp_makes_job_directories_of_capital_letters(void **state)
{
    uint32_t device = 0;
    char path[4096];
    (void)state;
    const char *directory = in_scratch("jobs");
    assert_int_equal(svp_acl_prof_init("jobs", 4), SVP_ACL_ERROR_INVALID_PARAM);
    assert_acl_message("absolute");
    assert_int_equal(svp_acl_prof_finalize(), SVP_ACL_ERROR_PROF_NOT_RUN);
    assert_int_equal(svp_acl_prof_init(directory, strlen(directory)), SVP_ACL_SUCCESS);
    assert_int_equal(svp_acl_prof_init(directory, strlen(directory)), SVP_ACL_ERROR_REPEAT_INITIALIZE);
    assert_int_equal(init("x"), ACL_ERROR_PROF_API_CONFLICT);
    svp_acl_prof_config *config =
        svp_acl_prof_create_config(&device, 1, SVP_ACL_AICORE_ARITHMETIC_UTILIZATION, NULL, 0xf);
    assert_non_null(config);
    assert_int_equal(svp_acl_prof_start(config), SVP_ACL_SUCCESS);
    assert_int_equal(svp_acl_prof_start(config), SVP_ACL_ERROR_PROF_ALREADY_RUN);
    assert_int_equal(svp_acl_prof_stop(config), SVP_ACL_SUCCESS);
    assert_int_equal(svp_acl_prof_stop(config), SVP_ACL_ERROR_PROF_NOT_RUN);
    assert_int_equal(svp_acl_prof_finalize(), SVP_ACL_SUCCESS);
    assert_int_equal(svp_acl_prof_destroy_config(config), SVP_ACL_SUCCESS);
    assert_int_equal(count_entries("jobs", "JOB"), 1);
    msprof_acl_capture_path(path, sizeof path);
    const char *name = strrchr(path, '/') + 1;
    assert_int_equal(strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 32);
    assert_int_equal(strlen(name), 32);
}

/* Functions that make events fail, and say why, while a capture of a board runs. */
static void assert_no_events(void)
{
    aclprofTensorInfo launch = {.opNameId = 1};
    aclprofEventAttributes attributes = {.messageType = 0};
    attributes.message.tensorInfo = &launch;
    assert_null(aclprofCreateStamp());
    assert_acl_message("EK0005: aclprofCreateStamp is not possible in a capture of a board");
    assert_int_equal(aclprofMarkEx("x", 1, &launch), ACL_ERROR_PROF_NOT_RUN);
    assert_int_equal(aclprofPop(), ACL_ERROR_PROF_NOT_RUN);
    assert_acl_message("aclprofPop is not possible in a capture of a board");
    assert_int_equal(aclprofRangePushEx(&attributes), ACL_ERROR_PROF_NOT_RUN);
    assert_acl_message("aclprofRangePushEx is not possible in a capture of a board");
    assert_int_not_equal(aclprofRangePop(), ACL_SUCCESS);
}

static void a_capture_of_a_board_takes_no_events(void **state)
{
    uint32_t device = 0;
    (void)state;
    const char *directory = in_scratch("jobs");
    assert_int_equal(svp_acl_prof_init(directory, strlen(directory)), SVP_ACL_SUCCESS);
    svp_acl_prof_config *config =
        svp_acl_prof_create_config(&device, 1, SVP_ACL_AICORE_ARITHMETIC_UTILIZATION, NULL, 0xf);
    assert_int_equal(svp_acl_prof_start(config), SVP_ACL_SUCCESS);
    assert_no_events();
    assert_int_equal(svp_acl_prof_stop(config), SVP_ACL_SUCCESS);
    assert_null(aclprofCreateStamp());
    assert_acl_message("call aclprofStart first, then aclprofCreateStamp");
    assert_int_equal(svp_acl_prof_finalize(), SVP_ACL_SUCCESS);
    assert_int_equal(svp_acl_prof_destroy_config(config), SVP_ACL_SUCCESS);
    char text[512];
    (void)snprintf(text, sizeof text, "{\"profiler\": {\"output\": \"%s\", \"aacpu\": \"on\", \"switch\": \"on\"}}",
                   in_scratch("jobs"));
    scratch_make_file("acl.json", text);
    assert_int_equal(msprof_acl_json_start(in_scratch("acl.json")), ACL_SUCCESS);
    assert_no_events();
    assert_int_equal(msprof_acl_json_stop(), ACL_SUCCESS);
}

static void svp_refuses_what_boards_do_not_know(void **state)
{
    uint32_t device = 0;
    char long_path[4099];
    (void)state;
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[0] = '/';
    long_path[sizeof long_path - 1] = '\0';
    assert_int_equal(svp_acl_prof_init(long_path, 4098), SVP_ACL_ERROR_INVALID_PARAM);
    long_path[4096] = '\0';
    assert_int_equal(svp_acl_prof_init(long_path, 4096), SVP_ACL_ERROR_INVALID_FILE); /* Linux takes 4095 */
    assert_int_equal(svp_acl_prof_init("/tmp/a b", 8), SVP_ACL_ERROR_INVALID_FILE);
    assert_null(svp_acl_prof_create_config(&device, 0, SVP_ACL_AICORE_NONE, NULL, 0x80));
    assert_null(svp_acl_prof_create_config(&device, 1, (svp_acl_prof_aicore_metrics)1, NULL, 0x4));
    assert_null(svp_acl_prof_create_config(&device, 1, SVP_ACL_AICORE_NONE, NULL, 0x4));
    svp_acl_prof_config *config = svp_acl_prof_create_config(&device, 1, SVP_ACL_AICORE_NONE, NULL, 0x80);
    assert_int_equal(svp_acl_prof_start(config), SVP_ACL_ERROR_PROF_MODULES_UNSUPPORTED);
    const aclprofConfig *of_other_family = (const aclprofConfig *)(const void *)config;
    assert_int_equal(aclprofStart(of_other_family), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(svp_acl_prof_destroy_config(config), SVP_ACL_SUCCESS);
    assert_int_equal(svp_acl_prof_start(NULL), SVP_ACL_ERROR_INVALID_PARAM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(init_refuses_a_path_that_is_no_path),
        TEST(init_refuses_every_forbidden_character),
        TEST(init_creates_the_directory_with_its_parents),
        TEST(init_refuses_what_cannot_be_a_directory),
        TEST(a_second_init_is_refused_and_the_first_one_stays),
        TEST(other_ways_of_profiling_exclude_file_mode),
        TEST(claims_of_subscription_are_counted),
        TEST(a_configuration_needs_devices_that_exist_once),
        TEST(the_environment_says_how_many_devices_there_are),
        TEST(a_configuration_without_devices_needs_msproftx),
        TEST(events_and_unknown_metrics_are_refused),
        TEST(a_destroyed_configuration_is_an_error_everywhere),
        TEST(bits_bring_other_bits),
        TEST(start_checks_its_configuration_first),
        TEST(captures_repeat_and_either_order_of_the_end_is_right),
        TEST(a_configuration_that_runs_may_be_destroyed_and_stopped_by_an_equal_one),
        TEST(a_device_is_started_once_and_all_have_the_same_settings),
        TEST(the_path_option_stands_for_a_missing_init),
        TEST(a_start_by_option_that_fails_changes_nothing),
        TEST(the_capture_is_where_init_said_whatever_the_working_directory_is),
        TEST(a_directory_that_goes_away_makes_start_fail_and_a_later_start_succeed),
        TEST(a_forked_child_may_stop_and_so_may_its_parent),
        TEST(options_are_checked_as_documented),
        TEST(options_refuse_unknown_types_and_wrong_lengths),
        TEST(svp_makes_job_directories_of_capital_letters),
        TEST(a_capture_of_a_board_takes_no_events),
        TEST(svp_refuses_what_boards_do_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
