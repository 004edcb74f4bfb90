/* SPDX-License-Identifier: Apache-2.0 */
/* Slots are taken and given back by compare-and-swap in words of bits. Each thread begins its search in a word of its
 * own, so threads share nothing while none has more than 64 ranges open, and use the same few slots again and again. A
 * long message takes further slots. */
#include "acl/bit_pool.h"
#include "acl/mstx/mstx.h"

#include <stdatomic.h>
#include <string.h>

#define SLOT_BITS 16
#define SLOTS ((size_t)1 << SLOT_BITS)
#define WORD_BITS 64
#define WORDS (SLOTS / WORD_BITS)

struct slot {
    _Atomic uint64_t id; /* of the open range; 0: none, or one with a further piece of a message */
    struct mstx_range range;
};

/* Pages that nothing touches take no memory. */
static struct slot slots[SLOTS];
static _Atomic uint64_t taken[WORDS];

/* Numbers of marks and ranges: a counter above the number of the slot, which is 0 for marks. */
static _Atomic uint64_t numbers;
static _Atomic uint64_t oldest; /* the counter when the recording began that is running */

static _Atomic uint32_t threads;
static _Thread_local uint32_t home __attribute__((tls_model("initial-exec"))); /* word + 1 */

static uint64_t next_number(void)
{
    return (atomic_fetch_add_explicit(&numbers, 1, memory_order_relaxed) + 1) << SLOT_BITS;
}

uint64_t mstx_next_mark(void)
{
    return next_number();
}

void mstx_ranges_forget(void)
{
    atomic_store(&oldest, atomic_load(&numbers));
}

bool mstx_range_is_older(uint64_t id)
{
    return id >> SLOT_BITS <= atomic_load_explicit(&oldest, memory_order_relaxed);
}

/* Takes a free bit; slot 0, the number of marks, is never free. Returns -1 when there is none. */
static int take_bit(size_t word)
{
    uint64_t usable = word == 0 ? ~UINT64_C(1) : UINT64_MAX;
    return bit_pool_take(&taken[word], usable);
}

/* A slot for this thread; 0: none is left. */
static uint32_t take_slot(void)
{
    if (home == 0)
        home = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % WORDS + 1;
    for (size_t i = 0; i < WORDS; i++) {
        size_t word = (home - 1 + i) % WORDS;
        int bit = take_bit(word);
        if (bit < 0)
            continue;
        home = (uint32_t)word + 1;
        return (uint32_t)(word * WORD_BITS) + (uint32_t)bit;
    }
    return 0;
}

static void give_slot(uint32_t slot)
{
    (void)atomic_fetch_and_explicit(&taken[slot / WORD_BITS], ~(UINT64_C(1) << (slot % WORD_BITS)),
                                    memory_order_release);
}

static uint32_t slot_of(const struct mstx_range *range)
{
    const char *slot = (const char *)range - offsetof(struct slot, range);
    return (uint32_t)((size_t)(slot - (const char *)slots) / sizeof *slots);
}

void mstx_range_free(const struct mstx_range *range)
{
    while (range != NULL) {
        const struct mstx_range *next = mstx_range_piece(range);
        give_slot(slot_of(range));
        range = next;
    }
}

const struct mstx_range *mstx_range_piece(const struct mstx_range *range)
{
    return range->next != 0 ? &slots[range->next].range : NULL;
}

struct mstx_range *mstx_range_new(const char *message, size_t length)
{
    uint32_t index = take_slot();
    struct mstx_range *first = index != 0 ? &slots[index].range : NULL;
    for (struct mstx_range *range = first; range != NULL; range = &slots[index].range) {
        range->next = 0;
        range->length = (uint32_t)(length < sizeof range->text ? length : sizeof range->text);
        memcpy(range->text, message, range->length);
        message += range->length;
        length -= range->length;
        if (length == 0)
            return first;
        index = take_slot();
        range->next = index;
        if (index == 0)
            break;
    }
    mstx_range_free(first);
    return NULL;
}

uint64_t mstx_range_open(struct mstx_range *range)
{
    uint32_t index = slot_of(range);
    uint64_t id = next_number() | index;
    atomic_store_explicit(&slots[index].id, id, memory_order_release);
    return id;
}

const struct mstx_range *mstx_range_close(uint64_t id)
{
    struct slot *slot = &slots[id % SLOTS];
    uint64_t expected = id;
    if (id % SLOTS == 0 ||
        !atomic_compare_exchange_strong_explicit(&slot->id, &expected, 0, memory_order_acquire, memory_order_relaxed))
        return NULL;
    return &slot->range;
}

/* A range that ends at the same time may be seen half: its number is read again behind its message. */
void mstx_ranges_count(uint64_t key, struct range_losses *ret)
{
    for (size_t word = 0; word < WORDS; word++) {
        uint64_t bits = atomic_load_explicit(&taken[word], memory_order_acquire);
        for (; bits != 0; bits &= bits - 1) {
            const struct slot *slot = &slots[word * WORD_BITS + (size_t)__builtin_ctzll(bits)];
            char text[LOSSES_RANGE_BYTES];
            uint64_t id = atomic_load_explicit(&slot->id, memory_order_acquire);
            size_t length = slot->range.length < sizeof text ? slot->range.length : sizeof text;
            bool is_its_own = id != 0 && slot->range.key == key;
            memcpy(text, slot->range.text, length);
            atomic_thread_fence(memory_order_acquire);
            if (is_its_own && atomic_load_explicit(&slot->id, memory_order_relaxed) == id)
                range_losses_add_open(ret, text, length);
        }
    }
}
