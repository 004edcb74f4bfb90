/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that tables of answers share: rows of a workload that is read for one table. */
#ifndef MSPROF_FEATURES_ANSWERS_LOAD_ANSWER_H
#define MSPROF_FEATURES_ANSWERS_LOAD_ANSWER_H

#include "exporters/table/report.h"
#include "features/answers/analysis/profile.h"
#include "features/answers/load/load.h"

/* The base of MB in answers; that of GB is 1000 times as much. */
#define BYTES_OF_MB 1e6

/* A row of answer_rows. */
struct answer_row {
    struct series times;
    double share, p95_ns; /* share: of 10000, of the time of all executions */
    const char *type, *name;
};
/* Its columns, but those of type and name. */
#define ANSWER_NUMBERS                                                                                                 \
    {"Share(%)", REPORT_FIELD(struct answer_row, share), FORM_SCALED, 2,                                               \
     .doc = "Share of the time of all executions."},                                                                   \
        {"Total(us)", REPORT_FIELD(struct answer_row, times.total), FORM_SCALED, 3,                                    \
         .doc = "The time of all executions."},                                                                        \
        {"Count", REPORT_FIELD(struct answer_row, times.n), .flags = REPORT_NUMBER, .doc = "Number of executions."},   \
        {"Median(us)", REPORT_FIELD(struct answer_row, times.median), FORM_SCALED, 3,                                  \
         .doc = "Median time of an execution."},                                                                       \
        {"P95(us)", REPORT_FIELD(struct answer_row, p95_ns), FORM_SCALED, 3, .doc = "95th percentile."},               \
    {                                                                                                                  \
        "Longest(us)", REPORT_FIELD(struct answer_row, times.maximum), FORM_SCALED, 3, .doc = "The longest execution." \
    }

/* workload_load of the run's database, or what the session has of it already; workload_release() it either way; the
 * result of the run gets the inferences that its rows cover. */
int answer_workload(struct report_run *run, enum load_counters counters, struct workload *ret, struct err *err);

/* The visitor of a report of_workload answer_rows: a row for each key of a subject, the largest total first; ai_cpu:
 * of what ran on the AI CPU alone. Warm-up is not left out. */
struct answer_keys {
    enum subject subject;
    bool ai_cpu;
};
int answer_rows(struct report_run *run, const struct workload *workload, struct err *err);

#endif
