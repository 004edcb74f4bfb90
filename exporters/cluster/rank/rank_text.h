/* SPDX-License-Identifier: Apache-2.0 */
/* A rank from the files that a framework's analysis has made of it: ASCEND_PROFILER_OUTPUT of *_ascend_pt and
 * *_ascend_ms directories, with profiler_info_<rank>.json and profiler_metadata.json beside it. */
#ifndef MSPROF_EXPORTERS_CLUSTER_RANK_RANK_TEXT_H
#define MSPROF_EXPORTERS_CLUSTER_RANK_RANK_TEXT_H

#include "base/diag.h"
#include "exporters/cluster/rank/rank_data.h"

/* Whether the directory has such files. */
bool rank_text_is_there(const char *directory);

/* Where the files of a rank are. */
struct rank_places {
    const char *capture;  /* what messages name */
    const char *metadata; /* the directory that profiler_metadata.json is in */
    const char *results;  /* the directory that ASCEND_PROFILER_OUTPUT is in */
};

/* Reads them into an empty rank; what is missing or damaged is named in diag and left out. Formats:
 * docs/formats/cluster.md 1 and 2. */
int rank_text_read(struct rank_data *rank, const struct rank_places *places, struct diagnostics *diag, struct err *err);

/* Reads profiler_metadata.json of the directory: groups and how the ranks are divided. One that is not there is fine.
 */
int rank_metadata_read(struct rank_data *rank, const char *directory, struct diagnostics *diag, struct err *err);

#endif
