/* msprof show: the tables of a capture in the terminal. */
#include "base/number.h"
#include "cli/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/status.h"
#include "db/database.h"
#include "exporters/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Columns to print for: --width, COLUMNS, the terminal's; 0 (no limit) when none says anything. */
static int output_width(const struct settings *settings)
{
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    int64_t width;

    if (settings->width != WIDTH_DEFAULT)
        return settings->width;
    if (columns != NULL && number_parse_integer(columns, strlen(columns), &width) == 0 && width > 0 && width <= 100000)
        return (int)width;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        return size.ws_col;
    return 0;
}

static int show_database(struct capture_job *job, sqlite3 *db)
{
    const struct show_options options = {
        .database = job->database,
        .width = output_width(job->settings),
        .color = console_colors_stdout(),
        .top = job->settings->top,
    };
    struct export_result shown = {0};
    struct err err = ERR_INIT;
    int status = STATUS_DONE, result;

    console_output_begin();
    if (job->one_of_many)
        printf("Capture : %s\n\n", job->directory);
    result = show_capture(db, stdout, &options, &shown, &err);
    if (result != 0) {
        err_wrap(&err, "cannot show '%s'", job->directory);
        status = job_fail(job, LOG_SOURCE_COMMON, &err);
    } else if (shown.rows == 0) {
        err_set(&err, ERR_NOT_FOUND, "'%s' has nothing to show", job->directory);
        console_error(&err);
        status = STATUS_NOTHING;
    }
    return status_worse(status, console_output_end(result != 0));
}

static int show_one(struct capture_job *job)
{
    sqlite3 *db = NULL;
    int status = job_open_database(job, &db);

    if (db == NULL)
        return status;
    status = status_worse(status, show_database(job, db));
    database_close(db);
    return status;
}

static int run_show(const struct settings *settings)
{
    return captures_process(settings, show_one);
}

static const struct example examples[] = {
    {"the tables of one capture, as wide as the terminal", "msprof show -dir JOBX"},
    {"at most 100 columns wide, without the messages", "msprof show -q -dir JOBX --width 100"},
    {"the 100 longest operators of a CANN capture", "msprof show -dir JOBX --top 100"},
    {NULL, NULL},
};

const struct command command_show = {
    .path = "show",
    .parent = COMMAND_ROOT,
    .summary = "print the tables in the terminal",
    .description = "Prints the tables of a capture. A capture without a database, or with one that is older than\n"
                   "its data, is imported first.\n",
    .needs_capture = true,
    .examples = examples,
    .run = run_show,
};
