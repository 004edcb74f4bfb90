/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a database is one that import made. */
#ifndef MSPROF_DB_SCHEMA_CHECK_H
#define MSPROF_DB_SCHEMA_CHECK_H

#include <sqlite3.h>
#include <stdbool.h>

/* Whether the tables, indexes and views of a database are exactly those that import makes, nothing else is there, and
 * rows are numbered as import does. */
bool schema_is_ours(sqlite3 *db);

#endif
