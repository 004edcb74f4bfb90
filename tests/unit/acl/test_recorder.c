/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder: what is recorded is in the capture, to the nanosecond, whatever the threads, signals and disks do. */
#include "tests/lib/recording.h"
#include "tests/lib/scratch.h"

#include "acl/recorder/recorder.h"
#include "db/database.h"
#include "db/import.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- calls ---- */

#define THREADS 4
#define CALLS 6000 /* of a thread: more than fit in its first ring */

struct call {
    int64_t begin, end;
    uint32_t type, thread;
};

static struct call calls[THREADS][CALLS];

/* Pairs of a call and one inside of it. */
static void *record_pairs(void *arg)
{
    struct call *own = arg;
    uint32_t thread = (uint32_t)syscall(SYS_gettid);
    for (size_t i = 0; i < CALLS; i += 2) {
        own[i] = (struct call){.type = TYPE_OUTER, .thread = thread, .begin = recorder_now()};
        own[i + 1] = (struct call){.type = TYPE_INNER, .thread = thread, .begin = recorder_now()};
        own[i + 1].end = recorder_now();
        recorder_call(RECORDER_LEVEL_ACL, TYPE_INNER, own[i + 1].begin, own[i + 1].end, 0);
        own[i].end = recorder_now();
        recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, own[i].begin, own[i].end, 0);
    }
    return NULL;
}

static void record_in_threads(void)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, record_pairs, calls[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

static int compare_calls(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->type < y->type ? -1 : x->type > y->type;
}

static void assert_calls(sqlite3 *db, const char *sql)
{
    struct err err = ERR_INIT;
    sqlite3_stmt *statement = NULL;
    struct call *all = &calls[0][0];
    size_t row = 0;
    qsort(all, (size_t)THREADS * CALLS, sizeof *all, compare_calls);
    if (database_prepare(db, sql, &statement, &err) < 0)
        fail_msg("%s", err_message(&err));
    for (; sqlite3_step(statement) == SQLITE_ROW; row++) {
        assert_true(row < (size_t)THREADS * CALLS);
        assert_int_equal(sqlite3_column_int64(statement, 0), all[row].thread);
        assert_int_equal(sqlite3_column_int64(statement, 1), all[row].begin);
        assert_int_equal(sqlite3_column_int64(statement, 2), all[row].end);
        assert_string_equal(sqlite3_column_text(statement, 3),
                            all[row].type == TYPE_OUTER ? "aclmdlExecute" : "aclrtMemcpy");
    }
    sqlite3_finalize(statement);
    assert_int_equal(row, (size_t)THREADS * CALLS);
}

static void every_call_is_imported_to_the_nanosecond(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    recording_start(&options);
    assert_true(recorder_running());
    record_in_threads();
    recording_stop();
    assert_false(recorder_running());
    sqlite3 *db = recording_import(recorder_capture_directory());
    assert_calls(db, "SELECT thread_id, h.start_ns - unix_offset_ns, h.start_ns - unix_offset_ns + duration_ns, text"
                     " FROM host_call h JOIN name ON name.id = name_id, capture_part WHERE is_host"
                     " ORDER BY thread_id, h.start_ns, type");
    assert_int_equal(recording_query(db, "SELECT count(*) FROM host_call WHERE parent_id IS NOT NULL"),
                     THREADS * CALLS / 2);
    database_close(db);
    assert_int_equal(recording_reports, 0);
}

static void a_job_capture_says_the_same(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    options.form = RECORDER_JOB;
    recording_start(&options);
    record_in_threads();
    recording_stop();
    assert_non_null(strstr(recorder_capture_directory(), "/JOB"));
    sqlite3 *db = recording_import(recorder_capture_directory());
    assert_calls(db, "SELECT thread_id, start_ns, end_ns, name FROM acl_call ORDER BY thread_id, start_ns, api_type");
    assert_int_equal(
        recording_query(db, "SELECT count(*) FROM acl_call WHERE process_id = (SELECT min(process_id) FROM acl_call)"
                            " AND api_type = 2"),
        THREADS * CALLS / 2);
    database_close(db);
}

/* A board that has 512 calls has lost those before them; the recorder has not. */
static void a_job_capture_of_512_calls_is_complete(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    options.form = RECORDER_JOB;
    recording_start(&options);
    for (int i = 0; i < 512; i++)
        recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, i, i + 1, 0);
    recording_stop();
    sqlite3 *db = recording_import(recorder_capture_directory());
    assert_int_equal(recording_query(db, "SELECT count(*) FROM acl_call"), 512);
    database_close(db);
}

