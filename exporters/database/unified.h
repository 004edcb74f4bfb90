/* SPDX-License-Identifier: Apache-2.0 */
/* The database that Ascend's viewers read (msprof_<time>.db, docs/formats/cann.md 8.5), made from that of a new CANN
 * capture.
 */
#ifndef MSPROF_EXPORTERS_DATABASE_UNIFIED_H
#define MSPROF_EXPORTERS_DATABASE_UNIFIED_H

#include "base/err.h"
#include "exporters/database/unified_bulk.h"
#include "parsers/record.h"

#include <sqlite3.h>
#include <stdint.h>

struct unified; /* opaque: a database being made */

/* Begins the database at path: first its large tables are filled, then it is connected to. NULL with err set. */
struct unified *unified_new(const char *path, struct err *err);
struct unified_bulk *unified_bulk_of(const struct unified *unified);
/* The id of a metric's name. */
int unified_name_metric(struct unified *unified, const char *name, int64_t *ret, struct err *err);
/* Ends the large tables and fills the others with all that can be said in SQL; database: of the capture, NULL: there is
 * none, and the tables are empty. */
int unified_connect(struct unified *unified, const char *database, struct err *err);
/* Makes a table for the rows to come, unless it is there. */
int unified_begin_table(struct unified *unified, const struct exported_table *table, struct err *err);
/* A row of the table that was begun last: the columns of the statement are those of the table, in their order. */
int unified_add_row(struct unified *unified, sqlite3_stmt *row, struct err *err);
/* The database that is being made, for tables that others add: the capture is attached as "capture", and
 * launch(connection) gives the call in CANN_API that launched for it. */
sqlite3 *unified_sqlite(const struct unified *unified);
/* Completes the file under its name. It releases in any case. *ret_rows: of all tables. */
int unified_commit(struct unified *unified, uint64_t *ret_rows, struct err *err);
void unified_abort(struct unified *unified); /* NULL is fine */

#endif
