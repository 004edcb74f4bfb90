/* SPDX-License-Identifier: Apache-2.0 */
/* A rank that nothing has been made of yet, from its capture: what 'msprof analyse' writes for a cluster, read back. */
#ifndef MSPROF_FEATURES_CLUSTER_RANK_ANALYSE_RANK_H
#define MSPROF_FEATURES_CLUSTER_RANK_ANALYSE_RANK_H

#include "features/cluster/rank/load.h"
#include "features/cluster/rank/rank_data.h"

#include <sqlite3.h>

/* What of a source can be opened as a capture: its path, or its first PROF_* (free() it). NULL: it has none, or with
 * err set. */
char *rank_capture_of(const struct cluster_source *source, struct err *err);

struct raw_rank_request {
    const struct cluster_source *source;
    const char *capture;  /* of rank_capture_of; NULL: none */
    const char *database; /* of the capture */
    sqlite3 *db;          /* likewise, without a framework attached */
    const char *results;  /* an empty directory, for a while */
};
/* Fills an empty rank. */
int rank_analyse(struct rank_data *rank, const struct raw_rank_request *request, struct diagnostics *diag,
                 struct err *err);

#endif
