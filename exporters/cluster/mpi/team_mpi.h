/* SPDX-License-Identifier: Apache-2.0 */
/* The processes of an MPI job as a team. */
#ifndef MSPROF_EXPORTERS_CLUSTER_MPI_TEAM_MPI_H
#define MSPROF_EXPORTERS_CLUSTER_MPI_TEAM_MPI_H

#include "exporters/cluster/team.h"

/* After MPI_Init. */
void team_mpi(struct team *team);

#endif
