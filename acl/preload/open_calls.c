/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/preload/open_calls.h"

#include "acl/recorder/forks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define MOST_CALLS 32 /* inside of each other; what is deeper is counted without its name */
/* With calls, at once; of more threads, calls under way when the process ends are not known. */
#define MOST_THREADS 512
/* Instead of begin_ns: */
#define COUNTED (-1)   /* whoever ended the process, or tried to, has counted the call */
#define INHERITED (-2) /* it is the parent's, whatever becomes of it here */

/* The calls of one thread. begin_ns 0: the entry is in the making or free. */
struct thread_calls {
    atomic_bool taken;
    struct open_call {
        const void *frame;
        _Atomic int64_t begin_ns;
        _Atomic uint32_t index;
    } calls[MOST_CALLS];
    uint32_t count;
    _Atomic uint32_t deeper,
        deeper_counted; /* inside of the last one; those that whoever ended the process has counted */
};

static struct thread_calls threads[MOST_THREADS];
static _Thread_local struct thread_calls *own __attribute__((tls_model("initial-exec")));
static _Thread_local struct thread_calls spare __attribute__((tls_model("initial-exec"))); /* when all are taken */

static void (*count_left)(uint32_t index, int change);
static pthread_key_t thread_end;
static atomic_bool prepared;

/* The thread's place; signal handlers call ACL, too: what interrupts the search has made it. */
static struct thread_calls *of_this_thread(void)
{
    for (size_t i = 0; own == NULL && i < MOST_THREADS; i++) {
        bool is_free = false;
        if (!atomic_load_explicit(&threads[i].taken, memory_order_relaxed) &&
            atomic_compare_exchange_strong(&threads[i].taken, &is_free, true)) {
            own = &threads[i];
            own->count = 0;
            atomic_store(&own->deeper, 0);
            atomic_store(&own->deeper_counted, 0);
            pthread_setspecific(thread_end, own);
        }
    }
    if (own == NULL) {
        own = &spare;
        pthread_setspecific(thread_end, own);
    }
    return own;
}

/* The last one ends, and with it what it was followed no further into. */
static void leave_deeper(struct thread_calls *thread)
{
    uint32_t calls = atomic_exchange(&thread->deeper, 0), counted = atomic_exchange(&thread->deeper_counted, 0);
    if (calls > counted)
        count_left(OPEN_CALLS_DEEPER, (int)(calls - counted));
}

static void return_deeper(struct thread_calls *thread)
{
    uint32_t left = atomic_fetch_sub(&thread->deeper, 1) - 1;
    if (atomic_load(&thread->deeper_counted) > left) {
        atomic_fetch_sub(&thread->deeper_counted, 1);
        count_left(OPEN_CALLS_DEEPER, -1);
    }
}

/* Gives the last one up. */
static void leave_last(struct thread_calls *thread)
{
    leave_deeper(thread);
    struct open_call *call = &thread->calls[thread->count - 1];
    uint32_t index = atomic_load_explicit(&call->index, memory_order_relaxed);
    int64_t begin_ns = atomic_exchange(&call->begin_ns, 0);
    thread->count--;
    if (begin_ns > 0)
        count_left(index, 1);
}

static bool is_call(const struct open_call *call, uint32_t index, int64_t begin_ns)
{
    int64_t its = atomic_load_explicit(&call->begin_ns, memory_order_relaxed);
    return (its == begin_ns || its == COUNTED || its == INHERITED) &&
           atomic_load_explicit(&call->index, memory_order_relaxed) == index;
}

static void at_thread_end(void *arg)
{
    struct thread_calls *thread = arg;
    while (thread->count > 0)
        leave_last(thread);
    own = NULL;
    atomic_store(&thread->taken, false);
}

static void inherit(struct thread_calls *thread)
{
    for (uint32_t k = 0; k < thread->count; k++)
        if (atomic_load(&thread->calls[k].begin_ns) != 0)
            atomic_store(&thread->calls[k].begin_ns, INHERITED);
}

