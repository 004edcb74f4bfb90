#include "parsers/text_pool.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of_key(int64_t key, size_t capacity)
{
    return (size_t)(((uint64_t)key * 0x9e3779b97f4a7c15u) >> 32) & (capacity - 1);
}

static struct id_slot *find_slot(const struct id_map *map, int64_t key)
{
    size_t i = slot_of_key(key, map->capacity);
    while (map->slots[i].taken && map->slots[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return &map->slots[i];
}

bool id_map_get(const struct id_map *map, int64_t key, uint32_t *ret)
{
    if (map->capacity == 0)
        return false;
    const struct id_slot *slot = find_slot(map, key);
    if (slot->taken)
        *ret = slot->value;
    return slot->taken;
}

static int id_map_grow(struct id_map *map, struct err *err)
{
    struct id_map larger = {.capacity = map->capacity != 0 ? map->capacity * 2 : 256, .used = map->used};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].taken)
            *find_slot(&larger, map->slots[i].key) = map->slots[i];
    }
    free(map->slots);
    *map = larger;
    return 0;
}

int id_map_set(struct id_map *map, int64_t key, uint32_t value, struct err *err)
{
    if (map->used * 2 >= map->capacity) {
        int status = id_map_grow(map, err);
        if (status < 0)
            return status;
    }
    struct id_slot *slot = find_slot(map, key);
    map->used += !slot->taken;
    *slot = (struct id_slot){key, value, true};
    return 0;
}

void id_map_release(struct id_map *map)
{
    free(map->slots);
    *map = (struct id_map){.slots = NULL};
}

static uint32_t hash_bytes(const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    uint64_t hash = 0xcbf29ce484222325u, word;
    for (; length >= sizeof word; p += sizeof word, length -= sizeof word) {
        memcpy(&word, p, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; length > 0; p++, length--)
        hash = (hash ^ *p) * 0x100000001b3u;
    return (uint32_t)(hash ^ hash >> 32);
}

/* The slot of an equal string, or the empty one where it belongs. */
static uint32_t *find_text(const struct text_pool *pool, const void *bytes, size_t length, uint32_t hash)
{
    size_t i = hash & (pool->slot_capacity - 1);
    while (pool->slots[i] != 0) {
        const struct pooled *item = &pool->items[pool->slots[i] - 1];
        if (item->hash == hash && item->length == length && memcmp(item->bytes, bytes, length) == 0)
            break;
        i = (i + 1) & (pool->slot_capacity - 1);
    }
    return &pool->slots[i];
}

static int text_pool_grow(struct text_pool *pool, struct err *err)
{
    size_t capacity = pool->capacity != 0 ? pool->capacity * 2 : 256;
    struct pooled *items = reallocarray(pool->items, capacity, sizeof *items);
    if (items != NULL)
        pool->items = items;
    uint32_t *slots = calloc(capacity * 2, sizeof *slots);
    if (items == NULL || slots == NULL) {
        free(slots);
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    pool->capacity = capacity;
    pool->slot_capacity = capacity * 2;
    free(pool->slots);
    pool->slots = slots;
    for (size_t i = 0; i < pool->count; i++) {
        size_t slot = pool->items[i].hash & (pool->slot_capacity - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (pool->slot_capacity - 1);
        slots[slot] = (uint32_t)i + 1;
    }
    return 0;
}

int text_pool_add(struct text_pool *pool, const void *bytes, size_t length, uint32_t *ret, struct err *err)
{
    uint32_t hash = hash_bytes(bytes, length);
    if (pool->count > 0) {
        const uint32_t *slot = find_text(pool, bytes, length, hash);
        if (*slot != 0) {
            *ret = *slot - 1;
            return 0;
        }
    }
    if (length > INT32_MAX || pool->count >= INT32_MAX)
        return err_set(err, ERR_LIMIT, "more than 2^31 different texts");
    if (pool->count == pool->capacity) {
        int status = text_pool_grow(pool, err);
        if (status < 0)
            return status;
    }
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    uint32_t *slot = find_text(pool, bytes, length, hash);
    struct pooled *item = &pool->items[pool->count];
    item->bytes = copy;
    item->length = (uint32_t)length;
    item->hash = hash;
    *ret = (uint32_t)pool->count++;
    *slot = *ret + 1;
    return 0;
}

void text_pool_release(struct text_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        free(pool->items[i].bytes);
    free(pool->items);
    free(pool->slots);
    *pool = (struct text_pool){.items = NULL};
}

int tensor_pool_add(struct tensor_pool *pool, const struct host_tensor *tensors, size_t count, uint32_t *ret,
                    struct err *err)
{
    return text_pool_add(&pool->sets, tensors, count * sizeof *tensors, ret, err);
}

const struct host_tensor *tensor_pool_get(const struct tensor_pool *pool, uint32_t set, size_t *ret_count)
{
    const struct pooled *item = &pool->sets.items[set];
    *ret_count = item->length / sizeof(struct host_tensor);
    return (const struct host_tensor *)(const void *)item->bytes; /* malloc aligned it */
}

int tensor_pool_join(struct tensor_pool *pool, uint32_t first, uint32_t second, uint32_t *ret, struct err *err)
{
    const struct pooled *a = &pool->sets.items[first], *b = &pool->sets.items[second];
    size_t length = (size_t)a->length + b->length;
    char *joined = malloc(length + 1);
    if (joined == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    memcpy(joined, a->bytes, a->length);
    memcpy(joined + a->length, b->bytes, b->length);
    int status = text_pool_add(&pool->sets, joined, length, ret, err);
    free(joined);
    return status;
}

void tensor_pool_release(struct tensor_pool *pool)
{
    text_pool_release(&pool->sets);
}
