/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of marks and ranges of msproftx for the program that makes them: acl_marks DIRECTORY COUNT. Prints
 * nanoseconds for a mark, a range by push and pop, a range by start and stop, and a reading of the clock of the
 * records: the smallest of several bursts with pauses, in which what was recorded is written, and of rounds of COUNT
 * without any. */
#include "msprof/acl_prof.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BURSTS 50
#define BURST_COUNT 1000
#define PAUSE_MS 5
#define ROUNDS 5

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void check(int code, const char *what)
{
    if (code == 0)
        return;
    fprintf(stderr, "acl_marks: %s: %d\n", what, code);
    exit(1);
}

static void *stamp;
static volatile int64_t sink;

static void mark(void)
{
    sink += aclprofMark(stamp);
}

static void push_and_pop(void)
{
    sink += aclprofPush(stamp);
    sink += aclprofPop();
}

static void start_and_stop(void)
{
    uint32_t id = 0;
    sink += aclprofRangeStart(stamp, &id);
    sink += aclprofRangeStop(id);
}

static void read_clock(void)
{
    sink += now();
}

/* In tenths of a nanosecond. */
static int64_t measure(void (*step)(void), int rounds, int64_t count, int pause_ms)
{
    const struct timespec pause = {0, pause_ms * 1000000L};
    int64_t best = INT64_MAX;
    for (int round = 0; round < rounds; round++) {
        int64_t begin = now();
        for (int64_t i = 0; i < count; i++)
            step();
        int64_t elapsed = now() - begin;
        best = elapsed < best ? elapsed : best;
        if (pause_ms > 0)
            nanosleep(&pause, NULL);
    }
    return best * 10 / count;
}

static void print(const char *name, void (*step)(void), int64_t count)
{
    int64_t burst = measure(step, BURSTS, BURST_COUNT, PAUSE_MS), round = measure(step, ROUNDS, count, 0);
    printf("%s\t%lld.%lld\t%lld.%lld\n", name, (long long)(burst / 10), (long long)(burst % 10),
           (long long)(round / 10), (long long)(round % 10));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*step)(void);
    } steps[] = {
        {"mark", mark}, {"push and pop", push_and_pop}, {"start and stop", start_and_stop}, {"clock", read_clock}};
    int64_t count = argc > 2 ? strtoll(argv[2], NULL, 10) : 0;
    if (count <= 0) {
        fputs("usage: acl_marks DIRECTORY COUNT\n", stderr);
        return 2;
    }
    check(aclprofInit(argv[1], strlen(argv[1])), "aclprofInit");
    aclprofConfig *config = aclprofCreateConfig(NULL, 0, ACL_AICORE_NONE, NULL, ACL_PROF_MSPROFTX);
    check(config == NULL, "aclprofCreateConfig");
    check(aclprofStart(config), "aclprofStart");
    stamp = aclprofCreateStamp();
    check(stamp == NULL, "aclprofCreateStamp");
    check(aclprofSetStampTraceMessage(stamp, "forward", 7), "aclprofSetStampTraceMessage");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        print(steps[i].name, steps[i].step, count);
    aclprofDestroyStamp(stamp);
    check(aclprofStop(config), "aclprofStop");
    check(aclprofFinalize(), "aclprofFinalize");
    check(aclprofDestroyConfig(config), "aclprofDestroyConfig");
    return 0;
}
