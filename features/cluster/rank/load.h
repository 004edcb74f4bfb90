/* SPDX-License-Identifier: Apache-2.0 */
/* From the captures of a cluster to the aggregates of its ranks, each made once and kept beside its capture. */
#ifndef MSPROF_FEATURES_CLUSTER_RANK_LOAD_H
#define MSPROF_FEATURES_CLUSTER_RANK_LOAD_H

#include "base/array.h"
#include "base/diag.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "features/cluster/rank/aggregate.h"
#include "features/cluster/team.h"

#include <stddef.h>
#include <stdint.h>

/* The ranks of a cluster in a directory: which directories are captures, of which rank, of which of two the later. */

enum source_kind { SOURCE_PYTORCH, SOURCE_MINDSPORE, SOURCE_PROF };

struct cluster_source {
    char *path;
    enum source_kind kind;
    int64_t rank;   /* -1: the name of no file says it, or there are several devices */
    char made[24];  /* digits of the time in its name */
    uint64_t bytes; /* of its files, for dealing them out */
    size_t devices; /* of a PROF capture; else 0 */
    int owner;      /* the process that reads it: cluster_load */
};

struct cluster_sources ARRAY_OF(struct cluster_source); /* by rank, then path */

/* Finds *_ascend_pt and *_ascend_ms below a directory (itself included), or PROF_* when there are none of them, down to
 * ten levels; links are not followed below it. The later of two of one rank stays, the other is named. Both kinds
 * of framework together: -ERR_USAGE. */
int cluster_find(const char *directory, struct cluster_sources *ret, struct diagnostics *diag, struct err *err);
/* Names PROF captures of several devices, which are several ranks, and takes them out. */
void cluster_leave_out_devices(struct cluster_sources *sources, struct diagnostics *diag);
void cluster_sources_release(struct cluster_sources *sources);

/* As bytes, and from bytes into an empty list: one process finds for all. */
void cluster_sources_give(const struct cluster_sources *sources, struct strbuf *bytes);
int cluster_sources_take(struct cluster_sources *sources, const void *bytes, size_t length, struct err *err);

struct cluster_load {
    struct cluster_sources *sources; /* each gets its owner */
    const char
        *kept;    /* existing directory for aggregates whose capture cannot be written to; NULL: they are not kept */
    int jobs;     /* threads */
    bool details; /* aggregates without are made anew */
    struct team *team;
    /* For captures that nothing has been made of yet; NULL: they are named and left out. prepare is called once, before
     * there are threads, with those of this process; then analyse fills a rank from each, in several threads at once.
     */
    int (*prepare)(void *arg, const struct cluster_source *const *sources, size_t count, struct diagnostics *diag,
                   struct err *err);
    int (*analyse)(void *arg, const struct cluster_source *source, struct rank_data *rank, struct diagnostics *diag,
                   struct err *err);
    void *analyse_arg;
    const struct progress *progress;
};

struct loaded_ranks {
    struct aggregate *items; /* ascending by rank */
    size_t count;
    size_t made, reused; /* aggregates, by this process */
};

/* Each process of the team makes what is missing, damaged or older than its capture of its share, a stretch of the
 * ranks, opens that, and gets the indexes of the others. A capture that cannot be read is named and left out; what is
 * wrong with one is reported by its owner each time. Fails in all processes or in none. Release it also after a
 * failure. */
int cluster_load(const struct cluster_load *load, struct loaded_ranks *ret, struct diagnostics *diag, struct err *err);
void loaded_ranks_release(struct loaded_ranks *ranks);

/* The name of a capture's aggregate, beside it, and the text that identifies the capture's files as they are: their
 * names, sizes and times. */
#define AGGREGATE_NAME ".msprof_cluster"
void cluster_fingerprint(const char *directory, char ret[65]);

#endif
