/* SPDX-License-Identifier: Apache-2.0 */
/* A thread beside a query, which ends the program when the query does not come back. */
#include "exporters/table/overdue.h"

#include "base/thread.h"

#include <errno.h>
#include <time.h>

#define GRACE_NS INT64_C(2000000000) /* in which SQLite comes back by itself, as it does nearly always */
#define NS_PER_S INT64_C(1000000000)

static void (*end_program)(const struct err *err);

void overdue_set_end(void (*end)(const struct err *err))
{
    end_program = end;
}

static void *wait_beside(void *arg)
{
    struct overdue *overdue = arg;
    const int64_t until = overdue->at_ns + GRACE_NS;
    const struct timespec time = {.tv_sec = (time_t)(until / NS_PER_S), .tv_nsec = (long)(until % NS_PER_S)};
    int code = 0;

    pthread_mutex_lock(&overdue->lock);
    while (!overdue->is_over && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&overdue->ended, &overdue->lock, &time);
    if (!overdue->is_over)
        end_program(&overdue->err);
    pthread_mutex_unlock(&overdue->lock);
    return NULL;
}

void overdue_begin(struct overdue *overdue, int64_t at_ns, const struct err *err)
{
    pthread_condattr_t attributes;

    *overdue = (struct overdue){.at_ns = at_ns, .err = *err};
    if (end_program == NULL || at_ns == 0)
        return;
    pthread_mutex_init(&overdue->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&overdue->ended, &attributes);
    pthread_condattr_destroy(&attributes);
    overdue->runs = thread_start(&overdue->thread, wait_beside, overdue) == 0;
}

void overdue_end(struct overdue *overdue)
{
    if (!overdue->runs)
        return;
    pthread_mutex_lock(&overdue->lock);
    overdue->is_over = true;
    pthread_cond_signal(&overdue->ended);
    pthread_mutex_unlock(&overdue->lock);
    pthread_join(overdue->thread, NULL);
    pthread_cond_destroy(&overdue->ended);
    pthread_mutex_destroy(&overdue->lock);
}
