/* SPDX-License-Identifier: Apache-2.0 */
/* What captures of an answer are called: the last parts of their paths, as many as tell them apart. */
#ifndef MSPROF_CLI_ANSWERS_CAPTURE_NAMES_H
#define MSPROF_CLI_ANSWERS_CAPTURE_NAMES_H

#include "base/err.h"

#include <stddef.h>

/* The least tail of whole parts in which paths[i] differs from every other path that is not equal to it; the last part
 * where none does. Points into paths[i]. */
const char *capture_name(const char *const *paths, size_t count, size_t i);
/* The path with all its parts, to be freed; of what is not there the path as it was given. NULL: out of memory. */
char *capture_path(const char *path, struct err *err);

#endif
