/* SPDX-License-Identifier: Apache-2.0 */
/* Byte strings, each once, numbered from 0 in the order of their first appearance. Memory grows with the different ones
 * only. */
#ifndef MSPROF_BASE_INTERN_H
#define MSPROF_BASE_INTERN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero: empty. */
struct intern {
    struct interned {
        char *bytes; /* NUL-terminated, aligned as malloc aligns */
        uint32_t length;
        uint32_t hash;
    } * items;
    size_t count, capacity;
    uint32_t *places; /* number + 1; 0: free */
    size_t place_count;
};

/* The number of these bytes, which are copied when they are new. -ERR_NO_MEMORY, or -ERR_LIMIT past 2^31 of them. */
int intern_add(struct intern *intern, const void *bytes, size_t length, uint32_t *ret, struct err *err);
/* Likewise of a text; NULL: "". */
int intern_text(struct intern *intern, const char *text, uint32_t *ret, struct err *err);
/* Keeps a text, NULL as "": *ret stands until the intern is released. */
int intern_keep(struct intern *intern, const char *text, const char **ret, struct err *err);
/* The number when they are there. */
bool intern_find(const struct intern *intern, const void *bytes, size_t length, uint32_t *ret);
void intern_release(struct intern *intern);

#endif
