/* SPDX-License-Identifier: Apache-2.0 */
/* The screen that stdout may be: its width, its characters, and a pager for long output. */
#ifndef MSPROF_CLI_SCREEN_H
#define MSPROF_CLI_SCREEN_H

#include "cli/options/options.h"

#include <stdbool.h>
#include <stdio.h>

/* Columns to print for: --width, COLUMNS, the terminal's; 0 (no limit) when none says anything. */
int screen_width(const struct settings *settings);
/* Width likewise for tables without frames, whose names are never cut in a pipe: --width, else of a terminal alone. */
int screen_answer_width(const struct settings *settings);
/* Whether only ASCII may be added: the locale that the environment names is not one of UTF-8. */
bool screen_is_ascii(void);

/* Prints a text behind `head`, its lines broken anew for 80 columns; those after the first are behind `next`. The lines
 * of a command of a shell are joined by '\\'. */
void screen_print_text(FILE *stream, const char *head, const char *next, bool is_command, const char *text);

/* Long output on a terminal goes through a pager, as git does it. */

/* From now on stdout is the pager's, when it is a terminal and --no-pager is not given: the program of PAGER, or less;
 * none when PAGER is empty or "cat", or TERM is "dumb" or not set. What fits the screen is printed without it. Messages
 * on the terminal wait until pager_end. Ask the terminal's width and colors before. Does nothing the second time. */
void pager_start(const struct settings *settings);
/* Waits until the user has read; stdout is the terminal again. Does nothing without a pager. */
void pager_end(void);

#endif
