/* Reading small JSON files. The only place that knows cJSON, whose numbers are doubles: integers over 2^53 are refused. */
#ifndef MSPROF_BASE_JSON_IN_H
#define MSPROF_BASE_JSON_IN_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json; /* a value inside a parsed document; owned by the document's root */

/* Parses one document (nothing but blanks may follow it). NULL with err set (line and column of the mistake). */
struct json *json_parse(const char *text, size_t length, struct err *err);
void json_free(struct json *root);

bool json_is_object(const struct json *value);
bool json_is_array(const struct json *value);
/* A member (exact spelling) or an element; NULL when absent or when value is of another type or NULL. */
const struct json *json_member(const struct json *value, const char *name);
const struct json *json_element(const struct json *array, size_t index); /* walks the list: use json_next in loops */
const struct json *json_first(const struct json *array_or_object);
const struct json *json_next(const struct json *value);

/* The string, or NULL when value is no string. */
const char *json_string(const struct json *value);
/* True and *ret set when value is a whole number within +-2^53, or a string that spells one. */
bool json_integer(const struct json *value, int64_t *ret);

#endif
