/* SPDX-License-Identifier: Apache-2.0 */
/* Texts in the language of the user. Every text of the program is English in the sources, and English is what the
 * libraries say: only who sets a lookup hears another language. The program does (cli/language.c), of po/.
 *
 *     err_set(err, ERR_FORMAT, "'%s' has %d columns", ...)          looked up by err_set, as by every function that
 *                                                                   takes a message
 *     fputs(language_shown("\nOptions:\n"), stream)                 what is printed as a result
 *     .title = LANGUAGE_MARK("Step time")                           for po/msprof.pot; looked up where it is printed
 *
 * po/README.md says which texts are found without a mark. */
#ifndef MSPROF_BASE_LANGUAGE_H
#define MSPROF_BASE_LANGUAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The translation of an English text, or NULL where there is none; it lives until the program ends. */
typedef const char *language_lookup(const char *text);

/* Whose language it is. messages: what is said on the way; results: what is printed as an answer for people. NULL:
 * English. Before other threads are started. */
void language_set(language_lookup *messages, language_lookup *results);

/* Whether messages are in another language than English. */
bool language_is_set(void);

/* A message, and a text of a result, in the user's language: text itself where there is no translation. */
const char *language_said(const char *text) __attribute__((format_arg(1)));
const char *language_shown(const char *text) __attribute__((format_arg(1)));

/* One of two messages, by what English has for the count; a language may need one alone. */
const char *language_counted(const char *one, const char *many, uint64_t count)
    __attribute__((format_arg(1), format_arg(2)));
const char *language_counted_shown(const char *one, const char *many, uint64_t count)
    __attribute__((format_arg(1), format_arg(2)));

/* fprintf in the language of results: a text for people, or what stands around their data. */
int language_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Marks a text of a table for translation. */
#define LANGUAGE_MARK(text) text

#endif
