/* SPDX-License-Identifier: Apache-2.0 */
/* Rates that boards form each in its way: as a line of a layout file, and as a number. */
#ifndef MSPROF_PARSERS_DECODE_LAYOUT_RATE_H
#define MSPROF_PARSERS_DECODE_LAYOUT_RATE_H

#include "parsers/record.h"

struct text_line;

#define LAYOUT_MISS_RATE "icache_miss_rate" /* the first word of its line */

/* Parses the words behind the first: none | COLUMN [of COLUMN [plus COLUMN]] [scale N[/M]]; the columns are numbers of
 * the rated kind. -ERR_FORMAT with the line's err set. */
int layout_rate_parse(struct text_line *line, const struct record_kind *rated, struct layout_rate *ret);

/* The rate that holds for a layout of the kind: its own, or that of the kind's first built-in one. */
const struct layout_rate *layout_rate_of(const struct record_kind *kind, const struct layout *layout);

/* The words that layout_rate_parse reads, in buffer, which it returns. */
#define LAYOUT_RATE_SIZE 256
const char *layout_rate_text(const struct layout_rate *rate, char buffer[LAYOUT_RATE_SIZE]);

/* The rate in millionths, rounded half away from zero; 0 when it is divided by 0. value gives a column's number, less
 * than 0: not known. -1: not known, since a column is not. */
int64_t layout_rate_millionths(const struct layout_rate *rate, int64_t (*value)(const void *arg, const char *column),
                               const void *arg);

#endif