static void slices_have_at_most_two_mebibytes_and_done_files(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    recording_start(&options);
    for (int i = 0; i < 60000; i++) /* 2.4 MB */
        recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, i, i + 1, 0);
    recording_stop();
    assert_int_equal(recording_size(recording_file("host/data/unaging.api_event.data.slice_0")), 2097120);
    assert_int_equal(recording_size(recording_file("host/data/unaging.api_event.data.slice_1")), 60000 * 40 - 2097120);
    char text[200] = "";
    recording_read(recording_file("host/data/unaging.api_event.data.slice_0.done"), (unsigned char *)text,
                   sizeof text - 1);
    assert_int_equal(strncmp(text, "filesize:2097120\nstarttime:", 27), 0);
    assert_true(recording_size(recording_file("host/data/unaging.api_event.data.slice_1.done")) > 0);
    assert_true(recording_size(recording_file("host/end_info")) > 0);
}

static void the_storage_limit_removes_the_oldest_slices(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    options.storage_limit = 5 * 1024 * 1024;
    recording_start(&options);
    for (int i = 0; i < 250000; i++) /* 10 MB */
        recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, i, i + 1, 0);
    recording_stop();
    assert_int_equal(recording_size(recording_file("host/data/unaging.api_event.data.slice_0")), -1);
    assert_true(recording_size(recording_file("host/data/unaging.api_event.data.slice_4")) > 0);
    sqlite3 *db = recording_import(recorder_capture_directory());
    int64_t count = recording_query(db, "SELECT count(*) FROM host_call");
    assert_true(count * 40 <= (int64_t)options.storage_limit && count * 40 > (int64_t)options.storage_limit / 2);
    assert_int_equal(recording_query(db, "SELECT max(start_ns) - min(start_ns) FROM host_call"), count - 1);
    database_close(db);
}

/* ---- msproftx ---- */

