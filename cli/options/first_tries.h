/* SPDX-License-Identifier: Apache-2.0 */
/* What people type who know another tool, or this one not yet: which command they meant. */
#ifndef MSPROF_CLI_OPTIONS_FIRST_TRIES_H
#define MSPROF_CLI_OPTIONS_FIRST_TRIES_H

#include "base/err.h"
#include "cli/command.h"

/* Hints of an error about an option, as typed, and about a word in the place of a command of parent. They give nothing
 * where there is nothing to say. */
void hint_of_option(const char *word, struct err *err);
void hint_of_word(const char *word, enum command_id parent, struct err *err);
/* Of an error about a file that was given as a capture: to unpack it, or where it lies. */
void hint_of_file(const char *path, struct err *err);

#endif
