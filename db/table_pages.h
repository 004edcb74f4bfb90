/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of pages of the tables that a connection has. */
#ifndef MSPROF_DB_TABLE_PAGES_H
#define MSPROF_DB_TABLE_PAGES_H

#include "db/pages/read.h"

#include <sqlite3.h>
#include <sys/types.h>

struct file_id {
    dev_t device;
    ino_t number;
};

/* Makes a reader of a table by its name. NULL without an error, too, where the connection is in no transaction that
 * reads, has changed anything or has a log, and where SQLite knows the table as anything but a plain one with these
 * columns.
 */
struct page_reader *page_reader_open(sqlite3 *db, const char *table, const struct page_column *columns,
                                     size_t column_count, size_t width, const struct page_condition *conditions,
                                     size_t condition_count);
/* Whether a table whose first page is this one has no rows for sure. page_size: of the file (database_page_size). */
bool table_is_empty(sqlite3 *db, int64_t root, int64_t page_size);
/* The file that a connection has open. False: its path does not lead there any more, or it has none. */
bool table_file(sqlite3 *db, struct file_id *ret);
/* Makes one like it for another connection, to the same file: without asking SQLite for the schema. NULL as above. */
struct page_reader *page_reader_share(const struct page_reader *reader, sqlite3 *db);

#endif
