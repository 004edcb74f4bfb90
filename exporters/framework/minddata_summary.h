/* Inside of the data pipeline's files. */
#ifndef MSPROF_EXPORTERS_FRAMEWORK_MINDDATA_SUMMARY_H
#define MSPROF_EXPORTERS_FRAMEWORK_MINDDATA_SUMMARY_H

#include "exporters/framework/analysis.h"
#include "frameworks/mindspore/minddata.h"

struct minddata_report {
    const struct minddata *data;
};

double minddata_queue_mean(const struct minddata_op *op);
/* Writes the summary, as CSV and as JSON. */
int minddata_write_summary(struct framework_analysis *analysis, const struct minddata *data, struct err *err);

#endif
