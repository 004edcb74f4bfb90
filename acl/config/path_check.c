#include "acl/config/path_check.h"

#include "acl/message.h"
#include "base/file/fsutil.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_forbidden(char c, bool svp)
{
    if (svp)
        return strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./", c) == NULL;
    return strchr("\n\f\r\b\t\v\x7f\"'\\%><|&$;`", c) != NULL;
}

char acl_path_forbidden(const char *path, bool svp)
{
    for (const char *p = path; *p != '\0'; p++) {
        if (is_forbidden(*p, svp))
            return *p;
    }
    return '\0';
}

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
    char forbidden = acl_path_forbidden(path, svp);
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
