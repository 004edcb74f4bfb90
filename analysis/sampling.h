/* SPDX-License-Identifier: Apache-2.0 */
/* Which steps follow each other, and what lies between inferences that do not: boards can record one of several. */
#ifndef MSPROF_ANALYSIS_SAMPLING_H
#define MSPROF_ANALYSIS_SAMPLING_H

#include "analysis/compare/workload.h"

/* After workload_finish: sets the period of steps whose neighbour was recorded,
 * what of each device's time was not, and how many inferences were. The numbers of pictures tell, and the calls that
 * start inferences beside them. */
int steps_relate(struct workload *workload, struct err *err);

#endif
