/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps off a thread at the recorder's work what must not come in between: signal handlers, and cancellation, which
 * every write is a point of. */
#ifndef MSPROF_ACL_RECORDER_SHIELD_H
#define MSPROF_ACL_RECORDER_SHIELD_H

#include <signal.h>

/* State of the thread before. */
struct shield {
    sigset_t signals;
    int cancellation;
};

void shield_raise(struct shield *shield);
void shield_drop(const struct shield *shield);

#endif
