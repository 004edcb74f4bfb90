/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/config/path_check.h"

#include "acl/message.h"
#include "base/file/fsutil.h"
#include "parsers/switches/rule.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static aclError refuse_character(const char *path, const char *parameter, char c)
{
    char reason[64];
    if (c > ' ' && c < 0x7f)
        (void)snprintf(reason, sizeof reason, "the path must not hold the character '%c'", c);
    else
        (void)snprintf(reason, sizeof reason, "the path must not hold the character 0x%02x",
                       (unsigned)(unsigned char)c);
    return acl_fail_value(ACL_ERROR_INVALID_FILE, parameter, path, reason);
}

aclError acl_path_prepare(const char *path, const char *parameter, bool svp, char **ret_absolute)
{
    struct err err = ERR_INIT;
    char forbidden = switch_path_forbidden(path, svp);
    if (forbidden != '\0')
        return refuse_character(path, parameter, forbidden);
    if (make_directories(path, &err) < 0)
        return acl_fail_err(ACL_ERROR_INVALID_FILE, &err);
    if (access(path, W_OK | X_OK) < 0)
        return acl_fail_value(ACL_ERROR_INVALID_FILE, parameter, path, strerror(errno));
    char *absolute = path_absolute(path, &err);
    if (absolute == NULL)
        return acl_fail_err(err.code == ERR_NO_MEMORY ? ACL_ERROR_BAD_ALLOC : ACL_ERROR_INVALID_FILE, &err);
    *ret_absolute = absolute;
    return ACL_SUCCESS;
}
