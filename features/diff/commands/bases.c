/* SPDX-License-Identifier: Apache-2.0 */
/* The captures or the baseline of --diff. */
#include "features/diff/commands/bases.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "cli/capture/captures.h"
#include "cli/console.h"
#include "features/answers/load/load.h"
#include "features/diff/compare.h"
#include "features/diff/diff_output.h"

#include <stdlib.h>
#include <sys/stat.h>

static int add_base(struct bases *bases, sqlite3 *db, const char *name, struct err *err)
{
    const struct compare_options options = COMPARE_DEFAULTS;
    const struct profile_choice choice = {.subjects = comparison_subjects(&options, NULL, 0)};
    struct workload workload;

    if (array_reserve(bases, 1, err) != 0 || workload_load(db, WITH_COUNTERS, &workload, err) != 0)
        return err_status(err);
    int result = profile_make(&workload, name, &choice, &bases->items[bases->count], err);
    bases->count += result == 0;
    workload_release(&workload);
    return result;
}

static int take_base(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;

    if (add_base(visit->context, db, path_name(visit->directory), &err) == 0)
        return STATUS_DONE;
    err_wrap(&err, "cannot compare with '%s'", visit->shown);
    return visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

int bases_read(const struct settings *settings, struct bases *bases)
{
    const char *path = settings->report.base;
    const struct value_list one = {&path, 1, 0};
    struct stat info;
    struct err err = ERR_INIT;
    int status = STATUS_DONE;

    if (stat(settings->report.base, &info) != 0 || !S_ISREG(info.st_mode))
        status = captures_query(settings, &one, visit_open_prepared, take_base, bases);
    else if (baseline_read(settings->report.base, &bases->items, &bases->count, &err) != 0)
        status = status_of_error(&err);
    if (err.code != 0)
        console_error(&err);
    bases->pointers = calloc(bases->count + 1, sizeof *bases->pointers);
    for (size_t i = 0; bases->pointers != NULL && i < bases->count; i++)
        bases->pointers[i] = &bases->items[i];
    return status;
}

void bases_release(struct bases *bases)
{
    for (size_t i = 0; i < bases->count; i++)
        profile_release(&bases->items[i]);
    free(bases->items);
    free((void *)bases->pointers);
}
