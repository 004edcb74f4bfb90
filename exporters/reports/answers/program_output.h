/* SPDX-License-Identifier: Apache-2.0 */
/* The answer about a program of which no device was recorded: its ranges and calls, which took most time, how long and
 * how often. As text, Markdown, or JSON of the schema msprof.advice/1. */
#ifndef MSPROF_EXPORTERS_REPORTS_ANSWERS_PROGRAM_OUTPUT_H
#define MSPROF_EXPORTERS_REPORTS_ANSWERS_PROGRAM_OUTPUT_H

#include "exporters/load/load_ranges.h"
#include "exporters/reports/answers/advice_output.h"

/* ranges and calls: what took most time of each is told. width, ascii: as of grid_print. Write errors stay with the
 * stream. */
int program_print(const struct named_times *ranges, const struct named_times *calls, const char *capture,
                  enum advice_format format, int width, bool ascii, FILE *stream, struct err *err);

#endif
