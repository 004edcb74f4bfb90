/* SPDX-License-Identifier: Apache-2.0 */
/* Hash tables: items of one size, each beginning with its key, of one size too (without padding inside the key). The
 * order of items is that of hashes: nothing that a user sees may follow it. */
#ifndef MSPROF_BASE_MAP_H
#define MSPROF_BASE_MAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
    size_t key_size, item_size; /* set by the user, or by MAP_OF */
    unsigned char *items;       /* the rest is the map's own */
    uint32_t *hashes;           /* of each place; 0: free */
    size_t capacity, used;
};

/* An empty map whose items are `type`, with `key` as its first member. */
#define MAP_OF(type, key)                                                                                              \
    {                                                                                                                  \
        .key_size = sizeof(((type *)0)->key), .item_size = sizeof(type)                                                \
    }

/* The item with this key, NULL: there is none. It stays where it is until the next map_add or map_remove. */
void *map_get(const struct map *map, const void *key);
/* The item with this key, added when it is not there (*ret_added, which may be NULL): then all behind its key is zero.
 * NULL with err set when memory ran out. */
void *map_add(struct map *map, const void *key, bool *ret_added, struct err *err);
/* Removes an item that map_get or map_add gave. Others may move. */
void map_remove(struct map *map, void *item);
/* The first item for NULL, else the one after; NULL at the end. */
void *map_next(const struct map *map, const void *item);
/* Copies of all items, map->used of them; free() them. NULL with err set when memory ran out. */
void *map_items(const struct map *map, struct err *err);
/* No items; the memory is kept. */
void map_clear(struct map *map);
/* Frees everything; the map is empty and may be used again. */
void map_release(struct map *map);

/* A hash of bytes, for others who hash. */
uint64_t map_hash_bytes(const void *bytes, size_t length);

#endif
