/* The op_summary and op_statistic files of SVP captures. Reports are independent of each other, so workers write them
 * side by side, each with its own connection to the database. */
#ifndef MSPROF_EXPORTERS_SVP_SVP_REPORT_FILES_H
#define MSPROF_EXPORTERS_SVP_SVP_REPORT_FILES_H

#include "exporters/export.h"

#define REPORT_ITERATION 1 /* the iter_id in file names: the vendor's tool never writes another */

/* Writes all files of both kinds; adds to *ret, also on failure. options->written and options->progress are called by
 * the workers, one at a time. */
int svp_report_files(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

#endif
