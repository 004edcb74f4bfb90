/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses ACL in the ways that preload libraries stumble over, mixed at random: acl_mix SEED STEPS LOG, or
 * acl_mix NAME LOG for one way alone, which then makes the first call. Each process appends a line "MADE LEFT" to LOG:
 * how many calls returned, and how many never will. */
#include "tests/acl/fake_acl.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE ((size_t)4096)

static atomic_long made, left;
static const char *log_name;
static unsigned seed;
static bool in_child;

static void fail(const char *what)
{
    ssize_t ignored = write(STDERR_FILENO, what, strlen(what)); /* handlers call this, too */
    (void)ignored;
    _exit(70);
}

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            fail(#condition);                                                                                          \
    } while (0)

static unsigned below(unsigned limit)
{
    seed = seed * 1103515245U + 12345U;
    return (seed >> 16) % limit;
}

static void call(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        CHECK(aclrtSetDevice((int32_t)i) == (int32_t)i); /* NOLINT(bugprone-signal-handler,cert-sig30-c) */
        atomic_fetch_add(&made, 1);
    }
}

static void call_back(int (*function)(void *arg), void *arg)
{
    aclrtLaunchCallback(function, arg);
    atomic_fetch_add(&made, 1);
}

/* ---- how processes end ---- */

static void tell(void)
{
    char line[64];
    int fd = open(log_name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    int length = snprintf(line, sizeof line, "%ld %ld\n", atomic_load(&made), atomic_load(&left));
    CHECK(fd >= 0 && write(fd, line, (size_t)length) == length);
    close(fd);
}

static void *execute(void *arg)
{
    execl("/bin/true", "true", (char *)NULL);
    return arg;
}

/* In one of several ways. */
static void end_child(void)
{
    pthread_t thread;
    tell();
    switch (below(6)) {
    case 0:
        exit(0);
    case 1:
        _exit(0);
    case 2:
        execl("/bin/true", "true", (char *)NULL);
        break;
    case 3: /* from a thread */
        CHECK(pthread_create(&thread, NULL, execute, NULL) == 0);
        pthread_join(thread, NULL);
        break;
    case 4:
        signal(SIGTERM, SIG_DFL);
        raise(SIGTERM);
        break;
    default:
        quick_exit(0);
    }
    fail("the child did not end");
}

static void wait_for(pid_t child)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    CHECK(ended == child);
    if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0) && !(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)) {
        fprintf(stderr, "acl_mix: a child ended with %x\n", (unsigned)status);
        _exit(70);
    }
}

/* ---- stacks ---- */

static ucontext_t caller, coroutine;

/* A mapping of its own, with something behind it: nothing, what cannot be read, what can. */
static char *new_stack(size_t size, unsigned behind, size_t *whole)
{
    *whole = size + PAGE;
    char *stack = mmap(NULL, *whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED);
    if (behind == 0)
        CHECK(munmap(stack + size, PAGE) == 0);
    else if (behind == 1)
        CHECK(mprotect(stack + size, PAGE, PROT_NONE) == 0);
    return stack;
}

static void call_once(void)
{
    call(1);
}

static void call_with_many_arguments(void)
{
    struct fake_large a = {{1, 2, 3, 4, 5, 6}}, b = {{10, 20, 30, 40, 50, 60}};
    a = aclopExecuteV2(a, 100, b);
    CHECK(a.values[0] == 110 && a.values[5] == 660);
    atomic_fetch_add(&made, 1);
}

static void run_on(void (*function)(void), char *stack, size_t size)
{
    CHECK(getcontext(&coroutine) == 0);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = size;
    coroutine.uc_link = &caller;
    makecontext(&coroutine, function, 0);
    CHECK(swapcontext(&caller, &coroutine) == 0);
}

/* The stack's end at every distance from the end of its last page. */
static void use_coroutines(void)
{
    size_t size = PAGE * (4 + below(4)), whole;
    for (unsigned behind = 0; behind < 3; behind++) {
        char *stack = new_stack(size, behind, &whole);
        for (size_t distance = 0; distance < 512; distance += 16)
            run_on(call_once, stack, size - distance);
        for (size_t distance = 0; distance < PAGE; distance += 256)
            run_on(call_with_many_arguments, stack, size - distance);
        munmap(stack, whole);
    }
}

static int yield(void *arg)
{
    (void)arg;
    CHECK(swapcontext(&coroutine, &caller) == 0);
    return 0;
}

static void call_and_yield(void)
{
    call_back(yield, NULL);
    call(1);
}

static void *resume(void *arg)
{
    CHECK(swapcontext(&caller, &coroutine) == 0);
    return arg;
}

