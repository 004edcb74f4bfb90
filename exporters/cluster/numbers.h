/* SPDX-License-Identifier: Apache-2.0 */
/* Which rank has which number in a communication group: docs/formats/cluster.md 2. */
#ifndef MSPROF_EXPORTERS_CLUSTER_NUMBERS_H
#define MSPROF_EXPORTERS_CLUSTER_NUMBERS_H

#include "exporters/cluster/plan.h"

/* Fills known, numbers and sizes of a plan's groups. */
int numbers_find(struct plan *plan, struct err *err);

/* The rank that has this number in the group; -1: not known. */
int64_t numbers_rank(const struct plan *plan, const struct plan_group *group, int64_t number);

#endif
