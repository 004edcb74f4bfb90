/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the ACL library: what msprof_acl_message() returns. Codes without a message do not exist: every failing
 * path of the API ends in acl_fail. */
#ifndef MSPROF_ACL_MESSAGE_H
#define MSPROF_ACL_MESSAGE_H

#include "base/err.h"
#include "msprof/acl_prof.h"

#include <stdbool.h>

/* Keeps "<id>: <text>" as this thread's message (control characters masked, cut at ERR_TEXT_SIZE - 1 bytes), writes it
 * to standard error when MSPROF_ACL_LOG is set to anything but "" or "0", and returns code. id is one of the message
 * numbers that CANN documents: "EK0001" a value is invalid, "EK0002" the order of calls, "EK0005" not supported,
 * "EK0006" a null pointer, "EK0007" another mode of profiling is active, "EK0201" memory, "EK9999" anything else. */
aclError acl_fail(aclError code, const char *id, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The usual texts, in CANN's words. */
aclError acl_fail_value(aclError code, const char *parameter, const char *value, const char *reason);   /* EK0001 */
aclError acl_fail_number(aclError code, const char *parameter, uint64_t value, const char *reason);     /* EK0001 */
aclError acl_fail_pointer(aclError code, const char *parameter, const void *value, const char *reason); /* EK0001 */
aclError acl_fail_order(aclError code, const char *first, const char *then);                            /* EK0002 */
aclError acl_fail_null(const char *parameter); /* EK0006, ACL_ERROR_INVALID_PARAM */
aclError acl_fail_memory(void);                /* EK0201, ACL_ERROR_BAD_ALLOC */
/* Fails with the error that a function of base/ or of the recorder left in err, hint included. */
aclError acl_fail_err(aclError code, const struct err *err);

/* Whether MSPROF_ACL_LOG asks for lines on standard error. */
bool acl_log_wanted(void);

/* A line for the user who asked for MSPROF_ACL_LOG that is no failure of the caller; nothing otherwise. */
void acl_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints a fact that users of a program without a device must know. The caller prints it only once. */
void acl_tell(const char *text);

#endif
