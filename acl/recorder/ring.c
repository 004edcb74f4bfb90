/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/recorder/ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_HEAD_SIZE 4096
_Static_assert(sizeof(struct ring) <= RING_HEAD_SIZE, "a ring's head takes one page");
#define FIRST_SEARCH 64

void ring_drain(struct ring *ring, ring_sink *sink, void *arg)
{
    size_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (head < tail) {
        sink(arg, ring->stream, ring->data + tail, ring->capacity - tail);
        tail = 0;
    }
    if (head > tail)
        sink(arg, ring->stream, ring->data + tail, head - tail);
    atomic_store_explicit(&ring->tail, head, memory_order_release);
}

/* Empties a ring; gives it back when its thread has ended. The state is read first: nothing is written after it. */
static void drain_or_free(struct ring_pool *pool, struct ring *ring, ring_sink *sink, void *arg)
{
    int state = atomic_load_explicit(&ring->state, memory_order_acquire);
    if (state == RING_FREE)
        return;
    ring_drain(ring, sink, arg);
    if (state == RING_RELEASED) {
        ring->next_free = pool->free[ring->stream][ring->is_large];
        pool->free[ring->stream][ring->is_large] = ring;
        atomic_store_explicit(&ring->state, RING_FREE, memory_order_relaxed);
    }
}

void ring_pool_drain(struct ring_pool *pool, ring_sink *sink, void *arg)
{
    for (struct ring *ring = pool->all; ring != NULL; ring = ring->next)
        drain_or_free(pool, ring, sink, arg);
}

static void drop(void *arg, enum capture_stream stream, const char *records, size_t length)
{
    (void)arg;
    (void)stream;
    (void)records;
    (void)length;
}

void ring_pool_discard(struct ring_pool *pool)
{
    ring_pool_drain(pool, drop, NULL);
}

/* Threads can end without a word (their destructors ran before they recorded their last): the system knows them no
 * more. Costs a system call for each ring, so it is done when there are twice as many as after the last time. */
static void release_vanished(struct ring_pool *pool)
{
    long process = getpid();
    size_t living = 0;
    for (struct ring *ring = pool->all; ring != NULL; ring = ring->next) {
        if (atomic_load_explicit(&ring->state, memory_order_acquire) != RING_OWNED)
            continue;
        if (syscall(SYS_tgkill, process, (long)ring->thread_id, 0) != 0 && errno == ESRCH)
            atomic_store_explicit(&ring->state, RING_RELEASED, memory_order_release);
        else
            living++;
    }
    pool->next_search = 2 * living < FIRST_SEARCH ? FIRST_SEARCH : 2 * living;
}

static struct ring *make_ring(struct ring_pool *pool, enum capture_stream stream, bool large)
{
    size_t data_size = large ? RING_LARGE_SIZE : RING_SMALL_SIZE;
    size_t record_size = capture_record_size(stream);
    if (large && pool->large_count == RING_LARGE_MAX)
        return NULL;
    char *memory = mmap(NULL, RING_HEAD_SIZE + data_size + RING_SIGNAL_STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    /* not the stack: a child may be running on it */
    pool->wipes = madvise(memory, RING_HEAD_SIZE + data_size, MADV_WIPEONFORK) == 0;
    struct ring *ring = (struct ring *)(void *)memory;
    ring->stream = stream;
    ring->is_large = large;
    ring->record_size = record_size;
    ring->capacity = data_size - data_size % record_size;
    ring->half = data_size / record_size / 2 * record_size;
    ring->data = memory + RING_HEAD_SIZE;
    ring->signal_stack = ring->data + data_size;
    ring->next = pool->all;
    pool->all = ring;
    pool->count++;
    pool->large_count += large;
    return ring;
}

struct ring *ring_pool_take(struct ring_pool *pool, enum capture_stream stream, bool large, ring_sink *sink, void *arg)
{
    struct ring **free_rings = &pool->free[stream][large];
    if (*free_rings == NULL && sink != NULL)
        ring_pool_drain(pool, sink, arg);
    if (*free_rings == NULL && sink != NULL && pool->count >= pool->next_search) {
        release_vanished(pool);
        ring_pool_drain(pool, sink, arg);
    }
    struct ring *ring = *free_rings;
    if (ring != NULL)
        *free_rings = ring->next_free;
    else
        ring = make_ring(pool, stream, large);
    if (ring == NULL)
        return NULL;
    ring->seen_tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    ring->busy = NULL;
    ring->thread_id = (uint32_t)syscall(SYS_gettid);
    ring->process_id = (uint32_t)getpid();
    atomic_store_explicit(&ring->state, RING_OWNED, memory_order_relaxed);
    return ring;
}

void ring_release(struct ring *ring)
{
    atomic_store_explicit(&ring->state, RING_RELEASED, memory_order_release);
}
