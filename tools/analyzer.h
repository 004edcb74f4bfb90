/* SPDX-License-Identifier: Apache-2.0 */
/* For clang-tidy only, included before each source file: what its analyzer cannot see because it reads one file at a
 * time. Without it, every "if (result != 0) return" after a failure looks as if it might be passed. */
#ifndef MSPROF_TOOLS_ANALYZER_H
#define MSPROF_TOOLS_ANALYZER_H

#include "base/array.h"
#include "base/err.h"

#include <stddef.h>

/* A set error is a negative number. */
static inline int analyzer_failure(int result)
{
    return result < 0 ? result : -1;
}

/* An array with room has items, which the analyzer does not see through their address. */
void *analyzer_room(void *items) __attribute__((returns_nonnull));
int analyzer_grow(size_t extra);
#undef array_reserve
#define array_reserve(array, extra, err)                                                                               \
    ((void)(err), analyzer_grow(extra) != 0 ? -1 : ((array)->items = analyzer_room((array)->items), 0))

#define err_status(err) analyzer_failure(err_status(err))
#define err_set(...) analyzer_failure(err_set(__VA_ARGS__))
#define err_no_memory(err) analyzer_failure(err_no_memory(err))
#define err_set_errno(...) analyzer_failure(err_set_errno(__VA_ARGS__))
#define err_wrap(...) analyzer_failure(err_wrap(__VA_ARGS__))

#endif
