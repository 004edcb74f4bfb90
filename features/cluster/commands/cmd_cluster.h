/* SPDX-License-Identifier: Apache-2.0 */
/* The command as the processes of an MPI job run it. */
#ifndef MSPROF_FEATURES_CLUSTER_COMMANDS_CMD_CLUSTER_H
#define MSPROF_FEATURES_CLUSTER_COMMANDS_CMD_CLUSTER_H

struct settings;
struct team;

/* The analysis of a cluster by a team of processes, which msprof-mpi does, too; an exit status. Only process 0 speaks.
 */
int cluster_run(const struct settings *settings, struct team *team);

#endif
