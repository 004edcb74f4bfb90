/* SPDX-License-Identifier: Apache-2.0 */
#include "base/texts.h"

#include "base/file/large.h"

#include <stdlib.h>
#include <string.h>

/* Each block has room for twice as much as all before it, within these bounds. */
#define BLOCK_LEAST ((size_t)256 * 1024)
#define BLOCK_MOST ((size_t)64 * 1024 * 1024)

struct text_block {
    struct text_block *next;
    size_t used, capacity;
    char bytes[]; /* aligned to 8 */
};

static struct text_block *new_block(struct text_blocks *texts, size_t least)
{
    struct err ignored = ERR_INIT; /* the caller reports that memory ran out */
    const size_t twice = texts->newest != NULL ? texts->newest->capacity * 3 : BLOCK_LEAST;
    const size_t wanted = twice < BLOCK_MOST ? twice : BLOCK_MOST, capacity = least > wanted ? least : wanted;
    struct text_block *block = large_new(sizeof *block + capacity, 1, &ignored);
    if (block == NULL)
        return NULL;
    *block = (struct text_block){.next = texts->newest, .capacity = capacity};
    return texts->newest = block;
}

/* alignment: 1 or 8. */
static char *take_room(struct text_blocks *texts, size_t size, size_t alignment)
{
    struct text_block *block = texts->newest;
    size_t begin = block != NULL ? (block->used + alignment - 1) & ~(alignment - 1) : 0;
    if (block == NULL || begin > block->capacity || block->capacity - begin < size) {
        block = new_block(texts, size);
        begin = 0;
    }
    if (block == NULL)
        return NULL;
    block->used = begin + size;
    return block->bytes + begin;
}

char *texts_room(struct text_blocks *texts, size_t length)
{
    char *room = take_room(texts, length + 1, 1);
    if (room != NULL)
        room[length] = '\0';
    return room;
}

int64_t *texts_numbers(struct text_blocks *texts, size_t count)
{
    return (int64_t *)(void *)take_room(texts, count * sizeof(int64_t), sizeof(int64_t));
}

char *texts_add(struct text_blocks *texts, const char *text, size_t length)
{
    char *copy = texts_room(texts, length);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void texts_release(struct text_blocks *texts)
{
    for (struct text_block *block = texts->newest, *next; block != NULL; block = next) {
        next = block->next;
        large_free(block);
    }
    texts->newest = NULL;
}
