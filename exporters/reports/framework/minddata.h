/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_MINDDATA_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_MINDDATA_H

#include "exporters/reports/framework/analysis.h"
#include "parsers/frameworks/mindspore/minddata.h"

/* A stage with what is told of it: percents; -1: not known. */
struct minddata_stage {
    const struct minddata_op *op;
    char name[128];                     /* "Map(id=2)" */
    double average, utilization, empty; /* of the queue that it fills */
    double cpu, per_worker;
    const struct minddata_stage *input; /* that fills its input; NULL: none */
};
int minddata_each_stage(const struct minddata *data,
                        int (*each)(void *arg, const struct minddata_stage *stage, struct err *err), void *arg,
                        struct err *err);

#endif
