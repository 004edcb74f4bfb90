/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/cluster/mpi/team_mpi.h"

#include <limits.h>
#include <mpi.h>

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

void team_mpi(struct team *team)
{
    *team = (struct team){.send = mpi_send, .receive = mpi_receive};
    MPI_Comm_size(MPI_COMM_WORLD, &team->size);
    MPI_Comm_rank(MPI_COMM_WORLD, &team->me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}
