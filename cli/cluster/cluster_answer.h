/* SPDX-License-Identifier: Apache-2.0 */
/* Answer from a cluster's results, for people: who is slow, since when, which link, and what could not be judged. */
#ifndef MSPROF_CLI_CLUSTER_CLUSTER_ANSWER_H
#define MSPROF_CLI_CLUSTER_CLUSTER_ANSWER_H

#include "exporters/cluster/cluster.h"

#include <stdio.h>

/* Says it of the rows that slow_ranks.csv, late_collectives.csv and slow_links.csv got, which it sorts. */
void cluster_answer_print(struct cluster_result *result, FILE *stream);

#endif
