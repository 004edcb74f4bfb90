/* SPDX-License-Identifier: Apache-2.0 */
/* The fast path: records into the calling thread's ring. */
#include "acl/recorder/recorder.h"
#include "acl/recorder/recorder_state.h"

#include <string.h>

#define MAGIC 0x5a5a
#define TX_TAG 120        /* the data tag of a tx record */
#define TX_DATA_SIZE 232  /* a record without its header */
#define TX_MESSAGE_AT 100 /* offset of the message */
#define HEAP_DATA_SIZE 56 /* a record without its header */

_Thread_local struct ring *recorder_rings[RECORDER_RING_COUNT] __attribute__((tls_model("initial-exec")));

bool recorder_running(void)
{
    return atomic_load_explicit(&recorder_mode, memory_order_relaxed) != RECORDER_MODE_OFF;
}

static char *reserve(enum capture_stream stream, struct ring **ret)
{
    const char *frame = __builtin_frame_address(0);
    struct ring *ring = recorder_rings[recorder_ring_index(stream, 0)];
    if (ring != NULL && atomic_load_explicit(&recorder_mode, memory_order_relaxed) == RECORDER_MODE_RUNNING) {
        char *place = ring_reserve(ring, frame);
        if (place != NULL) {
            *ret = ring;
            return place;
        }
    }
    return recorder_reserve_slow(stream, frame, ret);
}

static void publish(struct ring *ring)
{
    if (ring_publish(ring))
        recorder_wake();
    if (ring->is_lent)
        recorder_give_back(ring);
    if (atomic_load_explicit(&recorder_mode, memory_order_relaxed) >= RECORDER_MODE_AT_ONCE)
        recorder_write_at_once();
}

static char *put_u16(char *p, uint16_t value)
{
    memcpy(p, &value, sizeof value);
    return p + sizeof value;
}

static char *put_u32(char *p, uint32_t value)
{
    memcpy(p, &value, sizeof value);
    return p + sizeof value;
}

static char *put_u64(char *p, uint64_t value)
{
    memcpy(p, &value, sizeof value);
    return p + sizeof value;
}

void recorder_call(uint16_t level, uint32_t type, int64_t begin_ns, int64_t end_ns, uint64_t item_id)
{
    struct ring *ring;
    char *p = reserve(STREAM_CALLS, &ring);
    if (p == NULL)
        return;
    p = put_u16(p, MAGIC);
    p = put_u16(p, level);
    p = put_u32(p, type);
    p = put_u32(p, ring->thread_id);
    p = put_u32(p, 0);
    p = put_u64(p, (uint64_t)begin_ns);
    p = put_u64(p, (uint64_t)end_ns);
    put_u64(p, item_id);
    publish(ring);
}

void recorder_tx(const struct recorder_tx *tx)
{
    struct ring *ring;
    char *record = reserve(STREAM_TX, &ring), *p = record;
    if (p == NULL)
        return;
    size_t length = tx->message != NULL ? tx->message_length : 0;
    bool is_extended = tx->extended || tx->event == RECORDER_TX_MARK_EX;
    if (length > RECORDER_MESSAGE_MAX)
        length = RECORDER_MESSAGE_MAX;
    p = put_u16(p, MAGIC);
    p = put_u16(p, RECORDER_LEVEL_TX);
    p = put_u32(p, 0);
    p = put_u32(p, ring->thread_id);
    p = put_u32(p, TX_DATA_SIZE);
    p = put_u64(p, (uint64_t)tx->end_ns);
    p = put_u16(p, is_extended ? 1 : 0);
    p = put_u16(p, tx->segment);
    p = put_u32(p, 0);
    p = put_u16(p, MAGIC);
    p = put_u16(p, TX_TAG);
    p = put_u32(p, ring->process_id);
    p = put_u32(p, tx->thread_id != 0 ? tx->thread_id : ring->thread_id);
    p = put_u32(p, tx->category);
    p = put_u32(p, (uint32_t)tx->event);
    p = put_u32(p, (uint32_t)tx->payload_type);
    p = put_u64(p, tx->payload);
    p = put_u64(p, (uint64_t)tx->begin_ns);
    p = put_u64(p, (uint64_t)tx->end_ns);
    p = put_u64(p, tx->mark_id);
    p = put_u64(p, tx->domain);
    p = put_u32(p, (uint32_t)tx->message_type);
    if (length > 0)
        memcpy(p, tx->message, length);
    memset(p + length, 0, CAPTURE_TX_SIZE - TX_MESSAGE_AT - length);
    publish(ring);
}

void recorder_heap(const struct recorder_heap *heap)
{
    struct ring *ring;
    char *p = reserve(STREAM_HEAPS, &ring);
    if (p == NULL)
        return;
    p = put_u16(p, MAGIC);
    p = put_u16(p, RECORDER_LEVEL_TX);
    p = put_u32(p, (uint32_t)heap->event);
    p = put_u32(p, ring->thread_id);
    p = put_u32(p, HEAP_DATA_SIZE);
    p = put_u64(p, (uint64_t)heap->time_ns);
    p = put_u64(p, heap->heap);
    p = put_u64(p, heap->region);
    p = put_u64(p, heap->address);
    p = put_u64(p, heap->size);
    p = put_u64(p, heap->domain);
    p = put_u32(p, heap->device);
    p = put_u32(p, ring->process_id);
    put_u64(p, 0);
    publish(ring);
}
