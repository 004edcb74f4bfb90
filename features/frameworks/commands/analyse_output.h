/* SPDX-License-Identifier: Apache-2.0 */
/* The directory ASCEND_PROFILER_OUTPUT: it appears whole or not at all, and another's is not replaced. */
#ifndef MSPROF_FEATURES_FRAMEWORKS_COMMANDS_ANALYSE_OUTPUT_H
#define MSPROF_FEATURES_FRAMEWORKS_COMMANDS_ANALYSE_OUTPUT_H

#include "base/err.h"
#include "parsers/capture/framework_directory.h"

#include <stdbool.h>

/* Paths of one results directory. All zero: not open. */
struct analyse_output {
    char *results;
    char *final;     /* <results>/ASCEND_PROFILER_OUTPUT */
    char *temporary; /* where the files are until they are complete */
    char *lock;      /* <results>/.msprof_analyse.lock */
    int lock_fd;
    const char *without; /* the part of a framework's directory that is not there; "": both are */
    bool is_begun;       /* the temporary directory is of this run, and holds nothing else */
    bool kept;           /* results are there that may be made of more */
};

/* Removes a directory and all inside, without following links. One that is not there is fine. */
int analyse_remove_directory(const char *path, struct err *err);

/* Locks the results directory, which must exist, and makes an empty temporary one, unless what is there is kept.
 * -ERR_ACCESS when another process has it, -ERR_FAILED when there is an output that msprof did not write and force is
 * false. */
int analyse_output_open(struct analyse_output *output, const char *results, const char *without, bool force,
                        struct err *err);
/* Makes a file in the temporary directory. */
int analyse_output_put(struct analyse_output *output, const char *name, const char *text, struct err *err);
/* Puts what was written in place of what was there. Files there that msprof did not write, or that were changed since,
 * are put into the new directory and reported. */
int analyse_output_commit(struct analyse_output *output, struct err *err);
/* Removes what was not put in place and unlocks. */
void analyse_output_close(struct analyse_output *output);

/* ---- --simplify ---- */

/* -ERR_USAGE when the results would stand among what is removed. */
int analyse_simplify_check(const char *directory, const char *results, struct err *err);
/* Removes the records in FRAMEWORK/ that were read to their end, and, of the PROF captures, what msprof made there:
 * databases, reports, logs. Everything else stays; for FRAMEWORK/ this is reported. */
int analyse_simplify_run(const char *directory, const struct framework_paths *profs, struct err *err);

#endif
