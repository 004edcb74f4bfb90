/* SPDX-License-Identifier: Apache-2.0 */
/* Discovery: which files a directory holds, what the small ones say, and everything that can be wrong with either. */
#define XXH_INLINE_ALL /* for its secret */
#include "base/file/checksum.h"
#include "tests/lib/collect.h"
#include "tests/lib/records.h"
#include "tests/lib/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

/* Opens J (or another directory in the scratch directory) and expects it to fail; err tells why. */
static int open_badly(const char *name, struct err *err)
{
    const struct capture_options options = {.clock_khz = 0};
    struct diagnostics diag;
    struct capture capture;
    diag_init(&diag, false);
    int status = capture_open(&capture, in_scratch(name), &options, &diag, err);
    capture_release(&capture);
    diag_release(&diag);
    return status;
}

/* A task of one input: files of several inputs differ, and one that does not is a copy. */
static void put_task_of_input(const char *name, unsigned input)
{
    unsigned char bytes[PMU_SIZE];
    put_pmu(bytes, 0, 600, 1, input);
    put_file(name, bytes, sizeof bytes);
}

static void put_call_that_starts(const char *name, uint64_t start_ns)
{
    unsigned char bytes[ACL_SIZE];
    put_acl(bytes, "call", start_ns, start_ns + 1);
    put_file(name, bytes, sizeof bytes);
}

/* ---- what is a capture ---- */

static void a_directory_without_data_is_not_a_capture(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(mkdir(in_scratch("J"), 0750), 0);
    assert_int_equal(open_badly("J", &err), -ERR_NOT_FOUND);
    assert_non_null(strstr(err_message(&err), "no data/ directory"));
    assert_non_null(strstr(err.hint, "JOB"));
}

static void an_empty_data_directory_says_so(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(mkdir(in_scratch("J"), 0750), 0);
    assert_int_equal(mkdir(in_scratch("J/data"), 0750), 0);
    assert_int_equal(open_badly("J", &err), -ERR_NOT_FOUND);
    assert_non_null(strstr(err_message(&err), "contains no data"));
    assert_string_not_equal(err.hint, "");
}

static void a_path_that_is_missing_or_no_directory_is_an_error(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_int_equal(open_badly("nowhere", &err), -ERR_NOT_FOUND);
    scratch_make_file("file", "x");
    err = (struct err)ERR_INIT;
    assert_true(open_badly("file", &err) < 0);
    assert_non_null(strstr(err_message(&err), "file"));
}

static void directories_are_told_apart_by_what_they_hold(void **state)
{
    (void)state;
    enum directory_class class;
    struct err err = ERR_INIT;
    char **paths;
    size_t count;
    assert_int_equal(mkdir(in_scratch("parent"), 0750), 0);
    assert_int_equal(capture_classify(in_scratch("parent"), &class, &err), 0);
    assert_int_equal(class, DIRECTORY_OTHER);
    assert_int_equal(mkdir(in_scratch("parent/JOBB"), 0750), 0);
    assert_int_equal(mkdir(in_scratch("parent/JOBA"), 0750), 0);
    assert_int_equal(mkdir(in_scratch("parent/PROF_1"), 0750), 0);
    assert_int_equal(mkdir(in_scratch("parent/other"), 0750), 0);
    scratch_make_file("parent/JOBfile", "x");
    assert_int_equal(capture_classify(in_scratch("parent"), &class, &err), 0);
    assert_int_equal(class, DIRECTORY_PARENT);
    assert_int_equal(capture_list(in_scratch("parent"), &paths, &count, &err), 0);
    assert_int_equal(count, 3);
    assert_ends_with(paths[0], "/parent/JOBA");
    assert_ends_with(paths[1], "/parent/JOBB");
    assert_ends_with(paths[2], "/parent/PROF_1");
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    assert_int_equal(mkdir(in_scratch("parent/JOBA/data"), 0750), 0);
    assert_int_equal(capture_classify(in_scratch("parent/JOBA"), &class, &err), 0);
    assert_int_equal(class, DIRECTORY_CAPTURE);
    scratch_make_file("parent/other/aicore.0.1.1", "");
    assert_int_equal(capture_classify(in_scratch("parent/other"), &class, &err), 0);
    assert_int_equal(class, DIRECTORY_CAPTURE);
}

