/* SPDX-License-Identifier: Apache-2.0 */
/* What the tables of answers share: rows of a workload that is read for one table. */
#ifndef MSPROF_EXPORTERS_LOAD_ANSWER_H
#define MSPROF_EXPORTERS_LOAD_ANSWER_H

#include "analysis/compare/profile.h"
#include "exporters/load/load.h"
#include "exporters/table/report.h"

/* The columns of answer_rows: share of the total, total, how often, median, 95th percentile, longest, type, name. */
enum answer_column {
    ANSWER_SHARE,
    ANSWER_TOTAL,
    ANSWER_COUNT,
    ANSWER_MEDIAN,
    ANSWER_P95,
    ANSWER_LONGEST,
    ANSWER_TYPE,
    ANSWER_NAME,
    ANSWER_COLUMNS
};
#define ANSWER_NUMBERS                                                                                                 \
    [ANSWER_SHARE] = {"Share(%)", NULL, FORM_SCALED, 2, .doc = "Of the total of all rows of the capture."},            \
    [ANSWER_TOTAL] = {"Total(us)", NULL, FORM_SCALED, 3, .doc = "The time of all executions."},                        \
    [ANSWER_COUNT] = {"Count", NULL, .flags = REPORT_NUMBER, .doc = "How often it ran."},                              \
    [ANSWER_MEDIAN] = {"Median(us)", NULL, FORM_SCALED, 3, .doc = "Half of the executions took no longer."},           \
    [ANSWER_P95] = {"P95(us)", NULL, FORM_SCALED, 3, .doc = "19 of 20 executions took no longer."},                    \
    [ANSWER_LONGEST] = {"Longest(us)", NULL, FORM_SCALED, 3, .doc = "The longest execution."}

/* workload_load of the run's database; the run's result tells of which inferences its rows are. */
int answer_workload(struct report_run *run, enum load_counters counters, struct workload *ret, struct err *err);

/* A row for each key of a subject that wanted accepts (NULL: all), the largest total first. Warm-up is not left out. */
int answer_rows(struct report_run *run, enum subject subject, bool (*wanted)(const struct profile_row *row),
                struct err *err);

#endif
