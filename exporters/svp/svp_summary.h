/* op_summary, op_statistic and acl_statistic of SVP captures. */
#ifndef MSPROF_EXPORTERS_SVP_SVP_SUMMARY_H
#define MSPROF_EXPORTERS_SVP_SVP_SUMMARY_H

#include "exporters/export.h"

/* As export_summary (export.h); adds to *ret. */
int svp_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

#endif
