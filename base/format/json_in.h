/* SPDX-License-Identifier: Apache-2.0 */
/* Reading small JSON files. The only place that knows cJSON, whose numbers are doubles: integers from +-2^53 on, where
 * doubles begin to skip some, are refused. Any number of threads may parse. */
#ifndef MSPROF_BASE_FORMAT_JSON_IN_H
#define MSPROF_BASE_FORMAT_JSON_IN_H

#include "base/err.h"
#include "base/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json; /* a value inside a parsed document; owned by the document's root */

/* Bytes of memory that one parsed document may take, malloc()'s own among them: a million numbers, or 600,000 members
 * whose values are short texts. */
#define JSON_MEMORY_LIMIT ((size_t)96 * 1024 * 1024)

/* Parses one document (nothing but blanks may follow it); text needs no final NUL. NULL with err set: -ERR_FORMAT
 * reports line and column of the mistake (characters, from 1; values nested over 1000 deep are one), -ERR_LIMIT that
 * the document is beyond JSON_MEMORY_LIMIT, -ERR_NO_MEMORY. The caller json_free()s the root. */
struct json *json_parse(const char *text, size_t length, struct err *err);
/* Parses for code that runs in other people's programs at any moment: it takes no lock, and there is no
 * JSON_MEMORY_LIMIT (limit the length). */
struct json *json_parse_plainly(const char *text, size_t length, struct err *err);
void json_free(struct json *root);

bool json_is_object(const struct json *value);
bool json_is_array(const struct json *value);
/* A member (exact spelling; the first of several) or an element; NULL when absent or when value is of another type or
 * NULL. */
const struct json *json_member(const struct json *value, const char *name);
const struct json *json_element(const struct json *array, size_t index); /* walks the list: use json_next in loops */
const struct json *json_first(const struct json *array_or_object);
const struct json *json_next(const struct json *value);

/* The name under which a member of an object stands there; NULL for other values. */
const char *json_key(const struct json *member);
/* The string, or NULL when value is no string. */
const char *json_string(const struct json *value);
/* True and *ret set when value is true or false. */
bool json_boolean(const struct json *value, bool *ret);
/* True and *ret set when value is a number. */
bool json_number(const struct json *value, double *ret);
/* True and *ret set when value is a whole number between -2^53 and 2^53, both excluded, or a string of decimal digits,
 * with or without a minus, that spells any int64_t above INT64_MIN. */
bool json_integer(const struct json *value, int64_t *ret);

/* Version of the library below. */
struct library_version json_library(void);

#define SCOPED_JSON SCOPED(json_scope_end)
static inline void json_scope_end(struct json *const *root)
{
    json_free(*root);
}

#endif
