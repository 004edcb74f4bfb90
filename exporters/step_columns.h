/* The columns of step_trace that depend on the capture: a pair for each all-reduce operation of an iteration. */
#ifndef MSPROF_EXPORTERS_STEP_COLUMNS_H
#define MSPROF_EXPORTERS_STEP_COLUMNS_H

#include "exporters/report/report.h"

/* Adds `count` pairs of the columns start and duration, behind `leading` others; as many as there is room for. In JSON,
 * where names are unique, their titles are numbered. */
int step_columns_add(struct report_run *run, size_t leading, size_t count, const struct report_column *start,
                     const struct report_column *duration, struct err *err);

#endif
