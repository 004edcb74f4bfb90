/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/opprof_measures.h"

#include "db/query/query_loop.h"
#include "features/opprof/opprof_views.h"

#define NAME "coalesce((SELECT op_name FROM opprof_operator o WHERE o.launch_id = x.launch_id), '')"
/* As the files call them: pipe:aiv_vec. */
#define CORE "CASE core WHEN 0 THEN 'aic_' WHEN 1 THEN 'aiv_' ELSE '' END"

static const char launches[] =
    "SELECT " NAME
    ", 'op_time', duration_ps / 1e3 FROM opprof_operator x WHERE duration_ps IS NOT NULL UNION ALL SELECT " NAME
    ", 'longest:' || " CORE " || 'time', max(time_ps) / 1e3 FROM opprof_block x GROUP BY launch_id, core UNION ALL"
    " SELECT " NAME ", 'pipe:' || " CORE " || CASE pipe WHEN 'vector' THEN 'vec' ELSE lower(pipe) END, mean_us * 1e3"
    " FROM opprof_pipe_row x WHERE state = 'busy' UNION ALL SELECT " NAME
    ", 'bytes:' || replace(lower(path), ' ', '_'), sum(bytes) FROM opprof_path_row x WHERE bytes IS NOT NULL GROUP BY"
    " launch_id, path";

static int take(void *arg, sqlite3_stmt *row, struct err *err)
{
    return measures_add(arg, query_text(row, 0), query_text(row, 1), sqlite3_column_double(row, 2), err);
}

int opprof_measure(sqlite3 *db, struct measures *ret, struct err *err)
{
    return opprof_views_make(db, launches, err) < 0 ? err_status(err)
                                                    : query_run(db, launches, NULL, 0, take, ret, err);
}
