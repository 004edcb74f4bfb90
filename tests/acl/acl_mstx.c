/* SPDX-License-Identifier: Apache-2.0 */
/* A program that tells of itself with mstx, as users write it: acl_mstx WHAT [COUNT]. Prints what it knows of it
 * itself: number, message, domain and thread of each mark and range, one a line, divided by tabs. */
#include "mstx/ms_tools_ext.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4

static int count = 100;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

static void tell(const char *event, mstxRangeId id, const char *message, const char *domain)
{
    pthread_mutex_lock(&printing);
    printf("%s\t%llu\t%s\t%s\t%d\n", event, (unsigned long long)id, message, domain, (int)gettid());
    pthread_mutex_unlock(&printing);
}

/* ---- threads, nested ranges, domains ---- */

static mstxDomainHandle_t module, links;
static mstxRangeId crossing[THREADS];

static void *work(void *arg)
{
    size_t thread = (size_t)(uintptr_t)arg;
    char name[32];
    (void)snprintf(name, sizeof name, "across %zu", thread);
    crossing[thread] = mstxDomainRangeStartA(links, name, NULL);
    tell("start/end", crossing[thread], name, "links");
    for (int i = 0; i < count; i++) {
        mstxRangeId outer = mstxRangeStartA("outer", NULL), inner = mstxDomainRangeStartA(module, "inner", NULL);
        mstxDomainMarkA(module, "mark", NULL);
        mstxDomainRangeEnd(module, inner);
        mstxRangeEnd(outer);
        tell("start/end", outer, "outer", "default");
        tell("start/end", inner, "inner", "module");
        tell("marker", 0, "mark", "module");
    }
    return NULL;
}

static int run_threads(void)
{
    pthread_t threads[THREADS];
    uint64_t tool = 0;
    mstxGetToolId(&tool);
    if (tool != MSTX_TOOL_MSPROF_ID)
        return 3;
    module = mstxDomainCreateA("module");
    links = mstxDomainCreateA("links");
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i); /* NOLINT(performance-no-int-to-ptr) */
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++) /* by another thread, in another order */
        mstxDomainRangeEnd(links, crossing[THREADS - 1 - i]);
    mstxDomainDestroy(module);
    mstxDomainDestroy(links);
    return 0;
}

/* ---- what is not as it is meant ---- */

static int run_misuse(void)
{
    mstxDomainHandle_t one = mstxDomainCreateA("one"), other = mstxDomainCreateA("other");
    mstxRangeId twice = mstxRangeStartA("twice", NULL), wrong = mstxDomainRangeStartA(one, "wrong", NULL);
    (void)mstxRangeStartA("open \"a\\b", NULL);
    (void)mstxDomainRangeStartA(one, "open too", NULL);
    mstxRangeEnd(twice);
    mstxRangeEnd(twice);
    mstxRangeEnd(123456789);
    mstxDomainRangeEnd(other, wrong);
    mstxDomainDestroy(other);
    mstxDomainMarkA(other, "gone", NULL);
    mstxMarkA(NULL, NULL);
    mstxRangeEnd(MSTX_INVALID_ID);
    return 0;
}

static int run_long(void)
{
    static char text[5001];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = (char)('a' + i % 26);
    mstxMarkA(text, NULL);
    mstxRangeId range = mstxRangeStartA(text, NULL);
    mstxMarkA("", NULL);
    mstxRangeEnd(range);
    return 0;
}

/* ---- memory ---- */

static int run_memory(void)
{
    static char pool[1 << 16];
    const mstxMemVirtualRangeDesc_t all = {3, pool, sizeof pool};
    const mstxMemHeapDesc_t heap_of = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &all};
    mstxMemHeapHandle_t heap = mstxMemHeapRegister(globalDomain, &heap_of);
    const mstxMemVirtualRangeDesc_t parts[] = {{3, pool, 1024}, {3, pool + 1024, 2048}, {3, pool + 4096, 4096}};
    mstxMemRegionHandle_t regions[3] = {NULL, NULL, NULL};
    const mstxMemRegionsRegisterBatch_t batch = {heap, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 3, parts, regions};
    mstxMemRegionRef_t gone[2];
    const mstxMemRegionsUnregisterBatch_t gone_batch = {2, gone};
    if (heap == NULL)
        return 3;
    mstxMemRegionsRegister(globalDomain, &batch);
    gone[0].refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
    gone[0].handle = regions[1];
    gone[1].refType = MSTX_MEM_REGION_REF_TYPE_POINTER;
    gone[1].pointer = pool;
    mstxMemRegionsUnregister(globalDomain, &gone_batch);
    mstxMemRegionsUnregister(globalDomain, &gone_batch); /* they are no more */
    mstxMemHeapUnregister(globalDomain, heap);
    return 0;
}

/* ---- ends of processes ---- */

static void on_signal(int number)
{
    (void)number;
    mstxRangeId range = mstxRangeStartA("in handler", NULL);
    mstxMarkA("from handler", NULL);
    mstxRangeEnd(range);
}

static int run_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct itimerspec often = {{0, 50000}, {0, 50000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    timer_t timer;
    sigaction(SIGALRM, &action, NULL);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    for (int i = 0; i < count; i++)
        mstxRangeEnd(mstxRangeStartA("interrupted", NULL));
    timer_delete(timer);
    return 0;
}

static int run_children(void)
{
    mstxRangeId inherited = mstxRangeStartA("parent", NULL);
    pid_t child = fork();
    if (child == 0) {
        mstxRangeEnd(inherited); /* it is the parent's */
        mstxMarkA("child", NULL);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    child = fork();
    if (child == 0) {
        mstxMarkA("before exec", NULL);
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    mstxRangeEnd(inherited);
    return 0;
}

static int run_killed(void)
{
    mstxMarkA("before", NULL);
    (void)mstxRangeStartA("in this", NULL);
    raise(SIGSEGV);
    return 0;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Nanoseconds of a mark and of a range: the best of bursts of 1000 with pauses, and of rounds without any. */
static int run_measure(void)
{
    const struct timespec pause = {0, 5000000L};
    double best[2][2] = {{1e9, 1e9}, {1e9, 1e9}};
    for (int round = 0; round < 55; round++) {
        int is_burst = round < 50, many = is_burst ? 1000 : count;
        for (int what = 0; what < 2; what++) {
            int64_t begin = now();
            for (int i = 0; i < many; i++) {
                if (what == 0)
                    mstxMarkA("forward", NULL);
                else
                    mstxRangeEnd(mstxRangeStartA("forward", NULL));
            }
            double each = (double)(now() - begin) / many;
            if (each < best[what][!is_burst])
                best[what][!is_burst] = each;
            if (is_burst)
                nanosleep(&pause, NULL);
        }
    }
    printf("%.1f\t%.1f\t%.1f\t%.1f\n", best[0][0], best[0][1], best[1][0], best[1][1]);
    return 0;
}

static int run_many(void)
{
    for (int i = 0; i < count; i++)
        mstxMarkA("mark", NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } whats[] = {{"threads", run_threads}, {"misuse", run_misuse},   {"long", run_long},
                 {"memory", run_memory},   {"signals", run_signals}, {"children", run_children},
                 {"killed", run_killed},   {"measure", run_measure}, {"many", run_many}};
    if (argc > 2 && sscanf(argv[2], "%d", &count) != 1) /* NOLINT(cert-err34-c) */
        return 2;
    for (size_t i = 0; argc > 1 && i < sizeof whats / sizeof *whats; i++)
        if (strcmp(argv[1], whats[i].name) == 0)
            return whats[i].run();
    return 2;
}
