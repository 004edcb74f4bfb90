/* SPDX-License-Identifier: Apache-2.0 */
/* Which of many names was probably meant. */
#ifndef MSPROF_BASE_NEAREST_H
#define MSPROF_BASE_NEAREST_H

#include "base/edit_distance.h"

#include <string.h>

struct nearest {
    const char *found; /* what was given */
    size_t length, distance;
    const char *name; /* the nearest so far, as long as it lives; NULL: none is near */
};

static inline struct nearest nearest_to(const char *found, size_t length)
{
    return (struct nearest){.found = found, .length = length, .distance = length / 2 + 1};
}

static inline void nearest_add(struct nearest *nearest, const char *name)
{
    size_t distance = edit_distance(nearest->found, nearest->length, name, strlen(name));

    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}

/* For a message: "%s%s%s" with these three gives " (did you mean 'x'?)" or nothing. */
#define NEAREST_TEXT(nearest)                                                                                          \
    (nearest).name != NULL ? " (did you mean '" : "", (nearest).name != NULL ? (nearest).name : "",                    \
        (nearest).name != NULL ? "'?)" : ""

#endif
