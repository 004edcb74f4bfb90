/* SPDX-License-Identifier: Apache-2.0 */
/* msprof-mpi: msprof cluster by all processes of an MPI job. */
#include "base/strbuf.h"
#include "cli/cmd_help.h"
#include "cli/command.h"
#include "cli/console.h"
#include "features/cluster/commands/cmd_cluster.h"
#include "features/cluster/team.h"

#include <limits.h>
#include <locale.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define TAG 1
#define MOST_AT_ONCE (INT_MAX / 2) /* bytes: MPI counts them as int */

static int failure(int code, const char *what, struct err *err)
{
    char text[MPI_MAX_ERROR_STRING] = "unknown";
    int length;
    MPI_Error_string(code, text, &length);
    return err_set(err, ERR_FAILED, "MPI cannot %s: %s", what, text);
}

/* A message is its length and its bytes. */
static int mpi_send(struct team *team, int to, const struct strbuf *bytes, struct err *err)
{
    const char *p = bytes->data;
    size_t length = bytes->length;
    unsigned long long announced = length;
    (void)team;
    int code = MPI_Send(&announced, 1, MPI_UNSIGNED_LONG_LONG, to, TAG, MPI_COMM_WORLD);
    while (code == MPI_SUCCESS && length > 0) {
        size_t piece = length < MOST_AT_ONCE ? length : MOST_AT_ONCE;
        code = MPI_Send(p, (int)piece, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
        p += piece;
        length -= piece;
    }
    return code == MPI_SUCCESS ? 0 : failure(code, "send", err);
}

static int mpi_receive(struct team *team, int from, struct strbuf *ret, struct err *err)
{
    static char piece[1 << 16];
    unsigned long long announced = 0;
    (void)team;
    int code = MPI_Recv(&announced, 1, MPI_UNSIGNED_LONG_LONG, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS)
        return failure(code, "receive", err);
    if (announced > ret->maximum)
        return err_set(err, ERR_LIMIT, "a message of %llu bytes of process %d; at most %zu are taken", announced, from,
                       ret->maximum);
    if (announced == 0)
        return 0;
    /* Room first, then the bytes where they belong: messages are large. */
    while (ret->length < announced && !ret->failed) {
        size_t missing = (size_t)announced - ret->length;
        strbuf_add(ret, piece, missing < sizeof piece ? missing : sizeof piece);
    }
    if (ret->failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a message of %llu bytes", announced);
    for (size_t done = 0; code == MPI_SUCCESS && done < announced;) {
        size_t part = announced - done < MOST_AT_ONCE ? (size_t)(announced - done) : MOST_AT_ONCE;
        code = MPI_Recv(ret->data + done, (int)part, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        done += part;
    }
    return code == MPI_SUCCESS ? 0 : failure(code, "receive", err);
}

/* The processes of an MPI job as a team; after MPI_Init. */
static void team_mpi(struct team *team)
{
    *team = (struct team){.send = mpi_send, .receive = mpi_receive};
    MPI_Comm_size(MPI_COMM_WORLD, &team->size);
    MPI_Comm_rank(MPI_COMM_WORLD, &team->me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

/* Prints the error in one process for all: they read the same command line. */
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
