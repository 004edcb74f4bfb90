/* The interrupt flag: set by cli/'s signal handler, polled by every long loop, never acted on in the handler itself. */
#ifndef MSPROF_BASE_INTERRUPT_H
#define MSPROF_BASE_INTERRUPT_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>

extern volatile sig_atomic_t interrupt_signal; /* 0, or the signal's number */

static inline bool interrupted(void)
{
    return interrupt_signal != 0;
}

/* Fills err; returns -ERR_INTERRUPTED. */
int interrupt_error(struct err *err);

#endif
