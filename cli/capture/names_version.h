/* SPDX-License-Identifier: Apache-2.0 */
/* Whose names the reports of a capture have. */
#ifndef MSPROF_CLI_CAPTURE_NAMES_VERSION_H
#define MSPROF_CLI_CAPTURE_NAMES_VERSION_H

#include "cli/options/options.h"

#include <sqlite3.h>

/* The version that --cann-version asks for, else the one that the capture says, which is told. framework: what the
 * settings of a framework say, NULL: there is none; directory: of the capture, for the note. */
int names_version(const struct settings *settings, sqlite3 *db, const char *framework, const char *directory, int *ret,
                  struct err *err);

#endif
