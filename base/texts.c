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

char *texts_room(struct text_blocks *texts, size_t length)
{
    struct text_block *block = texts->newest;
    if (block == NULL || block->capacity - block->used < length + 1) {
        size_t capacity = length + 1 > BLOCK_SIZE ? length + 1 : BLOCK_SIZE;
        block = malloc(sizeof *block + capacity);
        if (block == NULL)
            return NULL;
        *block = (struct text_block){.next = texts->newest, .capacity = capacity};
        texts->newest = block;
    }
    char *room = block->bytes + block->used;
    room[length] = '\0';
    block->used += length + 1;
    return room;
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
        free(block);
    }
    texts->newest = NULL;
}
