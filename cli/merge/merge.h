/* SPDX-License-Identifier: Apache-2.0 */
/* --merge: the captures of one run, one of each device or host as CANN writes them, become one result. */
#ifndef MSPROF_CLI_MERGE_MERGE_H
#define MSPROF_CLI_MERGE_MERGE_H

#include "cli/options/options.h"
#include "exporters/export.h"

struct merge_type {
    const char *name; /* "timeline": in messages and records */
    const char *unit; /* of what its files hold */
    int (*export)(const struct merge_part *parts, size_t count, const struct export_options *options,
                  struct export_result *ret, struct err *err);
};

/* Imports the captures that the settings name into --output and writes one result of all of them there. Their clocks
 * are joined by the monotonic clock of a host, and by real time between hosts. Returns an exit status. */
int merge_captures(const struct settings *settings, const struct merge_type *type);

#endif
