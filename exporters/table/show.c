/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query.h"
#include "exporters/export.h"
#include "exporters/table/cann_show.h"
#include "exporters/table/show_2022.h"
#include "exporters/table/show_block.h"
#include "exporters/table/show_job.h"
#include "exporters/table/show_report.h"
#include "exporters/table/show_svp.h"
#include "exporters/table/user/report_file.h"

#include <errno.h>

static int show_family(struct show *show, int family, struct err *err)
{
    switch (family) {
    case CAPTURE_CANN:
        return cann_show(show, err);
    case CAPTURE_2022:
        return show_of_2022(show, err);
    case CAPTURE_JOB:
        return show_of_job(show, err);
    default:
        return show_of_svp(show, err);
    }
}

/* The user's own tables, each under its title. */
static int show_files(struct show *show, int family, struct err *err)
{
    const struct report_files *files = show->options->report_files;
    struct report_show shows;
    if (files == NULL || files->count == 0)
        return 0;
    int status = report_show_open(&shows, show, family, err);
    for (size_t i = 0; status == 0 && i < files->count; i++)
        status = report_show_file(&shows, report_files_get(files, i), err);
    report_show_close(&shows);
    return status;
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
    if (result == 0)
        result = show_files(&show, facts.family, err);
    display_release(&show.display);
    if (result == 0 && (fflush(stream) != 0 || ferror(stream)))
        return err_set_errno(err, errno, "cannot write the tables");
    return result;
}
