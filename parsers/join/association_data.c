/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/join/association_data.h"

#include "base/array.h"
#include "base/number.h"
#include "parsers/decode/decoder.h"

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

int join_expect_span(int64_t start_ns, int64_t end_ns, struct err *err)
{
    if (span_is_sound(start_ns, end_ns))
        return 0;
    return err_set(err, ERR_FAILED,
                   "a span from %lld to %lld ns was handed to be joined; its record kind has to refuse it",
                   (long long)start_ns, (long long)end_ns);
}

void *array_next(void **items, size_t *count, size_t *capacity, size_t item_size, struct err *err)
{
    if (*count >= NO_INDEX - 1) {
        err_set(err, ERR_LIMIT, "more than %u records of a kind in one capture", NO_INDEX - 1);
        return NULL;
    }
    if (*count == *capacity && array_grow(items, capacity, *count, 1, item_size, err) < 0)
        return NULL;
    return (char *)*items + (*count)++ * item_size;
}

int association_number_text(struct association *association, uint64_t value, uint32_t *ret, struct err *err)
{
    char text[NUMBER_MAX];
    const char *end = number_put_unsigned(text, value);
    return intern_add(&association->texts, text, (size_t)(end - text), ret, err);
}

int association_expect_name(struct association *association, int64_t id, const char *field, struct err *err)
{
    uint32_t text;
    if (id == 0 || id_map_get(&association->name_ids, id, &text) || id_map_get(&association->unnamed_ids, id, &text))
        return 0;
    struct place place = decoder_place(association->decoder, field);
    diag_report(decoder_diag(association->decoder), DIAG_NAME_UNKNOWN, &place, "the id %llu is in no hash dictionary",
                (unsigned long long)id);
    return id_map_set(&association->unnamed_ids, id, 0, err);
}

static struct recent_name *recent_name(struct association *association, int64_t id)
{
    return &association->recent_names[((uint64_t)id * 0x9e3779b97f4a7c15u) >> (64 - RECENT_NAME_BITS)];
}

int association_set_name(struct association *association, int64_t id, uint32_t text, struct err *err)
{
    *recent_name(association, id) = (struct recent_name){.known = false};
    return id_map_set(&association->name_ids, id, text, err);
}

int association_text(struct association *association, int64_t id, const char *field, uint32_t *ret, struct err *err)
{
    struct recent_name *recent = recent_name(association, id);
    int status = 0;
    if (recent->id == id && recent->known) {
        *ret = recent->text;
        return 0;
    }
    if (!id_map_get(&association->name_ids, id, ret)) {
        status = association_expect_name(association, id, field, err);
        if (status == 0)
            status = association_number_text(association, (uint64_t)id, ret, err);
        if (status == 0)
            status = id_map_set(&association->name_ids, id, *ret, err);
    }
    if (status == 0)
        *recent = (struct recent_name){id, *ret, true};
    return status;
}

struct join_limits join_limits = {.spool = (size_t)12 * 1024 * 1024, .window = 8192};

void join_spool_release(struct spool **spool)
{
    spool_free(*spool);
    *spool = NULL;
}

uint32_t association_call_around(const struct association *association, const struct thread *thread, uint32_t call,
                                 uint16_t level, uint32_t type)
{
    while (call != NO_INDEX) {
        const struct call_kind *kind = &association->call_kinds[thread->calls[call].kind];
        if (kind->level == level && (type == ANY_TYPE || kind->type == type))
            break;
        call = thread->calls[call].parent;
    }
    return call;
}

uint32_t association_model_around(const struct association *association, const struct thread *thread, uint32_t call)
{
    int64_t model;
    call = association_call_around(association, thread, call, HOST_LEVEL_MODEL, ANY_TYPE);
    if (call == NO_INDEX)
        return NO_MODEL;
    const struct interned *item = &association->texts.items[thread->calls[call].item];
    return number_parse_integer(item->bytes, item->length, &model) == 0 && model >= 0 && model < NO_MODEL
               ? (uint32_t)model
               : NO_MODEL;
}
