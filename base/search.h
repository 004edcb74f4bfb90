/* SPDX-License-Identifier: Apache-2.0 */
/* Searching in what is sorted. */
#ifndef MSPROF_BASE_SEARCH_H
#define MSPROF_BASE_SEARCH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many of count items of so many bytes, ascending by the int64_t at an offset in them, have there at most value. */
static inline size_t search_until(const void *items, size_t count, size_t size, size_t offset, int64_t value)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t key;
        memcpy(&key, (const char *)items + middle * size + offset, sizeof key);
        if (key <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
