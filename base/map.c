/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include "base/map_hash.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64 /* a power of two, as all */

uint64_t map_hash_bytes(const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    uint64_t hash = MAP_HASH_BEGIN, word;
    for (; length >= sizeof word; p += sizeof word, length -= sizeof word) {
        memcpy(&word, p, sizeof word);
        hash = map_hash_word(hash, word);
    }
    for (; length > 0; p++, length--)
        hash = (hash ^ *p) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* Keys of whole words, as most are, are hashed and compared word by word, as map_hash_bytes does it. */
static inline bool has_words(const struct map *map)
{
    return map->key_size % sizeof(uint64_t) == 0;
}

static inline uint64_t word_at(const void *key, size_t offset)
{
    uint64_t word;
    memcpy(&word, (const unsigned char *)key + offset, sizeof word);
    return word;
}

static inline uint32_t hash_of(const struct map *map, const void *key)
{
    uint64_t hash = MAP_HASH_BEGIN;
    if (has_words(map)) {
        for (size_t at = 0; at < map->key_size; at += sizeof hash)
            hash = map_hash_word(hash, word_at(key, at));
        return map_hash_end(hash);
    }
    hash = map_hash_bytes(key, map->key_size);
    return (uint32_t)hash != 0 ? (uint32_t)hash : 1;
}

static inline bool is_key(const struct map *map, const unsigned char *item, const void *key)
{
    uint64_t differ = 0;
    if (!has_words(map))
        return memcmp(item, key, map->key_size) == 0;
    for (size_t at = 0; at < map->key_size; at += sizeof differ)
        differ |= word_at(item, at) ^ word_at(key, at);
    return differ == 0;
}

static inline unsigned char *item_at(const struct map *map, size_t place)
{
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
    return map->items + place * map->item_size;
}

/* The place of this key, or the free one where it belongs. */
static inline size_t find(const struct map *map, const void *key, uint32_t hash)
{
    size_t mask = map->capacity - 1, place = hash & mask;
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc)
    while (map->hashes[place] != 0 && (map->hashes[place] != hash || !is_key(map, item_at(map, place), key)))
        place = (place + 1) & mask;
    return place;
}

void *map_get(const struct map *map, const void *key)
{
    if (map->used == 0)
        return NULL;
    size_t place = find(map, key, hash_of(map, key));
    return map->hashes[place] != 0 ? item_at(map, place) : NULL;
}

static int grow(struct map *map, struct err *err)
{
    struct map larger = {.key_size = map->key_size,
                         .item_size = map->item_size,
                         .capacity = map->capacity != 0 ? map->capacity * 2 : FIRST_CAPACITY,
                         .used = map->used};
    larger.hashes = calloc(larger.capacity, sizeof *larger.hashes);
    larger.items = reallocarray(NULL, larger.capacity, larger.item_size);
    if (larger.hashes == NULL || larger.items == NULL) {
        free(larger.hashes);
        free(larger.items);
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu items of %zu bytes", map->used, map->item_size);
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->hashes[i] == 0)
            continue;
        size_t place = find(&larger, item_at(map, i), map->hashes[i]);
        larger.hashes[place] = map->hashes[i];
        memcpy(item_at(&larger, place), item_at(map, i), map->item_size);
    }
    free(map->hashes);
    free(map->items);
    *map = larger;
    return 0;
}

void *map_add(struct map *map, const void *key, bool *ret_added, struct err *err)
{
    uint32_t hash = hash_of(map, key);
    if (ret_added != NULL)
        *ret_added = false;
    size_t place = map->capacity > 0 ? find(map, key, hash) : 0;
    if (map->capacity > 0 && map->hashes[place] != 0)
        return item_at(map, place);
    if (map->used * 2 >= map->capacity) {
        if (grow(map, err) < 0)
            return NULL;
        place = find(map, key, hash);
    }
    unsigned char *item = item_at(map, place);
    memcpy(item, key, map->key_size);
    memset(item + map->key_size, 0, map->item_size - map->key_size);
    map->hashes[place] = hash;
    map->used++;
    if (ret_added != NULL)
        *ret_added = true;
    return item;
}

/* Leaves no hole that would hide later items of the same chain. */
void map_remove(struct map *map, void *item)
{
    size_t mask = map->capacity - 1, hole = (size_t)((unsigned char *)item - map->items) / map->item_size;
    for (size_t i = (hole + 1) & mask; map->hashes[i] != 0; i = (i + 1) & mask) {
        size_t home = map->hashes[i] & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            memcpy(item_at(map, hole), item_at(map, i), map->item_size);
            map->hashes[hole] = map->hashes[i];
            hole = i;
        }
    }
    map->hashes[hole] = 0;
    map->used--;
}

void *map_next(const struct map *map, const void *item)
{
    size_t place = item == NULL ? 0 : (size_t)((const unsigned char *)item - map->items) / map->item_size + 1;
    while (place < map->capacity && map->hashes[place] == 0)
        place++;
    return place < map->capacity ? item_at(map, place) : NULL;
}

void *map_items(const struct map *map, struct err *err)
{
    unsigned char *ret = calloc(map->used * map->item_size + 1, 1), *p = ret;
    if (ret == NULL)
        err_no_memory(err);
    for (const void *item = NULL; ret != NULL && (item = map_next(map, item)) != NULL; p += map->item_size)
        memcpy(p, item, map->item_size);
    return ret;
}

void map_clear(struct map *map)
{
    if (map->capacity > 0)
        memset(map->hashes, 0, map->capacity * sizeof *map->hashes);
    map->used = 0;
}

void map_release(struct map *map)
{
    free(map->hashes);
    free(map->items);
    *map = (struct map){.key_size = map->key_size, .item_size = map->item_size};
}
