/* SPDX-License-Identifier: Apache-2.0 */
/* Options of 'export timeline' that say how a timeline travels: its format, and which part of it. */
#ifndef MSPROF_CLI_TIMELINE_OPTIONS_H
#define MSPROF_CLI_TIMELINE_OPTIONS_H

#include "base/err.h"
#include "cli/options/options.h"
#include "exporters/export.h"

/* Sets what they say in options; -ERR_USAGE tells what is wrong. */
int timeline_options_read(const struct settings *settings, struct export_options *options, struct err *err);

#endif
