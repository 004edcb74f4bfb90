/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/report_scopes.h"

#include "db/database.h"
#include "db/query/query_executions.h"
#include "db/query/query_loop.h"
#include "exporters/output_file.h"
#include "exporters/reports/cann/device_2022.h"

#include <stdio.h>

struct scopes {
    int (*each)(void *arg, const struct report_scope *scope, struct err *err);
    void *arg;
};

static int give_device_2022(void *arg, const struct device_2022 *device, struct err *err)
{
    const struct scopes *scopes = arg;
    char suffix[SUFFIX_2022_MAX];
    device_2022_suffix(device, suffix);
    const struct report_scope scope = {device->part->device_id, device->range.model_id, device->range.iteration,
                                       suffix};
    return scopes->each(scopes->arg, &scope, err);
}

static int give_device(void *arg, int64_t device_id, struct err *err)
{
    const struct scopes *scopes = arg;
    SCOPED(strbuf_release) struct strbuf suffix;
    strbuf_init(&suffix, REPORT_NAME_MAX);
    strbuf_addc(&suffix, '_');
    report_name_number(&suffix, device_id);
    const struct report_scope scope = {device_id, DB_NULL, DB_NULL, suffix.data};
    if (suffix.failed)
        return err_set(err, ERR_NO_MEMORY, "no room for the name of a report file");
    return scopes->each(scopes->arg, &scope, err);
}

int report_scopes_each(sqlite3 *db, int family, const struct export_options *options,
                       int (*each)(void *arg, const struct report_scope *scope, struct err *err), void *arg,
                       struct err *err)
{
    struct scopes scopes = {each, arg};
    if (family == CAPTURE_2022)
        return device_2022_each(db, options, give_device_2022, &scopes, err);
    return family == CAPTURE_JOB ? execution_each_device(db, give_device, &scopes, err) : 0;
}

void report_file_form(const struct report *report, int family, char form[REPORT_FORM_MAX])
{
    const char *folder = family == CAPTURE_CANN ? "mindstudio_profiler_output" : "summary";
    const char *suffix = report->parts;
    if (suffix == NULL && family == CAPTURE_CANN)
        suffix = "_<time>";
    else if (suffix == NULL && !report->of_device)
        suffix = "_[<device>_]<iteration>";
    else if (suffix == NULL)
        suffix = family == CAPTURE_JOB ? "_<device>" : "_<device>[_<model>]_<iteration>";
    snprintf(form, REPORT_FORM_MAX, "%s/%s%s", folder, report->name, suffix);
}

/* ---- tx report ---- */

static int take_device(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    *(int64_t *)arg = query_integer(row, 0);
    return 0;
}

/* The part of the capture that the events were recorded in: its device; DB_NULL: the host. */
static int recording_device(sqlite3 *db, int64_t *ret_device_id, struct err *err)
{
    static const char sql[] =
        "SELECT CASE WHEN p.is_host THEN NULL ELSE coalesce(p.device_id, 0) END FROM source_file f"
        " JOIN capture_part p ON f.path LIKE p.directory || '/%' OR p.directory = '' WHERE f.kind = 'msproftx'"
        " ORDER BY length(p.directory) DESC LIMIT 1";
    *ret_device_id = DB_NULL;
    return query_run(db, sql, NULL, 0, take_device, ret_device_id, err);
}

int report_tx_name(char name[TX_REPORT_NAME_MAX], sqlite3 *db, const struct export_options *options, const char *suffix,
                   struct err *err)
{
    char device[32] = "";
    int64_t device_id, iteration = options->iteration_id > 0 ? options->iteration_id : 1;
    if (recording_device(db, &device_id, err) < 0)
        return err_status(err);
    if (device_id != DB_NULL)
        snprintf(device, sizeof device, "_%lld", (long long)device_id);
    snprintf(name, TX_REPORT_NAME_MAX, "msprof_tx%s_%lld%s", device, (long long)iteration, suffix);
    return 0;
}
