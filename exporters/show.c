#include "db/query.h"
#include "exporters/cann_show.h"
#include "exporters/export.h"
#include "exporters/job_show.h"
#include "exporters/legacy_show.h"
#include "exporters/show_block.h"
#include "exporters/svp_show.h"

#include <errno.h>

static int show_family(struct show *show, int family, struct err *err)
{
    switch (family) {
    case DB_FAMILY_CANN:
        return cann_show(show, err);
    case DB_FAMILY_LEGACY:
        return legacy_show(show, err);
    case DB_FAMILY_JOB:
        return job_show(show, err);
    default:
        return svp_show(show, err);
    }
}

int show_capture(sqlite3 *db, FILE *stream, const struct show_options *options, struct export_result *ret,
                 struct err *err)
{
    struct show show = {.db = db, .stream = stream, .options = options, .result = ret};
    *ret = (struct export_result){.files = 0};
    struct db_facts facts;
    display_init(&show.display);
    int result = db_read_facts(db, &facts, err);
    if (result == 0)
        result = show_family(&show, facts.family, err);
    display_release(&show.display);
    if (result == 0 && (fflush(stream) != 0 || ferror(stream)))
        return err_set_errno(err, errno, "cannot write the tables");
    return result;
}
