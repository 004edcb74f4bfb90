/* SPDX-License-Identifier: Apache-2.0 */
/* msproftx stamps used by many threads, in forked children, and for a long time. */
#include "acl/stamp.h"
#include "msprof/acl_prof.h"
#include "tests/lib/acl_capture.h"
#include "tests/lib/scratch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void *end_range(void *argument)
{
    const uint32_t *range = argument;
    return aclprofRangeStop(*range) == ACL_SUCCESS ? argument : NULL;
}

static void *pop_of_others(void *argument)
{
    return aclprofPop() == ACL_SUCCESS ? argument : NULL;
}

static void another_thread_may_end_a_range(void **state)
{
    pthread_t thread;
    void *ended;
    uint32_t range;
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    void *stamp = stamp_of("far");
    assert_int_equal(aclprofRangeStart(stamp, &range), ACL_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, end_range, &range), 0);
    assert_int_equal(pthread_join(thread, &ended), 0);
    assert_non_null(ended);
    assert_int_equal(aclprofPush(stamp), ACL_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, pop_of_others, &range), 0);
    assert_int_equal(pthread_join(thread, &ended), 0);
    assert_non_null(ended);
    stop_capture();
    aclprofDestroyStamp(stamp);
    assert_int_equal(read_tx_records(), 2);
    assert_int_not_equal(tx_records[0].thread, gettid()); /* the thread that ended it */
    assert_int_not_equal(tx_records[1].thread, gettid());
    assert_int_equal(tx_records[1].event, 1);
}

static void *push_there(void *argument)
{
    return aclprofPush(argument) == ACL_SUCCESS ? argument : NULL;
}

static void pop_ends_what_its_own_thread_pushed_though_another_one_did_later(void **state)
{
    pthread_t thread;
    void *pushed;
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    void *here = stamp_of("here");
    void *there = stamp_of("there");
    assert_int_equal(aclprofPush(here), ACL_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, push_there, there), 0);
    assert_int_equal(pthread_join(thread, &pushed), 0);
    assert_non_null(pushed);
    assert_int_equal(aclprofPop(), ACL_SUCCESS);
    assert_int_equal(aclprofPop(), ACL_SUCCESS);
    assert_int_not_equal(aclprofPop(), ACL_SUCCESS);
    stop_capture();
    aclprofDestroyStamp(here);
    aclprofDestroyStamp(there);
    assert_int_equal(read_tx_records(), 2);
    assert_tx_record(0, 1, "here");
    assert_tx_record(1, 1, "there");
}

#define THREADS 8
#define ROUNDS 40

/* Nested pushes and pops, ranges and marks; the message has the thread's number, so that mixing would show. */
static void *make_events(void *argument)
{
    char text[32];
    uint32_t range;
    (void)snprintf(text, sizeof text, "thread %d", *(const int *)argument);
    for (int i = 0; i < ROUNDS; i++) {
        void *outer = aclprofCreateStamp();
        void *inner = aclprofCreateStamp();
        if (outer == NULL || inner == NULL || aclprofSetStampTraceMessage(outer, text, (uint32_t)strlen(text)) != 0 ||
            aclprofSetStampTraceMessage(inner, text, (uint32_t)strlen(text)) != 0 || aclprofPush(outer) != 0 ||
            aclprofPush(inner) != 0 || aclprofMark(inner) != 0 || aclprofPop() != 0 ||
            aclprofRangeStart(inner, &range) != 0 || aclprofRangeStop(range) != 0 || aclprofPop() != 0)
            return argument;
        aclprofDestroyStamp(inner);
        aclprofDestroyStamp(outer);
    }
    return NULL;
}

static void threads_do_not_disturb_each_other(void **state)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    uint32_t ids[THREADS] = {0};
    size_t counts[THREADS] = {0};
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, make_events, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    stop_capture();
    size_t count = read_tx_records();
    assert_int_equal(count, THREADS * ROUNDS * 4);
    for (size_t i = 0; i < count; i++) {
        int number = tx_records[i].message[7] - '0';
        assert_in_range(number, 0, THREADS - 1);
        if (ids[number] == 0)
            ids[number] = tx_records[i].thread;
        assert_int_equal(tx_records[i].thread, ids[number]);
        counts[number]++;
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(counts[i], ROUNDS * 4);
}

static void *start_and_stop(void *argument)
{
    uint32_t device = *(const uint32_t *)argument;
    aclprofConfig *own = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
    for (int i = 0; i < 20; i++) {
        if (aclprofStart(own) == ACL_SUCCESS) {
            msprof_mark("started");
            if (aclprofStop(own) != ACL_SUCCESS)
                break;
        }
    }
    aclprofDestroyConfig(own);
    return NULL;
}

