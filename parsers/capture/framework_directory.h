/* SPDX-License-Identifier: Apache-2.0 */
/* Which directories are captures of a framework, and what is in them. */
#ifndef MSPROF_PARSERS_CAPTURE_FRAMEWORK_DIRECTORY_H
#define MSPROF_PARSERS_CAPTURE_FRAMEWORK_DIRECTORY_H

#include "base/err.h"

#include <stdbool.h>

enum framework_kind { FRAMEWORK_MINDSPORE, FRAMEWORK_PYTORCH };

#define FRAMEWORK_OUTPUT "ASCEND_PROFILER_OUTPUT"

/* Paths; free with framework_paths_release. */
struct framework_paths {
    char **items; /* sorted */
    size_t count, capacity;
};
void framework_paths_release(struct framework_paths *paths);

/* Adds the directory itself when it is a capture, else the captures directly inside it. Links are not followed there:
 * those that lead to captures are added to links (NULL: not wanted). Directories inside it that are called like
 * captures but hold none, or cannot be read, are added to empty (NULL: not wanted). */
int framework_find(const char *path, struct framework_paths *paths, struct framework_paths *links,
                   struct framework_paths *empty, struct err *err);
/* The PROF captures in a framework's directory; links to directories of such names are added to links (NULL: not
 * wanted). */
int framework_find_prof(const char *directory, struct framework_paths *paths, struct framework_paths *links,
                        struct err *err);
/* Whose it is, by its name, else by its files; -ERR_FORMAT when nothing shows it. */
int framework_kind_of(const char *directory, enum framework_kind *ret, struct err *err);

/* Whether there is a FRAMEWORK/ with records: after --simplify other files may be left in it. */
bool framework_has_records(const char *directory);

#endif
