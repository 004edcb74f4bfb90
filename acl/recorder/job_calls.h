/* SPDX-License-Identifier: Apache-2.0 */
/* The records of the JOB era (docs/formats/cann.md 3.1) that say what records of today say. */
#ifndef MSPROF_ACL_RECORDER_JOB_CALLS_H
#define MSPROF_ACL_RECORDER_JOB_CALLS_H

#include "acl/recorder/capture_writer.h"

#include <stddef.h>

/* records: whole ones of CAPTURE_CALL_SIZE, length bytes. */
void job_calls_write(struct capture_writer *writer, const char *records, size_t length);

#endif
