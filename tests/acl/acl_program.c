/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses ACL and knows what it did: acl_program MODE [ARGUMENT ...]. Each mode is a function below. With
 * ACL_PROGRAM_LOG=FILE, it writes a line "<thread> <name> <before> <after>" for each call of a thread's log, times as
 * the recorder has them. */
#include "tests/acl/fake_acl.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "acl_program: %s\n", what);
    exit(70);
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail(#condition);                                                                                          \
    } while (0)

/* ---- what it did ---- */

struct call {
    int64_t before, after;
    const char *name;
    long thread;
};

static FILE *log_file;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static void write_log(const struct call *calls, size_t count)
{
    pthread_mutex_lock(&log_lock);
    for (size_t i = 0; log_file != NULL && i < count; i++)
        fprintf(log_file, "%ld %s %lld %lld\n", calls[i].thread, calls[i].name, (long long)calls[i].before,
                (long long)calls[i].after);
    if (log_file != NULL)
        fflush(log_file);
    pthread_mutex_unlock(&log_lock);
}

/* ---- modes ---- */

static void pass_arguments(void)
{
    char from[6] = "abcde", to[32] = "";
    uint32_t model = 0;
    CHECK(aclInit("four") == 4);
    CHECK(aclrtSetDevice(-7) == -7);
    CHECK(aclrtMemcpy2dAsync(to, 8, from, 3, 2, 2, 77, to) == 77);
    CHECK(to[0] == 'a' && to[1] == 'b' && to[2] == 0 && to[8] == 'd' && to[9] == 'e');
    CHECK(aclmdlLoadFromFile("resnet", &model) == 0 && model == 6);
    CHECK(aclFloat16ToFloat(7) == 3.5F);
    CHECK(aclFloatToFloat16(2.5F) == 5);
    CHECK(aclAppLog(5, 0.5, INT64_C(1), 0.25, INT64_C(2), 0.125, INT64_C(3), 10.0, INT64_C(4), 20.0, INT64_C(5)) ==
          45.875);
    struct fake_pair pair = aclopSetAttrFloat((struct fake_pair){5, 1.5}, 4.0F);
    CHECK(pair.first == 15 && pair.second == 6.0);
    struct fake_doubles doubles = aclopSetAttrListFloat((struct fake_doubles){1.5, 2.5}, 2.0);
    CHECK(doubles.first == 5.0 && doubles.second == 3.0);
    struct fake_large large = {{1, 2, 3, 4, 5, 6}}, more = {{10, 20, 30, 40, 50, 60}};
    large = aclopExecuteV2(large, 100, more);
    CHECK(large.values[0] == 110 && large.values[5] == 660);
    CHECK(aclopCompileAndExecute(0.5L, 1, 2, 3, 4, 5, 6, 7, 8) == 204.5L);
    CHECK(aclrtEventElapsedTime(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 295.0);
    errno = 0;
    CHECK(aclrtGetLastError(42) == 42 && errno == 42);
    CHECK(aclFinalize() == 0);
}

/* The stack of this thread ends right behind the caller of an ACL function. */
static void *on_small_stack(void *arg)
{
    (void)arg;
    CHECK(aclrtSetDevice(3) == 3);
    return NULL;
}

static int inner(void *arg)
{
    int *depth = arg;
    return --*depth > 0 ? aclrtLaunchCallback(inner, depth) : aclrtSetDevice(1);
}

static void nest(void)
{
    int depth = 3;
    CHECK(aclrtLaunchCallback(inner, &depth) == 4);
    uint32_t output = 0;
    CHECK(aclmdlExecute(9, NULL, &output) == 0 && output == 9);
}

static size_t calls_a_thread;

static void *work(void *arg)
{
    struct call *calls = calloc(calls_a_thread, sizeof *calls);
    long thread = syscall(SYS_gettid);
    CHECK(calls != NULL);
    (void)arg;
    for (size_t i = 0; i < calls_a_thread; i++) {
        calls[i].thread = thread;
        calls[i].before = now();
        if (i % 2 == 0) {
            calls[i].name = "aclrtSetDevice";
            aclrtSetDevice((int32_t)i);
        } else {
            calls[i].name = "aclrtSynchronizeStream";
            aclrtSynchronizeStream(NULL);
        }
        calls[i].after = now();
    }
    write_log(calls, calls_a_thread);
    free(calls);
    return NULL;
}

static void run_threads(size_t threads)
{
    pthread_t *ids = calloc(threads, sizeof *ids);
    CHECK(ids != NULL);
    for (size_t i = 0; i < threads; i++)
        CHECK(pthread_create(&ids[i], NULL, work, NULL) == 0);
    for (size_t i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    free(ids);
}

static void call_many(long count)
{
    for (long i = 0; i < count; i++)
        aclrtSetDevice(0); /* NOLINT(bugprone-signal-handler,cert-sig30-c): what the test is about */
}

static void pause_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static volatile int depth_of_stack = 1;

static int overflow_stack(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    return depth_of_stack > 0 ? overflow_stack(depth + depth_of_stack) + frame[0] : 0;
}

static int *volatile nowhere;

/* How the process ends. */
static void end(const char *how)
{
    if (strcmp(how, "return") == 0)
        return;
    if (strcmp(how, "exit") == 0)
        exit(5);
    if (strcmp(how, "_exit") == 0)
        _exit(6);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(7);
    if (strcmp(how, "pthread_exit") == 0)
        pthread_exit(NULL);
    if (strcmp(how, "raw_exit") == 0)
        syscall(SYS_exit, 9);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "segv") == 0)
        *nowhere = 1;
    if (strcmp(how, "overflow") == 0)
        depth_of_stack = overflow_stack(1);
    if (strcmp(how, "exec") == 0)
        execl("/bin/sh", "sh", "-c", "exit 8", (char *)NULL);
    if (strcmp(how, "pause") == 0)
        for (;;)
            pause();
    for (int i = 1; i < NSIG; i++)
        if (i == atoi(how) || (sigabbrev_np(i) != NULL && strcmp(sigabbrev_np(i), how) == 0))
            kill(getpid(), i);
    pause_ms(2000);
    fail("still there");
}

