/* UTF-8 validation, one character at a time. */
#ifndef MSPROF_BASE_UTF8_H
#define MSPROF_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

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
    /* The second byte alone tells overlong forms, surrogates and values that are too great. */
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

#endif