static void every_spelling_of_a_file_name_is_recognised(void **state)
{
    (void)state;
    static const char *const tasks[] = {"aicore.0.1.1", "AIcore.0.1.2", "AAcore.0.1.3"};
    static const char *const calls[] = {"acl_api.0.net.1", "AclModule.0.net.2", "AclModule.3", "AclModule.4.slice_0"};
    make_job();
    for (unsigned i = 0; i < 3; i++)
        put_task_of_input(tasks[i], i);
    for (size_t i = 0; i < 4; i++)
        put_call_that_starts(calls[i], 10 * i);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "svp_pmu"), 3);
    assert_int_equal(row_count(collection, "acl_call"), 4);
    collection_free(collection);
}

static void results_and_markers_are_no_input(void **state)
{
    (void)state;
    char before[65], after[65];
    struct err err = ERR_INIT;
    make_job();
    put_one_task("aicore.0.1.1");
    assert_int_equal(capture_fingerprint(in_scratch("J"), before, &err), 0);
    for (size_t i = 0; i < 4; i++) {
        static const char *const results[] = {"J/sqlite", "J/log", "J/timeline", "J/summary"};
        assert_int_equal(mkdir(in_scratch(results[i]), 0750), 0);
    }
    scratch_make_file("J/sqlite/runtime.db", "x");
    scratch_make_file("J/data/aicore.0.1.1.complete", "");
    scratch_make_file("J/data/.hidden", "x");
    assert_int_equal(capture_fingerprint(in_scratch("J"), after, &err), 0);
    assert_string_equal(before, after);
    put_layers();
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(diag_problems(collection_diagnostics(collection)), 0);
    collection_free(collection);
    put_one_task("aicore.0.1.2");
    assert_int_equal(capture_fingerprint(in_scratch("J"), after, &err), 0);
    assert_string_not_equal(before, after);
}

static void an_unknown_file_is_named_and_a_known_foreign_stream_noted(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    put_layers();
    put_text("surprise", "x");
    put_text("ccumission.1.slice_0", "x");
    put_text("ccumission.0.slice_0", "");
    put_text("hccs.of_another_shape", "x"); /* named as the files of a kind begin */
    put_text("hccsx", "x");
    assert_int_equal(mkdir(in_scratch("J/data/sub"), 0750), 0);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(reported(diag, DIAG_FILE_UNKNOWN, "data/surprise"), 1);
    assert_int_equal(reported(diag, DIAG_FILE_UNKNOWN, "data/sub"), 1);
    assert_int_equal(reported(diag, DIAG_FILE_UNKNOWN, "data/hccsx"), 1);
    assert_int_equal(reported(diag, DIAG_FILE_UNSUPPORTED, NULL), 2);
    assert_int_equal(diag_problems(diag), 3);
    assert_report(diag, DIAG_FILE_UNKNOWN, "msprof kinds", NULL);
    collection_free(collection);
}

/* ---- duplicates ---- */

static void of_two_files_for_the_same_stream_one_is_decoded(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    put_one_task("AAcore.0.1.1");
    put_one_task("AIcore.0.01.1"); /* another spelling of the same number */
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "svp_pmu"), 1);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_DUPLICATE, NULL), 2);
    assert_report(collection_diagnostics(collection), DIAG_FILE_DUPLICATE, "data/AAcore.0.1.1", "remove the copy",
                  NULL);
    collection_free(collection);
}

