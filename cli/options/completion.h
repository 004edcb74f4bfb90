/* SPDX-License-Identifier: Apache-2.0 */
/* Completion scripts from the tables of commands and options. */
#ifndef MSPROF_CLI_OPTIONS_COMPLETION_H
#define MSPROF_CLI_OPTIONS_COMPLETION_H

#include <stdio.h>

void completion_bash(FILE *stream);
void completion_zsh(FILE *stream);
void completion_fish(FILE *stream);

/* The text on one line with each single quote replaced by quote: to stand between single quotes in a script. */
void completion_put_quoted(FILE *stream, const char *text, const char *quote);

#endif
