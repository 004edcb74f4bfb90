/* What is removed of a framework's directory when its results are written. */
#ifndef MSPROF_CLI_ANALYSE_SIMPLIFY_H
#define MSPROF_CLI_ANALYSE_SIMPLIFY_H

#include "base/err.h"

/* Removes FRAMEWORK/ and, of a PROF capture (NULL: there is none), what analyses left there: databases, reports, logs.
 * Raw data of the device and ASCEND_PROFILER_OUTPUT/ stay. */
int simplify_directory(const char *directory, const char *prof, struct err *err);

#endif
