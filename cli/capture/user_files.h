/* SPDX-License-Identifier: Apache-2.0 */
/* The user's own reports: those of the two directories and of --report-file. */
#ifndef MSPROF_CLI_CAPTURE_USER_FILES_H
#define MSPROF_CLI_CAPTURE_USER_FILES_H

#include "base/err.h"
#include "base/file/checksum.h"
#include "cli/options/options.h"
#include "exporters/table/report_file.h"
#include "parsers/decode/layout.h"

/* Loads <prefix>/share/msprof/reports, $XDG_CONFIG_HOME/msprof/reports and the files of --report-file. A directory that
 * cannot be read is a warning. files must be empty; report_files_release() it whatever the result. */
int user_reports_load(struct report_files *files, const struct settings *settings, struct err *err);

/* The layouts of one run: built in, from the layout directories, from --layout. */

/* Loads <prefix>/share/msprof/layouts, then the user's layout directory, then the files of --layout: the later wins.
 * set must be initialized; it is to be released also after a failure. */
int layouts_load(struct layout_set *set, const struct settings *settings, struct err *err);

/* A checksum of everything that the layouts of a set say; equal for sets that decode alike. */
int layouts_fingerprint(const struct layout_set *set, char ret[CHECKSUM_TEXT_SIZE], struct err *err);

#endif