/* ---- what a process may not do any more ---- */

/* No file is opened any more: openat() and open() fail. */
static void forbid_opening(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/* Between its first call and the others, before anything of either is in a file; first-...: before all of them. */
static void call_restricted(const char *how, long calls)
{
    const struct rlimit limit = {64, 64}, three = {3, 3}, nothing = {0, 0};
    const bool is_first = strncmp(how, "first-", strlen("first-")) == 0;
    if (is_first)
        how += strlen("first-");
    else
        call_many(1);
    if (strcmp(how, "chroot") == 0)
        CHECK(chroot("/proc/self/fdinfo") == 0 && chdir("/") == 0);
    else if (strcmp(how, "seccomp") == 0)
        forbid_opening();
    else if (strcmp(how, "setuid") == 0)
        CHECK(setgid(65534) == 0 && setuid(65534) == 0);
    else if (strcmp(how, "exhausted") == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0)
        while (dup(0) >= 0)
            ;
    else if (strcmp(how, "three") == 0)
        CHECK(setrlimit(RLIMIT_NOFILE, &three) == 0);
    else if (strcmp(how, "size") == 0)
        CHECK(setrlimit(RLIMIT_FSIZE, &nothing) == 0);
    call_many(is_first ? calls : calls - 1);
}

/* ---- other ways out of a function ---- */

static jmp_buf way_out;

static int jump(void *arg)
{
    (void)arg;
    longjmp(way_out, 1);
}

static int wait_for_cancellation(void *arg)
{
    (void)arg;
    return pause();
}

static void *be_cancelled(void *arg)
{
    aclrtLaunchCallback(wait_for_cancellation, NULL);
    return arg;
}

/* Calls that do not return are not recorded; those after them are. */
static void leave_functions(void)
{
    pthread_t thread;
    void *result = NULL;
    if (setjmp(way_out) == 0) {
        aclrtLaunchCallback(jump, NULL);
        fail("longjmp returned");
    }
    CHECK(aclrtSetDevice(1) == 1);
    CHECK(pthread_create(&thread, NULL, be_cancelled, NULL) == 0);
    pause_ms(20);
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    CHECK(aclrtSetDevice(2) == 2);
}

/* ---- ends of the process while threads are inside of functions ---- */

static atomic_int inside;

static int stay_inside(void *arg)
{
    (void)arg;
    atomic_fetch_add(&inside, 1);
    return pause();
}

static void *be_inside(void *arg)
{
    aclrtLaunchCallback(stay_inside, NULL);
    return arg;
}

/* Ends as its argument says while three threads are inside of a function. */
static void end_with_threads_inside(const char *how)
{
    pthread_t thread;
    CHECK(aclrtSetDevice(1) == 1);
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&thread, NULL, be_inside, NULL) == 0);
    while (atomic_load(&inside) < 3)
        pause_ms(1);
    if (strcmp(how, "_exit") == 0)
        _exit(0);
    if (strcmp(how, "exec") == 0)
        execl("/bin/true", "true", (char *)NULL);
    if (strcmp(how, "signal") == 0)
        kill(getpid(), SIGTERM);
    if (strcmp(how, "failed exec") == 0) { /* nothing ended: the threads' calls may return yet */
        CHECK(execl("/does/not/exist", "nothing", (char *)NULL) == -1);
        CHECK(aclrtSetDevice(2) == 2);
    }
    if (strcmp(how, "fork") == 0) { /* the child has none of the threads */
        pid_t child = fork();
        if (child == 0) {
            CHECK(aclrtSetDevice(3) == 3);
            exit(0);
        }
        CHECK(waitpid(child, NULL, 0) == child);
    }
    exit(0);
}

