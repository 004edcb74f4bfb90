/* SPDX-License-Identifier: Apache-2.0 */
/* msprof cluster --timeline: ranks in one timeline. */
#ifndef MSPROF_CLI_CLUSTER_CLUSTER_TIMELINE_H
#define MSPROF_CLI_CLUSTER_CLUSTER_TIMELINE_H

#include "base/err.h"
#include "exporters/cluster/rank/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings;

/* Writes cluster_analysis_output/timeline/ and tells how clocks were aligned; an exit status. */
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
/* Drops the sources whose names say other ranks. */
void rank_ranges_keep(struct cluster_sources *sources, const struct ranges *ranges);

#endif
