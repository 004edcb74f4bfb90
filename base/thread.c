/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <signal.h>
#include <stdbool.h>

int thread_start(pthread_t *ret, void *(*run)(void *arg), void *arg)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(ret, NULL, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

void thread_run_both(void *(*run)(void *arg), void *first, void *second)
{
    pthread_t thread;
    const bool apart = thread_start(&thread, run, second) == 0;
    run(first);
    if (apart)
        pthread_join(thread, NULL);
    else
        run(second);
}
