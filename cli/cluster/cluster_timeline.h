/* SPDX-License-Identifier: Apache-2.0 */
/* msprof cluster --timeline: ranks in one timeline. */
#ifndef MSPROF_CLI_CLUSTER_CLUSTER_TIMELINE_H
#define MSPROF_CLI_CLUSTER_CLUSTER_TIMELINE_H

struct settings;

/* Writes cluster_analysis_output/timeline/ and tells how clocks were aligned; an exit status. */
int cluster_timeline(const struct settings *settings);

#endif
