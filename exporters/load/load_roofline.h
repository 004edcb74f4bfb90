/* SPDX-License-Identifier: Apache-2.0 */
/* Work and data of operators, and how far both are from what the chip could do. */
#ifndef MSPROF_EXPORTERS_LOAD_LOAD_ROOFLINE_H
#define MSPROF_EXPORTERS_LOAD_LOAD_ROOFLINE_H

#include "analysis/compare/workload.h"
#include "base/err.h"

#include <sqlite3.h>

/* The most that the chip can do, as the user says; 0: not said. None is guessed. */
struct roofs {
    double flop_s, bytes_s;
};

/* Operators of one kind: of Ascend's captures products of matrices, by what their shapes prove; of boards all whose
 * counters were read. */
struct roofline_row {
    int64_t total_ns, count;
    double work, bytes; /* of one execution; work: FLOP, of boards cycles in which the MACs were busy */
    const char *name;   /* of boards */
    const char *type, *inputs, *types, *output;
};

/* Intensity is work by bytes; throughput work a nanosecond. */
static inline double roofline_intensity(const struct roofline_row *row)
{
    return row->work / row->bytes;
}
static inline double roofline_throughput(const struct roofline_row *row)
{
    return row->work * (double)row->count / (double)row->total_ns;
}

/* Roofs in the units of the rows: the work and the bytes of a nanosecond; 0: not known. */
struct roofline {
    double work_ns, bytes_ns;
    const char *work_source; /* "--peak-flops"; NULL: not known */
};
/* The roof of work of a board is the clock of its cores, that of Ascend's captures what the user says. */
struct roofline roofline_of(const struct workload_facts *facts, const struct roofs *roofs);
/* The lower one of the roofs at an intensity; 0: none is known. *ret_name: "work" or "memory", NULL. */
double roofline_at(const struct roofline *roofline, double intensity, const char **ret_name);

/* Gives every row, the largest total first. workload has the counters of a board. */
int roofline_each(sqlite3 *db, const struct workload *workload,
                  int (*each)(void *arg, const struct roofline_row *row, struct err *err), void *arg, struct err *err);

#endif
