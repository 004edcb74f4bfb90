/* SPDX-License-Identifier: Apache-2.0 */
/* The user's own reports: those of the two directories and of --report-file. */
#ifndef MSPROF_CLI_CAPTURE_REPORT_FILES_H
#define MSPROF_CLI_CAPTURE_REPORT_FILES_H

#include "base/err.h"
#include "cli/options/options.h"
#include "exporters/table/report_file.h"

/* Loads <prefix>/share/msprof/reports, $XDG_CONFIG_HOME/msprof/reports and the files of --report-file. A directory that
 * cannot be read is a warning. files must be empty; report_files_release() it whatever the result. */
int user_reports_load(struct report_files *files, const struct settings *settings, struct err *err);

#endif
