/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest way to an item of a map whose key is one word, for those who look for millions of them. */
#ifndef MSPROF_BASE_MAP_WORD_H
#define MSPROF_BASE_MAP_WORD_H

#include "base/map.h"
#include "base/map_hash.h"

#include <string.h>

/* map_get() of a map whose keys are of eight bytes. */
static inline void *map_get_word(const struct map *map, uint64_t key)
{
    if (map->used == 0)
        return NULL;
    const uint32_t hash = map_hash_end(map_hash_word(MAP_HASH_BEGIN, key));
    const size_t mask = map->capacity - 1;
    for (size_t place = hash & mask; map->hashes[place] != 0; place = (place + 1) & mask) {
        if (map->hashes[place] != hash)
            continue;
        unsigned char *item = map->items + place * map->item_size;
        uint64_t its_key;
        memcpy(&its_key, item, sizeof its_key);
        if (its_key == key)
            return item;
    }
    return NULL;
}

#endif
