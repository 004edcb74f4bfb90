/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that make marks and ranges and know their times to the nanosecond, because the library reads the clock
 * through this program: exact_times DIRECTORY [acl.json]. A line for each event: type, thread, begin, end, message,
 * divided by tabs. */
#include "tests/acl/sample.h"

#include <inttypes.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS 50

static _Thread_local int64_t first_time; /* that was read since readings was 0; who carries records on reads more */
static _Thread_local unsigned readings;

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *ret)
{
    long status = syscall(SYS_clock_gettime, clock, ret);
    if (clock == CLOCK_MONOTONIC_RAW && readings++ == 0)
        first_time = (int64_t)ret->tv_sec * 1000000000 + ret->tv_nsec;
    return (int)status;
}

/* The time that the library has seen for the call just made. */
static int64_t time_seen(void)
{
    if (readings == 0) {
        (void)fputs("the library has not read the clock\n", stderr);
        exit(1);
    }
    readings = 0;
    return first_time;
}

static void *stamp_of(const char *message)
{
    void *stamp = aclprofCreateStamp();
    if (stamp == NULL)
        sample_check(ACL_ERROR_FAILURE, "aclprofCreateStamp");
    CHECK(aclprofSetStampTraceMessage(stamp, message, (uint32_t)strlen(message)));
    readings = 0;
    return stamp;
}

static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

static void say(int type, int64_t begin, int64_t end, const char *message)
{
    pthread_mutex_lock(&printing);
    printf("%d\t%d\t%" PRId64 "\t%" PRId64 "\t%s\n", type, gettid(), begin, end, message);
    pthread_mutex_unlock(&printing);
}

static void make_round(int thread, int round)
{
    char name[64];
    uint32_t id;
    (void)snprintf(name, sizeof name, "%d.%d", thread, round);
    void *outer = stamp_of(name);
    CHECK(aclprofPush(outer));
    int64_t outer_begin = time_seen();
    void *range = stamp_of(name);
    CHECK(aclprofRangeStart(range, &id));
    int64_t range_begin = time_seen();
    CHECK(aclprofMark(range));
    int64_t mark = time_seen();
    CHECK(aclprofMarkEx(name, strlen(name), &id));
    int64_t mark_ex = time_seen();
    CHECK(aclprofPop());
    int64_t outer_end = time_seen();
    CHECK(aclprofRangeStop(id));
    int64_t range_end = time_seen();
    aclprofDestroyStamp(range);
    aclprofDestroyStamp(outer);
    say(0, mark, mark, name);
    say(1, outer_begin, outer_end, name);
    say(2, range_begin, range_end, name);
    say(3, mark_ex, mark_ex, name);
}

static void *run(void *argument)
{
    for (int round = 0; round < ROUNDS; round++)
        make_round(*(const int *)argument, round);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    aclprofConfig *config = NULL;
    if (argc < 2)
        return 2;
    if (argc > 2)
        CHECK(msprof_acl_json_start(argv[2]));
    else
        config = sample_start(argv[1], ACL_PROF_MSPROFTX);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, run, &numbers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    if (argc > 2)
        CHECK(msprof_acl_json_stop());
    else
        sample_stop(config);
    return 0;
}
