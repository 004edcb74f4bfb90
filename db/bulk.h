/* SPDX-License-Identifier: Apache-2.0 */
/* Rows into tables, fast: as finished pages of a database's file that SQLite has not opened yet; or by SQLite, which
 * pulls each batch itself with one prepared INSERT ... SELECT over a virtual table. */
#ifndef MSPROF_DB_BULK_H
#define MSPROF_DB_BULK_H

#include "base/diag.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "parsers/capture/capture.h"
#include "parsers/record.h"

#include <sqlite3.h>

struct bulk; /* opaque; one for a database */
struct schema_file;

/* Prepares loading by SQLite into tables that are there. NULL with err set. */
struct bulk *bulk_new(sqlite3 *db, struct err *err);
/* Prepares loading as pages into the file that schema_build_create made; fd is its. NULL with err set. */
struct bulk *bulk_new_pages(int fd, const struct schema_file *file, struct err *err);
/* After a load as pages: completes the file, which SQLite may then open; */
int bulk_end_pages(struct bulk *bulk, struct err *err);
/* and lets SQLite store the rows whose keys were not in order. */
int bulk_connect(struct bulk *bulk, sqlite3 *db, struct err *err);
/* Inserts all rows of a batch. */
int bulk_insert(struct bulk *bulk, const struct row_batch *batch, struct err *err);
/* After the load: the earliest of the times in columns with COLUMN_ORIGIN; INT64_MAX when there is none. */
int64_t bulk_earliest(const struct bulk *bulk);
/* Counts records of warm-up of this capture, which outlives the load. */
void bulk_count_warm_up(struct bulk *bulk, const struct capture *capture);
/* After the load: how many they are; and their tables, each behind a blank. */
uint64_t bulk_warm_up(const struct bulk *bulk, struct strbuf *tables);
/* After the load: reports texts with control characters and bytes that are not UTF-8, which were replaced. */
void bulk_report(const struct bulk *bulk, struct diagnostics *diag);
/* Must come before the connection is closed. */
void bulk_free(struct bulk *bulk);

#endif
