/* SPDX-License-Identifier: Apache-2.0 */
/* Where steps begin when nothing marks them: the sequence of operators repeats. */
#ifndef MSPROF_ANALYSIS_PERIOD_H
#define MSPROF_ANALYSIS_PERIOD_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/* A repetition: the operator `divider` begins each of `count` steps. */
struct period {
    size_t count; /* fewer than 2: the sequence has no period */
    uint32_t divider;
    double share; /* of the operators, those that run as often in all steps: count times, or a multiple of it */
};

/* counts[i]: how often operator i runs; first[i]: its first place in the sequence (any order will do). The number of
 * steps is the count, of at least 2, that most operators have, the larger one of two; their first operator divides. A
 * period that covers less than half of the operators is none. */
int period_find(const size_t *counts, const uint64_t *first, size_t operators, struct period *ret, struct err *err);

#endif
