/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a long JSON array, one at a time: tables and traces that would not fit into one document. */
#ifndef MSPROF_BASE_FORMAT_JSON_ROWS_H
#define MSPROF_BASE_FORMAT_JSON_ROWS_H

#include "base/format/json_in.h"

#include <stdint.h>

#define JSON_ROW_LIMIT ((size_t)16 * 1024 * 1024) /* bytes of one element */

/* Calls row for every object of the first array of a regular file (the document itself, or the first array in it, as in
 * {"traceEvents": [...]}), with its number from 1; the object lives until it returns. It returns 0, or a negative code
 * that ends the reading. -ERR_FORMAT when there is no such array or it does not end, -ERR_LIMIT for an element longer
 * than JSON_ROW_LIMIT, -ERR_INTERRUPTED. */
int json_read_rows(const char *path, int (*row)(void *arg, const struct json *object, uint64_t number, struct err *err),
                   void *arg, struct err *err);

#endif
