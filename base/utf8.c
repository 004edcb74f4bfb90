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
