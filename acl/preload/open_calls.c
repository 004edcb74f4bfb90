#include "acl/preload/open_calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define MOST_CALLS 32 /* inside of each other; what is deeper is not followed */

/* begin_ns 0: the entry is in the making, or free. */
static _Thread_local struct {
    struct open_call {
        const void *frame;
        int64_t begin_ns;
        uint32_t index;
    } calls[MOST_CALLS];
    uint32_t count, untracked;
    bool has_destructor;
} open_calls __attribute__((tls_model("initial-exec")));

static void (*count_left)(uint32_t index, int change);
static pthread_key_t thread_end;
static atomic_bool prepared;

static void at_thread_end(void *arg)
{
    (void)arg;
    open_calls_leave();
}

void open_calls_prepare(void (*count)(uint32_t index, int change))
{
    count_left = count;
    if (pthread_key_create(&thread_end, at_thread_end) == 0)
        atomic_store(&prepared, true);
}

/* Gives the last one up. */
static void leave_last(void)
{
    struct open_call *call = &open_calls.calls[open_calls.count - 1];
    int64_t begin_ns = call->begin_ns;
    uint32_t index = call->index;
    call->begin_ns = 0;
    atomic_signal_fence(memory_order_seq_cst);
    open_calls.count--;
    if (begin_ns != 0)
        count_left(index, 1);
}

void open_calls_add(uint32_t index, int64_t begin_ns, const void *frame)
{
    if (!atomic_load_explicit(&prepared, memory_order_acquire))
        return;
    /* stacks grow downwards: a call inside of another has a lower frame */
    while (open_calls.count > 0 && open_calls.calls[open_calls.count - 1].begin_ns != 0 &&
           (uintptr_t)open_calls.calls[open_calls.count - 1].frame <= (uintptr_t)frame)
        leave_last();
    if (open_calls.count == MOST_CALLS) {
        open_calls.untracked++;
        return;
    }
    if (!open_calls.has_destructor) {
        open_calls.has_destructor = true;
        pthread_setspecific(thread_end, &open_calls);
    }
    struct open_call *call = &open_calls.calls[open_calls.count];
    open_calls.count++;
    atomic_signal_fence(memory_order_seq_cst);
    call->frame = frame;
    call->index = index;
    atomic_signal_fence(memory_order_seq_cst);
    call->begin_ns = begin_ns;
}

void open_calls_remove(uint32_t index, int64_t begin_ns)
{
    uint32_t i = open_calls.count;
    if (!atomic_load_explicit(&prepared, memory_order_acquire))
        return;
    while (i > 0 && (open_calls.calls[i - 1].begin_ns != begin_ns || open_calls.calls[i - 1].index != index))
        i--;
    if (i == 0) { /* it was not followed, or was taken for left */
        if (open_calls.untracked > 0)
            open_calls.untracked--;
        else
            count_left(index, -1);
        return;
    }
    while (open_calls.count > i)
        leave_last();
    open_calls.calls[i - 1].begin_ns = 0;
    atomic_signal_fence(memory_order_seq_cst);
    open_calls.count--;
}

void open_calls_leave(void)
{
    while (open_calls.count > 0)
        leave_last();
}
