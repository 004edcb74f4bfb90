/* A rank from the files that a framework's analysis has made of it: ASCEND_PROFILER_OUTPUT of *_ascend_pt and
 * *_ascend_ms directories, with profiler_info_<rank>.json and profiler_metadata.json beside it. */
#ifndef MSPROF_CLUSTER_RANK_RANK_TEXT_H
#define MSPROF_CLUSTER_RANK_RANK_TEXT_H

#include "base/diag.h"
#include "cluster/rank/rank_data.h"

/* Whether the directory has such files. */
bool rank_text_is_there(const char *directory);

/* Reads them into an empty rank; what is missing or damaged is named in diag and left out. results: the directory that
 * ASCEND_PROFILER_OUTPUT is in, by itself the same. Formats: docs/formats/cluster.md 1 and 2. */
int rank_text_read(struct rank_data *rank, const char *directory, const char *results, struct diagnostics *diag,
                   struct err *err);

/* Reads profiler_metadata.json of the directory: groups and how the ranks are divided. One that is not there is fine.
 */
int rank_metadata_read(struct rank_data *rank, const char *directory, struct diagnostics *diag, struct err *err);

#endif
