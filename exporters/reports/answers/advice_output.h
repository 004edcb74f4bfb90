/* SPDX-License-Identifier: Apache-2.0 */
/* Advice as text: findings of the terminal, Markdown, or JSON of the schema msprof.advice/1. */
#ifndef MSPROF_EXPORTERS_REPORTS_ANSWERS_ADVICE_OUTPUT_H
#define MSPROF_EXPORTERS_REPORTS_ANSWERS_ADVICE_OUTPUT_H

#include "analysis/advice.h"

#include <stdio.h>

enum advice_format { ADVICE_TABLE, ADVICE_JSON, ADVICE_MARKDOWN };

/* Write errors stay with the stream. */
void advice_print(const struct advice *advice, const char *capture, enum advice_format format, FILE *stream);
/* What rules there are. */
void advice_print_rules(enum advice_format format, FILE *stream);

#endif
