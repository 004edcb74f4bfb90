/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the manual that are made of tables: man/NAME.in holds a line for each list, the Makefile puts it there. */
#ifndef MSPROF_CLI_MANUAL_ROWS_H
#define MSPROF_CLI_MANUAL_ROWS_H

#include "base/err.h"

#include <stdio.h>

enum manual_rows {
    MANUAL_REPORTS, /* files of summaries */
    MANUAL_SAMPLES, /* tables that record kinds declare */
    MANUAL_ANSWERS, /* tables that are shown only */
    MANUAL_TRACKS,  /* layers of timelines that are tracks */
    MANUAL_LAYERS,  /* those that record kinds declare */
};

int manual_print_rows(FILE *stream, enum manual_rows rows, struct err *err);

#endif
