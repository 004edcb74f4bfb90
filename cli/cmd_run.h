/* SPDX-License-Identifier: Apache-2.0 */
/* The library that 'msprof run' puts into programs. */
#ifndef MSPROF_CLI_CMD_RUN_H
#define MSPROF_CLI_CMD_RUN_H

#include "base/err.h"

/* Its path (free() it): beside the program in a build tree, else where 'make install' puts it. */
int run_find_library(char **ret, struct err *err);

#endif
