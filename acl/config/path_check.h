/* Directories that a program names for its captures. */
#ifndef MSPROF_ACL_CONFIG_PATH_CHECK_H
#define MSPROF_ACL_CONFIG_PATH_CHECK_H

#include "msprof/acl_prof.h"

#include <stdbool.h>

/* The first character of a path that may not stand there, or 0. CANN (docs/formats/acl-api.md B4) forbids control
 * characters and those that mean something to a shell; on SVP boards (docs/formats/svp.md 7) only letters, digits and
 * "_-./" are allowed. */
char acl_path_forbidden(const char *path, bool svp);

/* Makes sure that the path is a directory in which this process can make others, creating it and its parents (0750),
 * and gives its absolute form (free() it). ACL_ERROR_INVALID_FILE or ACL_ERROR_BAD_ALLOC with a message that names
 * parameter. */
aclError acl_path_prepare(const char *path, const char *parameter, bool svp, char **ret_absolute);

#endif
