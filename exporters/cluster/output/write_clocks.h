/* SPDX-License-Identifier: Apache-2.0 */
/* clock_alignment.csv: how the clocks of a timeline's ranks were aligned. */
#ifndef MSPROF_EXPORTERS_CLUSTER_OUTPUT_WRITE_CLOCKS_H
#define MSPROF_EXPORTERS_CLUSTER_OUTPUT_WRITE_CLOCKS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct rank_clock {
    int64_t rank;
    const char *host;           /* its name; "": not known */
    int64_t clock;              /* its number; ranks of one host have one */
    int64_t shift_ns, error_ns; /* added to its times; how far collectives scatter after that */
    int64_t collectives;        /* that told it */
    int64_t compared_with;      /* the clock that it was compared with; -1: none */
    int64_t anchor;             /* the clock of its group that stays as it is */
};

int write_clocks(const char *directory, const struct rank_clock *ranks, size_t count, struct err *err);

#endif
