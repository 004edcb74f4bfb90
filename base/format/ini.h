/* SPDX-License-Identifier: Apache-2.0 */
/* Reading small ini files that may hold secrets. Lines are "[section]", "key = value" or "key: value", and comments,
 * which start with ';' or '#' at the beginning of a line: a value may hold both. Blanks around names and values do not
 * count; quotes are nothing special. Sections are compared exactly, keys without regard to case (ASCII). */
#ifndef MSPROF_BASE_FORMAT_INI_H
#define MSPROF_BASE_FORMAT_INI_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define INI_FILE_LIMIT ((size_t)1024 * 1024) /* bytes */

struct ini_entry {
    char *section;
    char *key; /* NULL: the line that opens the section */
    char *value;
    size_t line; /* from 1 */
};

/* All zero: empty. */
struct ini {
    struct ini_entry *entries; /* in the order of the file */
    size_t count, capacity;
};

/* Reads a text; what the messages call it is name. -ERR_FORMAT reports the line of a mistake (a line that is none of
 * the three, a key outside a section, the same section or key twice, a NUL byte) and never its content. On failure ini
 * is empty. */
int ini_parse(struct ini *ini, const char *text, size_t length, const char *name, struct err *err);

/* Reads a regular file of at most INI_FILE_LIMIT bytes; no copy of it stays in memory but the entries. */
int ini_load(struct ini *ini, const char *path, struct err *err);

/* Overwrites every value with zeros and frees all. Harmless when empty. */
void ini_release(struct ini *ini);

/* Overwrites the values of a key in all sections; they read as empty then. */
void ini_forget_values(struct ini *ini, const char *key);

bool ini_has_section(const struct ini *ini, const char *section);
/* The entry, or NULL. */
const struct ini_entry *ini_find(const struct ini *ini, const char *section, const char *key);

#endif
