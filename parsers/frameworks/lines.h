/* SPDX-License-Identifier: Apache-2.0 */
/* Text files of frameworks' profilers, line by line. */
#ifndef MSPROF_PARSERS_FRAMEWORKS_LINES_H
#define MSPROF_PARSERS_FRAMEWORKS_LINES_H

#include "base/diag.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers that CANN gives names: host/data/unaging.additional.hash_dic.*, lines "<number>:<name>". */

struct hashed_name {
    const char *name;
    uint64_t number;
};

/* Sets the numbers of names (sorted by name); those that the capture does not say are calculated as CANN does. prof
 * NULL: all are. */
int hash_numbers(const char *prof, struct hashed_name *names, size_t count, struct diagnostics *diag, struct err *err);

struct framework_line {
    const char *path;
    const char *text; /* NUL-terminated, without its end of line */
    size_t length;
    uint64_t number; /* from 1 */
};

/* Calls take for each line of a file; a line that is too long or holds a NUL is told and left out. Other arguments as
 * framework_read_tagged has them. */
int framework_read_lines(const char *path, int (*take)(void *arg, const struct framework_line *line, struct err *err),
                         void *arg, bool *ret_found, struct diagnostics *diag, struct err *err);

#endif
