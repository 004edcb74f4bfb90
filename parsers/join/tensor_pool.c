/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/join/tensor_pool.h"

#include <stdlib.h>
#include <string.h>

struct numbered {
    int64_t key;
    uint32_t value;
};

bool id_map_get(const struct id_map *map, int64_t key, uint32_t *ret)
{
    const struct numbered *item = map_get(&map->map, &key);
    if (item != NULL)
        *ret = item->value;
    return item != NULL;
}

int id_map_set(struct id_map *map, int64_t key, uint32_t value, struct err *err)
{
    if (map->map.item_size == 0)
        map->map = (struct map)MAP_OF(struct numbered, key);
    struct numbered *item = map_add(&map->map, &key, NULL, err);
    if (item == NULL)
        return -(int)err->code;
    item->value = value;
    return 0;
}

int tensor_pool_add(struct tensor_pool *pool, const struct host_tensor *tensors, size_t count, uint32_t *ret,
                    struct err *err)
{
    return intern_add(&pool->sets, tensors, count * sizeof *tensors, ret, err);
}

const struct host_tensor *tensor_pool_get(const struct tensor_pool *pool, uint32_t set, size_t *ret_count)
{
    const struct interned *item = &pool->sets.items[set];
    *ret_count = item->length / sizeof(struct host_tensor);
    return (const struct host_tensor *)(const void *)item->bytes; /* malloc aligned it */
}

int tensor_pool_join(struct tensor_pool *pool, uint32_t first, uint32_t second, uint32_t *ret, struct err *err)
{
    const struct interned *a = &pool->sets.items[first], *b = &pool->sets.items[second];
    size_t length = (size_t)a->length + b->length;
    char *joined = malloc(length + 1);
    if (joined == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    memcpy(joined, a->bytes, a->length);
    memcpy(joined + a->length, b->bytes, b->length);
    int status = intern_add(&pool->sets, joined, length, ret, err);
    free(joined);
    return status;
}

void tensor_pool_release(struct tensor_pool *pool)
{
    intern_release(&pool->sets);
}
