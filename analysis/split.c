/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/split.h"

static int64_t end_of(const struct split *split)
{
    const struct workload_step *step = split->step;

    if (split->period.time_ns != NO_PERIOD)
        return split->start_ns + split->period.time_ns;
    if (step != NULL && step->source == STEPS_RANGES)
        return INT64_MAX;
    return step != NULL && step->work_end_ns > split->end_ns ? step->work_end_ns : split->end_ns;
}

struct execution_run split_executions(const struct workload *workload, const struct split *split)
{
    size_t first = workload_first_at(workload, split->device, split->start_ns);
    size_t end = workload_first_at(workload, split->device, end_of(split));

    return (struct execution_run){first, end > first ? end - first : 0};
}
