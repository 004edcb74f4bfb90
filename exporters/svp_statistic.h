/* Times per layer type: what an operator statistic is made of. */
#ifndef MSPROF_EXPORTERS_SVP_STATISTIC_H
#define MSPROF_EXPORTERS_SVP_STATISTIC_H

#include "db/query.h"
#include "exporters/svp_columns.h"

/* Grows with the number of different (type, engine, stream), not with the tasks. */
struct svp_statistic {
    struct op_statistic *rows; /* own their types */
    size_t count, capacity;
    uint32_t *slots; /* hash table of row index + 1; 0: free */
    size_t slot_count;
};

void svp_statistic_init(struct svp_statistic *statistic);
void svp_statistic_release(struct svp_statistic *statistic);
void svp_statistic_clear(struct svp_statistic *statistic);

/* Credits a task's full time (DB_NULL: not known) once to the type of every layer it runs; to the unknown type when
 * count is 0. */
int svp_statistic_add(struct svp_statistic *statistic, const struct svp_layer *layers, size_t count, bool ai_cpu,
                      int64_t stream_id, int64_t centi_us, struct err *err);

/* Sorts the rows by type in byte order, then engine and stream; nothing may be added after but a clear. */
void svp_statistic_sort(struct svp_statistic *statistic);
/* The total over all rows; DB_NULL when no time is known. */
int64_t svp_statistic_total(const struct svp_statistic *statistic);

#endif
