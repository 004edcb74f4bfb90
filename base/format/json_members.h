/* SPDX-License-Identifier: Apache-2.0 */
/* The members of long JSON objects inside objects, one at a time: documents that would not fit into one parse. */
#ifndef MSPROF_BASE_FORMAT_JSON_MEMBERS_H
#define MSPROF_BASE_FORMAT_JSON_MEMBERS_H

#include "base/format/json_in.h"

#define JSON_MEMBER_LIMIT ((size_t)16 * 1024 * 1024) /* bytes of one value */
#define JSON_MEMBER_DEPTH 4

/* Calls member for every value that stands `depth` (1 to JSON_MEMBER_DEPTH) objects deep in a regular file, with the
 * keys that lead to it, outermost first: of {"a": {"b": 1}} at depth 2 the 1, with "a" and "b". Values that are not as
 * deep are passed over. Keys and value live until it returns 0, or a negative code that ends the reading. -ERR_FORMAT
 * when the file is no such document or does not end, -ERR_LIMIT for a value longer than JSON_MEMBER_LIMIT,
 * -ERR_INTERRUPTED. */
int json_read_members(const char *path, unsigned depth,
                      int (*member)(void *arg, const char *const *keys, const struct json *value, struct err *err),
                      void *arg, struct err *err);

#endif
