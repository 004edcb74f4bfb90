/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of a job's hosts, aligned by their collectives: all ranks are done with one at the same time. */
#ifndef MSPROF_FEATURES_COMMUNICATION_ALIGN_H
#define MSPROF_FEATURES_COMMUNICATION_ALIGN_H

#include "features/communication/clocks.h"

#include <sqlite3.h>

struct aligned_rank {
    int64_t rank;
    sqlite3 *db;
    size_t clock;     /* which one it has: below the count of clocks */
    int64_t joins_ns; /* to be added to its times, that those of all ranks of a clock are of one */
};

struct alignment {
    struct clock_shift clocks[CLOCKS_MOST];
    size_t clock_count;
    uint64_t collectives; /* that were used: their ranks have different clocks */
    uint64_t uneven;      /* that some ranks had more often than others, so that nobody knows which is which */
};

/* Compares the ends of each collective, by its group, its name without the running number, which begins anew in each
 * capture, and how often the rank had it before. Sending and receiving between two ranks is none. The median end counts
 * of ranks with one clock. */
int align_clocks(const struct aligned_rank *ranks, size_t count, size_t clock_count, struct alignment *ret,
                 struct err *err);

#endif
