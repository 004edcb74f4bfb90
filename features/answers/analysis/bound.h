/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what limits an operator: calculating, moving data, or neither. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_BOUND_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_BOUND_H

#include "features/answers/analysis/workload.h"

enum bound {
    BOUND_UNKNOWN, /* its units were not counted */
    BOUND_COMPUTE, /* the busiest unit calculates */
    BOUND_MEMORY,  /* the busiest unit moves data from or to memory outside of the core */
    BOUND_LATENCY, /* neither is busy for half of the time */
};
const char *bound_name(enum bound bound); /* "unknown", "compute" and so on */

/* Counted time of one operator or of several, and how much of it each unit was busy. */
struct unit_times {
    double counted_ns;
    double units[UNITS]; /* ns; negative: not counted */
};
void unit_times_init(struct unit_times *times);
void unit_times_add(struct unit_times *times, const struct workload_operator *op);

/* Shares of the counted time, weighted by time: of a unit, of the busiest unit that calculates, of the busiest that
 * moves data; negative: not counted. */
double unit_times_share(const struct unit_times *times, enum unit unit);
double unit_times_compute(const struct unit_times *times);
double unit_times_memory(const struct unit_times *times);
enum bound unit_times_bound(const struct unit_times *times);

/* All operators of one name, whatever their types and shapes. */
struct named_operator {
    uint32_t name, type; /* texts of the workload */
    int64_t count;
    double total_ns, bytes; /* bytes negative: not counted */
    struct unit_times times;
};
struct named_operators {
    struct named_operator *items; /* those that compute, the largest total first; free() it */
    size_t count;
    bool counted; /* units of any of them */
};
int named_operators_make(const struct workload *workload, struct named_operators *ret, struct err *err);

#endif
