/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/manual/mdoc.h"

#include <string.h>

static void put_part(FILE *stream, const char *text, size_t length)
{
    if (length > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", stream);
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '\\':
            fputs("\\e", stream);
            break;
        case '"':
            fputs("\\(dq", stream);
            break;
        case '\n':
            fputc(' ', stream);
            break;
        default:
            fputc(text[i], stream);
        }
}

void mdoc_put_text(FILE *stream, const char *text)
{
    put_part(stream, text, strlen(text));
}

void mdoc_put_sentences(FILE *stream, const char *text)
{
    while (*text != '\0') {
        const char *end = strstr(text, ". ");
        size_t length = end != NULL ? (size_t)(end - text) + 1 : strlen(text);

        put_part(stream, text, length);
        fputc('\n', stream);
        text += length;
        text += strspn(text, " ");
    }
}