/* ---- signals ---- */

static volatile sig_atomic_t handled;

static void handle(int signal)
{
    aclrtSetDevice(signal); // NOLINT(bugprone-signal-handler,cert-sig30-c): the recorder takes calls in handlers
    handled = handled + 1;
}

/* Signal actions that the program sets are those that it is told, and those that happen. */
static void use_signals(void)
{
    struct sigaction action = {.sa_handler = handle}, before;
    CHECK(aclrtSetDevice(0) == 0);
    CHECK(sigaction(SIGTERM, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
    CHECK(sigaction(SIGTERM, &action, &before) == 0 && before.sa_handler == SIG_DFL);
    CHECK(sigaction(SIGTERM, NULL, &before) == 0 && before.sa_handler == handle);
    raise(SIGTERM);
    CHECK(handled == 1);
    CHECK(signal(SIGTERM, SIG_IGN) == handle);
    raise(SIGTERM);
    CHECK(signal(SIGTERM, SIG_DFL) == SIG_IGN);
    CHECK(signal(SIGUSR1, handle) == SIG_DFL);
    raise(SIGUSR1);
    raise(SIGUSR1);
    CHECK(handled == 3);
    action.sa_flags = (int)SA_RESETHAND;
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
    CHECK(sigaction(SIGUSR2, NULL, &before) == 0 && before.sa_handler == handle &&
          (before.sa_flags & (int)SA_RESETHAND) != 0);
    raise(SIGUSR2);
    CHECK(handled == 4);
    CHECK(sigaction(SIGUSR2, NULL, &before) == 0 && before.sa_handler == SIG_DFL);
    raise(SIGUSR2); /* the end */
    fail("SIGUSR2 did not end it");
}

/* ---- the rest ---- */

static void fork_child(void)
{
    int status = 0;
    call_many(10);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        call_many(20);
        exit(3);
    }
    call_many(5);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

static void fork_under_load(void)
{
    pthread_t threads[3];
    calls_a_thread = 200000;
    for (size_t i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < 50; i++) {
        int status = 0;
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            call_many(i % 2 == 0 ? 3 : 0);
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

static long resident_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *file = fopen("/proc/self/status", "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "VmRSS: %ld", &kb) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kb;
}

/* Prints how many kB the process grew by. */
static void call_without_growth(long count, long threads)
{
    call_many(10000);
    calls_a_thread = 10;
    for (long i = 0; i < 10; i++)
        run_threads(20);
    long before = resident_kb();
    call_many(count);
    for (long i = 0; i < threads; i += 20)
        run_threads(20);
    printf("%ld\n", resident_kb() - before);
}

static double measure_calls(int rounds, long count, long pause)
{
    int64_t best = INT64_MAX;
    for (int round = 0; round < rounds; round++) {
        int64_t begin = now();
        call_many(count);
        int64_t elapsed = now() - begin;
        best = elapsed < best ? elapsed : best;
        if (pause > 0)
            pause_ms(pause);
    }
    return (double)best / (double)count;
}

/* Nanoseconds of a call: the smallest of many bursts with pauses, and of rounds of count without any. */
static void measure(long count)
{
    double burst = measure_calls(50, 1000, 5), round = measure_calls(5, count, 0);
    printf("%.1f\t%.1f\n", burst, round);
}

/* ---- what a preload library may stumble over ---- */

static char coroutine_stack[16 * 4096] __attribute__((aligned(4096)));
static ucontext_t coroutine, caller;

static void call_at_the_end(void)
{
    call_many(3);
}

/* A coroutine whose stack ends where nothing can be read, although something is mapped there. */
static void call_beside_a_guard_page(void)
{
    char *guard = coroutine_stack + sizeof coroutine_stack - 4096;
    CHECK(mprotect(guard, 4096, PROT_NONE) == 0);
    CHECK(getcontext(&coroutine) == 0);
    coroutine.uc_stack.ss_sp = coroutine_stack;
    coroutine.uc_stack.ss_size = sizeof coroutine_stack - 4096;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, call_at_the_end, 0);
    CHECK(swapcontext(&caller, &coroutine) == 0);
}

static void call_in_handler(int signal)
{
    (void)signal;
    call_many(1);
}

static bool interrupts_start;

/* Stands in for a function that the recorder calls when it starts: a signal comes just then. */
int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    static bool once;
    int (*next)(pthread_key_t *, void (*)(void *));
    *(void **)(void *)&next = dlsym(RTLD_NEXT, "pthread_key_create");
    if (interrupts_start && !once) {
        once = true;
        raise(SIGUSR1);
    }
    return next(key, destructor);
}

static void call_in_handler_while_starting(void)
{
    signal(SIGUSR1, call_in_handler);
    interrupts_start = true;
    alarm(10); /* it would wait for ever */
    call_many(1);
}

static void note_signal(int signal)
{
    (void)signal;
}

/* Signal actions that a child of vfork() sets, as shells and posix_spawn do, are not its parent's. */
static void reset_in_vforked_child(void)
{
    struct sigaction seen;
    int status;
    call_many(1);
    signal(SIGTERM, note_signal);
    sysv_signal(SIGUSR2, note_signal); /* for one time: goes through a handler of the library */
    pid_t child = vfork();             /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    if (child == 0) {
        signal(SIGTERM, SIG_DFL); /* NOLINT(clang-analyzer-unix.Vfork) */
        signal(SIGUSR2, SIG_DFL);
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(sigaction(SIGTERM, NULL, &seen) == 0 && seen.sa_handler == note_signal);
    CHECK(sigaction(SIGUSR2, NULL, &seen) == 0 && seen.sa_handler == note_signal);
    raise(SIGTERM);
    raise(SIGUSR2);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "", *first = argc > 2 ? argv[2] : "", *second = argc > 3 ? argv[3] : "";
    const char *log_name = getenv("ACL_PROGRAM_LOG");
    long number = strtol(first, NULL, 10), other = strtol(second, NULL, 10);
    if (log_name != NULL)
        log_file = fopen(log_name, "we");
    if (strcmp(mode, "arguments") == 0) {
        pthread_t thread;
        pass_arguments();
        CHECK(pthread_create(&thread, NULL, on_small_stack, NULL) == 0);
        pthread_join(thread, NULL);
    } else if (strcmp(mode, "nest") == 0) {
        nest();
    } else if (strcmp(mode, "threads") == 0) {
        calls_a_thread = (size_t)other;
        run_threads((size_t)number);
    } else if (strcmp(mode, "end") == 0) {
        call_many(other);
        if (argc > 4)
            pause_ms(strtol(argv[4], NULL, 10));
        end(first);
    } else if (strcmp(mode, "restricted") == 0) {
        call_restricted(first, other);
    } else if (strcmp(mode, "signals") == 0) {
        use_signals();
    } else if (strcmp(mode, "inside") == 0) {
        end_with_threads_inside(first);
    } else if (strcmp(mode, "leave") == 0) {
        leave_functions();
    } else if (strcmp(mode, "guard") == 0) {
        call_beside_a_guard_page();
    } else if (strcmp(mode, "handler") == 0) {
        call_in_handler_while_starting();
    } else if (strcmp(mode, "vfork") == 0) {
        reset_in_vforked_child();
    } else if (strcmp(mode, "fork") == 0) {
        fork_child();
    } else if (strcmp(mode, "fork-load") == 0) {
        fork_under_load();
    } else if (strcmp(mode, "growth") == 0) {
        call_without_growth(number, other);
    } else if (strcmp(mode, "measure") == 0) {
        measure(number);
    } else if (strcmp(mode, "svp") == 0) {
        uint32_t output;
        CHECK(svp_acl_init(NULL) == 0 && svp_acl_mdl_execute(4, NULL, &output) == 0 && svp_acl_finalize() == 0);
    } else {
        fail("unknown mode");
    }
    return 0;
}
