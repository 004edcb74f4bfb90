/* SPDX-License-Identifier: Apache-2.0 */
/* How much of any stretch of time a list of intervals covers, asked for many stretches. */
#ifndef MSPROF_ANALYSIS_COVERAGE_H
#define MSPROF_ANALYSIS_COVERAGE_H

#include "analysis/compare/workload.h"
#include "analysis/interval.h"

/* All zero: covers nothing. */
struct coverage {
    struct intervals list; /* united */
    int64_t *before;       /* the length of all intervals in front of each */
};

/* Takes a united list over, which is empty afterwards. */
int coverage_make(struct intervals *list, struct coverage *ret, struct err *err);
/* The part of [from_ns, until_ns) that is covered. *cursor says where to look first: 0, or what the call before left;
 * stretches that come by their starts are found without searching. */
int64_t coverage_within(const struct coverage *coverage, int64_t from_ns, int64_t until_ns, size_t *cursor);
void coverage_release(struct coverage *coverage);

/* When no device did anything, from the first execution of all to the end of the last. */
int coverage_of_idle(const struct workload *workload, struct coverage *ret, struct err *err);
/* When an operator ran on this device (an index): communication and copies do not count. */
int coverage_of_computing(const struct workload *workload, uint16_t device, struct coverage *ret, struct err *err);

#endif
