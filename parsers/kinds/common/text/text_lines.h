/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of text whose lines a table of patterns describes: rows of numbers, and blocks of lines as of /proc. */
#ifndef MSPROF_PARSERS_KINDS_COMMON_TEXT_TEXT_LINES_H
#define MSPROF_PARSERS_KINDS_COMMON_TEXT_TEXT_LINES_H

#include "parsers/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Lines of text against patterns (see struct line_format). */

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

/* Whether a text begins with the pattern; then *row has its values. *ret_length is how much of the text that is, with
 * the blanks behind it. A TOKEN_TEXT never holds what stands in the pattern, which a line that lost its end would
 * bring. */
bool line_pattern_take(const struct line_pattern *pattern, const char *text, size_t length, struct row *row,
                       size_t *ret_length);

/* For kinds with lines; their sampling is filled too. A line that goes on in the next slice is one; one of no pattern
 * is reported, as is the last when it does not end. */
extern const struct kind_hooks text_lines_hooks;
#define LINES_OF(formats) .hooks = &text_lines_hooks, .lines = (formats)
#define LINES(...) LINES_OF(LISTED(line_format, __VA_ARGS__))

/* Whether the patterns are sound: columns that exist. For a test. */
bool text_lines_check(const struct record_kind *kind);

#endif
