/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of pages of the tables that a connection has. */
#ifndef MSPROF_DB_TABLE_PAGES_H
#define MSPROF_DB_TABLE_PAGES_H

#include "db/pages/read.h"

#include <sqlite3.h>

/* Makes a reader of a table by its name. NULL without an error, too, where the connection is in no transaction that
 * reads, has changed anything or has a log, and where SQLite knows the table as anything but a plain one with these
 * columns.
 */
struct page_reader *page_reader_open(sqlite3 *db, const char *table, const struct page_column *columns,
                                     size_t column_count, size_t width, const struct page_condition *conditions,
                                     size_t condition_count);

#endif
