/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses ACL and sets signals in unusual ways: acl_signals MODE. Each mode is a function below; it ends
 * with 70 when something is not as without the preload library. */
#include "tests/acl/fake_acl.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* functions of System V */

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "acl_signals: %s\n", #condition);                                                          \
            exit(70);                                                                                                  \
        }                                                                                                              \
    } while (0)

static void note_signal(int signal)
{
    (void)signal;
}

static volatile sig_atomic_t signals_noted;

static void count_signal(int signal)
{
    (void)signal;
    signals_noted++;
}

/* A handler for one time that a child of vfork() has used up is there for its parent. */
static void signal_vforked_child(void)
{
    struct sigaction once = {.sa_handler = count_signal, .sa_flags = (int)SA_RESETHAND};
    int status;
    sigaction(SIGUSR2, &once, NULL);
    pid_t child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    if (child == 0) {
        raise(SIGUSR2); /* NOLINT(clang-analyzer-unix.Vfork) */
        _exit(signals_noted == 1 ? 0 : 1);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    signals_noted = 0;
    raise(SIGUSR2);
    CHECK(signals_noted == 1);
}

static atomic_bool sets_no_more;

static void *set_actions(void *arg)
{
    const struct sigaction action = {.sa_handler = note_signal};
    while (!atomic_load(&sets_no_more))
        sigaction(SIGUSR2, &action, NULL);
    return arg;
}

/* Children that set actions, of a process whose other threads do all the time. */
static void fork_while_setting_actions(void)
{
    pthread_t threads[3];
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        CHECK(pthread_create(&threads[i], NULL, set_actions, NULL) == 0);
    for (int i = 0; i < 300; i++) {
        struct sigaction seen;
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(20); /* it would wait for ever */
            sigaction(SIGUSR2, NULL, &seen);
            signal(SIGUSR2, SIG_DFL);
            syscall(SYS_exit_group, seen.sa_handler == note_signal || seen.sa_handler == SIG_DFL ? 0 : 1);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    atomic_store(&sets_no_more, true);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        pthread_join(threads[i], NULL);
}

/* The functions of System V tell what the program has set, too. */
static void use_system_v(void)
{
    sigset_t mask;
    CHECK(sigset(SIGTERM, count_signal) == SIG_DFL && sigset(SIGTERM, SIG_HOLD) == count_signal);
    raise(SIGTERM);
    CHECK(signals_noted == 0 && sigset(SIGTERM, count_signal) == SIG_HOLD && signals_noted == 1);
    CHECK(sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, SIGTERM) == 0);
    CHECK(sigignore(SIGTERM) == 0 && raise(SIGTERM) == 0 && sigset(SIGTERM, SIG_DFL) == SIG_IGN);
    CHECK(sigset(0, SIG_DFL) == SIG_ERR && sigset(SIGTERM, SIG_DFL) == SIG_DFL);
    raise(SIGTERM); /* what was recorded is written */
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    CHECK(aclrtSetDevice(0) == 0);
    if (strcmp(mode, "vfork") == 0)
        signal_vforked_child();
    else if (strcmp(mode, "fork") == 0)
        fork_while_setting_actions();
    else if (strcmp(mode, "system-v") == 0)
        use_system_v();
    else
        CHECK(false); /* no such mode */
    return 0;
}
