/* SPDX-License-Identifier: Apache-2.0 */
/* The captures that a directory is or holds. */
#ifndef MSPROF_PARSERS_CAPTURE_CAPTURE_FIND_H
#define MSPROF_PARSERS_CAPTURE_CAPTURE_FIND_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

/* All zero: none. */
struct found_captures {
    struct found_capture {
        char *path;      /* absolute */
        char *framework; /* its directory, which this was found in; NULL: none */
        char *shown;     /* what messages call it, where that is not the path: the archive and the path inside of it */
        bool is_unpacked;
    } * items; /* each path once */
    size_t count, capacity;
    size_t named;                         /* times that one was found, also again */
    bool from_parent;                     /* some were found inside a given directory */
    void (*passed_over)(const char *why); /* called for a directory below that may not be read; may be NULL */
};

void found_captures_release(struct found_captures *found);

/* Adds the captures that a directory is or holds, and those so many levels further down; path: as the user wrote it.
 * *ret_none: it is no capture and holds none. */
int found_captures_find(struct found_captures *found, const char *path, const char *absolute, int depth, bool *ret_none,
                        struct err *err);

#endif
