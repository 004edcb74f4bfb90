/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison as text: a table of the terminal, CSV, Markdown, or JSON of the schema msprof.diff/1. */
#ifndef MSPROF_EXPORTERS_REPORTS_ANSWERS_DIFF_OUTPUT_H
#define MSPROF_EXPORTERS_REPORTS_ANSWERS_DIFF_OUTPUT_H

#include "analysis/compare/compare.h"

#include <stdio.h>

/* DIFF_HTML is for pages (exporters/html) and not printed here. */
enum diff_format { DIFF_TABLE, DIFF_JSON, DIFF_CSV, DIFF_MARKDOWN, DIFF_HTML };

struct diff_output {
    const struct comparison *comparison;
    const struct side *base, *new_side;
    size_t top; /* rows at most, the others are added up in one; 0: all */
    int width;  /* of the terminal; 0: nothing is cut */
    bool ascii;
};

/* Write errors stay with the stream. */
int diff_print(const struct diff_output *output, enum diff_format format, FILE *stream, struct err *err);

#endif
