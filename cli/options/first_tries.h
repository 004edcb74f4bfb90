/* SPDX-License-Identifier: Apache-2.0 */
/* What people type first, who know another profiler, and what to type here. */
#ifndef MSPROF_CLI_OPTIONS_FIRST_TRIES_H
#define MSPROF_CLI_OPTIONS_FIRST_TRIES_H

#include "cli/command.h"

#define FIRST_TRY_EXPORTS "msprof export summary CAPTURE, or msprof export timeline CAPTURE"

/* Each returns the text of a hint, or NULL where there is nothing to say. */

/* A word in the place of a command of `parent`. */
const char *first_try_of_word(enum command_id parent, const char *word);

/* An unknown option of a command: "--name" or "--name=value". */
const char *first_try_of_option(enum command_id command, const char *word);

/* A value that an option of a command does not take; name: without dashes. */
const char *first_try_of_value(enum command_id command, const char *name, const char *value);

/* A table that no capture has by this name. */
const char *first_try_of_table(const char *name);

#endif
