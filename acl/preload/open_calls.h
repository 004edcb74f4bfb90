/* The calls that each thread is in. One whose end never comes (an exception or a longjmp went past it, or its thread
 * ended) is noticed at the next call of the thread further out, or at the thread's end, and counted. */
#ifndef MSPROF_ACL_PRELOAD_OPEN_CALLS_H
#define MSPROF_ACL_PRELOAD_OPEN_CALLS_H

#include <stdint.h>

/* count is called with 1 for a call that was left, and with -1 when one comes back after all (from another stack).
 * Once, before the rest. */
void open_calls_prepare(void (*count)(uint32_t index, int change));

/* frame: where on the stack the call is. Signal handlers may come in between. */
void open_calls_add(uint32_t index, int64_t begin_ns, const void *frame);
void open_calls_remove(uint32_t index, int64_t begin_ns);

/* The calling thread ends: none of its calls will return. */
void open_calls_leave(void);

#endif
