/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of text whose lines a table of patterns describes: rows of numbers, and blocks of lines as of /proc. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TEXT_TEXT_LINES_H
#define MSPROF_PARSERS_KINDS_COMMON_TEXT_TEXT_LINES_H

#include "parsers/record.h"

/* For kinds with lines; their sampling is filled too. A line that goes on in the next slice is one; one of no pattern
 * is reported, as is the last when it does not end. */
extern const struct kind_hooks text_lines_hooks;

/* Whether the patterns are sound: columns that exist. For a test. */
bool text_lines_check(const struct record_kind *kind);

#endif
