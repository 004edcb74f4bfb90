/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a line, and suggestions of what was probably meant. */
#include "parsers/decode/layout_text.h"

#include "base/strbuf.h"
#include "base/suggest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LIST_MAX_LENGTH 400 /* of valid names in a message */

int text_mistake(struct text_line *line, const char *format, ...)
{
    char text[ERR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof(text), language_said(format), args);
    va_end(args);
    if (n < 0)
        text[0] = '\0';
    return err_set(line->err, ERR_FORMAT, "%s:%u: %s", line->name, line->number, text);
}

bool layout_word_is(const struct word *word, const char *text)
{
    return !word->quoted && word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* ---- names that were probably meant ---- */

int text_choose(struct text_line *line, const struct word *word, const char *const *names, size_t count,
                const char *what, const char *owner)
{
    struct nearest nearest = nearest_to(word->text, word->length);
    SCOPED(strbuf_release) struct strbuf list;
    strbuf_init(&list, LIST_MAX_LENGTH);
    for (size_t i = 0; i < count; i++) {
        if (names[i] == NULL)
            continue;
        if (layout_word_is(word, names[i]))
            return (int)i;
        nearest_add(&nearest, names[i]);
        if (!list.failed)
            (void)strbuf_addf(&list, "%s%s", list.length > 0 ? ", " : "", names[i]);
    }
    return text_mistake(line, "unknown %s '%.*s'%s%s%s; %s%s%s", what, SHOWN(word), NEAREST_TEXT(nearest), owner,
                        list.data, list.failed ? ", ..." : "");
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

int text_split(struct text_line *line, const char *text, size_t length)
{
    line->word_count = 0;
    if (memchr(text, '\0', length) != NULL)
        return text_mistake(line, "a NUL byte, expected text");
    for (size_t i = 0; i < length;) {
        if (is_blank(text[i])) {
            i++;
            continue;
        }
        if (text[i] == '#')
            break;
        if (line->word_count == LINE_MAX_WORDS)
            return text_mistake(line, "more than %d words in one line", LINE_MAX_WORDS);
        struct word *word = &line->words[line->word_count++];
        word->quoted = text[i] == '"';
        if (word->quoted) {
            word->text = text + ++i;
            const char *end = memchr(word->text, '"', length - i);
            if (end == NULL)
                return text_mistake(line, "a text without its closing '\"'");
            word->length = (size_t)(end - word->text);
            i += word->length + 1;
            if (i < length && !is_blank(text[i]) && text[i] != '#')
                return text_mistake(line, "something directly after the closing '\"', expected a blank");
            continue;
        }
        word->text = text + i;
        while (i < length && !is_blank(text[i]))
            i++;
        word->length = (size_t)(text + i - word->text);
    }
    return 0;
}

bool text_parse_unsigned(const char *text, size_t length, uint64_t *ret)
{
    unsigned base = 10;
    if (length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
        length -= 2;
    }
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        unsigned digit = 16;
        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (unsigned)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = (unsigned)(c - 'A') + 10;
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *ret = value;
    return length > 0;
}

const struct word *text_take_word(struct text_line *line, size_t *at, const char *expected)
{
    if (*at + 1 >= line->word_count) {
        text_mistake(line, "nothing after '%.*s', expected %s", SHOWN(&line->words[*at]), expected);
        return NULL;
    }
    *at += 2;
    return &line->words[*at - 1];
}

int text_take_number(struct text_line *line, size_t *at, uint64_t minimum, uint64_t maximum, uint64_t *ret)
{
    const struct word *attribute = &line->words[*at], *word = text_take_word(line, at, "a number");
    if (word == NULL)
        return -ERR_FORMAT;
    uint64_t value;
    if (word->quoted || !text_parse_unsigned(word->text, word->length, &value))
        return text_mistake(line, "%.*s '%.*s', expected a decimal or 0x-hexadecimal number", SHOWN(attribute),
                            SHOWN(word));
    if (value < minimum || value > maximum)
        return text_mistake(line, "%.*s %.*s, expected %" PRIu64 " to %" PRIu64, SHOWN(attribute), SHOWN(word), minimum,
                            maximum);
    *ret = value;
    return 0;
}

int text_take_scale(struct text_line *line, size_t *at, int64_t *ret_multiply, int64_t *ret_divide)
{
    const struct word *word = text_take_word(line, at, "N or N/M");
    if (word == NULL)
        return -ERR_FORMAT;
    const char *slash = memchr(word->text, '/', word->length);
    size_t first_length = slash != NULL ? (size_t)(slash - word->text) : word->length;
    uint64_t multiply, divide = 1;
    bool good = !word->quoted && text_parse_unsigned(word->text, first_length, &multiply);
    if (good && slash != NULL)
        good = text_parse_unsigned(slash + 1, word->length - first_length - 1, &divide);
    if (!good || multiply < 1 || multiply > INT64_MAX || divide < 1 || divide > INT64_MAX)
        return text_mistake(line, "scale '%.*s', expected N or N/M, whole numbers from 1", SHOWN(word));
    *ret_multiply = (int64_t)multiply;
    *ret_divide = (int64_t)divide;
    return 0;
}

int text_expect_words(struct text_line *line, size_t count, const char *form)
{
    if (line->word_count != count)
        return text_mistake(line, "'%.*s' with %zu words after it, expected: %s", SHOWN(&line->words[0]),
                            line->word_count - 1, form);
    return 0;
}

int text_take_only_number(struct text_line *line, const char *form, uint64_t minimum, uint64_t maximum, uint64_t *ret)
{
    size_t at = 0;
    int r = text_expect_words(line, 2, form);
    return r < 0 ? r : text_take_number(line, &at, minimum, maximum, ret);
}
