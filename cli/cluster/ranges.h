/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of ranks and steps as a command line names them. */
#ifndef MSPROF_CLI_CLUSTER_RANGES_H
#define MSPROF_CLI_CLUSTER_RANGES_H

#include "base/err.h"
#include "exporters/cluster/rank/find.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOST_RANGES 64
struct ranges {
    struct {
        int64_t first, last;
    } items[MOST_RANGES];
    size_t count; /* 0: everything */
};

/* "0-63,128": numbers and ranges. NULL: everything. */
int parse_ranges(const char *option, const char *text, struct ranges *ret, struct err *err);
bool in_ranges(const struct ranges *ranges, int64_t number);
/* Drops the sources whose names say other ranks. */
void keep_ranks(struct cluster_sources *sources, const struct ranges *ranges);

#endif
