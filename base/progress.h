/* SPDX-License-Identifier: Apache-2.0 */
/* Progress of long work, from library code to a display. */
#ifndef MSPROF_BASE_PROGRESS_H
#define MSPROF_BASE_PROGRESS_H

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    /* done and total in the same unit (bytes, rows); may come from another thread than the one that started the work.
     */
    void (*update)(void *arg, const char *what, uint64_t done, uint64_t total);
    void *arg;
};

static inline void progress_update(const struct progress *progress, const char *what, uint64_t done, uint64_t total)
{
    if (progress != NULL && progress->update != NULL)
        progress->update(progress->arg, what, done, total);
}

/* The interrupt flags, polled by every long loop. */

/* That of the program: 0, or the signal's number. Set by cli/'s signal handler, never acted on in the handler itself.
 * Atomic, because threads read it that the signal does not interrupt. */
extern atomic_int interrupt_signal;
#define INTERRUPT_BY_CALLER (-1) /* a flag's value that is no signal */
/* The flag that this thread polls: that of the program, or of a caller of the library. Threads of thread_start poll the
 * one of the thread that starts them. */
extern _Thread_local atomic_int *interrupt_flag;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may only touch what needs no lock");

static inline bool interrupted(void)
{
    return atomic_load_explicit(interrupt_flag, memory_order_relaxed) != 0;
}

/* Fills err; returns -ERR_INTERRUPTED. */
int interrupt_error(struct err *err);

#endif
