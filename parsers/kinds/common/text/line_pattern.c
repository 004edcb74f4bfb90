/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/kinds/common/text/line_pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COLUMN_NAME_MAX 48

/* ---- patterns ---- */

static bool take_placeholder(struct line_token *token, const struct record_kind *kind, const char *text, size_t length)
{
    char name[COLUMN_NAME_MAX];
    const char *colon = memchr(text, ':', length);
    size_t name_length = colon != NULL ? (size_t)(colon - text) : length;
    if (*text == '*' || *text == '#') {
        token->type = *text == '#' ? TOKEN_NUMBERS : length > 1 ? TOKEN_WORDS : TOKEN_SKIP;
        token->count = length > 1 ? (unsigned)strtoul(text + 1, NULL, 10) : 0;
        return true;
    }
    if (*text == '~') {
        token->type = TOKEN_LETTERS;
        return true;
    }
    if (name_length >= sizeof name)
        return false;
    memcpy(name, text, name_length);
    name[name_length] = '\0';
    token->column = record_kind_column(kind, name);
    if (token->column < 0)
        return false;
    token->type = kind->columns[token->column].type == COLUMN_TEXT ? TOKEN_TEXT : TOKEN_INTEGER;
    if (colon != NULL && colon[1] == 'x')
        token->type = TOKEN_HEX;
    else if (colon != NULL)
        token->count = (unsigned)strtoul(colon + 1, NULL, 10);
    return true;
}

bool line_pattern_init(struct line_pattern *pattern, const struct record_kind *kind, const char *text)
{
    *pattern = (struct line_pattern){.count = 0};
    while (*text != '\0') {
        if (pattern->count == LINE_PATTERN_MAX)
            return false;
        struct line_token *token = &pattern->tokens[pattern->count++];
        *token = (struct line_token){TOKEN_LITERAL, text, strcspn(text, "{ "), -1, 0};
        const char *end = *text == '{' ? strchr(text, '}') : NULL;
        if (end != NULL) {
            token->length = (size_t)(end - text) + 1;
            if (!take_placeholder(token, kind, text + 1, token->length - 2))
                return false;
        } else if (*text == ' ') {
            token->type = TOKEN_BLANKS;
            token->length = strspn(text, " ");
        }
        text += token->length;
    }
    return true;
}

/* ---- lines ---- */

