/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_MINDDATA_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_MINDDATA_H

#include "exporters/reports/framework/analysis.h"
#include "parsers/frameworks/mindspore/minddata.h"

/* Inside of the data pipeline's files. */

struct minddata_report {
    const struct minddata *data;
};

/* A stage with what is told of it: percents; -1: not known. */
struct minddata_stage {
    const char *name;  /* "Map(id=2)" */
    const char *input; /* the stage that fills its input; NULL: none */
    int64_t workers;
    double average, utilization, empty; /* of the queue that it fills */
    double input_empty;                 /* how often there was nothing for it */
    double cpu, per_worker;
};
int minddata_each_stage(const struct minddata *data,
                        int (*each)(void *arg, const struct minddata_stage *stage, struct err *err), void *arg,
                        struct err *err);

/* Writes the summary, as CSV and as JSON. */
int minddata_write_summary(struct framework_analysis *analysis, const struct minddata *data, struct err *err);

#endif