/* A coroutine stops inside of a call and goes on later: here, or in another thread. */
static void yield_inside(void)
{
    pthread_t thread;
    size_t size = 16 * PAGE, whole;
    char *stack = new_stack(size, 1, &whole);
    run_on(call_and_yield, stack, size);
    call(below(5));
    if (below(2) == 0) {
        resume(NULL);
    } else {
        CHECK(pthread_create(&thread, NULL, resume, NULL) == 0);
        pthread_join(thread, NULL);
    }
    call(1);
    munmap(stack, whole);
}

static void *call_in_thread(void *arg)
{
    call(2);
    return arg;
}

static void use_tiny_threads(void)
{
    pthread_attr_t attributes;
    pthread_t threads[3];
    pthread_attr_init(&attributes);
    CHECK(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN) == 0);
    for (size_t i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], &attributes, call_in_thread, NULL) == 0);
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
}

/* ---- signals ---- */

static void call_in_handler(int signal)
{
    (void)signal;
    call(1);
}

static sigjmp_buf way_out;

static void jump_out(int signal)
{
    (void)signal;
    siglongjmp(way_out, 1); /* NOLINT(bugprone-signal-handler,cert-sig30-c) */
}

static void use_signal_stack(void)
{
    size_t size = 8192, whole;
    stack_t stack = {.ss_sp = new_stack(size, 1, &whole), .ss_size = size}, before;
    struct sigaction action = {.sa_handler = call_in_handler, .sa_flags = SA_ONSTACK};
    CHECK(sigaltstack(&stack, &before) == 0);
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    raise(SIGUSR1);
    raise(SIGUSR1);
    CHECK(sigaltstack(&before, NULL) == 0);
    munmap(stack.ss_sp, whole);
}

static void raise_in_calls(void)
{
    struct sigaction action = {.sa_handler = call_in_handler};
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
    raise(SIGUSR2);
    action.sa_flags = (int)SA_RESETHAND;
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
    raise(SIGUSR2);
    CHECK(sigaction(SIGUSR2, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    call(1);
}

static int leave_by_signal(void *arg)
{
    (void)arg;
    raise(SIGUSR1);
    return 0;
}

static void jump_out_of_handler(void)
{
    signal(SIGUSR1, jump_out);
    if (sigsetjmp(way_out, 1) == 0) {
        atomic_fetch_add(&left, 1);
        aclrtLaunchCallback(leave_by_signal, NULL);
        fail("siglongjmp returned");
    }
    call(1);
}

static void set_timer(long period_us)
{
    const struct itimerval timer = {{0, period_us}, {0, period_us}};
    CHECK(setitimer(ITIMER_PROF, &timer, NULL) == 0);
}

static void call_under_a_timer(void)
{
    signal(SIGPROF, call_in_handler);
    set_timer(1000);
    for (int i = 0; i < 20; i++)
        call(1000);
    set_timer(0);
    signal(SIGPROF, SIG_IGN);
}

static volatile sig_atomic_t jumps;

static void jump_back(int signal)
{
    (void)signal;
    jumps = jumps + 1;
    siglongjmp(way_out, 1); /* NOLINT(bugprone-signal-handler,cert-sig30-c) */
}

/* As programs limit the time of something: what the handler interrupts never goes on. */
static void jump_out_of_calls(void)
{
    jumps = 0;
    signal(SIGPROF, jump_back);
    set_timer(1000);
    sigsetjmp(way_out, 1);
    while (jumps < 200)
        aclrtSetDevice(1);
    set_timer(0);
    signal(SIGPROF, SIG_IGN);
    call(20000);
}

/* ---- ways out of a call ---- */

static int wait_inside(void *arg)
{
    atomic_store((atomic_bool *)arg, true);
    return pause();
}

static void *be_cancelled(void *arg)
{
    call(1);
    aclrtLaunchCallback(wait_inside, arg);
    return NULL;
}

static void cancel_thread(void)
{
    pthread_t thread;
    atomic_bool is_inside = false;
    atomic_fetch_add(&left, 1);
    CHECK(pthread_create(&thread, NULL, be_cancelled, &is_inside) == 0);
    while (!atomic_load(&is_inside))
        sched_yield();
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
    call(1);
}

/* A thread that is to be cancelled calls: what is no cancellation point without the library is none with it. */
static void *be_cancelled_soon(void *arg)
{
    CHECK(pthread_cancel(pthread_self()) == 0);
    call(3);
    pthread_testcancel();
    return arg;
}

static void call_before_cancellation(void)
{
    pthread_t thread;
    void *result = NULL;
    CHECK(pthread_create(&thread, NULL, be_cancelled_soon, NULL) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
    call(1);
}

/* ---- processes ---- */

static void count_anew(void)
{
    in_child = true;
    atomic_store(&made, 0);
    atomic_store(&left, 0);
}

static void use_fork(void)
{
    if (in_child)
        return;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        count_anew();
        call(below(4));
        use_tiny_threads();
        end_child();
    }
    wait_for(child);
}

/* The child returns from a call that its parent has begun, and so does the parent. */
static int fork_inside(void *arg)
{
    pid_t *child = arg;
    *child = fork();
    CHECK(*child >= 0);
    if (*child == 0)
        count_anew();
    else
        wait_for(*child);
    call(1);
    return 0;
}

static int end_inside(void *arg)
{
    pid_t *child = arg;
    *child = fork();
    if (*child == 0) {
        count_anew();
        call(1);
        end_child();
    }
    wait_for(*child);
    return 0;
}

static void fork_in_a_call(void)
{
    pid_t child = 1;
    if (in_child)
        return;
    call_back(below(2) == 0 ? fork_inside : end_inside, &child);
    if (child == 0)
        end_child();
}

static void use_vfork(void)
{
    struct sigaction action = {.sa_handler = call_in_handler}, seen;
    CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
    pid_t child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    if (child == 0) {
        signal(SIGUSR2, SIG_DFL); /* NOLINT(clang-analyzer-unix.Vfork) */
        signal(SIGTERM, SIG_DFL);
        call(2);
        if (below(2) == 0)
            execl("/bin/true", "true", (char *)NULL);
        _exit(0);
    }
    wait_for(child);
    CHECK(sigaction(SIGUSR2, NULL, &seen) == 0 && seen.sa_handler == call_in_handler);
    call(1);
}

static void use_posix_spawn(void)
{
    char name[] = "true", *arguments[] = {name, NULL};
    posix_spawnattr_t attributes;
    sigset_t all;
    pid_t child;
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attributes, &all);
    CHECK(posix_spawn(&child, "/bin/true", NULL, &attributes, arguments, environ) == 0);
    posix_spawnattr_destroy(&attributes);
    wait_for(child);
    call(1);
}

static int be_cloned(void *arg)
{
    (void)arg;
    call(2);
    _exit(0);
}

/* A child that shares all memory, on a stack of its own. */
static void clone_sharing_memory(void)
{
    size_t size = 16 * PAGE, whole;
    char *stack = new_stack(size, 1, &whole);
    pid_t child = clone(be_cloned, stack + size, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    CHECK(child >= 0);
    wait_for(child);
    call(1);
    munmap(stack, whole);
}

/* A fork that the C library knows nothing of. */
static void clone_behind_its_back(void)
{
    if (in_child)
        return;
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    CHECK(child >= 0);
    if (child == 0) {
        count_anew();
        call(3);
        tell();
        exit(0);
    }
    wait_for(child);
    call(1);
}

/* ---- the rest ---- */

static void load_plugin(void)
{
    char path[PATH_MAX];
    int (*set_device)(int32_t);

    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    CHECK(length > 0);
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, "acl_plugin.so"); /* NOLINT: there is room */
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != NULL);
    *(void **)(void *)&set_device = dlsym(handle, "plugin_set_device");
    CHECK(set_device != NULL && set_device(3) == 3);
    atomic_fetch_add(&made, 1);
    CHECK(dlclose(handle) == 0);
}

