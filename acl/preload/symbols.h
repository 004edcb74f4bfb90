/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of loaded libraries, read from where the dynamic linker has them: no lookup, no lock, no allocation, so also
 * before the C library is ready. */
#ifndef MSPROF_ACL_PRELOAD_SYMBOLS_H
#define MSPROF_ACL_PRELOAD_SYMBOLS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* strcmp is a sanitizer's own where one is in the program, and calls nothing before that is ready. */
static inline bool symbols_same_name(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The version with which the library asks for a function of another one; NULL: without, or not at all. */
const char *symbols_wanted_version(const struct link_map *map, const char *name);

/* How many functions of that name the library defines, each of another version; *oldest: the first one's, NULL: none.
 */
size_t symbols_definitions(const struct link_map *map, const char *name, const char **oldest);

/* The library's function, of the default version if it has one; NULL: it has no such function. */
void *symbols_function(const struct link_map *map, const char *name);

#endif
