/* SPDX-License-Identifier: Apache-2.0 */
/* msprof cluster --timeline: ranks in one timeline. */
#ifndef MSPROF_FEATURES_CLUSTER_COMMANDS_CLUSTER_TIMELINE_H
#define MSPROF_FEATURES_CLUSTER_COMMANDS_CLUSTER_TIMELINE_H

#include "base/array.h"
#include "base/err.h"
#include "features/cluster/rank/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings;

/* Writes cluster_analysis_output/timeline/ and prints how clocks were aligned; an exit status. */
int cluster_timeline(const struct settings *settings);

/* Numbers of ranks and steps as a command line names them. */

#define MOST_RANGES 64
struct ranges {
    struct {
        int64_t first, last;
    } items[MOST_RANGES];
    size_t count; /* 0: everything */
};

/* "0-63,128": numbers and ranges. NULL: everything. */
int rank_ranges_parse(const char *option, const char *text, struct ranges *ret, struct err *err);
bool rank_ranges_have(const struct ranges *ranges, int64_t number);
/* Drops the sources whose names say other ranks; there are some sources. Warns of numbers that none has
 * (*ret_absent); -ERR_NOT_FOUND when none is left. */
int rank_ranges_keep(struct cluster_sources *sources, const struct ranges *ranges, bool *ret_absent, struct err *err);

/* Numbers of ranks or of steps that there are, ascending, each once. */
struct numbers_there {
    struct ARRAY_OF(int64_t) numbers;
    bool nameless; /* some has no number: it is chosen whatever the numbers are */
};

/* How to say that a choice finds nothing. */
struct range_words {
    const char *option, *none, *these; /* "--step", "no rank has a step", "no rank has these steps" */
};

/* -ERR_NOT_FOUND when a choice, which is not everything, chooses none of those that there are. warns: of its numbers
 * that are not among them. *ret_absent: there are such, and the answer lacks them. */
int rank_ranges_check(const struct ranges *ranges, const struct numbers_there *there, const struct range_words *words,
                      bool warns, bool *ret_absent, struct err *err);

#define CLUSTER_LIST ".msprof_cluster.files" /* in the results: what was written there */

#endif
