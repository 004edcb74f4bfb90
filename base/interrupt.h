/* SPDX-License-Identifier: Apache-2.0 */
/* The interrupt flag: set by cli/'s signal handler, polled by every long loop, never acted on in the handler itself. */
#ifndef MSPROF_BASE_INTERRUPT_H
#define MSPROF_BASE_INTERRUPT_H

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>

/* 0, or the signal's number. Atomic, because threads read it that the signal does not interrupt. */
extern atomic_int interrupt_signal;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler may only touch what needs no lock");

static inline bool interrupted(void)
{
    return atomic_load_explicit(&interrupt_signal, memory_order_relaxed) != 0;
}

/* Fills err; returns -ERR_INTERRUPTED. */
int interrupt_error(struct err *err);

#endif
