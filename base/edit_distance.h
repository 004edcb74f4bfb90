/* SPDX-License-Identifier: Apache-2.0 */
/* How far apart two words are: for "did you mean". */
#ifndef MSPROF_BASE_EDIT_DISTANCE_H
#define MSPROF_BASE_EDIT_DISTANCE_H

#include <stddef.h>

#define EDIT_DISTANCE_MAX_LENGTH 64 /* bytes of a word that is compared */

/* Levenshtein's distance in bytes; SIZE_MAX when one of the words is longer than EDIT_DISTANCE_MAX_LENGTH. */
size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
