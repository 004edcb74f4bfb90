/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of iterations of all eras have in common: a row for each iteration, with two more columns for each of
 * its all-reduce operations. */
#ifndef MSPROF_EXPORTERS_TABLE_STEPS_H
#define MSPROF_EXPORTERS_TABLE_STEPS_H

#include "db/query/operators/query_steps.h"
#include "exporters/table/report.h"

/* The values of a row, as columns name them (.value). */
enum steps_value {
    STEPS_DEVICE,
    STEPS_ITERATION,
    STEPS_FORWARD,
    STEPS_BACKWARD,
    STEPS_END,
    STEPS_TIME,
    STEPS_FORWARD_TO_BACKWARD,
    STEPS_REFRESH,
    STEPS_AUGMENTATION, /* from the end of any iteration before to forward propagation */
    STEPS_MODEL,
    STEPS_KNOWN_MODEL, /* none where the marks name none */
    STEPS_INTERVAL,    /* from the iteration's own start */
    STEPS_LEADING
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
