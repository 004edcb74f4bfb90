/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of SQL and columns that the tables of an OPPROF directory share. A ratio of the files is in millionths, a time
 * in picoseconds, a bandwidth in millionths of 2^30 bytes a second. */
#ifndef MSPROF_FEATURES_OPPROF_REPORTS_OPPROF_SQL_H
#define MSPROF_FEATURES_OPPROF_REPORTS_OPPROF_SQL_H

#include "exporters/table/report.h"
#include "features/opprof/opprof_views.h"

#define GIB "1073741824.0"

#define SEVERAL "(SELECT count(*) FROM capture_part) > 1"
#define LAUNCH_SHOWN                                                                                                   \
    {                                                                                                                  \
        "Launch", "(SELECT directory FROM capture_part WHERE id = launch_id)",                                         \
            .when = SEVERAL, .doc = "Directory of the launch; only where there are several."                           \
    }
#define CORE_NAME "CASE core WHEN 0 THEN 'cube' WHEN 1 THEN 'vector' ELSE 'AI core' END"
#define CORE_SHOWN                                                                                                     \
    {                                                                                                                  \
        "Core", CORE_NAME, .doc = "Kind of core: cube or vector; AI core where a chip has one kind."                   \
    }
/* "vector1", as sub_block_id of the files. */
#define SUB_BLOCK CORE_NAME " || coalesce(sub_core, '')"

/* Makes the views that the table's query reads. */
static inline int opprof_open(struct report_run *run, struct err *err)
{
    const struct report_query *query = &run->report->query;
    return (query->with != NULL && opprof_views_make(run->session->db, query->with, err) < 0) ||
                   opprof_views_make(run->session->db, query->from, err) < 0
               ? err_status(err)
               : 0;
}

#endif
