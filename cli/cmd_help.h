/* SPDX-License-Identifier: Apache-2.0 */
/* --help of every level, from the tables of commands and options. */
#ifndef MSPROF_CLI_CMD_HELP_H
#define MSPROF_CLI_CMD_HELP_H

#include "base/err.h"
#include "cli/command.h"

#include <stdio.h>

void help_print(enum command_id id, FILE *stream);

/* Text of tables as mdoc(7). */

/* With what mdoc would take for itself escaped; fits a text line and a macro's argument. */
void mdoc_put_text(FILE *stream, const char *text);
/* Each sentence on a line of its own, as mdoc wants it. */
void mdoc_put_sentences(FILE *stream, const char *text);

/* Rows of the manual that are made of tables: man/NAME.in holds a line for each list, the Makefile puts it there. */

enum manual_rows {
    MANUAL_COMMANDS,
    MANUAL_SYNOPSIS,
    MANUAL_REPORTS, /* files of summaries */
    MANUAL_SAMPLES, /* tables that record kinds declare */
    MANUAL_ANSWERS, /* tables that are shown only */
    MANUAL_TRACKS,  /* layers of timelines that are tracks */
    MANUAL_LAYERS,  /* those that record kinds declare */
    MANUAL_RANKS,   /* tables of the ranks of a job */
};

int manual_print_rows(FILE *stream, enum manual_rows rows, struct err *err);

#endif
