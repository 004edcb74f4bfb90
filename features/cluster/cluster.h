/* SPDX-License-Identifier: Apache-2.0 */
/* The analysis of a cluster: from the aggregates of its ranks to cluster_analysis_output/. */
#ifndef MSPROF_FEATURES_CLUSTER_CLUSTER_H
#define MSPROF_FEATURES_CLUSTER_CLUSTER_H

#include "base/diag.h"
#include "base/progress.h"
#include "features/cluster/cluster_database.h"
#include "features/cluster/plan.h"
#include "features/cluster/team.h"
#include "features/cluster/verdict.h"

#define CLUSTER_OUTPUT "cluster_analysis_output"
#define CLUSTER_COMMUNICATION "cluster_communication.json" /* a directory with it is one of results */
#define CLUSTER_PROBLEMS "data_problems.csv"               /* in it: what the results lack */
#define CLUSTER_DETAIL_RANKS 64 /* up to so many ranks the files have every operator by themselves */

struct cluster_request {
    const char *directory;             /* existing: of the results */
    struct cluster_database *database; /* that gets the same; NULL: none */
    bool detail;                       /* every operator of every rank */
    const struct step_filter *steps;   /* NULL: all */
    struct team *team;                 /* which merges: every process has the same indexes */
    const struct progress *progress;
};

struct cluster_result {
    uint64_t files, blocks; /* blocks: groups and steps */
    int64_t collectives, incomplete;
    int64_t unmapped; /* links whose ranks nobody knows */
    struct cluster_worst worst;
};

/* Merges and writes. ranks are ascending, each once. Problems go to diag, of process 0 only.
 * free(ret->worst.waits.items). */
int cluster_analyse(const struct aggregate *ranks, size_t rank_count, const struct cluster_request *request,
                    struct diagnostics *diag, struct cluster_result *ret, struct err *err);

/* Writes CLUSTER_PROBLEMS of what every process found; adds that of others to diag of process 0, which can only be
 * released then. */
int cluster_problems_write(const char *directory, struct team *team, struct diagnostics *diag, struct err *err);

#endif
