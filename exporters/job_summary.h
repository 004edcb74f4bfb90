/* op_summary and op_statistic of JOB-era Ascend captures. */
#ifndef MSPROF_EXPORTERS_JOB_SUMMARY_H
#define MSPROF_EXPORTERS_JOB_SUMMARY_H

#include "db/query.h"
#include "exporters/export.h"
#include "exporters/svp_columns.h"

/* As export_summary (export.h); adds to *ret. */
int job_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

/* The columns of the statistic per operator type; the cells are one per title. */
extern const struct column_titles job_statistic_titles;
void job_statistic_cells(const struct job_statistic *row, struct table_cell *cells);

#endif
