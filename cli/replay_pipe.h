/* SPDX-License-Identifier: Apache-2.0 */
/* The way of replayed records to their reader: a descriptor that whoever started msprof opened. */
#ifndef MSPROF_CLI_REPLAY_PIPE_H
#define MSPROF_CLI_REPLAY_PIPE_H

#include "base/err.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct replay_pipe {
    int fd;           /* our own; -1: closed */
    int number;       /* as the user calls it */
    uint64_t sent;    /* records */
    sigset_t waiting; /* the signals that are blocked while we wait: those that were before */
};

/* Whether records may be written to this descriptor: it is open for writing, and no terminal. To be asked before
 * anything is opened that could get the same number. */
int replay_pipe_check(int number, struct err *err);

/* From here to the close SIGPIPE is ignored, and the signals that ask msprof to stop arrive only in the functions
 * below.
 */
int replay_pipe_open(struct replay_pipe *pipe, int number, struct err *err);
void replay_pipe_close(struct replay_pipe *pipe);

/* Waits until a time of the monotonic clock. Ends early with an error when the reader goes away (-ERR_NOT_FOUND) or a
 * signal asks to stop (-ERR_INTERRUPTED). */
int replay_pipe_wait(struct replay_pipe *pipe, int64_t until_ns, struct err *err);

/* Writes a record with one write(); waits for a slow reader. Errors as above, and -ERR_IO. */
int replay_pipe_send(struct replay_pipe *pipe, const unsigned char *record, size_t size, struct err *err);

#endif
