/* SPDX-License-Identifier: Apache-2.0 */
/* A command of msprof as a process of its own, whose output comes back. A call can be cancelled, runs out of memory or
 * meets hostile data alone, and leaves nothing in the process that serves: the commands have one flag of interruption
 * and one standard output a process. */
#ifndef MSPROF_FEATURES_MCP_COMMANDS_CHILD_H
#define MSPROF_FEATURES_MCP_COMMANDS_CHILD_H

#include "base/err.h"

#include <stdbool.h>
#include <sys/types.h>

struct child {
    pid_t pid;        /* 0: none is running */
    int output, said; /* its standard output and its messages; -1: at the end */
};

/* Starts it; words ends with NULL and begins behind "msprof". input: its standard input; NULL: nothing. */
int child_start(struct child *child, const char *const *words, const char *input, struct err *err);
/* Asks it to end, or ends it. */
void child_stop(const struct child *child, bool at_once);
/* Waits for its end, and returns its exit status; 128 and the number of a signal that ended it. */
int child_finish(struct child *child);

#endif
