/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/timeline/marks.h"
#include "exporters/timeline/timeline.h"
#include "exporters/timeline/timeline_earlier.h"
#include "exporters/timeline/timeline_svp.h"

static int cann_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct timeline_run run = {.db = db, .options = options, .result = ret};
    int status = query_origin(db, CAPTURE_CANN, &run.origin, err);
    return status == 0 ? tracks_write(&run, err) : status;
}

int export_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    *ret = (struct export_result){0};
    struct db_facts facts;
    int result = db_read_facts(db, &facts, err);
    if (result != 0)
        return result;
    if (facts.family == CAPTURE_CANN)
        return cann_export_iterations(cann_timeline, db, options, ret, err);
    struct timeline_run run = {.db = db, .options = options, .result = ret};
    result = query_origin(db, facts.family, &run.origin, err);
    if (result != 0)
        return result;
    if (facts.family == CAPTURE_SVP)
        return svp_timeline(&run, err);
    result = facts.family == CAPTURE_JOB ? timeline_of_job(&run, err) : timeline_of_2022(&run, err);
    return result == 0 ? marks_timeline(&run, err) : result;
}
