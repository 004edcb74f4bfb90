/* SPDX-License-Identifier: Apache-2.0 */
/* Reading CSV, row by row: of RFC 4180, with any line end. The only place that reads with libcsv. */
#ifndef MSPROF_BASE_FORMAT_CSV_IN_H
#define MSPROF_BASE_FORMAT_CSV_IN_H

#include "base/err.h"
#include "base/library.h"

#include <stddef.h>
#include <stdint.h>

#define CSV_MAX_FIELDS 256                       /* of a row; those behind are left out */
#define CSV_ROW_LIMIT ((size_t)16 * 1024 * 1024) /* bytes of a row */

/* Calls row for every row of a regular file: NUL-terminated fields that live until it returns, and the row's number
 * from
 * 1. It returns 0, or a negative code that ends the reading. -ERR_FORMAT when the file is no CSV, -ERR_LIMIT when a row
 * is longer than CSV_ROW_LIMIT, -ERR_INTERRUPTED. A byte order mark in front is skipped. */
int csv_read(const char *path,
             int (*row)(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err),
             void *arg, struct err *err);
/* Reads likewise with the blanks around fields, which csv_read leaves out. */
int csv_read_exactly(const char *path,
                     int (*row)(void *arg, const char *const *fields, size_t count, uint64_t number, struct err *err),
                     void *arg, struct err *err);

/* Version of the library below. */
struct library_version csv_library(void);

#endif
