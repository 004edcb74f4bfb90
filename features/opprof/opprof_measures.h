/* SPDX-License-Identifier: Apache-2.0 */
/* What two OPPROF directories are compared by: the duration, the longest core, the mean time of each pipe and the bytes
 * of each path, launch by launch. */
#ifndef MSPROF_FEATURES_OPPROF_OPPROF_MEASURES_H
#define MSPROF_FEATURES_OPPROF_OPPROF_MEASURES_H

#include "db/database.h"
#include "features/diff/measures.h"

/* Adds those of a database. */
int opprof_measure(sqlite3 *db, struct measures *ret, struct err *err);

#endif
