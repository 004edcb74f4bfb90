/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by place, of any count, in a temporary file without a name: a few of its blocks are in memory, so that it is
 * fast where places near each other are asked for. */
#ifndef MSPROF_BASE_FILE_SLOTS_H
#define MSPROF_BASE_FILE_SLOTS_H

#include "base/err.h"

#include <stdint.h>

struct slots; /* opaque */

struct slots *slots_new(struct err *err); /* NULL with err set */
void slots_free(struct slots *slots);     /* NULL is fine */
/* place: not negative. -ERR_IO, -ERR_NO_SPACE, -ERR_LIMIT: the file system has no place so far on. */
int slots_set(struct slots *slots, int64_t place, int64_t value, struct err *err);
/* 0 where nothing was set. */
int slots_get(struct slots *slots, int64_t place, int64_t *ret, struct err *err);

#endif
