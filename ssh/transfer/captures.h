/* SPDX-License-Identifier: Apache-2.0 */
/* Captures on the board: directories that its profiler made. */
#ifndef MSPROF_SSH_TRANSFER_CAPTURES_H
#define MSPROF_SSH_TRANSFER_CAPTURES_H

#include "ssh/board.h"

/* All zero: empty. */
struct remote_captures {
    struct words names;  /* as the board gives them, each one safe component of a path; the newest first */
    struct told refused; /* names that cannot be taken: they hold control characters, or are too long */
};

/* The directories JOB* in a directory of the board; none when that is not there, which ret_there (or NULL) tells. */
int board_captures(struct board *board, const char *directory, bool *ret_there, struct remote_captures *ret,
                   struct err *err);
bool remote_captures_has(const struct remote_captures *captures, const char *name);
void remote_captures_release(struct remote_captures *captures);

#endif
