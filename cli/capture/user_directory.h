/* SPDX-License-Identifier: Apache-2.0 */
/* Where a user keeps what is read at every run. */
#ifndef MSPROF_CLI_CAPTURE_USER_DIRECTORY_H
#define MSPROF_CLI_CAPTURE_USER_DIRECTORY_H

#include "base/err.h"

#include <stdbool.h>

/* $XDG_CONFIG_HOME/<below>, by default ~/.config/<below> (free() it); *ret NULL when there is no home. */
int user_directory(const char *below, char **ret, struct err *err);
/* false when there is none, or with a warning when it cannot be read. */
bool user_directory_is_readable(const char *path);

#endif
