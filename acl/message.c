/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/message.h"

#include "base/number.h"
#include "msprof/acl_prof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local char last_message[ERR_TEXT_SIZE];

const char *msprof_acl_message(void)
{
    return last_message;
}

bool acl_log_wanted(void)
{
    const char *setting = getenv("MSPROF_ACL_LOG");
    return setting != NULL && *setting != '\0' && strcmp(setting, "0") != 0;
}

/* One write, so that lines of several threads and processes stay whole. A failed write cannot be reported anywhere. */
void acl_tell(const char *text)
{
    char line[ERR_TEXT_SIZE + 64];
    int length = snprintf(line, sizeof line, "libmsprof_acl[%d]: %s\n", (int)getpid(), text);
    ssize_t written = write(STDERR_FILENO, line, (size_t)length);
    (void)written;
}

static void log_line(const char *text)
{
    if (acl_log_wanted())
        acl_tell(text);
}

aclError acl_fail(aclError code, const char *id, const char *format, ...)
{
    char text[ERR_TEXT_SIZE - 16];
    ERR_FORMAT(text, format);
    (void)snprintf(last_message, sizeof last_message, "%.8s: %s", id, text);
    log_line(last_message);
    return code;
}

aclError acl_fail_value(aclError code, const char *parameter, const char *value, const char *reason)
{
    return acl_fail(code, "EK0001", "Value %s for parameter %s is invalid. Reason: %s.", value, parameter, reason);
}

aclError acl_fail_number(aclError code, const char *parameter, uint64_t value, const char *reason)
{
    char text[NUMBER_MAX];
    *number_put_unsigned(text, value) = '\0';
    return acl_fail_value(code, parameter, text, reason);
}

aclError acl_fail_pointer(aclError code, const char *parameter, const void *value, const char *reason)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%p", value);
    return acl_fail_value(code, parameter, text, reason);
}

aclError acl_fail_order(aclError code, const char *first, const char *then)
{
    return acl_fail(code, "EK0002", "Please call the APIs in the following order: call %s first, then %s.", first,
                    then);
}

aclError acl_fail_null(const char *parameter)
{
    return acl_fail(ACL_ERROR_INVALID_PARAM, "EK0006", "Parameter %s must not be NULL.", parameter);
}

aclError acl_fail_memory(void)
{
    return acl_fail(ACL_ERROR_BAD_ALLOC, "EK0201", "Out of memory.");
}

aclError acl_fail_err(aclError code, const struct err *err)
{
    return acl_fail(code, "EK9999", "%s%s%s%s%s", err_message(err), err->depth > 1 ? ": " : "",
                    err->depth > 1 ? err->causes[0] : "", *err->hint == '\0' ? "" : ". ", err->hint);
}

void acl_note(const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    ERR_FORMAT(text, format);
    log_line(text);
}
