/* SPDX-License-Identifier: Apache-2.0 */
/* Captures in files by calls of the API: init, start, stop, finalize, for both families of names. */
#ifndef MSPROF_ACL_FILE_MODE_H
#define MSPROF_ACL_FILE_MODE_H

#include "acl/recorder/recorder.h"
#include "msprof/acl_prof.h"

/* For recorder_options.report: a line on standard error when MSPROF_ACL_LOG asked for such lines when the capture was
 * started. May be called in signal handlers. */
void acl_recorder_report(const char *text);
/* recorder_start with that report; ACL_ERROR_PROFILING_FAILURE with its message. options->report is set. */
aclError acl_recorder_begin(struct recorder_options *options);
/* recorder_stop; success when nothing was running. */
aclError acl_recorder_end(void);

#endif
