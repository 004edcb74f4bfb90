/* SPDX-License-Identifier: Apache-2.0 */
/* msprof report: one page to hand on. */
#include "cli/answers/answer.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/status.h"
#include "db/database.h"
#include "exporters/html/report_page.h"

#include <stdio.h>
#include <string.h>

#define PAGE_DEFAULT "report.html"

struct reporting {
    struct html_report *page; /* NULL: nothing was added yet */
    const char *path;
};

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static int begin_page(struct capture_visit *visit, struct err *err)
{
    struct reporting *reporting = visit->context;
    char title[64];

    snprintf(title, sizeof title, "%zu captures", visit->capture_count);
    const struct html_options options = {
        .path = reporting->path,
        .title = visit->capture_count > 1 ? title : last_name(visit->directory),
        .version = MSPROF_VERSION,
        .captures = visit->capture_count,
        .redact = visit->settings->report.redact,
        .roofs = roofs_of(visit->settings),
    };
    return html_report_open(&options, &reporting->page, err);
}

static int report_one(struct capture_visit *visit)
{
    struct reporting *reporting = visit->context;
    const struct html_capture capture = {last_name(visit->directory), visit->database};
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;
    int status = host_side_open(visit, &db);

    if (db == NULL)
        return status;
    int result = reporting->page != NULL ? 0 : begin_page(visit, &err);
    if (result == 0)
        result = html_report_add(reporting->page, db, &capture, &err);
    database_close(db);
    if (result == 0)
        return status;
    html_report_close(reporting->page, result, &err);
    reporting->page = NULL;
    err_wrap(&err, "cannot report on '%s' in '%s'", visit->directory, reporting->path);
    return status_worse(status, visit_fail(visit, LOG_SOURCE_COMMON, &err));
}

static int end_page(struct reporting *reporting)
{
    struct err err = ERR_INIT;

    if (reporting->page == NULL)
        return STATUS_DONE;
    if (html_report_close(reporting->page, 0, &err) == 0) {
        console_note("%s", reporting->path);
        return STATUS_DONE;
    }
    err_wrap(&err, "cannot write '%s'", reporting->path);
    console_error(&err);
    return status_of_error(&err);
}

static int run_report(const struct settings *settings)
{
    struct reporting reporting = {.path = settings->report.page != NULL ? settings->report.page : PAGE_DEFAULT};

    give_large_memory_back();
    int status = captures_process_list(settings, &settings->captures, report_one, &reporting);
    return status_worse(status, end_page(&reporting));
}

static const struct example examples[] = {
    {"a page about a capture", "msprof report JOBX -o jobx.html"},
    {"one that says no names", "msprof report JOBX --redact -o jobx.html"},
    {NULL, NULL},
};

const struct command command_report = {
    .path = "report",
    .parent = COMMAND_ROOT,
    .summary = "write one page to hand on: where the time goes, with pictures",
    .description = "Writes one HTML file about each capture, or about several: what was lost, how a step divides,\n"
                   "findings, steps, operators and gaps. It needs no network and no script to be read.\n",
    .needs_capture = true,
    .examples = examples,
    .run = run_report,
};
