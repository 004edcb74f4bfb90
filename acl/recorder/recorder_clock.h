/* SPDX-License-Identifier: Apache-2.0 */
/* The clock of what is recorded. */
#ifndef MSPROF_ACL_RECORDER_RECORDER_CLOCK_H
#define MSPROF_ACL_RECORDER_RECORDER_CLOCK_H

#include <stdint.h>
#include <time.h>

/* The clock of the records: nanoseconds of CLOCK_MONOTONIC_RAW, without a system call where the system has a vDSO. */
static inline int64_t recorder_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