static void call_some(void)
{
    call(below(50));
}

static const struct way {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"call", call_some},
    {"coroutine", use_coroutines},
    {"yield", yield_inside},
    {"thread", use_tiny_threads},
    {"altstack", use_signal_stack},
    {"handler", raise_in_calls},
    {"siglongjmp", jump_out_of_handler},
    {"cancel", cancel_thread},
    {"pending", call_before_cancellation},
    {"timer", call_under_a_timer},
    {"fork", use_fork},
    {"forkinside", fork_in_a_call},
    {"vfork", use_vfork},
    {"spawn", use_posix_spawn},
    {"clone", clone_sharing_memory},
    {"rawclone", clone_behind_its_back},
    {"plugin", load_plugin},
};
#define WAYS (sizeof ways / sizeof ways[0])

__attribute__((constructor)) static void call_first(void)
{
    const char *when = getenv("ACL_MIX_CALLS");
    if (when != NULL && strstr(when, "constructor") != NULL)
        call(1);
}

static void call_last(void)
{
    call(1);
    if (!in_child)
        tell();
}

int main(int argc, char **argv)
{
    const char *when = getenv("ACL_MIX_CALLS");
    CHECK(argc > 2);
    log_name = argv[argc - 1];
    seed = (unsigned)strtoul(argv[1], NULL, 10);
    alarm(60);
    bool at_exit = when != NULL && strstr(when, "atexit") != NULL;
    if (at_exit)
        CHECK(atexit(call_last) == 0);
    for (size_t i = 0; argc == 3 && i < WAYS; i++)
        if (strcmp(ways[i].name, argv[1]) == 0)
            ways[i].run();
    if (argc == 3 && strcmp(argv[1], "jumps") == 0) /* not to be mixed: nobody can say how many calls it made */
        jump_out_of_calls();
    for (unsigned long step = argc > 3 ? strtoul(argv[2], NULL, 10) : 0; step > 0; step--)
        ways[below(WAYS)].run();
    if (!at_exit)
        tell();
    return 0;
}
