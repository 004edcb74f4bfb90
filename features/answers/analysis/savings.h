/* SPDX-License-Identifier: Apache-2.0 */
/* The most that steps could be shorter if operators took less time, or calls were not made: critical paths anew. */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_SAVINGS_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_SAVINGS_H

#include "base/interval.h"
#include "features/answers/analysis/splits.h"
#include "features/answers/analysis/step_path.h"

/* When calls of one thread ran, united. */
struct thread_times {
    int64_t thread; /* as the capture numbers it */
    struct intervals times;
};

/* What a program would do no longer. */
struct removal {
    const double *cut;                  /* of each operator the share of its time; NULL: nothing */
    bool of_warmup;                     /* of what runs in steps of warm-up alone, which then count, too */
    const struct thread_times *threads; /* time of the host, in which a call that waits is not made */
    size_t thread_count;
    bool once_a_step; /* the last call that waits stays in each step: a program needs its results */
};

/* Everything else keeps its lag behind what it waits for (features/answers/analysis/step_path.h), from one step to the
 * next: what the host launches late begins no earlier. Where the host launches earlier, because calls are removed, a
 * task begins at the earliest as long behind another as tasks in a queue do, and calls that still wait do so for all
 * that ran before. Of the steps of the leading family that count, those that run at the same time once, or where there
 * are none of all that ran. *ret_ns is negative where nothing is known: without such a step, and where more than half a
 * million executions are of one. */
int savings_of(const struct workload *workload, const struct splits *splits, const struct launches *launches,
               const struct removal *removal, double *ret_ns, struct err *err);

#endif
