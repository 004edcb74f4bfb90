/* SPDX-License-Identifier: Apache-2.0 */
/* Captures in files by calls of the API: init, start, stop, finalize, for both families of names. */
#ifndef MSPROF_ACL_FILE_MODE_H
#define MSPROF_ACL_FILE_MODE_H

#include "acl/recorder/recorder.h"
#include "msprof/acl_prof.h"

#include <stdbool.h>

/* The names of one family, for messages. */
struct acl_family {
    bool svp;
    const char *init, *start, *stop, *finalize;
    size_t path_limit; /* the longest path that init takes */
};

aclError acl_file_init(const struct acl_family *family, const char *path, size_t length);
aclError acl_file_start(const struct acl_family *family, const void *config);
aclError acl_file_stop(const struct acl_family *family, const void *config);
aclError acl_file_finalize(const struct acl_family *family);

/* For recorder_options.report: a line on standard error when MSPROF_ACL_LOG asked for such lines when the capture was
 * started. May be called in signal handlers. */
void acl_recorder_report(const char *text);
/* recorder_start with that report; ACL_ERROR_PROFILING_FAILURE with its message. options->report is set. */
aclError acl_recorder_begin(struct recorder_options *options);
/* recorder_stop; success when nothing was running. */
aclError acl_recorder_end(void);

#endif
