/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of text against patterns (see struct line_format). */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TEXT_LINE_PATTERN_H
#define MSPROF_PARSERS_KINDS_COMMON_TEXT_LINE_PATTERN_H

#include "parsers/record.h"

#include <stdbool.h>
#include <stddef.h>

/* A pattern taken apart. Plain memory, no release. */
#define LINE_PATTERN_MAX 64
struct line_pattern {
    size_t count;
    struct line_token {
        enum {
            TOKEN_LITERAL,
            TOKEN_BLANKS,
            TOKEN_SKIP,
            TOKEN_WORDS,
            TOKEN_NUMBERS,
            TOKEN_LETTERS,
            TOKEN_INTEGER,
            TOKEN_HEX,
            TOKEN_TEXT
        } type;
        const char *text; /* of a literal */
        size_t length;
        int column;     /* of a value */
        unsigned count; /* decimals of a number; words or numbers (0: all to the end of the line) */
    } tokens[LINE_PATTERN_MAX];
};

/* False: the pattern is none for this kind (a column that it lacks, too many parts). */
bool line_pattern_init(struct line_pattern *pattern, const struct record_kind *kind, const char *text);

/* Whether the line is of this pattern; then *row has its values, and *ret_tail is where its last part begins. Values of
 * columns that it has already are passed over. Texts point into the line. */
bool line_pattern_match(const struct line_pattern *pattern, const char *line, size_t length, struct row *row,
                        size_t *ret_tail);

/* The same of the beginning of a text; *ret_length is how much of it that is, with the blanks behind it. A text never
 * holds what stands in the pattern, which a line that lost its end would bring. */
bool line_pattern_take(const struct line_pattern *pattern, const char *text, size_t length, struct row *row,
                       size_t *ret_length);

/* Whether the last part of the pattern takes any text to the end of the line. */
bool line_pattern_is_open(const struct line_pattern *pattern);
/* Whether a line of this pattern begins somewhere in the text. */
bool line_pattern_occurs(const struct line_pattern *pattern, const char *text, size_t length, struct row *scratch);

#endif