static void of_files_with_equal_content_under_two_numbers_one_is_decoded(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    put_one_task("aicore.0.1.2");
    put_one_call("acl_api.0.net.1");
    put_one_call("acl_api.0.net.2");
    assert_int_equal(symlink("aicore.0.1.1", in_scratch("J/data/aicore.0.1.3")), 0);
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(row_count(collection, "svp_pmu"), 1);
    assert_int_equal(row_count(collection, "acl_call"), 1);
    assert_int_equal(reported(diag, DIAG_FILE_DUPLICATE, NULL), 3);
    assert_int_equal(reported(diag, DIAG_FILE_DUPLICATE, "data/aicore.0.1.2"), 1);
    assert_report(diag, DIAG_FILE_DUPLICATE, "data/acl_api.0.net.2",
                  "bytes as 'data/acl_api.0.net.1', which is decoded", NULL);
    collection_free(collection);
}

/* Short ones are compared when they are read, long ones beforehand. */
static void so_it_is_of_long_files_and_of_many_short_ones(void **state)
{
    enum { RECORDS = 200, SHORT = 40 };
    static unsigned char bytes[RECORDS * PMU_SIZE];
    char name[32];
    (void)state;
    make_job();
    for (unsigned i = 0; i < RECORDS; i++)
        put_pmu(bytes + i * PMU_SIZE, i, 600, 1, 7);
    put_file("aicore.0.2.1", bytes, sizeof bytes);
    put_file("aicore.0.2.2", bytes, sizeof bytes);
    for (unsigned i = 0; i < SHORT; i++) {
        snprintf(name, sizeof name, "aicore.0.1.%u", i);
        put_task_of_input(name, i % 10);
    }
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(row_count(collection, "svp_pmu"), RECORDS + 10);
    assert_int_equal(reported(diag, DIAG_FILE_DUPLICATE, NULL), 1 + SHORT - 10);
    assert_report(diag, DIAG_FILE_DUPLICATE, "data/aicore.0.2.2", "bytes as 'data/aicore.0.2.1', which is decoded",
                  NULL);
    assert_int_equal(reported(diag, DIAG_FILE_DUPLICATE, "data/aicore.0.1.39"), 1);
    assert_int_equal(reported(diag, DIAG_FILE_DUPLICATE, "data/aicore.0.1.9"), 0);
    collection_free(collection);
}

/* Two files of tasks whose sums by XXH128 are equal, and their bytes are not: records 12 and 13 begin stripes of one
 * block. There the low half of a word that equals the secret's makes the product of both halves 0, so that the high
 * halves of two such words only add up, and may change places. The bytes stand behind `before` others in what is summed
 * up; the words are of those that no layout has. */
static void put_pair_of_one_sum(const char *names[2], size_t records, size_t before)
{
    enum { WORD = 8, BLOCK = 1024, STRIPE = 64, SECRET_STEP = 8 };
    static const uint64_t zero;
    static unsigned char bytes[200 * PMU_SIZE];
    char sums[2][CHECKSUM_TEXT_SIZE];
    for (unsigned file = 0; file < 2; file++) {
        for (unsigned i = 0; i < records; i++)
            put_pmu(bytes + (size_t)i * PMU_SIZE, i, 600, 1, 7);
        for (unsigned i = 0; i < 2; i++) {
            unsigned char *word = bytes + (size_t)(12 + i) * PMU_SIZE + WORD;
            size_t at = (size_t)(word - bytes) + before - BLOCK;
            memcpy(word, XXH3_kSecret + at / STRIPE * SECRET_STEP + at % STRIPE, 4);
            memset(word + 4, i == file ? 'x' : 'y', 4);
        }
        struct checksum *sum = checksum_new_kind(CHECKSUM_XXH128);
        checksum_add(sum, &zero, before);
        checksum_add(sum, bytes, records * PMU_SIZE);
        checksum_finish(sum, sums[file]);
        checksum_free(sum);
        put_file(names[file], bytes, records * PMU_SIZE);
    }
    assert_string_equal(sums[0], sums[1]);
}

/* Those of short files are of their bytes alone, those of long ones of the place of each block, too. */
static void files_of_one_checksum_and_other_bytes_are_no_copies(void **state)
{
    (void)state;
    make_job();
    put_pair_of_one_sum((const char *[]){"aicore.0.1.1", "aicore.0.1.2"}, 20, 0);
    put_pair_of_one_sum((const char *[]){"aicore.0.2.1", "aicore.0.2.2"}, 200, sizeof(off_t));
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_DUPLICATE, NULL), 0);
    assert_int_equal(row_count(collection, "svp_pmu"), 2 * (20 + 200));
    collection_free(collection);
}

