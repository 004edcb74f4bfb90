/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of one family, model and batch on one device: how long they take, which is the slowest, and what made it slow.
 */
#ifndef MSPROF_FEATURES_ANSWERS_ANALYSIS_STEP_GROUPS_H
#define MSPROF_FEATURES_ANSWERS_ANALYSIS_STEP_GROUPS_H

#include "base/array.h"
#include "base/statistics.h"
#include "features/answers/analysis/splits.h"

/* Parts of a step. */
enum step_part { PART_COMPUTING, PART_EXPOSED, PART_COPIES, PART_FREE, STEP_PARTS };
const char *step_part_name(enum step_part part); /* "computing" and so on */

struct step_group {
    size_t group;                      /* of the splits */
    size_t warmup;                     /* so many of its steps are warm-up and count in nothing else here */
    struct series times;               /* of the steps themselves, ns */
    struct series periods, busy, free; /* from begin to begin, and what the device did in it: see splits_stretch; ns */
    size_t slowest;                    /* of the splits */
    enum step_part part;               /* that is longest in the slowest step, compared with its median */
    double part_ns;                    /* by so much; 0 when nothing was recorded of what the device did in it */
    uint32_t op;  /* the operator that took longer there than in the mean of the others; NO_TEXT: none did */
    double op_ns; /* by so much */
};

struct step_groups ARRAY_OF(struct step_group); /* by device, the leading family first, then model and batch */

int step_groups_make(const struct workload *workload, const struct splits *splits, struct step_groups *ret,
                     struct err *err);
void step_groups_release(struct step_groups *groups);

#endif
