/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/crash.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Those of real time are, too. */
static const int fatal_signals[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,  SIGBUS,  SIGFPE,
                                    SIGSEGV, SIGTERM,   SIGXCPU, SIGXFSZ, SIGSYS,  SIGPIPE,  SIGALRM, SIGUSR1,
                                    SIGUSR2, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGSTKFLT};
#define FATAL_COUNT (sizeof fatal_signals / sizeof fatal_signals[0])

static sigaction_function *change_action = sigaction;
static bool (*flush_records)(void);

bool crash_is_fatal(int signal)
{
    for (size_t i = 0; i < FATAL_COUNT; i++)
        if (fatal_signals[i] == signal)
            return true;
    return signal >= SIGRTMIN && signal <= SIGRTMAX;
}

/* The instruction that failed fails again when the handler returns, and the system sees the very same crash. Signals
 * that were sent are sent again, by the same sender as far as anyone can see, and arrive when the handler returns. */
static void take_default_action(int signal, siginfo_t *info)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    change_action(signal, &by_default, NULL);
    bool is_sent = info->si_code <= 0 || info->si_code == SI_KERNEL;
    if (!is_sent && (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL))
        return;
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, info) != 0)
        raise(signal);
}

static void handle(int signal, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    (void)context;
    if (flush_records != NULL)
        flush_records();
    take_default_action(signal, info);
    errno = saved_errno;
}

/* All signals wait meanwhile: the records are written once. */
void crash_action(struct sigaction *ret)
{
    *ret = (struct sigaction){.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigfillset(&ret->sa_mask);
}

static bool is_ours(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == handle;
}

void crash_handlers_install(sigaction_function *change, bool (*flush)(void))
{
    struct sigaction action, before;
    change_action = change;
    flush_records = flush;
    crash_action(&action);
    for (int signal = 1; signal < NSIG; signal++)
        if (crash_is_fatal(signal) && change(signal, NULL, &before) == 0 && (before.sa_flags & SA_SIGINFO) == 0 &&
            before.sa_handler == SIG_DFL)
            change(signal, &action, NULL);
}

void crash_handlers_remove(void)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct sigaction now;
    for (int signal = 1; signal < NSIG; signal++)
        if (crash_is_fatal(signal) && change_action(signal, NULL, &now) == 0 && is_ours(&now))
            change_action(signal, &by_default, NULL);
}
