/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <stdlib.h>

char *utf8_copy_safe(const char *text, size_t length, size_t *ret_length)
{
    char *copy = malloc(length * UTF8_SAFE_EXPANSION + 1);
    *ret_length = copy != NULL ? utf8_make_safe(text, length, copy) : 0;
    if (copy != NULL)
        copy[*ret_length] = '\0';
    return copy;
}

void utf8_mask(char *text)
{
    size_t left = strlen(text);
    char *to = text;
    const char *from = text;
    while (left > 0) {
        size_t length = utf8_character(from, left);
        if (length == 0 || *from == '\t' || *from == '\n' || utf8_is_control(from, length)) {
            *to++ = '?';
            length = length == 0 ? 1 : length;
        } else {
            memmove(to, from, length);
            to += length;
        }
        from += length;
        left -= length;
    }
    *to = '\0';
}

bool utf8_is_ideograph(const char *text)
{
    const unsigned char lead = (unsigned char)text[0], next = (unsigned char)(lead != 0 ? text[1] : 0);

    if (lead == 0xef) /* up to U+FF60: the katakana behind it are of half the width */
        return next == 0xbc || (next == 0xbd && (unsigned char)text[2] <= 0xa0);
    return lead >= 0xe3 && lead <= 0xe9;
}

static bool is_one_of(const char *text, const char *const *marks)
{
    while (*marks != NULL && strncmp(text, *marks, strlen(*marks)) != 0)
        marks++;
    return *marks != NULL;
}

bool utf8_may_break(const char *text, size_t at)
{
    static const char *const closing[] = {"\u3002", "\uff0c", "\u3001", "\uff1b", "\uff1a", "\uff09", "\uff01",
                                          "\uff1f", "\u300b", "\u300d", "\u201d", "\u2019", NULL};
    static const char *const opening[] = {"\uff08", "\u300a", "\u300c", "\u201c", "\u2018", NULL};
    size_t before = at;

    if (((unsigned char)text[at] & 0xc0) == 0x80)
        return false;
    do
        before--;
    while (before > 0 && ((unsigned char)text[before] & 0xc0) == 0x80);
    return (utf8_is_ideograph(text + at) || utf8_is_ideograph(text + before)) && !is_one_of(text + at, closing) &&
           !is_one_of(text + before, opening);
}
