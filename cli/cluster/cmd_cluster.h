/* SPDX-License-Identifier: Apache-2.0 */
/* The analysis of a cluster by a team of processes: what msprof cluster and msprof-mpi share. */
#ifndef MSPROF_CLI_CLUSTER_CMD_CLUSTER_H
#define MSPROF_CLI_CLUSTER_CMD_CLUSTER_H

#include "cli/options/options.h"
#include "exporters/cluster/team.h"

/* Returns the exit status. Only process 0 speaks. */
int cluster_run(const struct settings *settings, struct team *team);

#endif
