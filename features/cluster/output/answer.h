/* SPDX-License-Identifier: Apache-2.0 */
/* The answer from a cluster's results: who is slow, since when, which link, and what could not be judged. */
#ifndef MSPROF_FEATURES_CLUSTER_OUTPUT_ANSWER_H
#define MSPROF_FEATURES_CLUSTER_OUTPUT_ANSWER_H

#include "exporters/json_text.h"
#include "features/cluster/cluster.h"
#include "features/cluster/rank/load.h"

#include <stdio.h>

/* For people. Puts what it prints into order. */
void cluster_answer_print(struct cluster_result *result, FILE *stream);
/* As a document of the schema msprof.cluster/1; diag: what the results lack. */
void cluster_answer_print_json(struct cluster_result *result, const struct loaded_ranks *ranks,
                               const struct diagnostics *diag, FILE *stream);
/* Its member "problems". */
void cluster_answer_put_problems(struct json_out *json, const struct diagnostics *diag);

#endif
