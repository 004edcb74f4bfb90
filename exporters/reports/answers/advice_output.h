/* SPDX-License-Identifier: Apache-2.0 */
/* Advice as text: findings of the terminal, Markdown, or JSON of the schema msprof.advice/1. */
#ifndef MSPROF_EXPORTERS_REPORTS_ANSWERS_ADVICE_OUTPUT_H
#define MSPROF_EXPORTERS_REPORTS_ANSWERS_ADVICE_OUTPUT_H

#include "analysis/advice.h"
#include "exporters/load/load_ranges.h"

#include <stdio.h>

/* ADVICE_HTML is for pages (exporters/html) and not printed here. */
enum advice_format { ADVICE_TABLE, ADVICE_JSON, ADVICE_MARKDOWN, ADVICE_HTML };

/* Write errors stay with the stream. */
void advice_print(const struct advice *advice, const char *capture, enum advice_format format, FILE *stream);
/* Prints the rules that there are. */
void advice_print_rules(enum advice_format format, FILE *stream);

/* The answer about a program of which no device was recorded: its ranges and calls, which took most time, how long and
 * how often. As text, Markdown, or JSON of the schema msprof.advice/1. */

/* ranges and calls: what took most time of each is told. width, ascii: as of grid_print. Write errors stay with the
 * stream. */
int advice_print_program(const struct named_times *ranges, const struct named_times *calls, const char *capture,
                         enum advice_format format, int width, bool ascii, FILE *stream, struct err *err);

#endif