/* Calls of the parent's other threads are theirs. */
static void in_forked_child(void)
{
    if (own != NULL)
        inherit(own);
    for (size_t i = 0; i < MOST_THREADS; i++) {
        if (&threads[i] == own)
            continue;
        for (size_t k = 0; k < MOST_CALLS; k++)
            atomic_store_explicit(&threads[i].calls[k].begin_ns, 0, memory_order_relaxed);
        atomic_store(&threads[i].taken, false);
    }
}

void open_calls_prepare(void (*count)(uint32_t index, int change))
{
    count_left = count;
    forks_watch(in_forked_child);
    if (pthread_key_create(&thread_end, at_thread_end) == 0)
        atomic_store(&prepared, true);
}

void open_calls_add(uint32_t index, int64_t begin_ns, const void *frame)
{
    if (!atomic_load_explicit(&prepared, memory_order_acquire))
        return;
    struct thread_calls *thread = own != NULL ? own : of_this_thread();
    /* stacks grow downwards: a call inside of another has a lower frame */
    while (thread->count > 0 &&
           atomic_load_explicit(&thread->calls[thread->count - 1].begin_ns, memory_order_relaxed) != 0 &&
           (uintptr_t)thread->calls[thread->count - 1].frame <= (uintptr_t)frame)
        leave_last(thread);
    if (thread->count == MOST_CALLS) {
        atomic_fetch_add_explicit(&thread->deeper, 1, memory_order_relaxed);
        return;
    }
    struct open_call *call = &thread->calls[thread->count];
    thread->count++;
    atomic_signal_fence(memory_order_seq_cst);
    call->frame = frame;
    atomic_store_explicit(&call->index, index, memory_order_relaxed);
    atomic_store_explicit(&call->begin_ns, begin_ns, memory_order_release);
}

void open_calls_remove(uint32_t index, int64_t begin_ns)
{
    if (!atomic_load_explicit(&prepared, memory_order_acquire))
        return;
    struct thread_calls *thread = own != NULL ? own : of_this_thread();
    uint32_t i = thread->count;
    while (i > 0 && !is_call(&thread->calls[i - 1], index, begin_ns))
        i--;
    if (i == 0) { /* it was not followed, or was taken for left */
        if (atomic_load_explicit(&thread->deeper, memory_order_relaxed) > 0)
            return_deeper(thread);
        else
            count_left(index, -1);
        return;
    }
    while (thread->count > i)
        leave_last(thread);
    if (atomic_load_explicit(&thread->deeper, memory_order_relaxed) > 0)
        leave_deeper(thread);
    bool is_counted = atomic_exchange(&thread->calls[i - 1].begin_ns, 0) == COUNTED;
    thread->count--;
    if (is_counted)
        count_left(index, -1);
}

static void count_deeper(struct thread_calls *thread)
{
    uint32_t calls = atomic_load(&thread->deeper), counted = atomic_load(&thread->deeper_counted);
    if (calls > counted && atomic_compare_exchange_strong(&thread->deeper_counted, &counted, calls))
        count_left(OPEN_CALLS_DEEPER, (int)(calls - counted));
}

void open_calls_end(void)
{
    if (!atomic_load_explicit(&prepared, memory_order_acquire) || forks_shares_memory())
        return;
    for (size_t i = 0; i < MOST_THREADS; i++) {
        if (!atomic_load_explicit(&threads[i].taken, memory_order_relaxed))
            continue;
        for (size_t k = 0; k < MOST_CALLS; k++) {
            struct open_call *call = &threads[i].calls[k];
            int64_t begin_ns = atomic_load_explicit(&call->begin_ns, memory_order_acquire);
            uint32_t index = atomic_load_explicit(&call->index, memory_order_relaxed);
            if (begin_ns > 0 && atomic_compare_exchange_strong(&call->begin_ns, &begin_ns, COUNTED))
                count_left(index, 1);
        }
        count_deeper(&threads[i]);
    }
}
