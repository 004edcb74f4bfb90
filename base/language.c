/* SPDX-License-Identifier: Apache-2.0 */
#include "base/language.h"

#include <stdarg.h>
#include <stddef.h>

static struct {
    language_lookup *messages, *results;
} lookups;

void language_set(language_lookup *messages, language_lookup *results)
{
    lookups.messages = messages;
    lookups.results = results;
}

bool language_is_set(void)
{
    return lookups.messages != NULL;
}

static const char *look_up(language_lookup *lookup, const char *text)
{
    const char *found = lookup != NULL ? lookup(text) : NULL;

    return found != NULL ? found : text;
}

const char *language_said(const char *text)
{
    return look_up(lookups.messages, text);
}

const char *language_shown(const char *text)
{
    return look_up(lookups.results, text);
}

/* Of a pair a catalogue has one translation, at the first of the two: Chinese has one form. */
static const char *counted(language_lookup *lookup, const char *one, const char *many, uint64_t count)
{
    const char *found = lookup != NULL ? lookup(one) : NULL;

    if (found != NULL)
        return found;
    return count == 1 ? one : many;
}

const char *language_counted(const char *one, const char *many, uint64_t count)
{
    return counted(lookups.messages, one, many, count);
}

const char *language_counted_shown(const char *one, const char *many, uint64_t count)
{
    return counted(lookups.results, one, many, count);
}

int language_print(FILE *stream, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const int length = vfprintf(stream, language_shown(format), arguments);
    va_end(arguments);
    return length;
}
