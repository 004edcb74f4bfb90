/* SPDX-License-Identifier: Apache-2.0 */
/* The most that steps could be shorter if operators took less time: their critical paths anew. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_SAVINGS_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_SAVINGS_H

#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/step_path.h"

/* cut: of each operator the share of its time that is taken away. Everything else keeps its lag behind what it waits
 * for (features/answers/analysis/step_path.h), from one step to the next: what the host launches late begins no
 * earlier. Of the steps of the leading family that count, those that run at the same time once, or where there are none
 * of all that ran. *ret_ns is negative where nothing is known: without such a step, and where more than half a million
 * executions are of one. */
int savings_of_operators(const struct workload *workload, const struct splits *splits, const struct launches *launches,
                         const double *cut, double *ret_ns, struct err *err);

#endif
