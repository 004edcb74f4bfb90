/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest spelling to a mistyped word. */
#ifndef MSPROF_BASE_SUGGEST_H
#define MSPROF_BASE_SUGGEST_H

#include <stddef.h>
#include <string.h>

/* How far apart two words are: for "did you mean". */

#define EDIT_DISTANCE_MAX_LENGTH 64 /* bytes of a word that is compared */

/* Levenshtein's distance in bytes; SIZE_MAX when one of the words is longer than EDIT_DISTANCE_MAX_LENGTH. */
size_t suggestion_edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);

/* Which of many names was probably meant. */

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
    size_t distance = suggestion_edit_distance(nearest->found, nearest->length, name, strlen(name));

    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}

/* For a message: "%s%s%s" with these three gives " (did you mean 'x'?)" or nothing. */
#define NEAREST_TEXT(nearest)                                                                                          \
    (nearest).name != NULL ? " (did you mean '" : "", (nearest).name != NULL ? (nearest).name : "",                    \
        (nearest).name != NULL ? "'?)" : ""

#define SUGGESTION_SIZE 40

struct suggestion {
    const char *word;              /* what was typed */
    char nearest[SUGGESTION_SIZE]; /* "" while nothing near was offered */
    size_t distance;
};

void suggestion_init(struct suggestion *suggestion, const char *word);
/* Takes the candidate when it is nearer than those before it, and near enough to be meant. */
void suggestion_offer(struct suggestion *suggestion, const char *candidate);

#endif