/* For the thread sanitizer: captures come and go while others make events. */
static void captures_may_begin_and_end_under_running_threads(void **state)
{
    pthread_t threads[4];
    uint32_t devices[2] = {1, 2};
    const char *path = in_scratch("out");
    int number = 1;
    (void)state;
    assert_int_equal(aclprofInit(path, strlen(path)), ACL_SUCCESS);
    assert_int_equal(pthread_create(&threads[0], NULL, start_and_stop, &devices[0]), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, start_and_stop, &devices[1]), 0);
    assert_int_equal(pthread_create(&threads[2], NULL, make_events, &number), 0);
    assert_int_equal(pthread_create(&threads[3], NULL, make_events, &number), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
    assert_false(acl_stamps_enabled());
    /* threads that failed in the middle have left stamps */
}

static void a_forked_child_makes_events_of_its_own(void **state)
{
    uint32_t range;
    int status;
    (void)state;
#ifdef __SANITIZE_THREAD__
    print_message("the thread sanitizer takes no threads in forked children\n");
    skip();
#endif
    start_capture(ACL_PROF_MSPROFTX);
    void *stamp = stamp_of("both");
    assert_int_equal(aclprofRangeStart(stamp, &range), ACL_SUCCESS);
    pid_t child = fork();
    if (child == 0) {
        bool good = aclprofRangeStop(range) == ACL_SUCCESS && aclprofMark(stamp) == ACL_SUCCESS &&
                    stop_capture_quietly() == ACL_SUCCESS && read_tx_records() == 2;
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(aclprofRangeStop(range), ACL_SUCCESS);
    stop_capture();
    aclprofDestroyStamp(stamp);
    assert_int_equal(read_tx_records(), 1);
}

static atomic_bool enough;

static void *use_everything(void *argument)
{
    uint32_t device = *(const uint32_t *)argument;
    while (!atomic_load(&enough)) {
        aclprofConfig *own = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
        (void)aclprofSetConfig(ACL_PROF_SYS_CPU_FREQ, "5", 1);
        if (aclprofStart(own) == ACL_SUCCESS) {
            void *stamp = aclprofCreateStamp();
            (void)aclprofPush(stamp);
            (void)aclprofPop();
            aclprofDestroyStamp(stamp);
            (void)aclprofStop(own);
        }
        (void)aclprofDestroyConfig(own);
    }
    return NULL;
}

/* In the child: anything that a lock protects; a lock that is never let go of ends the test by its alarm. */
static bool touch_everything(void)
{
    uint32_t device = 9;
    char path[16];
    aclprofConfig *own = aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
    (void)alarm(120);
    (void)msprof_acl_capture_path(path, sizeof path);
    return aclprofSetConfig(ACL_PROF_SYS_CPU_FREQ, "5", 1) == ACL_SUCCESS && aclprofStart(own) == ACL_SUCCESS &&
           aclprofStop(own) == ACL_SUCCESS && aclprofDestroyConfig(own) == ACL_SUCCESS &&
           aclprofFinalize() == ACL_SUCCESS && msprof_acl_json_stop() == ACL_SUCCESS;
}

static void a_child_that_is_forked_under_load_finds_no_lock_taken(void **state)
{
    pthread_t threads[2];
    uint32_t devices[2] = {1, 2};
    const char *path = in_scratch("out");
    int status;
    (void)state;
#ifdef __SANITIZE_THREAD__
    print_message("the thread sanitizer takes no threads in forked children\n");
    skip();
#endif
    assert_int_equal(aclprofInit(path, strlen(path)), ACL_SUCCESS);
    atomic_store(&enough, false);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_everything, &devices[i]), 0);
    for (int i = 0; i < 40; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(touch_everything() ? 0 : 1);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    atomic_store(&enough, true);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(aclprofFinalize(), ACL_SUCCESS);
}

static void a_million_ranges_need_no_more_memory_than_a_thousand(void **state)
{
    struct rusage before;
    struct rusage after;
    (void)state;
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
    print_message("sanitizers keep memory\n");
    skip();
#endif
    start_capture(ACL_PROF_MSPROFTX);
    for (int i = 0; i < 1000000; i++) {
        if (i == 1000)
            assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
        MSPROF_SCOPE("range");
    }
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    stop_capture();
    assert_true(after.ru_maxrss - before.ru_maxrss < 4096); /* KiB */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(another_thread_may_end_a_range),
        TEST(pop_ends_what_its_own_thread_pushed_though_another_one_did_later),
        TEST(threads_do_not_disturb_each_other),
        TEST(captures_may_begin_and_end_under_running_threads),
        TEST(a_forked_child_makes_events_of_its_own),
        TEST(a_child_that_is_forked_under_load_finds_no_lock_taken),
        TEST(a_million_ranges_need_no_more_memory_than_a_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
