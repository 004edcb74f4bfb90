/* SPDX-License-Identifier: Apache-2.0 */
/* A line of words, as people type them for a shell, without any of a shell's powers. */
#ifndef MSPROF_BASE_WORDS_H
#define MSPROF_BASE_WORDS_H

#include "base/err.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* All zero: empty. */
struct words {
    char **items; /* ended by NULL; NULL itself when there are none */
    size_t count, capacity;
};

/* Appends the words of text: blanks separate them, '...' is taken as it stands, in "..." a backslash keeps the meaning
 * from '"' and itself, elsewhere from any byte. Nothing is expanded. -ERR_USAGE reports a quote without its end. On
 * failure words is as it was. */
int words_split(struct words *words, const char *text, struct err *err);

/* Appends a copy of one word. */
int words_add(struct words *words, const char *word, struct err *err);
/* Takes the first word out; the caller frees it. NULL when there is none. */
char *words_take_first(struct words *words);
void words_release(struct words *words);

/* Appends words so that words_split, and a shell, would read them back, a blank in front of each. */
void words_show(const struct words *words, struct strbuf *text);

/* A function that names the values of an enum, which count from 0: ENUM_NAMES(side_name, enum side, "left", "right").
 */
#define ENUM_NAMES(function, type, ...)                                                                                \
    const char *function(type value)                                                                                   \
    {                                                                                                                  \
        static const char *const names[] = {__VA_ARGS__};                                                              \
        return names[value];                                                                                           \
    }

/* Whether a word is one of those in a list divided by commas. */
bool words_list_has(const char *list, const char *word, size_t length);

/* Whether a text ends in another, and has more in front of it. */
bool words_end_in(const char *text, const char *end);

#endif
