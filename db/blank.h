/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a database whose tables are all empty and not named yet, as SQLite's file format has it. */
#ifndef MSPROF_DB_BLANK_H
#define MSPROF_DB_BLANK_H

#include <stdbool.h>
#include <stddef.h>

struct blank {
    size_t page_size;
    const bool *keyed; /* of each table: it is one WITHOUT ROWID */
    size_t tables;
};

/* The page that is the n-th table's root. */
#define BLANK_ROOT(n) ((n) + 2)

/* Makes them in an empty file: 0, or an errno. */
int blank_write(int fd, const struct blank *blank);

#endif
