/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of the SVP reports, in one place for the files and the terminal. Exact integer arithmetic, rounding half
 * away from zero. A value that needs something the capture does not hold is DB_NULL. */
#ifndef MSPROF_EXPORTERS_REPORTS_SVP_SVP_METRIC_H
#define MSPROF_EXPORTERS_REPORTS_SVP_SVP_METRIC_H

#include "base/intern.h"
#include "base/map.h"
#include "db/query/query.h"

/* a + b (both >= 0), held at INT64_MAX; when one is DB_NULL the other. */
int64_t svp_add_known(int64_t a, int64_t b);

/* numerator / denominator in units of 10^-decimals; DB_NULL when one of them is, 0 when the denominator is 0. */
int64_t svp_ratio_known(int64_t numerator, int64_t denominator, unsigned decimals);

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
    METRIC_BANDWIDTH,    /* of the DDR in GB/s of 2^30 bytes, four decimals */
    METRIC_DDR_READ,     /* bytes */
    METRIC_DDR_WRITE,
    METRIC_DDR_TOTAL,
    METRIC_DDR_READ_KB, /* KB of 1024 bytes, two decimals */
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

/* Times per layer type: what an operator statistic is made of. */

/* The facts that are known of the layers of one type that ran on one engine and stream. */
struct op_statistic {
    const char *type; /* of the layers; NULL when not known */
    bool ai_cpu;
    int64_t stream_id;
    int64_t count;                                      /* of layers */
    int64_t total_centi_us, max_centi_us, min_centi_us; /* DB_NULL: not known */
};

/* Grows with the number of different (type, engine, stream), not with the tasks. */
struct svp_statistic {
    struct op_statistic *items;
    size_t count, capacity;
    struct map places;   /* of the rows in items */
    struct intern types; /* of the rows, and of those before the last clear */
    uint64_t period;     /* counts the clears, from 1 */
};

/* Remembers where the rows of one type are, for the streams that it was met on last, so that the type is not looked up
 * for every task. All zero at first; belongs to one statistic, one type and one engine. */
#define STATISTIC_MEMO_STREAMS 4 /* a power of two */
struct statistic_memo {
    struct {
        uint64_t period; /* of the statistic when this was remembered; 0: nothing is */
        int64_t stream_id;
        size_t row;
    } streams[STATISTIC_MEMO_STREAMS];
};

void svp_statistic_init(struct svp_statistic *statistic);
void svp_statistic_release(struct svp_statistic *statistic);
void svp_statistic_clear(struct svp_statistic *statistic);

/* Credits a task's full time (DB_NULL: not known) to a type (NULL: not known). To be called once for every layer that
 * the task runs, and once with the unknown type when no layer is known. memo may be NULL. */
int svp_statistic_credit(struct svp_statistic *statistic, struct statistic_memo *memo, const char *type, bool ai_cpu,
                         int64_t stream_id, int64_t centi_us, struct err *err);

/* Sorts the rows by type in byte order, then engine and stream; nothing may be added after but a clear. */
void svp_statistic_sort(struct svp_statistic *statistic);
/* The total over all rows; DB_NULL when no time is known. */
int64_t svp_statistic_total(const struct svp_statistic *statistic);

#endif
