/* SPDX-License-Identifier: Apache-2.0 */
#include "base/texts.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)256 * 1024)

struct text_block {
    struct text_block *next;
    size_t used, capacity;
    char bytes[];
};

char *texts_room(struct texts *texts, size_t length)
{
    struct text_block *block = texts->blocks;
    if (block == NULL || block->capacity - block->used < length + 1) {
        size_t capacity = length + 1 > BLOCK_SIZE ? length + 1 : BLOCK_SIZE;
        block = malloc(sizeof *block + capacity);
        if (block == NULL)
            return NULL;
        *block = (struct text_block){.next = texts->blocks, .capacity = capacity};
        texts->blocks = block;
    }
    char *room = block->bytes + block->used;
    room[length] = '\0';
    block->used += length + 1;
    return room;
}

char *texts_add(struct texts *texts, const char *text, size_t length)
{
    char *copy = texts_room(texts, length);
    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

void texts_release(struct texts *texts)
{
    for (struct text_block *block = texts->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    texts->blocks = NULL;
}
