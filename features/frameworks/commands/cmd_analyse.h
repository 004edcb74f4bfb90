/* SPDX-License-Identifier: Apache-2.0 */
/* The work of 'msprof analyse' on one directory. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_COMMANDS_CMD_ANALYSE_H
#define MSPROF_FEATURES_FRAMEWORKS_COMMANDS_CMD_ANALYSE_H

#include "base/err.h"
#include "cli/options/options.h"
#include "db/query/query.h"
#include "features/frameworks/reports/analysis.h"

#include <stdbool.h>

struct analyse_request {
    const struct settings *settings;
    struct step_filter_list steps;
    const char *directory;         /* *_ascend_ms or *_ascend_pt, absolute */
    bool bare;                     /* it is a PROF capture without a framework, for a cluster */
    const char *results;           /* where ASCEND_PROFILER_OUTPUT comes to be; the directory itself without --output */
    bool for_cluster;              /* of texts those alone that a cluster's analysis reads */
    struct first_problem *problem; /* NULL, or set to what the import of the first capture reports first */
};

/* Prints progress and errors; returns an exit status. */
int analyse_directory(const struct analyse_request *request);

#endif
