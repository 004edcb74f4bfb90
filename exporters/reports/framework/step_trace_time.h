/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_STEP_TRACE_TIME_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_STEP_TRACE_TIME_H

#include "exporters/busy.h"
#include "exporters/reports/framework/analysis.h"

/* The computing and communication of each step: sums over the spans of a device. */

/* A step, or the whole capture. Times in ns; DB_NULL: nothing began. */
struct step_sum {
    const char *id;           /* NULL: the whole capture */
    int64_t start_ns, end_ns; /* which spans count: those that begin in it */
    int64_t host_start_ns;
    int64_t spans_ns[OVERLAP_FREE + 1]; /* by enum overlap_type */
    int64_t bubble_ns;
    int64_t first_ns, last_end_ns; /* of what stage is measured by */
    int64_t last_start_ns;
    int64_t first_work_ns; /* of computing or communication at or after its start */
};

/* The times that are told of a step, in ns. */
struct step_times {
    int64_t computing, only, overlapped, communication, free, stage, bubble, excluding, preparing;
};
struct step_times step_times_of(const struct framework_analysis *analysis, const struct step_sum *step);

struct step_sums {
    struct step_sum *items;
    size_t count;
};

/* Calls each for every step that is wanted, of one device after the other. */
int step_sums_each(struct framework_analysis *analysis,
                   int (*each)(void *arg, int64_t device_id, const struct step_sum *step, struct err *err), void *arg,
                   struct err *err);

#endif
