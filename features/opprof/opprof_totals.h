/* SPDX-License-Identifier: Apache-2.0 */
/* Views of an OPPROF directory that add up its metric files: opprof_pipe_row, opprof_path_row, opprof_request_row and
 * opprof_conflict_row of opprof_views.h. */
#ifndef MSPROF_FEATURES_OPPROF_OPPROF_TOTALS_H
#define MSPROF_FEATURES_OPPROF_OPPROF_TOTALS_H

#include "db/database.h"

extern const size_t opprof_totals_count;

const char *opprof_totals_name(size_t view);
/* Makes the view, as a temporary table. */
int opprof_totals_make(sqlite3 *db, size_t view, struct err *err);

#endif
