/* SPDX-License-Identifier: Apache-2.0 */
/* Growth of arrays: any struct with the members items, count and capacity is one. All zero is empty; free(items). */
#ifndef MSPROF_BASE_ARRAY_H
#define MSPROF_BASE_ARRAY_H

#include "base/err.h"

#include <stddef.h>
#include <stdlib.h>

/* Members of such a struct: struct ARRAY_OF(int64_t) list; */
#define ARRAY_OF(type)                                                                                                 \
    {                                                                                                                  \
        type *items;                                                                                                   \
        size_t count, capacity;                                                                                        \
    }

/* Makes room for `extra` more items behind the array's count; what is new is not initialized. Evaluates array more than
 * once. 0, or -ERR_NO_MEMORY with the array as it was. */
#define array_reserve(array, extra, err)                                                                               \
    ((extra) <= (array)->capacity - (array)->count                                                                     \
         ? 0                                                                                                           \
         : array_grow(&(array)->items, &(array)->capacity, (array)->count, (extra), sizeof *(array)->items, (err)))

/* qsort, which needs room for a second array, for what is not sorted yet. */
void array_sort(void *items, size_t count, size_t item_size, int (*order)(const void *a, const void *b));

/* Orders two numbers: below 0, 0 or above. Evaluates each twice. */
#define array_order(a, b) (((a) > (b)) - ((a) < (b)))

/* The first of several orders that is not 0, by members of two structs one after the other. Evaluates all. */
#define ARRAY_ORDERS(...)                                                                                              \
    array_first_order((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
static inline int array_first_order(const int *orders, size_t count)
{
    int order = 0;
    for (size_t i = 0; i < count && order == 0; i++)
        order = orders[i];
    return order;
}

/* Called by array_reserve: items is the address of a pointer to any type. */
int array_grow(void *items, size_t *capacity, size_t count, size_t extra, size_t item_size, struct err *err);

#endif
