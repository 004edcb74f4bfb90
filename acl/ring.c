#include "acl/ring.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RING_HEAD_SIZE 4096
_Static_assert(sizeof(struct ring) <= RING_HEAD_SIZE, "a ring's head takes one page");
#define RING_SIZE ((size_t)RING_HEAD_SIZE + RING_DATA_SIZE)
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
        ring->next_free = pool->free[ring->stream];
        pool->free[ring->stream] = ring;
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

static struct ring *make_ring(struct ring_pool *pool, enum capture_stream stream, size_t record_size)
{
    char *memory = mmap(NULL, RING_SIZE + RING_SIGNAL_STACK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    pool->wipes = madvise(memory, RING_SIZE, MADV_WIPEONFORK) == 0;
    struct ring *ring = (struct ring *)(void *)memory;
    ring->stream = stream;
    ring->record_size = record_size;
    ring->capacity = RING_DATA_SIZE - RING_DATA_SIZE % record_size;
    ring->data = memory + RING_HEAD_SIZE;
    ring->signal_stack = memory + RING_SIZE;
    ring->next = pool->all;
    pool->all = ring;
    pool->count++;
    return ring;
}

struct ring *ring_pool_take(struct ring_pool *pool, enum capture_stream stream, size_t record_size, ring_sink *sink,
                            void *arg)
{
    if (pool->free[stream] == NULL)
        ring_pool_drain(pool, sink, arg);
    if (pool->free[stream] == NULL && pool->count >= pool->next_search) {
        release_vanished(pool);
        ring_pool_drain(pool, sink, arg);
    }
    struct ring *ring = pool->free[stream];
    if (ring != NULL)
        pool->free[stream] = ring->next_free;
    else
        ring = make_ring(pool, stream, record_size);
    if (ring == NULL)
        return NULL;
    ring->seen_tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    ring->busy = false;
    ring->thread_id = (uint32_t)syscall(SYS_gettid);
    ring->process_id = (uint32_t)getpid();
    atomic_store_explicit(&ring->state, RING_OWNED, memory_order_relaxed);
    return ring;
}
