#include "db/query.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/job_timeline.h"
#include "exporters/legacy_report.h"
#include "exporters/svp_timeline.h"
#include "exporters/tx_report.h"

int export_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    *ret = (struct export_result){0};
    struct db_facts facts;
    int result = db_read_facts(db, &facts, err);
    if (result != 0)
        return result;
    if (facts.family == DB_FAMILY_CANN)
        return cann_export_iterations(cann_timeline, db, options, ret, err);
    struct timeline_run run = {.db = db, .options = options, .result = ret, .origin_ns = facts.origin_ns};
    if (facts.family == DB_FAMILY_SVP)
        return svp_timeline(&run, err);
    result = facts.family == DB_FAMILY_JOB ? job_timeline(&run, err) : legacy_timeline(db, options, ret, err);
    return result == 0 ? tx_legacy_timeline(db, options, ret, err) : result;
}
