/* SPDX-License-Identifier: Apache-2.0 */
/* The most that steps could be shorter if operators took less time: their critical paths anew. */
#ifndef MSPROF_ANALYSIS_SAVINGS_H
#define MSPROF_ANALYSIS_SAVINGS_H

#include "analysis/splits.h"
#include "analysis/step_path.h"

/* cut: of each operator the share of its time that is taken away. Everything else keeps its lag behind what it waits
 * for (analysis/step_path.h). Of the steps of the leading family that count, or where there are none of all that ran,
 * if that is no more than half a million executions; *ret_ns is negative where nothing is known. */
int savings_of_operators(const struct workload *workload, const struct splits *splits, const struct launches *launches,
                         const double *cut, double *ret_ns, struct err *err);

#endif
