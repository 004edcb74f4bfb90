/* SPDX-License-Identifier: Apache-2.0 */
/* Times per layer type: what an operator statistic is made of. */
#ifndef MSPROF_EXPORTERS_REPORTS_SVP_SVP_STATISTIC_H
#define MSPROF_EXPORTERS_REPORTS_SVP_SVP_STATISTIC_H

#include "base/intern.h"
#include "base/map.h"
#include "db/query/query.h"

/* What is known of the layers of one type that ran on one engine and stream. */
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
