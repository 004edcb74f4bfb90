/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include "base/progress.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>

/* What a thread takes over from the one that starts it. */
struct start {
    void *(*run)(void *arg);
    void *arg;
    atomic_int *interrupt;
    locale_t locale;
};

static void *begin(void *arg)
{
    const struct start start = *(struct start *)arg;
    free(arg);
    interrupt_flag = start.interrupt;
    uselocale(start.locale);
    return start.run(start.arg);
}

int thread_start(pthread_t *ret, void *(*run)(void *arg), void *arg)
{
    struct start *start = malloc(sizeof *start);
    if (start == NULL)
        return ENOMEM;
    *start = (struct start){run, arg, interrupt_flag, uselocale((locale_t)0)};
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(ret, NULL, begin, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0)
        free(start);
    return failure;
}
