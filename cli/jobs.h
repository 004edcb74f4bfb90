/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of work, several at the same time, each in a process of its own, so that their memory does not add up in one.
 */
#ifndef MSPROF_CLI_JOBS_H
#define MSPROF_CLI_JOBS_H

#include <stddef.h>

/* Calls work for 0, 1, ... count - 1, at most `most` of them at the same time; one at a time means in this process, one
 * after the other. Returns the worst exit status; after a signal no further one is started. */
int jobs_run(size_t count, int most, int (*work)(void *arg, size_t i), void *arg);

/* As many as there are processors. */
int jobs_default(void);

#endif
