/* SPDX-License-Identifier: Apache-2.0 */
/* Many short texts in few blocks: they stay where they are, and go together. Large blocks are as base/file/large.h
 * says.
 */
#ifndef MSPROF_BASE_TEXTS_H
#define MSPROF_BASE_TEXTS_H

#include <stddef.h>
#include <stdint.h>

/* All zero: none. */
struct text_blocks {
    struct text_block *newest;
};

/* Room for a text of this length and the NUL that is behind it already; NULL when memory ran out. */
char *texts_room(struct text_blocks *texts, size_t length);
/* Copies a text. */
char *texts_add(struct text_blocks *texts, const char *text, size_t length);
/* Room for numbers beside them, likewise. */
int64_t *texts_numbers(struct text_blocks *texts, size_t count);
void texts_release(struct text_blocks *texts);

#endif
