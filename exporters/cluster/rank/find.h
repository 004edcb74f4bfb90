/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of a cluster in a directory: which directories are captures, of which rank, of which of two the later. */
#ifndef MSPROF_EXPORTERS_CLUSTER_RANK_FIND_H
#define MSPROF_EXPORTERS_CLUSTER_RANK_FIND_H

#include "base/array.h"
#include "base/diag.h"
#include "base/strbuf.h"

#include <stddef.h>
#include <stdint.h>

enum source_kind { SOURCE_PYTORCH, SOURCE_MINDSPORE, SOURCE_PROF };

struct cluster_source {
    char *path;
    enum source_kind kind;
    int64_t rank;   /* -1: the name of no file says it */
    char made[24];  /* digits of the time in its name */
    uint64_t bytes; /* of its files, for dealing them out */
    int owner;      /* the process that reads it: cluster_load */
};

struct cluster_sources ARRAY_OF(struct cluster_source); /* by rank, then path */

/* Finds *_ascend_pt and *_ascend_ms below a directory (itself included), or PROF_* when there are none of them, down to
 * ten levels; links are not followed below it. The later of two of one rank stays, the other is named. Both kinds
 * of framework together: -ERR_USAGE. */
int cluster_find(const char *directory, struct cluster_sources *ret, struct diagnostics *diag, struct err *err);
void cluster_sources_release(struct cluster_sources *sources);

/* As bytes, and from bytes into an empty list: one process finds for all. */
void cluster_sources_give(const struct cluster_sources *sources, struct strbuf *bytes);
int cluster_sources_take(struct cluster_sources *sources, const void *bytes, size_t length, struct err *err);

#endif
