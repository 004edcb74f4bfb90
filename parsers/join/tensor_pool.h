/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for what comes again and again in the records of a capture: sets of tensors, 64-bit ids. */
#ifndef MSPROF_PARSERS_JOIN_TENSOR_POOL_H
#define MSPROF_PARSERS_JOIN_TENSOR_POOL_H

#include "base/intern.h"
#include "base/map.h"
#include "parsers/join/association.h"

/* From 64-bit keys to 32-bit values. All zero: empty. */
struct id_map {
    struct map map;
};

/* True and *ret set when the key is there. */
bool id_map_get(const struct id_map *map, int64_t key, uint32_t *ret);
/* Adds a key, or changes its value. */
int id_map_set(struct id_map *map, int64_t key, uint32_t value, struct err *err);
static inline void id_map_release(struct id_map *map)
{
    map_release(&map->map);
}

/* Sets of tensors: byte strings of struct host_tensor. */
struct tensor_pool {
    struct intern sets;
};

/* The number of a set, and of the tensors of one set followed by those of another. */
int tensor_pool_add(struct tensor_pool *pool, const struct host_tensor *tensors, size_t count, uint32_t *ret,
                    struct err *err);
int tensor_pool_join(struct tensor_pool *pool, uint32_t first, uint32_t second, uint32_t *ret, struct err *err);
/* The tensors of a set. */
const struct host_tensor *tensor_pool_get(const struct tensor_pool *pool, uint32_t set, size_t *ret_count);
void tensor_pool_release(struct tensor_pool *pool);

#endif
