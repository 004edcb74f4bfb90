/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that work for a command. */
#ifndef MSPROF_CLI_CHILD_H
#define MSPROF_CLI_CHILD_H

#include <sys/types.h>

/* fork(), for work that nobody wants when this process is gone: the child is interrupted then, however that ended. */
pid_t child_fork(void);

#endif
