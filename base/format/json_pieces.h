/* SPDX-License-Identifier: Apache-2.0 */
/* The members of long JSON objects inside objects, one at a time: documents that would not fit into one parse. */
#ifndef MSPROF_BASE_FORMAT_JSON_PIECES_H
#define MSPROF_BASE_FORMAT_JSON_PIECES_H

#include "base/format/json_in.h"

#include <stdint.h>

/* Calls member for every value that stands `depth` (1 to JSON_MEMBER_DEPTH) objects deep in a regular file, with the
 * keys that lead to it, outermost first: of {"a": {"b": 1}} at depth 2 the 1, with "a" and "b". Values that are not as
 * deep are passed over. Keys and value live until it returns 0, or a negative code that ends the reading. -ERR_FORMAT
 * when the file is no such document or does not end, -ERR_LIMIT for a value longer than JSON_MEMBER_LIMIT,
 * -ERR_INTERRUPTED. */
int json_read_members(const char *path, unsigned depth,
                      int (*member)(void *arg, const char *const *keys, const struct json *value, struct err *err),
                      void *arg, struct err *err);

/* The elements of a long JSON array, one at a time: tables and traces that would not fit into one document. */

/* Calls row for every object of the first array of a regular file (the document itself, or the first array in it, as in
 * {"traceEvents": [...]}), with its number from 1; the object lives until it returns. It returns 0, or a negative code
 * that ends the reading. -ERR_FORMAT when there is no such array or it does not end, -ERR_LIMIT for an element longer
 * than JSON_ROW_LIMIT, -ERR_INTERRUPTED. */
int json_read_rows(const char *path, int (*row)(void *arg, const struct json *object, uint64_t number, struct err *err),
                   void *arg, struct err *err);

#endif
