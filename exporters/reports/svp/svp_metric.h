/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of the SVP reports, in one place for the files and the terminal. Exact integer arithmetic, rounding half
 * away from zero. A value that needs something the capture does not hold is DB_NULL. */
#ifndef MSPROF_EXPORTERS_REPORTS_SVP_SVP_METRIC_H
#define MSPROF_EXPORTERS_REPORTS_SVP_SVP_METRIC_H

#include "db/query/query.h"

/* a + b (both >= 0), held at INT64_MAX; when one is DB_NULL the other. */
int64_t add_known(int64_t a, int64_t b);

/* numerator / denominator in units of 10^-decimals; DB_NULL when one of them is, 0 when the denominator is 0. */
int64_t ratio_known(int64_t numerator, int64_t denominator, unsigned decimals);

/* The sum over a network's tasks in the fields of a task, so that every formula for a task holds for the network too:
 * each of its ratios is then the time-weighted mean. A sum is known once any task has the value. */
void svp_network_of(const struct svp_inference *inference, struct svp_task *ret);

enum svp_metric {
    METRIC_TIME,       /* us, two decimals */
    METRIC_TIME_RATIO, /* of the network's time; this and the next eight in percent, two decimals */
    METRIC_MAC_BUSY,   /* from here to METRIC_WLD in the order of the cycle kinds in db/query/query.h */
    METRIC_MAC_PPEN,
    METRIC_VEC_BUSY,
    METRIC_VEC_PPEN,
    METRIC_DSTR,
    METRIC_DTRANS,
    METRIC_DLD,
    METRIC_WLD,
    METRIC_MEMORY_BOUND, /* below 1: not bound by memory; two decimals */
    METRIC_BANDWIDTH,    /* of the DDR in GB/s, four decimals */
    METRIC_DDR_READ,     /* bytes */
    METRIC_DDR_WRITE,
    METRIC_DDR_TOTAL,
    METRIC_DDR_READ_KB, /* KB of 1000 bytes, two decimals */
    METRIC_DDR_WRITE_KB,
    METRIC_DDR_TOTAL_KB
};

/* One value of a task that is part of the network (or of the network itself), in units of its last decimal. */
int64_t svp_metric_value(enum svp_metric metric, const struct svp_task *task, const struct svp_task *network,
                         int64_t core_khz);

/* total_cycle at core_khz in hundredths of a microsecond. */
int64_t svp_time_centi_us(int64_t total_cycle, int64_t core_khz);
/* Whole frames per second: floor(batch_num / time of the network). */
int64_t svp_frames_per_second(int64_t batch_num, const struct svp_task *network, int64_t core_khz);
/* The rate of cache misses in millionths, as the board forms it; 0 when not known. */
int64_t svp_icache_miss_millionths(const struct svp_inference *inference);
/* Whole MHz; 0 when not known. */
int64_t svp_frequency_mhz(int64_t core_khz);

#endif
