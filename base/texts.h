/* SPDX-License-Identifier: Apache-2.0 */
/* Many short texts in few large blocks: they stay where they are, and go together. */
#ifndef MSPROF_BASE_TEXTS_H
#define MSPROF_BASE_TEXTS_H

#include <stddef.h>

/* All zero: none. */
struct texts {
    struct text_block *blocks;
};

/* Room for a text of this length and the NUL that is behind it already; NULL when memory ran out. */
char *texts_room(struct texts *texts, size_t length);
/* Copies a text. */
char *texts_add(struct texts *texts, const char *text, size_t length);
void texts_release(struct texts *texts);

#endif
