/* SPDX-License-Identifier: Apache-2.0 */
/* A database with a part of a new CANN capture: a range of iterations, or stretches of time. */
#ifndef MSPROF_DB_QUERY_ITERATION_H
#define MSPROF_DB_QUERY_ITERATION_H

#include "base/err.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the database `path` with what the exporters read of `database`, which db is open on, but of tasks only those
 * that end after the iteration before and not after the last one, and are not known to be another model's; of calls
 * those that launched one of them, and the calls around those. count iterations of a model from `first` on, on every
 * device that has them. -ERR_NOT_FOUND when none has. The caller removes the file. */
int iteration_database_make(sqlite3 *db, const char *database, const char *path, int64_t model_id, int64_t first,
                            int64_t count, struct err *err);

struct stretch {
    int64_t from_ns, until_ns; /* since 1970, both included */
};
/* Makes one of the rows that began in one of the stretches: tasks, communication operators, calls, samples; from tables
 * without times the rows of these tasks. Tables that belong to no time are there whole. */
int iteration_stretches_make(sqlite3 *db, const char *database, const char *path, const struct stretch *stretches,
                             size_t count, struct err *err);

#endif