static void a_tx_record_has_the_documented_layout(void **state)
{
    (void)state;
    unsigned char r[600];
    struct recorder_options options = recording_options("out");
    uint64_t domain = 0;
    recording_start(&options);
    domain = recorder_name_id("net", 3);
    recorder_tx(&(struct recorder_tx){.event = RECORDER_TX_RANGE,
                                      .begin_ns = 111,
                                      .end_ns = 222,
                                      .category = 3,
                                      .payload_type = -4,
                                      .payload = 5,
                                      .mark_id = 6,
                                      .domain = domain,
                                      .message_type = 7,
                                      .message = "forward",
                                      .message_length = 7});
    recorder_tx(&(struct recorder_tx){.event = RECORDER_TX_MARK_EX, .begin_ns = 333, .end_ns = 333});
    recording_stop();
    assert_int_equal(recording_read(recording_file("host/data/unaging.additional.msproftx.slice_0"), r, sizeof r), 512);
    /* docs/formats/cann.md 6, "M" */
    const struct {
        size_t offset, width;
        uint64_t value;
    } fields[] = {
        {0, 2, 0x5a5a},
        {2, 2, 20500},
        {4, 4, 0},
        {8, 4, (uint64_t)syscall(SYS_gettid)},
        {12, 4, 232},
        {16, 8, 222},
        {24, 2, 0},
        {26, 2, 0},
        {32, 2, 0x5a5a},
        {34, 2, 120},
        {36, 4, (uint64_t)getpid()},
        {40, 4, (uint64_t)syscall(SYS_gettid)},
        {44, 4, 3},
        {48, 4, 2},
        {52, 4, 0xfffffffc},
        {56, 8, 5},
        {64, 8, 111},
        {72, 8, 222},
        {80, 8, 6},
        {88, 8, domain},
        {96, 4, 7},
        {107, 8, 0},
        {256 + 24, 2, 1},
        {256 + 48, 4, 3},
        {256 + 100, 8, 0},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        assert_int_equal(recording_little(r + fields[i].offset, fields[i].width), fields[i].value);
    assert_string_equal(r + 100, "forward");
    /* h = h * prime + character: high half with 29, low half with 131 */
    assert_int_equal(domain, (((uint64_t)('n' * 29 + 'e') * 29 + 't') << 32) + ('n' * 131 + 'e') * 131 + 't');
    char line[64] = "";
    char expected[64];
    recording_read(recording_file("host/data/unaging.additional.hash_dic.slice_0"), (unsigned char *)line,
                   sizeof line - 1);
    snprintf(expected, sizeof expected, "%llu:net\n", (unsigned long long)domain);
    assert_string_equal(line, expected);
}

static void a_long_message_is_cut_and_an_empty_text_has_its_id(void **state)
{
    (void)state;
    unsigned char r[256];
    char message[400];
    struct recorder_options options = recording_options("out");
    memset(message, 'x', sizeof message);
    recording_start(&options);
    recorder_tx(&(struct recorder_tx){.message = message, .message_length = sizeof message});
    assert_true(recorder_name_id("", 0) == UINT64_MAX);
    recording_stop();
    assert_int_equal(recording_read(recording_file("host/data/unaging.additional.msproftx.slice_0"), r, sizeof r), 256);
    assert_int_equal(r[100 + RECORDER_MESSAGE_MAX - 1], 'x');
    assert_int_equal(r[255], 0);
}

/* ---- starting and stopping ---- */

static void it_can_be_started_again_but_not_twice(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    struct err err = ERR_INIT;
    char first[512];
    assert_int_equal(recorder_stop(&err), -ERR_NOT_FOUND);
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    recording_start(&options);
    assert_int_equal(recorder_start(&options, &err), -ERR_LIMIT);
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 3, 4, 0);
    snprintf(first, sizeof first, "%s", recorder_capture_directory());
    recording_stop();
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 5, 6, 0);
    recording_start(&options);
    assert_string_not_equal(first, recorder_capture_directory());
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 7, 8, 0);
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 9, 10, 0);
    recording_stop();
    assert_int_equal(recording_count_calls(first), 1);
    assert_int_equal(recording_count_calls(recorder_capture_directory()), 2);
}

static void lazily_started_it_makes_no_capture_without_records(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    options.lazy = true;
    recording_start(&options);
    assert_true(recorder_running());
    recording_stop();
    assert_false(scratch_exists("out"));
    recording_start(&options);
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    recording_stop();
    assert_int_equal(recording_count_calls(recorder_capture_directory()), 1);
}

static void an_output_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("file/below");
    struct err err = ERR_INIT;
    scratch_make_file("file", "");
    assert_true(recorder_start(&options, &err) < 0);
    assert_false(recorder_running());
    options.lazy = true;
    recording_start(&options);
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    assert_false(recorder_running());
    assert_int_equal(recording_reports, 1);
    assert_non_null(strstr(recording_report, "nothing is recorded: "));
}

/* ---- what else a process does ---- */

static volatile sig_atomic_t in_handler;

static void record_in_handler(int signal)
{
    (void)signal;
    recorder_call(RECORDER_LEVEL_ACL, TYPE_INNER, 1, 2, 0);
    in_handler = in_handler + 1;
}

