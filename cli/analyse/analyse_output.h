/* SPDX-License-Identifier: Apache-2.0 */
/* The directory ASCEND_PROFILER_OUTPUT: it appears whole or not at all, and another's is not replaced. */
#ifndef MSPROF_CLI_ANALYSE_OUTPUT_H
#define MSPROF_CLI_ANALYSE_OUTPUT_H

#include "base/err.h"

#include <stdbool.h>

/* Paths of one results directory. All zero: not open. */
struct analyse_output {
    char *final;     /* <results>/ASCEND_PROFILER_OUTPUT */
    char *temporary; /* where the files are until they are complete */
    char *lock;      /* <results>/.msprof_analyse.lock */
    int lock_fd;
};

/* Locks the results directory, which must exist, and makes an empty temporary one. -ERR_ACCESS when another process has
 * it, -ERR_USAGE when there is an output that msprof did not write and force is false. */
int analyse_output_open(struct analyse_output *output, const char *results, bool force, struct err *err);
/* Makes an empty file in the temporary directory. */
int analyse_output_touch(struct analyse_output *output, const char *name, struct err *err);
/* Puts what was written in place of what was there. */
int analyse_output_commit(struct analyse_output *output, struct err *err);
/* Removes what was not put in place and unlocks. */
void analyse_output_close(struct analyse_output *output);

/* Removes a directory and all inside, without following links. One that is not there is fine. */
int remove_directory(const char *path, struct err *err);

#endif
