/* SPDX-License-Identifier: Apache-2.0 */
/* What runs in the steps that count, and whether it runs in each of them as often. */
#ifndef MSPROF_ANALYSIS_COMPARE_STEP_COUNTS_H
#define MSPROF_ANALYSIS_COMPARE_STEP_COUNTS_H

#include "analysis/splits.h"

/* For each execution whether it is one of a step of the leading family that counts (splits_counts): totals a step are
 * of these. NULL where all count: there are no steps, or none that counts. free(*ret). */
int counted_executions(const struct workload *workload, const struct splits *splits, bool **ret, struct err *err);

/* Keys by the operators of executions, or by executions; the other is NULL. NO_TEXT: it has none. */
struct execution_keys {
    const uint32_t *of_operator, *of_execution;
    size_t count; /* of keys */
};
/* ret[key]: whether there is no group of steps each of which has as many executions with this key as the others. */
int find_varying(const struct workload *workload, const struct splits *splits, const struct execution_keys *keys,
                 bool *ret, struct err *err);

#endif
