/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of samples in the database for viewers. */
#ifndef MSPROF_EXPORTERS_DATABASE_CANN_DB_SAMPLES_H
#define MSPROF_EXPORTERS_DATABASE_CANN_DB_SAMPLES_H

#include "exporters/database/unified.h"

/* Makes the tables that the record kinds describe, of those that have rows in the capture's database. */
int cann_db_samples(struct unified *unified, sqlite3 *db, struct err *err);

#endif
