/* SPDX-License-Identifier: Apache-2.0 */
/* Searching in what is sorted. */
#ifndef MSPROF_BASE_SEARCH_H
#define MSPROF_BASE_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many of count items of so many bytes, ascending by the int64_t at an offset in them, have there at most value, or
 * with `less` less than it. */
static inline size_t search_bound(const void *items, size_t count, size_t size, size_t offset, int64_t value, bool less)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t key;
        memcpy(&key, (const char *)items + middle * size + offset, sizeof key);
        if (key < value || (key == value && !less))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many have at most value: where the first of a larger one stands. */
static inline size_t search_until(const void *items, size_t count, size_t size, size_t offset, int64_t value)
{
    return search_bound(items, count, size, offset, value, false);
}

/* How many have less than value: where the first of value stands, if there is one. */
static inline size_t search_from(const void *items, size_t count, size_t size, size_t offset, int64_t value)
{
    return search_bound(items, count, size, offset, value, true);
}

/* How many stand before a key. */
static inline size_t search_by(const void *items, size_t count, size_t size,
                               bool (*before)(const void *item, const void *key), const void *key)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (before((const char *)items + middle * size, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
