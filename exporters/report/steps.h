/* What the tables of iterations since 2023 and of 2022 have in common: a row for each iteration, with two more columns
 * for each of its all-reduce operations. */
#ifndef MSPROF_EXPORTERS_REPORT_STEPS_H
#define MSPROF_EXPORTERS_REPORT_STEPS_H

#include "db/query/operators/query_steps.h"
#include "exporters/report/report.h"

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
    STEPS_AUGMENTATION,
    STEPS_MODEL,
    STEPS_KNOWN_MODEL, /* none where the marks name none */
    STEPS_LEADING
};

#define STEPS_STATE_SIZE sizeof(struct cann_steps)

/* Hooks of the reports. The iterations are those of the scope's device, of all where it has none; `start` is the column
 * of when an all-reduce operation began, and no table has more than `most` columns. */
int steps_open(struct report_run *run, const struct report_column *start, size_t most, struct err *err);
void steps_close(struct report_run *run);
int steps_rows(struct report_run *run, struct err *err);

#endif