static void files_of_several_devices_and_models_may_have_equal_content(void **state)
{
    (void)state;
    static const char *const tasks[] = {"aicore.0.1.1", "aicore.1.1.1", "aicore.0.net.1.1.1.0",
                                        "aicore.0.other.2.1.1.0"};
    make_job();
    for (size_t i = 0; i < 4; i++)
        put_one_task(tasks[i]);
    put_one_call("acl_api.0.net.1");
    put_one_call("acl_api.0.other.2");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "svp_pmu"), 4);
    assert_int_equal(row_count(collection, "acl_call"), 2);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_DUPLICATE, NULL), 0);
    collection_free(collection);
}

static void empty_files_are_no_copies_of_each_other(void **state)
{
    (void)state;
    make_job();
    put_text("aicore.0.1.1", "");
    put_text("aicore.0.1.2", "");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_DUPLICATE, NULL), 0);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_EMPTY, NULL), 2);
    collection_free(collection);
}

static void of_two_done_files_for_the_same_inference_the_first_by_name_counts(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    put_text("aicore.0.net.1.1.1.0.done", "starttime:7000\n");
    put_text("AAcore.0.net.1.1.1.0.done", "starttime:5000\n");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_integer(collection, "inference", 0, "start_ns"), 5000);
    assert_report(collection_diagnostics(collection), DIAG_FILE_DUPLICATE, "data/aicore.0.net.1.1.1.0.done",
                  "data/AAcore.0.net.1.1.1.0.done", NULL);
    collection_free(collection);
}

/* ---- links, pipes and permissions ---- */

static void links_are_followed_inside_the_capture_only(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    assert_int_equal(mkdir(in_scratch("J/store"), 0750), 0);
    assert_int_equal(rename(in_scratch("J/data/aicore.0.1.1"), in_scratch("J/store/tasks")), 0);
    assert_int_equal(symlink("../store/tasks", in_scratch("J/data/aicore.0.1.1")), 0);
    assert_int_equal(symlink("/etc/passwd", in_scratch("J/data/aicore.0.1.2")), 0);
    assert_int_equal(symlink("../../J/../outside", in_scratch("J/data/aicore.0.1.3")), 0);
    assert_int_equal(symlink("nowhere", in_scratch("J/data/aicore.0.1.4")), 0);
    assert_int_equal(symlink("aicore.0.1.5", in_scratch("J/data/aicore.0.1.5")), 0);
    assert_int_equal(symlink("/dev/zero", in_scratch("J/data/aicore.0.1.6")), 0);
    assert_int_equal(symlink("..", in_scratch("J/data/aicore.0.1.7")), 0);
    scratch_make_file("outside", "x");
    struct collection *collection = collect(in_scratch("J"), NULL);
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(row_count(collection, "svp_pmu"), 1);
    assert_int_equal(collection_file(collection, "data/aicore.0.1.1")->decoded, 1);
    for (int i = 2; i <= 7; i++) {
        char name[32];
        snprintf(name, sizeof name, "data/aicore.0.1.%d", i);
        assert_int_equal(reported(diag, DIAG_FILE_TYPE, name), 1);
    }
    assert_report(diag, DIAG_FILE_TYPE, "symbolic link", "expected a regular file", "replace it by a copy of the file",
                  NULL);
    collection_free(collection);
}

static void a_data_directory_that_is_a_link_out_of_the_capture_is_not_followed(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    make_job();
    put_one_task("aicore.0.1.1");
    assert_int_equal(mkdir(in_scratch("K"), 0750), 0);
    assert_int_equal(symlink("../J/data", in_scratch("K/data")), 0);
    assert_int_equal(open_badly("K", &err), -ERR_NOT_FOUND);
}

