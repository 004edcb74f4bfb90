/* SPDX-License-Identifier: Apache-2.0 */
/* What must not come in between while a thread is at the recorder's work: signal handlers, and cancellation, which
 * every write is a point of. */
#ifndef MSPROF_ACL_RECORDER_SHIELD_H
#define MSPROF_ACL_RECORDER_SHIELD_H

#include <signal.h>

/* What the thread was before. */
struct shield {
    sigset_t signals;
    int cancellation;
};

void shield_raise(struct shield *shield);
void shield_drop(const struct shield *shield);

#endif
