/* SPDX-License-Identifier: Apache-2.0 */
/* What is removed of a framework's directory when its results are written. */
#ifndef MSPROF_CLI_ANALYSE_SIMPLIFY_H
#define MSPROF_CLI_ANALYSE_SIMPLIFY_H

#include "parsers/frameworks/directory.h"

/* Removes FRAMEWORK/ and, of the PROF captures, what analyses left there: databases, reports, logs. Raw data of the
 * device and ASCEND_PROFILER_OUTPUT/ stay. */
int simplify_directory(const char *directory, const struct framework_paths *profs, struct err *err);

#endif
