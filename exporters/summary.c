#include "db/query.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/job_summary.h"
#include "exporters/legacy_report.h"
#include "exporters/svp_summary.h"
#include "exporters/tx_report.h"

int export_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    *ret = (struct export_result){.files = 0};
    struct db_facts facts;
    int result = db_read_facts(db, &facts, err);
    if (result != 0)
        return result;
    switch (facts.family) {
    case DB_FAMILY_CANN:
        return cann_export_iterations(cann_summary, db, options, ret, err);
    case DB_FAMILY_LEGACY:
        result = legacy_summary(db, options, ret, err);
        break;
    case DB_FAMILY_JOB:
        result = job_summary(db, options, ret, err);
        break;
    default:
        return svp_summary(db, options, ret, err);
    }
    return result == 0 ? tx_legacy_summary(db, options, ret, err) : result;
}
