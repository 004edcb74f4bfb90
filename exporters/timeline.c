#include "db/query.h"
#include "exporters/export.h"
#include "exporters/job_timeline.h"
#include "exporters/svp_timeline.h"

int export_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    *ret = (struct export_result){0};
    struct db_facts facts;
    int result = db_read_facts(db, &facts, err);
    if (result != 0)
        return result;
    struct timeline_run run = {.db = db, .options = options, .result = ret, .origin_ns = facts.origin_ns};
    return facts.family == DB_FAMILY_JOB ? job_timeline(&run, err) : svp_timeline(&run, err);
}
