/* SPDX-License-Identifier: Apache-2.0 */
/* Where outputs may go: never into or over what a capture is made of. */
#ifndef MSPROF_CLI_CAPTURE_PLACE_H
#define MSPROF_CLI_CAPTURE_PLACE_H

#include "base/err.h"

#include <stdbool.h>

/* Resolves links in a path of which the last parts need not exist (free() it); NULL with err set. */
char *place_resolve(const char *path, struct err *err);

/* Whether a path is a directory, or is inside it. Both are resolved. */
bool place_is_inside(const char *path, const char *directory);

/* -ERR_USAGE when results of the capture `own` (NULL: of several) would go into another capture or into a part of one.
 */
int place_check_results(const char *results, const char *own, struct err *err);

/* -ERR_USAGE when a file that the user names is raw data of a capture or of a framework, or would stand among it. */
int place_check_file(const char *path, struct err *err);

#endif
