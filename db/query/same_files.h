/* SPDX-License-Identifier: Apache-2.0 */
/* Whether two databases were made of the same data. */
#ifndef MSPROF_DB_QUERY_SAME_FILES_H
#define MSPROF_DB_QUERY_SAME_FILES_H

#include "base/err.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Files with records; those that only name things may be equal in captures of one program. */
struct same_files {
    size_t first, second; /* that each was made of */
    size_t equal;         /* with the same bytes */
    int64_t first_records, second_records;
};
/* A database, and the directory of the capture that it was made of. */
struct made_of {
    sqlite3 *db;
    const char *directory;
};
/* Files of equal checksums are compared byte by byte; where one of them cannot be read any more they count as equal. */
int same_files_count(struct made_of first, struct made_of second, struct same_files *ret, struct err *err);

#endif