static void a_capture_given_through_a_link_is_read_like_any_other(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    put_task_of_input("tasks", 1);
    assert_int_equal(rename(in_scratch("J/data/tasks"), in_scratch("J/tasks")), 0);
    assert_int_equal(symlink("../tasks", in_scratch("J/data/aicore.0.1.2")), 0);
    assert_int_equal(symlink("J", in_scratch("link")), 0);
    struct collection *collection = collect(in_scratch("link"), NULL);
    assert_int_equal(row_count(collection, "svp_pmu"), 2);
    collection_free(collection);
}

static void pipes_never_block_and_are_not_read(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    assert_int_equal(mkfifo(in_scratch("J/data/aicore.0.1.2"), 0600), 0);
    assert_int_equal(mkfifo(in_scratch("J/data/aicore.0.net.1.1.1.0.done"), 0600), 0);
    assert_int_equal(mkfifo(in_scratch("J/info.json.1"), 0600), 0);
    assert_int_equal(mkfifo(in_scratch("J/data/net.1.layer.info"), 0600), 0);
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "svp_pmu"), 1);
    assert_int_equal(reported(collection_diagnostics(collection), DIAG_FILE_TYPE, NULL), 4);
    collection_free(collection);
}

/* File permissions do not hold for root: collects as nobody then. */
static struct collection *collect_as_nobody(void)
{
    if (getuid() == 0 && seteuid(65534) != 0)
        skip();
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(seteuid(getuid()), 0);
    return collection;
}

static void make_readable_for_nobody(void)
{
    assert_int_equal(chmod(in_scratch("J"), 0755), 0);
    assert_int_equal(chmod(in_scratch("J/data"), 0755), 0);
    assert_int_equal(chmod(in_scratch("J/info.json.0"), 0644), 0);
    assert_int_equal(chmod(in_scratch("J/data/aicore.0.1.1"), 0644), 0);
}

static void a_file_that_cannot_be_read_is_named_and_the_others_decoded(void **state)
{
    (void)state;
    make_job();
    put_one_task("aicore.0.1.1");
    put_one_task("aicore.0.1.2");
    put_text("net.1.layer.info", "[]");
    make_readable_for_nobody();
    assert_int_equal(chmod(in_scratch("J/data/aicore.0.1.2"), 0), 0);
    assert_int_equal(chmod(in_scratch("J/data/net.1.layer.info"), 0), 0);
    struct collection *collection = collect_as_nobody();
    const struct diagnostics *diag = collection_diagnostics(collection);
    assert_int_equal(row_count(collection, "svp_pmu"), 1);
    assert_int_equal(reported(diag, DIAG_FILE_UNREADABLE, "data/aicore.0.1.2"), 1);
    assert_int_equal(reported(diag, DIAG_FILE_UNREADABLE, "data/net.1.layer.info"), 1);
    assert_report(diag, DIAG_FILE_UNREADABLE, "ermission denied", "make it readable", NULL);
    collection_free(collection);
}

static void a_data_directory_that_cannot_be_searched_is_an_error_and_not_empty(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    make_job();
    put_one_task("aicore.0.1.1");
    make_readable_for_nobody();
    assert_int_equal(chmod(in_scratch("J/data"), 0644), 0); /* names can be listed, nothing behind them */
    if (getuid() == 0 && seteuid(65534) != 0)
        skip();
    int status = open_badly("J", &err);
    assert_int_equal(seteuid(getuid()), 0);
    assert_int_equal(chmod(in_scratch("J/data"), 0750), 0);
    assert_int_equal(status, -ERR_ACCESS);
    assert_non_null(strstr(err_message(&err), "aicore.0.1.1"));
}

/* ---- names ---- */

static void names_with_any_bytes_are_read_and_cannot_drive_a_terminal(void **state)
{
    (void)state;
    make_job();
    put_one_call("acl_api.0.a\nb\"c'.1");
    put_one_call("acl_api.0.\xff\xfe\x80.2");
    put_one_call("acl_api.0.\xe4\xba\xba.3");
    put_text("new\nline\x1b[31m", "x");
    struct collection *collection = collect(in_scratch("J"), NULL);
    assert_int_equal(row_count(collection, "acl_call"), 3);
    const char *text = first_report(collection_diagnostics(collection), DIAG_FILE_UNKNOWN);
    assert_null(strchr(text, '\n'));
    assert_null(strchr(text, '\x1b'));
    collection_free(collection);
}

