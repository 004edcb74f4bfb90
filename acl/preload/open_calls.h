/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that have begun and not returned, for those that never will: an exception or a longjmp that leaves the
 * function, a thread that ends inside, a process that ends while its threads are inside. Such a call is told when that
 * is known: the thread calls again outside of it, or ends, or the process does. */
#ifndef MSPROF_ACL_PRELOAD_OPEN_CALLS_H
#define MSPROF_ACL_PRELOAD_OPEN_CALLS_H

#include <stdint.h>

/* For calls so deep inside of others that their functions are not known any more. */
#define OPEN_CALLS_DEEPER UINT32_MAX

/* Whom to tell (change: how many calls), and whom when a call that was given up returned after all (change -1). */
void open_calls_prepare(void (*count)(uint32_t index, int change));
/* Around each call: begin_ns tells it from others, frame is the address of a frame that lives as long as the call. Both
 * may run in signal handlers. */
void open_calls_add(uint32_t index, int64_t begin_ns, const void *frame);
void open_calls_remove(uint32_t index, int64_t begin_ns);
/* Gives up the calls of all threads: the process ends, or becomes another program. Also in signal handlers; a call that
 * returns after all is taken back. */
void open_calls_end(void);

#endif
