/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that may become larger than memory should hold. From LARGE_LEAST bytes on they stand in temporary files
 * without names, which are mapped: loops over one report their position with large_pass, so that the pages before it
 * are released. Any struct with the members items, count and capacity is such an array; large_free(items). */
#ifndef MSPROF_BASE_FILE_LARGE_H
#define MSPROF_BASE_FILE_LARGE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define LARGE_LEAST ((size_t)4 * 1024 * 1024)

/* Makes room for `extra` more items behind the array's count, as array_reserve does. */
#define large_reserve(array, extra, err)                                                                               \
    ((extra) <= (array)->capacity - (array)->count                                                                     \
         ? 0                                                                                                           \
         : large_grow(&(array)->items, &(array)->capacity, (array)->count, (extra), sizeof *(array)->items, (err)))
int large_grow(void *items, size_t *capacity, size_t count, size_t extra, size_t item_size, struct err *err);

/* Items that are all zero. NULL with err set. */
void *large_new(size_t count, size_t item_size, struct err *err);
void large_free(void *items); /* NULL is fine, and so is what malloc gave */

/* Sorts as qsort does where that is stable. An array in a file is sorted in runs, which are merged. */
void large_sort(void *items, size_t count, size_t item_size, int (*order)(const void *a, const void *b));

/* Gives the memory of all of them back to the system, if they are larger than LARGE_KEPT together: to read less than
 * that back costs more than it saves. They keep what is in them. */
#define LARGE_KEPT ((size_t)64 * 1024 * 1024)
void large_forget(void);
/* Likewise, however small they are: before something else that takes much. */
void large_put_away(void);

#define LARGE_ITEMS_AT_ONCE ((size_t)1 << 16)

/* To be called with the number of each item that a walk comes to. */
static inline void large_pass(size_t i)
{
    if ((i & (LARGE_ITEMS_AT_ONCE - 1)) == LARGE_ITEMS_AT_ONCE - 1)
        large_forget();
}

/* To be called behind each of many short walks, with how many items that was. */
void large_passed(size_t items);

struct slots; /* opaque */

struct slots *slots_new(struct err *err); /* NULL with err set */
void slots_free(struct slots *slots);     /* NULL is fine */
/* place: not negative. -ERR_IO, -ERR_NO_SPACE, -ERR_LIMIT: the file system has no place so far on. */
int slots_set(struct slots *slots, int64_t place, int64_t value, struct err *err);
/* 0 where nothing was set. */
int slots_get(struct slots *slots, int64_t place, int64_t *ret, struct err *err);

#endif
