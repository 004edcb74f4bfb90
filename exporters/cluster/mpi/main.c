/* SPDX-License-Identifier: Apache-2.0 */
/* msprof-mpi: msprof cluster by all processes of an MPI job. */
#include "cli/cluster/cmd_cluster.h"
#include "cli/cmd_help.h"
#include "cli/command.h"
#include "cli/console.h"
#include "exporters/cluster/mpi/team_mpi.h"

#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Tells the error in one process for all: they read the same command line. */
static int tell_usage(const struct team *team, const char *message)
{
    struct err err = ERR_INIT;
    if (team->me == 0) {
        err_set(&err, ERR_USAGE, "%s", message);
        err_hint(&err, "for example: mpirun -n 64 msprof-mpi cluster RUN");
        console_error(&err);
    }
    return STATUS_USAGE;
}

static int run(struct settings *settings, struct team *team, int argc, char **argv)
{
    struct err err = ERR_INIT;
    int result = options_parse(settings, argc, argv, &err);
    console_init(settings);
    if (result != 0)
        return tell_usage(team, err_message(&err));
    if (settings->help && team->me == 0)
        help_print(COMMAND_CLUSTER, stdout);
    if (settings->help)
        return STATUS_DONE;
    if (settings->version) {
        if (team->me == 0)
            puts("msprof-mpi " MSPROF_VERSION);
        return STATUS_DONE;
    }
    if (settings->command != COMMAND_CLUSTER)
        return tell_usage(team, "msprof-mpi knows one command: cluster");
    return cluster_run(settings, team);
}

int main(int argc, char **argv)
{
    struct settings settings;
    struct team team;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    if (setlocale(LC_CTYPE, "") == NULL || MB_CUR_MAX == 1)
        setlocale(LC_CTYPE, "C.UTF-8");
    team_mpi(&team);
    settings_init(&settings);
    int status = run(&settings, &team, argc, argv);
    settings_release(&settings);
    /* The others wait for messages that will not come. */
    if (team.scattered)
        MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}
