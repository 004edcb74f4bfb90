/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a capture that cannot be written to, for the time of one command: a directory of the program's own, which
 * is removed however the program ends. */
#ifndef MSPROF_CLI_CAPTURE_PRIVATE_RESULTS_H
#define MSPROF_CLI_CAPTURE_PRIVATE_RESULTS_H

#include "base/err.h"

#include <sys/types.h>

/* All zero: none. */
struct private_results {
    char *path;    /* owned */
    int alive;     /* a pipe that ends with the program, or gets a byte before */
    pid_t watcher; /* removes the directory when it ends */
};

/* Makes a directory in $TMPDIR, else in /tmp. Returns 0 or -code. */
int private_results_make(struct private_results *results, struct err *err);
/* Removes it with all that is in it; none is fine. */
void private_results_remove(struct private_results *results);

#endif
