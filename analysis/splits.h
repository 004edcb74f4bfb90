/* SPDX-License-Identifier: Apache-2.0 */
/* How each step of a device divides: computing, communicating, copying, and doing nothing. */
#ifndef MSPROF_ANALYSIS_SPLITS_H
#define MSPROF_ANALYSIS_SPLITS_H

#include "analysis/split.h"

int splits_make(const struct workload *workload, struct splits *ret, struct err *err);
void splits_release(struct splits *splits);

/* Whether split i is one of the first of its group, all of which take longer than the median and five times the
 * scatter of all of them: then it is warm-up and counts in no statistic. */
bool splits_is_warmup(const struct splits *splits, size_t i);
/* Whether split i lies where nothing was recorded of its device any more, or not yet: marks of steps can go on for long
 * when the log of tasks is full. How long it took is known, and nothing else. Never true of all of them. */
bool splits_is_outside(const struct splits *splits, size_t i);
/* Whether it counts in statistics of what the device did: neither warm-up, outside nor cut. */
bool splits_counts(const struct splits *splits, size_t i);
/* Whether all of a division of split i, its own or that of its period, was recorded: else its free time is not known.
 */
bool splits_is_recorded(const struct splits *splits, size_t i, const struct division *division);
/* What busy, free and exposed of a step are of: its period. Where no step of its group has one, the step itself; of an
 * inference then NULL, because between inferences nothing is known. NULL too of one without a period among others, and
 * where a part of the stretch was not recorded. */
const struct division *splits_stretch(const struct splits *splits, size_t i);
/* How long a step of the leading family takes in the mean, from begin to begin where that is known. */
double splits_step_ns(const struct splits *splits);
/* "inferences of model 3 (detector), batch 4, device 1": what is the same of all groups is left out. */
#define GROUP_NAME_SIZE 320
void splits_group_name(const struct workload *workload, const struct splits *splits, size_t group,
                       char text[GROUP_NAME_SIZE]);

/* A stretch in which a device does nothing, between two executions: the one that ends last before it, and the first
 * behind it. There may be as many as executions. */
struct gap {
    int64_t start_ns, end_ns;
    uint32_t before, after; /* executions */
};
static inline int64_t gap_length_ns(const struct gap *gap)
{
    return interval_length(gap->start_ns, gap->end_ns);
}
/* The name of the operator of an execution. */
static inline const char *execution_name(const struct workload *workload, uint32_t execution)
{
    return workload_text(workload, workload->operators[workload->executions[execution].op].key.name);
}
struct gaps {
    struct gap *items; /* by device and start */
    size_t count, capacity;
};
/* Nothing that was not recorded is a part of one. */
int gaps_make(const struct workload *workload, struct gaps *ret, struct err *err);
void gaps_release(struct gaps *gaps);

#endif
