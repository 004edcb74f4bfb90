/* The processes of an MPI job as a team. */
#ifndef MSPROF_MPI_TEAM_MPI_H
#define MSPROF_MPI_TEAM_MPI_H

#include "cluster/team.h"

/* After MPI_Init. */
void team_mpi(struct team *team);

#endif
