/* The longest rows of op_summary, or of task_time. */
#ifndef MSPROF_EXPORTERS_CANN_LONGEST_H
#define MSPROF_EXPORTERS_CANN_LONGEST_H

#include "exporters/cann_report.h"

/* Prints those of op_summary, at most limit, longest first, to options->show. Names are encoded for options->format. */
int cann_longest_operators(sqlite3 *db, const struct cann_texts *names,
                           const struct cann_communications *communications, size_t limit,
                           const struct export_options *options, struct export_result *result, struct err *err);
/* The same of task_time. */
int cann_longest_task_times(sqlite3 *db, const struct cann_texts *names, size_t limit,
                            const struct export_options *options, struct export_result *result, struct err *err);

#endif
