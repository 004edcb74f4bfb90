#include "db/query.h"
#include "exporters/export.h"
#include "exporters/job_summary.h"
#include "exporters/svp_summary.h"

int export_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    *ret = (struct export_result){.files = 0};
    struct db_facts facts;
    int result = db_read_facts(db, &facts, err);
    if (result != 0)
        return result;
    return facts.family == DB_FAMILY_JOB ? job_summary(db, options, ret, err) : svp_summary(db, options, ret, err);
}
