/* SPDX-License-Identifier: Apache-2.0 */
/* msproftx: the pool of stamps, ranges that are open, and whether they may be used at all. */
#ifndef MSPROF_ACL_STAMP_H
#define MSPROF_ACL_STAMP_H

#include "acl/recorder/recorder_options.h"
#include "msprof/acl_prof.h"

#include <stdbool.h>

#define ACL_STAMPS 100
#define ACL_STAMP_MESSAGE_MAX 127 /* bytes, without the final NUL */

/* A capture begins; asked: it has ACL_PROF_MSPROFTX. Without it the first stamp or mark of the process is answered by a
 * note on standard error that a device needs it. Stamps exist independently of captures, their use needs one, and not
 * one of a board, which has no place for them. */
void acl_stamps_enable(enum recorder_form form, bool asked);
/* The capture ends: ranges that are open still are forgotten, stamps stay until they are destroyed. */
void acl_stamps_disable(void);
bool acl_stamps_enabled(void);

/* Whether marks of mstx are recorded: a capture with ACL_PROF_MSPROFTX runs, as on a device. A note on standard error
 * reports once that a capture records none. */
bool acl_stamps_take_marks(void);

/* ACL_SUCCESS, or ACL_ERROR_PROF_NOT_RUN with a message that says what must come before caller. */
aclError acl_stamps_check(const char *caller);

#endif
