/* SPDX-License-Identifier: Apache-2.0 */
#include "base/intern.h"

#include "base/array.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

static inline uint64_t mixed(uint64_t a, uint64_t b)
{
    const wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two words at once: sets of tensors have many. */
static uint32_t hash_of(const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    uint64_t hash = 0xcbf29ce484222325u ^ length, words[2];
    for (; length > sizeof words; p += sizeof words, length -= sizeof words) {
        memcpy(words, p, sizeof words);
        hash = mixed(words[0] ^ 0x9e3779b97f4a7c15u, words[1] ^ hash);
    }
    return (uint32_t)(mixed(hash ^ 0xa0761d6478bd642fu, map_hash_bytes(p, length)));
}

/* The place of an equal string, or the free one where it belongs. */
static uint32_t *find(const struct intern *intern, const void *bytes, size_t length, uint32_t hash)
{
    size_t mask = intern->place_count - 1, i = hash & mask;
    while (intern->places[i] != 0) {
        const struct interned *item = &intern->items[intern->places[i] - 1];
        if (item->hash == hash && item->length == length && memcmp(item->bytes, bytes, length) == 0)
            break;
        i = (i + 1) & mask;
    }
    return &intern->places[i];
}

/* At most half of the places are taken. */
static int grow(struct intern *intern, struct err *err)
{
    if (array_reserve(intern, 1, err) < 0)
        return err_status(err);
    if (intern->count * 2 < intern->place_count)
        return 0;
    size_t place_count = intern->place_count != 0 ? intern->place_count * 2 : 64, mask = place_count - 1;
    uint32_t *places = calloc(place_count, sizeof *places);
    if (places == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for %zu different texts", intern->count);
    for (size_t i = 0; i < intern->count; i++) {
        size_t place = intern->items[i].hash & mask;
        while (places[place] != 0)
            place = (place + 1) & mask;
        places[place] = (uint32_t)i + 1;
    }
    free(intern->places);
    intern->places = places;
    intern->place_count = place_count;
    return 0;
}

bool intern_find(const struct intern *intern, const void *bytes, size_t length, uint32_t *ret)
{
    if (intern->count == 0)
        return false;
    uint32_t place = *find(intern, bytes, length, hash_of(bytes, length));
    if (place != 0)
        *ret = place - 1;
    return place != 0;
}

int intern_add(struct intern *intern, const void *bytes, size_t length, uint32_t *ret, struct err *err)
{
    uint32_t hash = hash_of(bytes, length);
    if (intern->count > 0) {
        uint32_t place = *find(intern, bytes, length, hash);
        if (place != 0) {
            *ret = place - 1;
            return 0;
        }
    }
    if (length > INT32_MAX || intern->count >= INT32_MAX)
        return err_set(err, ERR_LIMIT, "more than 2^31 different texts");
    if (grow(intern, err) < 0)
        return err_status(err);
    char *copy = malloc(length + 1);
    if (copy == NULL)
        return err_no_memory(err);
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    uint32_t *place = find(intern, bytes, length, hash);
    intern->items[intern->count] = (struct interned){copy, (uint32_t)length, hash};
    *ret = (uint32_t)intern->count++;
    *place = *ret + 1;
    // cppcheck-suppress memleak
    return 0;
}

int intern_text(struct intern *intern, const char *text, uint32_t *ret, struct err *err)
{
    return intern_add(intern, text != NULL ? text : "", text != NULL ? strlen(text) : 0, ret, err);
}

int intern_keep(struct intern *intern, const char *text, const char **ret, struct err *err)
{
    uint32_t number;
    if (intern_text(intern, text, &number, err) < 0)
        return err_status(err);
    *ret = intern->items[number].bytes;
    return 0;
}

void intern_release(struct intern *intern)
{
    for (size_t i = 0; i < intern->count; i++)
        free(intern->items[i].bytes);
    free(intern->items);
    free(intern->places);
    *intern = (struct intern){.items = NULL};
}
