/* SPDX-License-Identifier: Apache-2.0 */
/* Answers about whole captures that import keeps in the database (tables answer and answer_row): the rows of reports
 * with `known`, as the same functions make them that make those of a step or a stretch of time. They are never out of
 * date, because import makes the database anew; of one that another program changed they are not taken.
 *     request.complete = extension_complete;          // import keeps them
 *     if (known_put(run, &put, err) < 0 || put) ...   // a report takes them; not put: it makes its rows itself */
#ifndef MSPROF_FEATURES_ANSWERS_LOAD_KNOWN_H
#define MSPROF_FEATURES_ANSWERS_LOAD_KNOWN_H

#include "base/err.h"

#include <sqlite3.h>
#include <stdbool.h>

struct report;
struct report_run;

#define KNOWN_VALUES 12 /* of answer_row */
size_t known_columns(const struct report *report);

/* Makes the answers of the database at the path, and stores them by the connection to the same file. Only captures of
 * CANN since 2023 have them, and only those with at most KNOWN_OPERATORS_MAX different operators: others would make
 * import and its database notably larger. */
#define KNOWN_OPERATORS_MAX 20000
int known_keep(const char *path, sqlite3 *into, struct err *err);

/* Puts the rows of the run's report if they are known, and the run is about the whole capture as import sees it. */
int known_put(struct report_run *run, bool *ret_put, struct err *err);

/* Gives each operator of the report bound with its limit, a literal of the program; *ret_known false: it is not known.
 */
int known_bounds(sqlite3 *db, int (*each)(void *arg, const char *name, const char *bound, struct err *err), void *arg,
                 bool *ret_known, struct err *err);

#endif
