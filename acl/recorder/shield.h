/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps off a thread at the recorder's work what must not come in between: signal handlers, and cancellation, which
 * every write is a point of. */
#ifndef MSPROF_ACL_RECORDER_SHIELD_H
#define MSPROF_ACL_RECORDER_SHIELD_H

#include <signal.h>

/* State of the thread before. */
struct shield {
    sigset_t signals, pending;
    int cancellation;
};

void shield_raise(struct shield *shield);
void shield_drop(const struct shield *shield);

/* Room on the stack: programs call from stacks that have next to none left (coroutines, signal stacks, small threads),
 * and making files takes more than that. */

#define ROOM_BYTES ((size_t)128 * 1024) /* pages that nothing touches take no memory */

/* A stack for one caller at a time; zero-initialised. */
struct room {
    _Alignas(64) char stack[ROOM_BYTES];
};

/* run(arg), on that stack: it must return, so signals and cancellation are off. On processors that are not known here,
 * on the caller's. */
void shield_run(struct room *room, void (*run)(void *arg), void *arg);

/* Guards likewise on pages of its own, where several may be at it or one inside of another; without memory for them on
 * the caller's stack. */
void shield_run_apart(void (*run)(void *arg), void *arg);

#endif
