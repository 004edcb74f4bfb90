/* SPDX-License-Identifier: Apache-2.0 */
/* The work of 'msprof analyse' on one directory. */
#ifndef MSPROF_CLI_CMD_ANALYSE_H
#define MSPROF_CLI_CMD_ANALYSE_H

#include "base/err.h"
#include "cli/options/options.h"
#include "exporters/reports/framework/analysis.h"

#include <stdbool.h>

/* How many directories are analysed at once unless somebody says it: as many as there are processors. */
int analyse_default_jobs(void);

struct analyse_request {
    const struct settings *settings;
    struct step_filter_list steps;
    const char *directory; /* *_ascend_ms or *_ascend_pt, absolute */
    bool bare;             /* it is a PROF capture without a framework, for a cluster */
    const char *results;   /* where ASCEND_PROFILER_OUTPUT comes to be; the directory itself without --output */
    bool for_cluster;      /* of texts those alone that a cluster's analysis reads */
};

/* Tells what it does and what is wrong; returns an exit status. */
int analyse_directory(const struct analyse_request *request);

#endif
