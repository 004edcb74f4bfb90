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