static void a_signal_handler_may_record_too(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    struct sigaction action = {.sa_handler = record_in_handler}, before;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    const struct itimerspec often = {{0, 50000}, {0, 50000}}, never = {{0, 0}, {0, 0}};
    int64_t recorded = 0;
    in_handler = 0;
    recording_start(&options);
    assert_int_equal(sigaction(SIGRTMIN, &action, &before), 0);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &often, NULL), 0);
    for (; in_handler < 500; recorded++)
        recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    timer_settime(timer, 0, &never, NULL);
    timer_delete(timer);
    recording_stop();
    sigaction(SIGRTMIN, &before, NULL);
    assert_int_equal(recording_count_calls(recorder_capture_directory()), recorded + in_handler);
}

static void a_forked_child_records_into_a_capture_of_its_own(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    int status = -1;
#ifdef __SANITIZE_THREAD__
    skip(); /* its runtime ends children that start threads */
#endif
    recording_start(&options);
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    char parent[512];
    snprintf(parent, sizeof parent, "%s", recorder_capture_directory());
    pid_t child = fork();
    if (child == 0) {
        struct err err = ERR_INIT;
        for (int i = 0; i < 5; i++)
            recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
        bool is_other = strcmp(parent, recorder_capture_directory()) != 0;
        bool stopped = recorder_stop(&err) == 0;
        char list[256];
        FILE *file = fopen(in_scratch("child"), "w");
        snprintf(list, sizeof list, "%s", recorder_capture_directory());
        bool written = file != NULL && fputs(list, file) >= 0 && fclose(file) == 0;
        _exit(is_other && stopped && written ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    recording_stop();
    assert_int_equal(recording_count_calls(recorder_capture_directory()), 2);
    char path[512] = "";
    recording_read(in_scratch("child"), (unsigned char *)path, sizeof path - 1);
    assert_int_equal(recording_count_calls(path), 5);
}

/* Closes descriptors as a process that daemonizes does: the recorder's files must not be written into others. */
static void closed_descriptors_are_opened_again(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    recording_start(&options);
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    assert_true(recorder_flush());
    for (int fd = 100; fd < 300; fd++) {
        int other = open(in_scratch("other"), O_RDWR | O_CREAT, 0600);
        dup2(other, fd);
        close(other);
    }
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    recording_stop();
    assert_int_equal(recording_size(in_scratch("other")), 0);
    assert_int_equal(recording_count_calls(recorder_capture_directory()), 2);
    for (int fd = 100; fd < 300; fd++)
        close(fd);
}

static void *record_once(void *arg)
{
    recorder_call(RECORDER_LEVEL_ACL, TYPE_OUTER, 1, 2, 0);
    return arg;
}

static void threads_come_and_go(void **state)
{
    (void)state;
    struct recorder_options options = recording_options("out");
    recording_start(&options);
    for (int i = 0; i < 300; i++) {
        pthread_t threads[4];
        for (size_t t = 0; t < 4; t++)
            assert_int_equal(pthread_create(&threads[t], NULL, record_once, NULL), 0);
        for (size_t t = 0; t < 4; t++)
            pthread_join(threads[t], NULL);
    }
    recording_stop();
    assert_int_equal(recording_count_calls(recorder_capture_directory()), 1200);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_call_is_imported_to_the_nanosecond),
        TEST(a_job_capture_says_the_same),
        TEST(a_job_capture_of_512_calls_is_complete),
        TEST(slices_have_at_most_two_mebibytes_and_done_files),
        TEST(the_storage_limit_removes_the_oldest_slices),
        TEST(a_tx_record_has_the_documented_layout),
        TEST(a_long_message_is_cut_and_an_empty_text_has_its_id),
        TEST(it_can_be_started_again_but_not_twice),
        TEST(lazily_started_it_makes_no_capture_without_records),
        TEST(an_output_that_cannot_be_written_is_told),
        TEST(a_signal_handler_may_record_too),
        TEST(a_forked_child_records_into_a_capture_of_its_own),
        TEST(closed_descriptors_are_opened_again),
        TEST(threads_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
