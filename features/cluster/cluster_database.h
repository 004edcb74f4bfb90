/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_analysis.db: the files of cluster_analysis_output/ as the database that MindStudio Insight reads. It takes
 * the rows as the files get them; the first failure of one is reported by cluster_database_commit. */
#ifndef MSPROF_FEATURES_CLUSTER_CLUSTER_DATABASE_H
#define MSPROF_FEATURES_CLUSTER_CLUSTER_DATABASE_H

#include "features/cluster/rank/rank_data.h"

struct cluster_database; /* opaque; NULL is one that takes no rows */

/* Begins it in the directory of the results; NULL with err set. */
struct cluster_database *cluster_database_new(const char *directory, struct err *err);
/* Without a commit before, nothing of it stays. */
void cluster_database_free(struct cluster_database *database);

/* Texts of a row of cluster_step_trace_time.csv, by its titles. */
void cluster_database_add_step(struct cluster_database *database, const char *const *titles, const char *const *texts,
                               size_t count);

/* An operator or entry of a group in a step. */
struct cluster_member {
    const char *step, *name, *number;
};
void cluster_database_add_info(struct cluster_database *database, const struct cluster_member *member, int64_t rank,
                               const struct comm_info *info);

struct cluster_database_link {
    int64_t source, target, bytes, ns, bandwidth; /* bandwidth in units of 10^-4 */
    const char *transport, *op_name;
};
void cluster_database_add_link(struct cluster_database *database, const struct cluster_member *member,
                               const struct cluster_database_link *link);

void cluster_database_add_group(struct cluster_database *database, const char *type, const int64_t *ranks, size_t count,
                                const char *const names[3]);

struct cluster_database_rank {
    int64_t rank;
    const char *path;                  /* of its capture */
    int64_t device_id;                 /* -1: not known */
    char host_uid[64], host_name[128]; /* "": not known */
    char arguments[2048];              /* as rank_arguments_read */
};

/* Adds the ranks and puts it in place. parallel: how many parts tensors, pipelines and data are divided into, where no
 * rank has arguments; NULL: not known. */
int cluster_database_commit(struct cluster_database *database, const struct cluster_database_rank *ranks, size_t count,
                            const int64_t *parallel, struct err *err);

#endif
