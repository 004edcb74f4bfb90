/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a layout file as words, and mistakes reported with their line. For layout_file.c only. */
#ifndef MSPROF_PARSERS_DECODE_LAYOUT_TEXT_H
#define MSPROF_PARSERS_DECODE_LAYOUT_TEXT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE_MAX_WORDS 24 /* the longest line that makes sense has 13 */
#define LAYOUT_NAME_MAX 64
#define SHOWN_MAX 60 /* characters of the file's text in a message */

struct word {
    const char *text; /* not NUL-terminated */
    size_t length;
    bool quoted;
};

struct text_line {
    const char *name; /* of the file */
    unsigned number;  /* from 1 */
    struct word words[LINE_MAX_WORDS];
    size_t word_count;
    struct err *err;
};

/* Sets err to "name:line: ..."; returns -ERR_FORMAT. */
int text_mistake(struct text_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For printf's "%.*s": a word, cut to what a message can bear. */
#define SHOWN(word) (int)((word)->length < SHOWN_MAX ? (word)->length : SHOWN_MAX), (word)->text

/* True when the word is exactly this text, without quotes. */
bool layout_word_is(const struct word *word, const char *text);

/* Splits one line, without its end, at blanks; '#' outside quotes ends it. 0 or -ERR_FORMAT. */
int text_split(struct text_line *line, const char *text, size_t length);

/* Decimal or 0x-hexadecimal digits over the whole length; false on anything else or overflow. */
bool text_parse_unsigned(const char *text, size_t length, uint64_t *ret);

/* The word after the attribute at *at, which moves behind it; NULL with err set when the line ends there. */
const struct word *text_take_word(struct text_line *line, size_t *at, const char *expected);
/* Takes likewise a number between two limits. 0 or -ERR_FORMAT. */
int text_take_number(struct text_line *line, size_t *at, uint64_t minimum, uint64_t maximum, uint64_t *ret);

/* Likewise N or N/M, whole numbers from 1. */
int text_take_scale(struct text_line *line, size_t *at, int64_t *ret_multiply, int64_t *ret_divide);

/* That the line has so many words; form is what was expected. 0 or -ERR_FORMAT. */
int text_expect_words(struct text_line *line, size_t count, const char *form);
/* The number of a line that has nothing else. */
int text_take_only_number(struct text_line *line, const char *form, uint64_t minimum, uint64_t maximum, uint64_t *ret);

/* Index of the word among the names, of which those that are NULL do not count; else a negative error: "unknown <what>
 * 'x' (did you mean 'y'?); <owner>a, b, c". */
int text_choose(struct text_line *line, const struct word *word, const char *const *names, size_t count,
                const char *what, const char *owner);

#endif
