/* Numbers for things that come again and again: texts, sets of tensors, 64-bit ids. Memory grows with the different
 * ones only. */
#ifndef MSPROF_PARSERS_TEXT_POOL_H
#define MSPROF_PARSERS_TEXT_POOL_H

#include "base/err.h"
#include "parsers/association.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From 64-bit keys to 32-bit values. */
struct id_map {
    struct id_slot {
        int64_t key;
        uint32_t value;
        bool taken;
    } * slots;
    size_t capacity, used;
};

/* True and *ret set when the key is there. */
bool id_map_get(const struct id_map *map, int64_t key, uint32_t *ret);
/* Adds a key, or changes its value. */
int id_map_set(struct id_map *map, int64_t key, uint32_t value, struct err *err);
void id_map_release(struct id_map *map);

/* Byte strings, each once, numbered from 0 in the order of their first appearance. */
struct text_pool {
    struct pooled {
        char *bytes; /* NUL-terminated */
        uint32_t length;
        uint32_t hash;
    } * items;
    size_t count, capacity;
    uint32_t *slots; /* number + 1, or 0 */
    size_t slot_capacity;
};

int text_pool_add(struct text_pool *pool, const void *bytes, size_t length, uint32_t *ret, struct err *err);
void text_pool_release(struct text_pool *pool);

/* Sets of tensors: byte strings of struct host_tensor. */
struct tensor_pool {
    struct text_pool sets;
};

/* The number of a set, and of the tensors of one set followed by those of another. */
int tensor_pool_add(struct tensor_pool *pool, const struct host_tensor *tensors, size_t count, uint32_t *ret,
                    struct err *err);
int tensor_pool_join(struct tensor_pool *pool, uint32_t first, uint32_t second, uint32_t *ret, struct err *err);
/* The tensors of a set. */
const struct host_tensor *tensor_pool_get(const struct tensor_pool *pool, uint32_t set, size_t *ret_count);
void tensor_pool_release(struct tensor_pool *pool);

#endif
