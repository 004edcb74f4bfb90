/* SPDX-License-Identifier: Apache-2.0 */
/* All files of ASCEND_PROFILER_OUTPUT. */
#ifndef MSPROF_EXPORTERS_REPORTS_FRAMEWORK_WRITE_H
#define MSPROF_EXPORTERS_REPORTS_FRAMEWORK_WRITE_H

#include "exporters/reports/framework/analysis.h"

/* Writes all files that there are data for into options->directory. A file that fails is told and the next one is made,
 * but for lack of space or memory and interrupts, which end the work. */
int framework_write(struct framework_analysis *analysis, struct err *err);

/* Prepares what files are made with: the session, and who launched what on devices. framework_unrelate whatever the
 * result. */
int framework_relate(struct framework_analysis *analysis, struct err *err);
void framework_unrelate(struct framework_analysis *analysis);

#endif
