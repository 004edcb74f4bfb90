/* msproftx stamps used by many threads, in forked children, and for a long time. */
#include "acl/stamp.h"
#include "msprof/acl_prof.h"
#include "tests/lib/acl_capture.h"
#include "tests/lib/scratch.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
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

static void a_million_ranges_need_no_more_memory_than_a_thousand(void **state)
{
    struct rusage before;
    struct rusage after;
    (void)state;
    start_capture(ACL_PROF_MSPROFTX);
    for (int i = 0; i < 1000000; i++) {
        if (i == 1000)
            assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
        MSPROF_SCOPE("range");
    }
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    stop_capture();
    assert_true(after.ru_maxrss - before.ru_maxrss < 4096); /* KiB; the sanitizers keep some */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(another_thread_may_end_a_range),
        TEST(threads_do_not_disturb_each_other),
        TEST(captures_may_begin_and_end_under_running_threads),
        TEST(a_forked_child_makes_events_of_its_own),
        TEST(a_million_ranges_need_no_more_memory_than_a_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
