/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sigaction and its relatives, as long as the recorder catches fatal signals: what the program sets and asks for is
 * kept apart from the actions that are set in the system. A signal that the program leaves to its default action is
 * caught, and the program is told that it has the default action. Handlers of the program are set as they are; one that
 * is for one time only (SA_RESETHAND) is followed by the default action, so it goes through a handler of ours that sees
 * to that.
 */
#include "acl/preload/preload.h"
#include "acl/recorder/crash.h"
#include "acl/recorder/forks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#define EXPORT __attribute__((visibility("default")))

typedef int system_sigaction_function(int signal, const struct sigaction *action, struct sigaction *before);
typedef void signal_handler(int signal);

static atomic_bool pretending;

/* Actions that the program set, for signals that the system knows our handlers for. Protected by a flag and not by a
 * mutex: sigaction may be called in signal handlers. Signals are blocked while it is held. */
static struct sigaction wanted[NSIG];
static atomic_flag wanted_lock = ATOMIC_FLAG_INIT;

static void enter(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    while (atomic_flag_test_and_set_explicit(&wanted_lock, memory_order_acquire))
        ;
}

static void leave(const sigset_t *before)
{
    atomic_flag_clear_explicit(&wanted_lock, memory_order_release);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

int system_sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    static _Atomic(system_sigaction_function *) next;
    system_sigaction_function *function = atomic_load(&next);
    if (function == NULL) {
        void *found = system_function("sigaction");
        *(void **)(void *)&function = found;
        atomic_store(&next, function);
    }
    return function(signal, action, before);
}

/* fork() waits until nobody holds the lock: in the child there is only the thread that forks. */
static sigset_t before_fork;

static void enter_fork(void)
{
    sigset_t before;
    enter(&before);
    before_fork = before;
}

static void leave_fork(void)
{
    const sigset_t before = before_fork;
    leave(&before);
}

void signals_pretend(void)
{
    struct sigaction known;
    int found = system_sigaction(SIGTERM, NULL, &known); /* never looked up while the lock is held */
    found |= pthread_atfork(enter_fork, leave_fork, leave_fork);
    (void)found;
    atomic_store(&pretending, true);
}

void signals_in_forked_child(void)
{
    atomic_flag_clear_explicit(&wanted_lock, memory_order_release); /* of a child that was made behind fork()'s back */
}

static bool is_default(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) == 0 && action->sa_handler == SIG_DFL;
}

static bool is_function(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) != 0 || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/* ---- handlers for one time ---- */

static void handle_once(int signal, siginfo_t *info, void *context)
{
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    struct sigaction action, ours;
    bool in_child = forks_shares_memory(); /* the handler of its parent stays */
    sigset_t before;
    crash_action(&ours);
    enter(&before);
    action = wanted[signal];
    if (!in_child)
        wanted[signal] = by_default;
    system_sigaction(signal, in_child ? &by_default : &ours, NULL);
    leave(&before);
    if ((action.sa_flags & SA_SIGINFO) != 0)
        action.sa_sigaction(signal, info, context);
    else if (is_function(&action))
        action.sa_handler(signal);
}

static bool is_handler(const struct sigaction *action, void (*handler)(int, siginfo_t *, void *))
{
    return (action->sa_flags & SA_SIGINFO) != 0 && action->sa_sigaction == handler;
}

/* ---- the program's view ---- */

static bool is_ours(const struct sigaction *known)
{
    struct sigaction crash;
    crash_action(&crash);
    return is_handler(known, crash.sa_sigaction) || is_handler(known, handle_once);
}

/* Translates an action of the program into the one that is set in the system. */
static struct sigaction translate(const struct sigaction *action)
{
    struct sigaction ours;
    if (is_default(action)) {
        crash_action(&ours);
        return ours;
    }
    if (!is_function(action) || ((unsigned)action->sa_flags & SA_RESETHAND) == 0)
        return *action;
    ours = *action;
    ours.sa_flags = (int)(((unsigned)ours.sa_flags & ~(unsigned)SA_RESETHAND) | SA_SIGINFO);
    ours.sa_sigaction = handle_once;
    return ours;
}

/* A child of vfork() sets signals for itself alone: its parent's memory stays as it is. */
static int set_in_child(int signal, const struct sigaction *action, struct sigaction *before)
{
    struct sigaction known;
    int result = system_sigaction(signal, action, &known);
    if (result == 0 && before != NULL)
        *before = is_ours(&known) ? wanted[signal] : known;
    return result;
}

EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    struct sigaction known, told;
    sigset_t mask;
    if (!atomic_load(&pretending) || !crash_is_fatal(signal))
        return system_sigaction(signal, action, before);
    if (forks_shares_memory()) /* the memory, but not the actions */
        return set_in_child(signal, action, before);
    enter(&mask);
    int result = system_sigaction(signal, NULL, &known);
    const struct sigaction seen = is_ours(&known) ? wanted[signal] : known;
    if (result == 0 && action != NULL) {
        told = translate(action);
        struct sigaction kept = *action;
        result = system_sigaction(signal, &told, NULL);
        if (result == 0)
            wanted[signal] = kept;
    }
    if (result == 0 && before != NULL)
        *before = seen;
    leave(&mask);
    return result;
}

/* ---- the older functions, in terms of the first one ---- */

static signal_handler *set_handler(int signal, signal_handler *handler, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    return sigaction(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

#define OLDER(name, flags)                                                                                             \
    EXPORT signal_handler *name(int signal_number, signal_handler *handler)                                            \
    {                                                                                                                  \
        static _Atomic(system_signal_function *) next;                                                                 \
        if (atomic_load(&pretending) && crash_is_fatal(signal_number))                                                 \
            return set_handler(signal_number, handler, flags);                                                         \
        system_signal_function *function = atomic_load(&next);                                                         \
        if (function == NULL) {                                                                                        \
            void *found = system_function(#name);                                                                      \
            *(void **)(void *)&function = found;                                                                       \
            atomic_store(&next, function);                                                                             \
        }                                                                                                              \
        return function(signal_number, handler);                                                                       \
    }

typedef signal_handler *system_signal_function(int signal, signal_handler *handler);

signal_handler *bsd_signal(int signal, signal_handler *handler); /* glibc exports it and declares it no more */

OLDER(signal, SA_RESTART)
OLDER(bsd_signal, SA_RESTART)
OLDER(ssignal, SA_RESTART)
OLDER(sysv_signal, (int)(SA_RESETHAND | (unsigned)SA_NODEFER))
OLDER(__sysv_signal, (int)(SA_RESETHAND | (unsigned)SA_NODEFER))

EXPORT signal_handler *sigset(int signal_number, signal_handler *handler)
{
    struct sigaction action = {.sa_handler = handler}, before;
    sigset_t mask, blocked;
    bool holds = handler == SIG_HOLD;
    sigemptyset(&action.sa_mask);
    sigemptyset(&mask);
    if (handler == SIG_ERR || sigaddset(&mask, signal_number) != 0) {
        errno = EINVAL;
        return SIG_ERR;
    }
    if (sigaction(signal_number, holds ? NULL : &action, &before) != 0 ||
        sigprocmask(holds ? SIG_BLOCK : SIG_UNBLOCK, &mask, &blocked) != 0)
        return SIG_ERR;
    return sigismember(&blocked, signal_number) == 1 ? SIG_HOLD : before.sa_handler;
}

EXPORT int sigignore(int signal_number)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigemptyset(&action.sa_mask);
    return sigaction(signal_number, &action, NULL);
}
