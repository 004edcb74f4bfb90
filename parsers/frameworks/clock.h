/* SPDX-License-Identifier: Apache-2.0 */
/* From the counter that frameworks record times with to ns since 1970. */
#ifndef MSPROF_PARSERS_FRAMEWORKS_CLOCK_H
#define MSPROF_PARSERS_FRAMEWORKS_CLOCK_H

#include "base/err.h"

#include <stdint.h>

struct framework_clock {
    int64_t tick, hz;            /* the counter at offset_ns, and its frequency; hz 0: times are ns already */
    int64_t offset_ns;           /* since 1970 */
    int64_t monotonic_offset_ns; /* what to add to the monotonic clock */
};

/* The clock of the host's part of a PROF capture: host_start.log, start_info and info.json. -ERR_NOT_FOUND or
 * -ERR_FORMAT name the file that does not say it. */
int framework_clock_load(const char *prof, struct framework_clock *ret, struct err *err);

/* Rounded to the nearest ns, of two that are equally near the even one; saturates. */
int64_t framework_clock_ns(const struct framework_clock *clock, uint64_t tick);
/* The same, cut. */
int64_t framework_clock_ns_cut(const struct framework_clock *clock, uint64_t tick);

#endif
