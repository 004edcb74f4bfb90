/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ITEMS 16

int array_grow(void *items, size_t *capacity, size_t count, size_t extra, size_t item_size, struct err *err)
{
    void *old, *larger = NULL;
    size_t wanted = *capacity > FIRST_ITEMS / 2 ? *capacity : FIRST_ITEMS / 2;
    memcpy(&old, items, sizeof old); /* through its bytes: it is a pointer to another type */
    if (extra <= SIZE_MAX / 2 - count && wanted <= SIZE_MAX / 2) {
        wanted = wanted * 2 > count + extra ? wanted * 2 : count + extra;
        larger = reallocarray(old, wanted, item_size);
    }
    if (larger == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu items of %zu bytes", count, item_size);
    memcpy(items, &larger, sizeof larger);
    *capacity = wanted;
    return 0;
}

int array_compare_numbers(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return array_order(*a, *b);
}

int array_compare_texts(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

void array_sort(void *items, size_t count, size_t item_size, int (*order)(const void *a, const void *b))
{
    const char *item = items;
    size_t sorted = 1;
    while (sorted < count && order(item, item + item_size) <= 0) {
        item += item_size;
        sorted++;
    }
    if (sorted < count)
        qsort(items, count, item_size, order);
}
