/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_analysis.db: the files of cluster_analysis_output/ as the database that MindStudio Insight reads. */
#ifndef MSPROF_EXPORTERS_CLUSTER_CLUSTER_DATABASE_H
#define MSPROF_EXPORTERS_CLUSTER_CLUSTER_DATABASE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct cluster_database_rank {
    int64_t rank;
    const char *path;                  /* of its capture */
    int64_t device_id;                 /* -1: not known */
    char host_uid[64], host_name[128]; /* "": not known */
};

/* Makes it of the complete files in the directory. parallel: how many parts tensors, pipelines and data are divided
 * into; NULL: not known. */
int cluster_database_write(const char *directory, const struct cluster_database_rank *ranks, size_t count,
                           const int64_t *parallel, struct err *err);

#endif
