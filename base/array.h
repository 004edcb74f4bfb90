/* SPDX-License-Identifier: Apache-2.0 */
/* Growth of arrays: any struct with the members items, count and capacity is one. All zero is empty; free(items). */
#ifndef MSPROF_BASE_ARRAY_H
#define MSPROF_BASE_ARRAY_H

#include "base/err.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

/* Puts a value behind the last item: array_add(&list, err, value), 0 or as above. Evaluates array more than once, the
 * value once there is room. */
#define array_add(array, err, ...)                                                                                     \
    (array_reserve(array, 1, err) < 0 ? -(int)(err)->code : ((void)((array)->items[(array)->count++] = __VA_ARGS__), 0))

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

/* A comparison for array_sort, qsort and bsearch: ARRAY_COMPARE(by_layer, struct task, ARRAY_BY(model_id),
 * ARRAY_BY(layer_id)) orders by the first of these members that differs. */
#define ARRAY_COMPARE(name, type, ...)                                                                                 \
    static int name(const void *left_item, const void *right_item)                                                     \
    {                                                                                                                  \
        const type *left = left_item, *right = right_item;                                                             \
        return ARRAY_ORDERS(__VA_ARGS__);                                                                              \
    }
#define ARRAY_BY(member) array_order(left->member, right->member)
#define ARRAY_BY_MOST(member) array_order(right->member, left->member) /* the largest first */
#define ARRAY_BY_TEXT(member) strcmp(left->member, right->member)
/* Comparisons of whole numbers of type int64_t, and of pointers to texts. */
int array_compare_numbers(const void *left, const void *right);
int array_compare_texts(const void *left, const void *right);

/* Called by array_reserve: items is the address of a pointer to any type. */
int array_grow(void *items, size_t *capacity, size_t count, size_t extra, size_t item_size, struct err *err);

#endif
