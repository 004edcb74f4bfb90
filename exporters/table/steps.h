/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of iterations of all eras have in common: a row for each iteration, with two more columns for each of
 * its all-reduce operations. */
#ifndef MSPROF_EXPORTERS_TABLE_STEPS_H
#define MSPROF_EXPORTERS_TABLE_STEPS_H

#include "db/query/operators/query_steps.h"
#include "exporters/table/report.h"

/* A row. */
struct steps_row {
    struct cann_step step;
    int64_t time_ns, forward_to_backward_ns, refresh_ns;
    int64_t interval_ns;                             /* from the iteration's own start to forward propagation */
    int64_t known_model;                             /* DB_NULL where the marks name none */
    struct report_value reduces[REPORT_MAX_COLUMNS]; /* start and duration of each all-reduce operation */
};

/* The columns of an all-reduce operation. */
struct steps_reduces {
    struct report_column start, duration; /* when it began and how long it took */
    size_t most;                          /* columns that the table has at most */
    bool by_pair; /* each pair of marks has columns of its own; else they are filled from the left */
};

/* A report's state. */
struct steps {
    struct cann_steps steps;
    bool by_pair;
};

/* Hooks of the reports. The iterations are those of the scope's device, of all where it has none. */
int steps_open(struct report_run *run, const struct steps_reduces *reduces, struct err *err);
void steps_close(struct report_run *run);
int steps_rows(struct report_run *run, struct err *err);

#endif