static void several_models_devices_and_samples_stay_apart(void **state)
{
    (void)state;
    unsigned char bytes[2 * PMU_SIZE];
    make_job();
    scratch_make_file("J/info.json.1", "{\"DeviceInfo\": [{\"aic_frequency\": \"300\"}]}");
    put_pmu(put_pmu(bytes, 0, 600, 1, 0), 0, 600, 2, 0);
    put_file("aicore.0.1.1", bytes, sizeof bytes);
    put_file("aicore.1.4.2", bytes, sizeof bytes);
    put_text("first.1.layer.info", "[{\"layer_id\":0,\"task_id\":0}]");
    put_text("second.2.layer.info", "[{\"layer_id\":0,\"task_id\":0}]");
    struct collection *collection = collect(in_scratch("J"), NULL);
    static const int64_t expected[4][4] = {{0, 1, 1, 1000}, {0, 2, 1, 1000}, {1, 1, 4, 2000}, {1, 2, 4, 2000}};
    assert_int_equal(row_count(collection, "inference"), 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(row_integer(collection, "inference", i, "device_id"), expected[i][0]);
        assert_int_equal(row_integer(collection, "inference", i, "model_id"), expected[i][1]);
        assert_int_equal(row_integer(collection, "inference", i, "batch_num"), expected[i][2]);
        assert_string_equal(row_text(collection, "inference", i, "model_name"), i % 2 == 0 ? "first" : "second");
        assert_int_equal(row_integer(collection, "svp_pmu", i, "duration_ns"), expected[i][3]);
    }
    assert_int_equal(diag_problems(collection_diagnostics(collection)), 0);
    collection_free(collection);
}

#define SCRATCH_TEST(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRATCH_TEST(a_directory_without_data_is_not_a_capture),
        SCRATCH_TEST(an_empty_data_directory_says_so),
        SCRATCH_TEST(a_path_that_is_missing_or_no_directory_is_an_error),
        SCRATCH_TEST(directories_are_told_apart_by_what_they_hold),
        SCRATCH_TEST(every_spelling_of_a_file_name_is_recognised),
        SCRATCH_TEST(results_and_markers_are_no_input),
        SCRATCH_TEST(an_unknown_file_is_named_and_a_known_foreign_stream_noted),
        SCRATCH_TEST(of_two_files_for_the_same_stream_one_is_decoded),
        SCRATCH_TEST(of_files_with_equal_content_under_two_numbers_one_is_decoded),
        SCRATCH_TEST(so_it_is_of_long_files_and_of_many_short_ones),
        SCRATCH_TEST(files_of_one_checksum_and_other_bytes_are_no_copies),
        SCRATCH_TEST(files_of_several_devices_and_models_may_have_equal_content),
        SCRATCH_TEST(empty_files_are_no_copies_of_each_other),
        SCRATCH_TEST(of_two_done_files_for_the_same_inference_the_first_by_name_counts),
        SCRATCH_TEST(links_are_followed_inside_the_capture_only),
        SCRATCH_TEST(a_data_directory_that_is_a_link_out_of_the_capture_is_not_followed),
        SCRATCH_TEST(a_capture_given_through_a_link_is_read_like_any_other),
        SCRATCH_TEST(pipes_never_block_and_are_not_read),
        SCRATCH_TEST(a_file_that_cannot_be_read_is_named_and_the_others_decoded),
        SCRATCH_TEST(a_data_directory_that_cannot_be_searched_is_an_error_and_not_empty),
        SCRATCH_TEST(names_with_any_bytes_are_read_and_cannot_drive_a_terminal),
        SCRATCH_TEST(several_models_devices_and_samples_stay_apart),
    };
    return cmocka_run_group_tests_name("captures", tests, NULL, NULL);
}
