/* SPDX-License-Identifier: Apache-2.0 */
/* --help of every level, from the tables of commands and options. */
#ifndef MSPROF_CLI_CMD_HELP_H
#define MSPROF_CLI_CMD_HELP_H

#include "cli/command.h"

#include <stdio.h>

void help_print(enum command_id id, FILE *stream);

#endif
