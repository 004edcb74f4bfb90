/* SPDX-License-Identifier: Apache-2.0 */
/* The database that Ascend's viewers read, as a file of any name and with tables that others add. */
#ifndef MSPROF_EXPORTERS_DATABASE_CANN_DB_H
#define MSPROF_EXPORTERS_DATABASE_CANN_DB_H

#include "exporters/database/unified.h"
#include "exporters/export.h"

/* Tables of samples in the database for viewers. */

/* Makes the tables that the record kinds describe, of those that have rows in the capture's database. */
int cann_db_samples(struct unified *unified, sqlite3 *db, struct err *err);

/* Adds tables and rows before the file is complete. */
typedef int cann_db_adder(void *arg, struct unified *unified, struct err *err);

/* Writes the database of a capture to path. options->database NULL: there is no capture, and only what add (which may
 * be NULL) adds is in it. Counts the file and its rows in *result. */
int cann_db_write(sqlite3 *db, const struct export_options *options, const char *path, cann_db_adder *add, void *arg,
                  struct export_result *result, struct err *err);

#endif
