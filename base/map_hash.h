/* SPDX-License-Identifier: Apache-2.0 */
/* How maps hash keys of whole words. */
#ifndef MSPROF_BASE_MAP_HASH_H
#define MSPROF_BASE_MAP_HASH_H

#include <stdint.h>

#define MAP_HASH_BEGIN 0xcbf29ce484222325u

static inline uint64_t map_hash_word(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* What a place is marked with, which is never 0. */
static inline uint32_t map_hash_end(uint64_t hash)
{
    hash ^= hash >> 32;
    return (uint32_t)hash != 0 ? (uint32_t)hash : 1;
}

#endif
