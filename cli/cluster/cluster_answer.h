/* SPDX-License-Identifier: Apache-2.0 */
/* Answer from a cluster's results, for people: who is slow, since when, which link, and what could not be judged. */
#ifndef MSPROF_CLI_CLUSTER_CLUSTER_ANSWER_H
#define MSPROF_CLI_CLUSTER_CLUSTER_ANSWER_H

#include "base/err.h"
#include "exporters/cluster/cluster.h"

#include <stdio.h>

/* Reads slow_ranks.csv, late_collectives.csv and slow_links.csv of a directory of results, so that the answer is that
 * of the files. */
int cluster_answer_print(const char *directory, const struct cluster_result *result, FILE *stream, struct err *err);

#endif
