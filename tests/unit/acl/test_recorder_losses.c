/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder: what it loses is told, by itself and by the capture. */
#include "tests/lib/recording.h"
#include "tests/lib/scratch.h"

#include "db/database.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

/* Files of this process cannot grow beyond this: the disk is full, as far as it knows. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void what_a_full_disk_lost_is_told_in_numbers(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    struct err err = ERR_INIT;
    recording_start(&options);
    limit_files(100010);
    for (int i = 0; i < 30000; i++)
        recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, i, i + 1, 0);
    int status = recorder_stop(&err);
    limit_files(RLIM_INFINITY);
    assert_int_equal(status, -ERR_NO_SPACE);
    assert_non_null(strstr(err_message(&err), "27500 calls lost: File too large"));
    assert_int_equal(recording_size(recording_file("host/data/unaging.api_event.data.slice_0")), 100000);
    expected_problems = 1; /* the capture says it itself */
    assert_int_equal(recording_count_calls(recorder_capture_directory()), 2500);
    expected_problems = 0;
    char text[200] = "";
    recording_read(recording_file("host/losses.json"), (unsigned char *)text, sizeof text - 1);
    assert_non_null(strstr(text, "{\"calls\": 27500, \"tx\": 0, \"reason\": \"File too large\","));
}

static void a_removed_output_directory_is_a_loss_of_all(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    struct err err = ERR_INIT;
    char command[PATH_MAX + 16];
    recording_start(&options);
    for (int i = 0; i < 30000; i++)
        recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, i, i + 1, 0);
    recorder_flush();
    snprintf(command, sizeof command, "rm -r '%s'", in_scratch("out"));
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c) */
    for (int i = 0; i < 100; i++)
        recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, i, i + 1, 0);
    assert_true(recorder_stop(&err) < 0);
    assert_non_null(strstr(err_message(&err), "30100 calls lost: No such file or directory"));
}

static void calls_that_did_not_return_are_counted_by_name(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    recording_start(&options);
    recorder_name_type(RECORDER_LEVEL_ACL, TYPE_OUTER, "outer");
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    recorder_call_left(RECORDER_LEVEL_ACL, TYPE_OUTER, 1);
    recorder_call_left(RECORDER_LEVEL_ACL, TYPE_OUTER, 1);
    recorder_call_left(RECORDER_LEVEL_ACL, TYPE_INNER, 1);
    recorder_call_left(RECORDER_LEVEL_ACL, TYPE_INNER, -1);
    recording_stop();
    expected_problems = 1;
    sqlite3 *db = recording_import(recorder_capture_directory());
    expected_problems = 0;
    assert_int_equal(recording_query(db, "SELECT count(*) FROM diagnostics WHERE code = 'call-left' AND message LIKE "
                                         "'%''outer'': 2 that did not return%'"),
                     1);
    database_close(db);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_a_full_disk_lost_is_told_in_numbers),
        TEST(a_removed_output_directory_is_a_loss_of_all),
        TEST(calls_that_did_not_return_are_counted_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
