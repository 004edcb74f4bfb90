/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: validation, one character at a time, and texts made safe for people. */
#ifndef MSPROF_BASE_UTF8_H
#define MSPROF_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool utf8_is_continuation(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* The length in bytes (1..4) of the well-formed character that starts at text; 0 when the bytes there are none
 * (overlong forms, surrogates, values over U+10FFFF, a character cut off by length). length counts the bytes that may
 * be read. */
static inline size_t utf8_character(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    if (length == 0)
        return 0;
    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xC2 || length < 2)
        return 0;
    if (p[0] < 0xE0)
        return utf8_is_continuation(p[1]) ? 2 : 0;
    /* The second byte reveals overlong forms, surrogates and values that are too great. */
    unsigned char lowest = 0x80;
    unsigned char highest = 0xBF;
    if (p[0] == 0xE0)
        lowest = 0xA0;
    else if (p[0] == 0xED)
        highest = 0x9F;
    else if (p[0] == 0xF0)
        lowest = 0x90;
    else if (p[0] == 0xF4)
        highest = 0x8F;
    if (p[1] < lowest || p[1] > highest || length < 3 || !utf8_is_continuation(p[2]))
        return 0;
    if (p[0] < 0xF0)
        return 3;
    return p[0] <= 0xF4 && length >= 4 && utf8_is_continuation(p[3]) ? 4 : 0;
}

/* The largest length <= limit at which text can be cut without splitting a character; bytes that are no UTF-8 at all
 * are cut anywhere. */
static inline size_t utf8_cut(const char *text, size_t limit)
{
    size_t start = limit;
    while (start > 0 && limit - start < 4) {
        start--;
        if (utf8_is_continuation((unsigned char)text[start]))
            continue;
        size_t seen = limit - start;
        unsigned char lead = (unsigned char)text[start];
        size_t wanted = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
        return wanted > seen ? start : limit;
    }
    return limit;
}

/* Whether a character of three bytes turns the direction of what follows, so that a name shows as another one: U+202A
 * to U+202E, U+2066 to U+2069. */
static inline bool utf8_turns(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    return p[0] == 0xE2 &&
           ((p[1] == 0x80 && p[2] >= 0xAA && p[2] <= 0xAE) || (p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9));
}

/* Whether a character (1 to 4 bytes, as utf8_character gives it) drives a terminal or ends a text: C0 but for tabulator
 * and line feed, DEL, C1, and what turns the direction of writing. */
static inline bool utf8_is_control(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    if (length == 1)
        return (*p < 0x20 && *p != '\t' && *p != '\n') || *p == 0x7F;
    return (length == 2 && p[0] == 0xC2 && p[1] < 0xA0) || (length == 3 && utf8_turns(text));
}

/* Whether eight bytes are printable characters of ASCII: one above 0x7E gets the highest bit when 1 is added, one below
 * 0x20 when that is taken away. */
static inline bool utf8_eight_printable(const char *text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return (((word + ones) | (word - 0x20 * ones) | word) & 0x80 * ones) == 0;
}

/* Where the first byte is that is no UTF-8 or a control character; length: nowhere. */
static inline size_t utf8_first_unsafe(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length) {
        if (length - at >= 8 && utf8_eight_printable(text + at)) {
            at += 8;
            continue;
        }
        unsigned char c = (unsigned char)text[at];
        size_t size = c >= 0x20 && c < 0x7F ? 1 : utf8_character(text + at, length - at);
        if (size == 0 || (c < 0x20 && utf8_is_control(text + at, size)) ||
            (c >= 0x7F && utf8_is_control(text + at, size)))
            break;
        at += size;
    }
    return at;
}

#define UTF8_REPLACEMENT "\xEF\xBF\xBD"

#define UTF8_SAFE_EXPANSION 3

/* Writes the text with the replacement character U+FFFD for every unsafe byte or character at out, which has room for
 * UTF8_SAFE_EXPANSION times the length; returns how many bytes that are. */
static inline size_t utf8_make_safe(const char *text, size_t length, char *out)
{
    size_t used = 0;
    while (length > 0) {
        size_t safe = utf8_first_unsafe(text, length);
        memcpy(out + used, text, safe);
        used += safe;
        text += safe;
        length -= safe;
        if (length == 0)
            break;
        size_t size = utf8_character(text, length);
        size = size > 0 ? size : 1;
        memcpy(out + used, UTF8_REPLACEMENT, 3);
        used += 3;
        text += size;
        length -= size;
    }
    return used;
}

/* The gate of all texts that enter, of files and from the network: a copy with the replacement character U+FFFD for
 * each unsafe byte or character, ended by NUL; its length is *ret_length. NULL: memory ran out. The caller frees it. */
char *utf8_copy_safe(const char *text, size_t length, size_t *ret_length);

/* Whether a character, whole at text, is of U+3000 to U+9FFF or a full-width form: texts of these have no blanks, and
 * each takes two columns of a terminal. */
bool utf8_is_ideograph(const char *text);

/* Whether a line of a text may be broken in front of its byte at > 0 though no blank is there: beside an ideograph, but
 * not in front of what ends a sentence or behind what opens a bracket. */
bool utf8_may_break(const char *text, size_t at);

/* The gate of all lines that leave for people: unsafe bytes, tabulators and line feeds become '?', in place. */
void utf8_mask(char *text);

#endif