struct cursor { /* of the line, not yet matched */
    const char *start, *at, *end;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static void skip_blanks(struct cursor *cursor)
{
    while (cursor->at < cursor->end && is_blank(*cursor->at))
        cursor->at++;
}

/* Between two letters or digits: what blanks divide cannot be one word. */
static bool is_in_word(const struct cursor *cursor)
{
    return cursor->at > cursor->start && cursor->at < cursor->end && isalnum((unsigned char)cursor->at[-1]) &&
           isalnum((unsigned char)*cursor->at);
}

/* Digits, and so many decimals behind a point; further decimals are dropped. */
static bool take_number(struct cursor *cursor, unsigned decimals, int64_t *ret)
{
    int64_t value = 0;
    unsigned seen = 0;
    const char *first = cursor->at;
    bool point = false;
    for (; cursor->at < cursor->end; cursor->at++) {
        char c = *cursor->at;
        if (c == '.' && decimals > 0 && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        if (point && seen++ >= decimals)
            continue;
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
            return false;
    }
    for (; seen < decimals; seen++) {
        if (__builtin_mul_overflow(value, 10, &value))
            return false;
    }
    *ret = value;
    return cursor->at > first && isdigit((unsigned char)*first);
}

static bool take_hex(struct cursor *cursor, int64_t *ret)
{
    uint64_t value = 0;
    const char *first = cursor->at;
    for (; cursor->at < cursor->end && isxdigit((unsigned char)*cursor->at); cursor->at++) {
        int c = tolower((unsigned char)*cursor->at);
        if (value >> 59 != 0)
            return false;
        value = value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *ret = (int64_t)value;
    return cursor->at > first;
}

#define TELLING_BYTES 3 /* of a literal that no text in its line has */

/* Whether the text holds a part of the pattern: then it is that of two lines or entries with damage between them. */
static bool holds_literal(const struct line_pattern *pattern, const char *text, size_t length)
{
    for (size_t i = 0; i < pattern->count; i++) {
        const struct line_token *token = &pattern->tokens[i];
        if (token->type == TOKEN_LITERAL && token->length >= TELLING_BYTES &&
            memmem(text, length, token->text, token->length) != NULL)
            return true;
    }
    return false;
}

/* All up to what follows the token in the pattern, or to the end of the line. */
static bool take_text(struct cursor *cursor, const struct line_pattern *pattern, size_t index, const char **ret,
                      size_t *ret_length)
{
    const struct line_token *next = index + 1 < pattern->count ? &pattern->tokens[index + 1] : NULL;
    const char *end = cursor->end;
    *ret = cursor->at;
    if (next != NULL && next->type == TOKEN_LITERAL) {
        end = memmem(cursor->at, (size_t)(cursor->end - cursor->at), next->text, next->length);
    } else if (next != NULL) {
        end = cursor->at;
        while (end < cursor->end && !is_blank(*end))
            end++;
    }
    if (end == NULL || holds_literal(pattern, cursor->at, (size_t)(end - cursor->at)))
        return false;
    *ret_length = (size_t)(end - cursor->at);
    cursor->at = end;
    return true;
}

static bool take_words(struct cursor *cursor, unsigned count)
{
    for (; count > 0; count--) {
        skip_blanks(cursor);
        if (cursor->at == cursor->end)
            return false;
        while (cursor->at < cursor->end && !is_blank(*cursor->at))
            cursor->at++;
    }
    return true;
}

static bool is_of_numbers(const char *at, const char *end)
{
    while (at < end && (isdigit((unsigned char)*at) || memchr(" \t.-", *at, 4) != NULL))
        at++;
    return at == end;
}

/* So many words that are numbers, or (count 0) all that is left. */
static bool take_numbers(struct cursor *cursor, unsigned count)
{
    const char *first = cursor->at;
    if (count == 0)
        cursor->at = cursor->end;
    else if (!take_words(cursor, count))
        return false;
    return is_of_numbers(first, cursor->at);
}

/* All that is left of the line, which has no digit. */
static bool take_letters(struct cursor *cursor)
{
    while (cursor->at < cursor->end && !isdigit((unsigned char)*cursor->at))
        cursor->at++;
    return cursor->at == cursor->end;
}

/* Whether a number ends here: "12x" is none, unless the pattern says that an x follows. */
static bool ends_number(const struct cursor *cursor, const struct line_pattern *pattern, size_t index)
{
    const struct line_token *next = index + 1 < pattern->count ? &pattern->tokens[index + 1] : NULL;
    if (cursor->at == cursor->end || (next != NULL && next->type == TOKEN_LITERAL && *next->text == *cursor->at))
        return true;
    return !isalnum((unsigned char)*cursor->at) && *cursor->at != '_' && *cursor->at != '.';
}

static bool take_value(struct cursor *cursor, const struct line_pattern *pattern, size_t index, struct row *row)
{
    const struct line_token *token = &pattern->tokens[index];
    struct cell cell = {.length = 0};
    const char *text = NULL;
    size_t length = 0;
    bool taken = token->type == TOKEN_HEX       ? take_hex(cursor, &cell.integer)
                 : token->type == TOKEN_INTEGER ? take_number(cursor, token->count, &cell.integer)
                                                : take_text(cursor, pattern, index, &text, &length);
    if (!taken || (token->type != TOKEN_TEXT && !ends_number(cursor, pattern, index)))
        return false;
    if (token->type == TOKEN_TEXT) {
        if (length == 0)
            return false;
        cell.text = text;
        cell.length = (uint32_t)length;
    }
    if ((*row->present >> token->column & 1) == 0)
        row->cells[token->column] = cell;
    *row->present |= UINT64_C(1) << token->column;
    return true;
}

static bool take_token(struct cursor *cursor, const struct line_pattern *pattern, size_t index, struct row *row)
{
    const struct line_token *token = &pattern->tokens[index];
    const char *ignored;
    size_t length;
    switch (token->type) {
    case TOKEN_LITERAL:
        if ((size_t)(cursor->end - cursor->at) < token->length || memcmp(cursor->at, token->text, token->length) != 0)
            return false;
        cursor->at += token->length;
        return true;
    case TOKEN_BLANKS:
        skip_blanks(cursor);
        return !is_in_word(cursor);
    case TOKEN_SKIP:
        return take_text(cursor, pattern, index, &ignored, &length);
    case TOKEN_WORDS:
        return take_words(cursor, token->count);
    case TOKEN_NUMBERS:
        return take_numbers(cursor, token->count);
    case TOKEN_LETTERS:
        return take_letters(cursor);
    case TOKEN_INTEGER:
    case TOKEN_HEX:
    case TOKEN_TEXT:
        break;
    }
    return take_value(cursor, pattern, index, row);
}

/* Takes the pattern from the front of the text. */
static bool take_pattern(const struct line_pattern *pattern, struct cursor *cursor, struct row *row, size_t *ret_tail)
{
    const uint64_t before = *row->present;
    for (size_t i = 0; i < pattern->count; i++) {
        *ret_tail = (size_t)(cursor->at - cursor->start);
        if (!take_token(cursor, pattern, i, row)) {
            *row->present = before;
            return false;
        }
    }
    skip_blanks(cursor);
    return true;
}

bool line_pattern_take(const struct line_pattern *pattern, const char *text, size_t length, struct row *row,
                       size_t *ret_length)
{
    struct cursor cursor = {text, text, text + length};
    size_t tail;
    bool taken = take_pattern(pattern, &cursor, row, &tail);
    *ret_length = (size_t)(cursor.at - text);
    return taken;
}

bool line_pattern_match(const struct line_pattern *pattern, const char *line, size_t length, struct row *row,
                        size_t *ret_tail)
{
    struct cursor cursor = {line, line, line + length};
    const uint64_t before = *row->present;
    if (take_pattern(pattern, &cursor, row, ret_tail) && cursor.at == cursor.end)
        return true;
    *row->present = before;
    return false;
}

bool line_pattern_is_open(const struct line_pattern *pattern)
{
    const struct line_token *last = &pattern->tokens[pattern->count - 1];
    return last->type == TOKEN_SKIP || last->type == TOKEN_TEXT;
}

bool line_pattern_occurs(const struct line_pattern *pattern, const char *text, size_t length, struct row *scratch)
{
    size_t ignored;
    for (size_t i = 0; i < length; i++) {
        if (line_pattern_take(pattern, text + i, length - i, scratch, &ignored))
            return true;
    }
    return false;
}
