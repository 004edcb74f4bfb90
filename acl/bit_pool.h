/* SPDX-License-Identifier: Apache-2.0 */
/* A pool of numbers: each is a bit of a word, which is set while it is in use. Takes no lock, so signal handlers may.
 */
#ifndef MSPROF_ACL_BIT_POOL_H
#define MSPROF_ACL_BIT_POOL_H

#include <stdatomic.h>
#include <stdint.h>

/* Takes a free bit of those that are usable; returns its number in the word, or -1 when there is none. */
static inline int bit_pool_take(_Atomic uint64_t *word, uint64_t usable)
{
    uint64_t bits = atomic_load_explicit(word, memory_order_relaxed);
    while ((~bits & usable) != 0) {
        int bit = __builtin_ctzll(~bits & usable);
        if (atomic_compare_exchange_weak_explicit(word, &bits, bits | (UINT64_C(1) << bit), memory_order_acquire,
                                                  memory_order_relaxed))
            return bit;
    }
    return -1;
}

#endif
