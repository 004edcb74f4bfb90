/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of msprof options: as a text for people, or as JSON of the schema msprof.options/1. */
#ifndef MSPROF_EXPORTERS_REPORTS_ANSWERS_OPTIONS_OUTPUT_H
#define MSPROF_EXPORTERS_REPORTS_ANSWERS_OPTIONS_OUTPUT_H

#include "exporters/reports/answers/outcome.h"

#include <stdio.h>

enum options_format { OPTIONS_TABLE, OPTIONS_JSON };

/* Write errors stay with the stream. */
void options_print(const struct switch_finding *finding, const struct outcome *outcome, const char *file,
                   enum options_format format, FILE *stream);

#endif
