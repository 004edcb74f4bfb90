/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/answers/capture_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Where the last `parts` parts of a path begin. */
static const char *tail(const char *path, size_t parts)
{
    const char *at = path + strlen(path);

    while (at > path)
        if (at[-1] != '/' || --parts > 0)
            at--;
        else
            break;
    return at;
}

static bool is_alone(const char *const *paths, size_t count, size_t i, size_t parts)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(paths[k], paths[i]) != 0 && strcmp(tail(paths[k], parts), tail(paths[i], parts)) == 0)
            return false;
    return true;
}

const char *capture_name(const char *const *paths, size_t count, size_t i)
{
    for (size_t parts = 1; tail(paths[i], parts) > paths[i]; parts++)
        if (is_alone(paths, count, i, parts))
            return tail(paths[i], parts);
    return paths[i];
}

char *capture_path(const char *path, struct err *err)
{
    char *real = realpath(path, NULL);

    if (real == NULL)
        real = strdup(path);
    if (real == NULL)
        err_set(err, ERR_NO_MEMORY, "out of memory");
    return real;
}
