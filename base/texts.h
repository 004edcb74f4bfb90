/* SPDX-License-Identifier: Apache-2.0 */
/* Many short texts in few large blocks: they stay where they are, and go together. */
#ifndef MSPROF_BASE_TEXTS_H
#define MSPROF_BASE_TEXTS_H

#include <stddef.h>

/* All zero: none. */
struct text_blocks {
    struct text_block *newest;
};

/* Room for a text of this length and the NUL that is behind it already; NULL when memory ran out. */
char *texts_room(struct text_blocks *texts, size_t length);
/* Copies a text. */
char *texts_add(struct text_blocks *texts, const char *text, size_t length);
void texts_release(struct text_blocks *texts);

#endif
