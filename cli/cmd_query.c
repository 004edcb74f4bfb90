/* msprof query: the job table of captures. */
#include "cli/answers/screen.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/status.h"
#include "db/database.h"
#include "exporters/export.h"

#include <stdio.h>

static int query_database(struct capture_visit *visit, sqlite3 *db)
{
    const struct show_options options = {.width = screen_answer_width(visit->settings), .color = false};
    struct export_result printed = {0};
    struct err err = ERR_INIT;
    int status = STATUS_DONE, result;

    console_output_begin();
    result = query_capture(db, stdout, &options, &printed, &err);
    if (result != 0) {
        err_wrap(&err, "cannot query '%s'", visit->directory);
        status = visit_fail(visit, LOG_SOURCE_COMMON, &err);
    } else if (printed.rows == 0) {
        err_set(&err, ERR_NOT_FOUND, "'%s' has no device", visit->directory);
        console_error(&err);
        status = STATUS_NOTHING;
    }
    return status_worse(status, console_output_end(result != 0));
}

static int query_one(struct capture_visit *visit)
{
    sqlite3 *db = NULL;
    int status = visit_open_database(visit, &db);

    if (db == NULL)
        return status;
    status = status_worse(status, query_database(visit, db));
    database_close(db);
    return status;
}

static int run_query(const struct settings *settings)
{
    return captures_process(settings, query_one);
}

static const struct example examples[] = {
    {"which devices and models a capture has", "msprof query -dir JOBX"},
    {NULL, NULL},
};

const struct command command_query = {
    .path = "query",
    .parent = COMMAND_ROOT,
    .summary = "print the job table of captures",
    .description = "Prints a row for each device and model of a capture: job, device, directory, collection time,\n"
                   "model, iterations, the longest of them, and rank.\n",
    .needs_capture = true,
    .examples = examples,
    .run = run_query,
};
