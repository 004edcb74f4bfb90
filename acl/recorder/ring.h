/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings: a thread's records on their way to the capture. One thread writes, whoever holds the recorder's lock reads.
 *
 * A ring is memory of its own that a forked child sees zeroed (MADV_WIPEONFORK), so that the child neither writes the
 * parent's records nor holds its rings: capacity is 0 there.
 */
#ifndef MSPROF_ACL_RECORDER_RING_H
#define MSPROF_ACL_RECORDER_RING_H

#include "acl/recorder/capture_writer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of records. Threads begin with a small ring; one that fills it gets a large one, as long as there are fewer
 * than RING_LARGE_MAX of these. */
#define RING_SMALL_SIZE ((size_t)64 * 1024)
#define RING_LARGE_SIZE ((size_t)1024 * 1024)
#define RING_LARGE_MAX 16
#define RING_SIGNAL_STACK_SIZE (64 * 1024) /* for crash handlers; pages that no crash touches take no memory */

enum ring_state {
    RING_FREE,     /* in the pool */
    RING_OWNED,    /* a thread writes */
    RING_RELEASED, /* its thread has ended; there may be records in it */
};

struct ring {
    /* the writer's */
    _Alignas(64) atomic_size_t head; /* where the next record goes, bytes from the start of data */
    size_t seen_tail;                /* tail as the writer last saw it */
    size_t capacity;                 /* bytes; a whole number of records; 0: not this process's */
    size_t record_size;
    size_t half; /* a position in the middle */
    char *data;
    /* The frame of who is writing a record; NULL: nobody. A signal handler that comes in between takes another ring. */
    const char *busy;
    /* For one record of a child that shares its parent's memory: the parent's thread, which has the same variables,
     * must not go on with it. */
    bool is_lent;
    uint32_t thread_id, process_id;
    /* the reader's */
    _Alignas(64) atomic_size_t tail; /* the oldest record */
    /* both */
    _Alignas(64) atomic_int state; /* enum ring_state */
    enum capture_stream stream;
    bool is_large;
    struct ring *next;      /* of all rings */
    struct ring *next_free; /* of the free ones */
    char *signal_stack;     /* RING_SIGNAL_STACK_SIZE bytes behind the ring; not zeroed in children */
};

/* The place for one record of a caller with this frame, or NULL when the ring is full, another record is just being
 * written (by what a signal handler interrupted), or the ring is the parent's. ring_publish makes it visible. */
static inline char *ring_reserve(struct ring *ring, const char *frame)
{
    if (ring->busy != NULL)
        return NULL;
    ring->busy = frame; /* first: a handler that comes from here on must not move the place that is read below */
    atomic_signal_fence(memory_order_seq_cst);
    size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    size_t next = head + ring->record_size;
    if (next >= ring->capacity)
        next = 0;
    if (next == ring->seen_tail)
        ring->seen_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (next != ring->seen_tail)
        return ring->data + head;
    ring->busy = NULL;
    return NULL;
}

/* True when the ring has got half full once more: time to empty it. */
static inline bool ring_publish(struct ring *ring)
{
    size_t next = atomic_load_explicit(&ring->head, memory_order_relaxed) + ring->record_size;
    if (next >= ring->capacity)
        next = 0;
    atomic_store_explicit(&ring->head, next, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    ring->busy = NULL;
    return next == ring->half || next == 0;
}

/* All rings of the process. The caller holds the recorder's lock. */
struct ring_pool {
    struct ring *all, *free[STREAM_COUNT][2]; /* small and large ones */
    size_t count, large_count;
    size_t next_search; /* when there are as many rings, those of threads that vanished are looked for */
    bool wipes;         /* the kernel zeroes rings in children */
};

/* Takes whole records from a ring. */
typedef void ring_sink(void *arg, enum capture_stream stream, const char *records, size_t length);

/* A ring for the calling thread; NULL when memory ran out, or when there may be no more large ones. Rings of threads
 * that ended are emptied into sink first, if there is one. */
struct ring *ring_pool_take(struct ring_pool *pool, enum capture_stream stream, bool large, ring_sink *sink, void *arg);

/* The calling thread needs its ring no more. */
void ring_release(struct ring *ring);

/* Empties one ring of the calling thread. */
void ring_drain(struct ring *ring, ring_sink *sink, void *arg);

/* Empties all rings; those of threads that ended become free. */
void ring_pool_drain(struct ring_pool *pool, ring_sink *sink, void *arg);

/* Drops what is in the rings. */
void ring_pool_discard(struct ring_pool *pool);

#endif
