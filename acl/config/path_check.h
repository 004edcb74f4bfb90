/* SPDX-License-Identifier: Apache-2.0 */
/* Directories that a program names for its captures. */
#ifndef MSPROF_ACL_CONFIG_PATH_CHECK_H
#define MSPROF_ACL_CONFIG_PATH_CHECK_H

#include "msprof/acl_prof.h"

#include <stdbool.h>

/* Makes sure that the path is a directory in which this process can make others, creating it and its parents (0750),
 * and gives its absolute form (free() it). ACL_ERROR_INVALID_FILE or ACL_ERROR_BAD_ALLOC with a message that names
 * parameter. */
aclError acl_path_prepare(const char *path, const char *parameter, bool svp, char **ret_absolute);

#endif
