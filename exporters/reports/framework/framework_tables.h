/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the frameworks' files: those that one framework alone has. */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_FRAMEWORK_TABLES_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_FRAMEWORK_TABLES_H

#include "exporters/reports/framework/analysis.h"

/* A row of operator_memory.csv of both, and its columns. */
struct framework_memory {
    const char *name, *device;
    double kb;
    struct report_value got, gave, active_gave, duration, active_duration;
    struct report_value got_allocated, got_reserved, got_active, gave_allocated, gave_reserved, gave_active, stream;
};
extern const struct report_column framework_memory_columns[];

int framework_write_copies(struct framework_analysis *analysis, struct err *err);
/* operator_details.csv, dataset.csv */
int mindspore_write_tables(struct framework_analysis *analysis, struct err *err);
/* operator_memory.csv, memory_record.csv */
int mindspore_write_memory(struct framework_analysis *analysis, struct err *err);
/* minddata_pipeline_* */
int mindspore_write_minddata(struct framework_analysis *analysis, struct err *err);

/* operator_details.csv */
int pytorch_write_tables(struct framework_analysis *analysis, struct err *err);
/* operator_memory.csv, memory_record.csv */
int pytorch_write_memory(struct framework_analysis *analysis, struct err *err);

#define TORCH_TEXT_LIMIT ((size_t)16 * 1024 * 1024)
/* A text with an end of line behind each ';'. */
void torch_put_lines(struct strbuf *buf, const char *text);

#endif
