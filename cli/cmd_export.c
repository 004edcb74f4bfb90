/* msprof export timeline, msprof export summary: reports from databases into files. */
#include "base/fsutil.h"
#include "cli/captures.h"
#include "cli/clock.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/reports.h"
#include "cli/status.h"
#include "db/database.h"
#include "db/query.h"
#include "exporters/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What differs between the two. */
struct export_type {
    const char *name;      /* as the log says it */
    const char *directory; /* inside the results */
    const char *unit;      /* of what a file holds */
    int (*export)(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
};

static const struct export_type timeline_type = {"timeline", "timeline", "event", export_timeline};
static const struct export_type summary_type = {"summary", "summary", "row", export_summary};

static const struct export_type db_type = {"db", "", "row", export_database};

#define CANN_DIRECTORY "mindstudio_profiler_output" /* where the vendor's tool puts both kinds since 2023 */
#define MAX_REPORTS 16                              /* kinds of reports of one export */
#define REPORT_NAME_SIZE 32

/* What the exporter's callback needs. */
struct export_log {
    struct capture_job *job;
    const struct export_type *type;
    char announced[MAX_REPORTS][REPORT_NAME_SIZE]; /* reports whose start is in the log */
    size_t announced_count;
};

static void announce(struct export_log *export_log, const char *report)
{
    for (size_t i = 0; i < export_log->announced_count; i++)
        if (strncmp(export_log->announced[i], report, REPORT_NAME_SIZE - 1) == 0)
            return;
    if (export_log->announced_count < MAX_REPORTS)
        snprintf(export_log->announced[export_log->announced_count++], REPORT_NAME_SIZE, "%s", report);
    collection_log_add(&export_log->job->log, LOG_LEVEL_INFO, LOG_SOURCE_EXPORT, "Start to export %s %s data ...",
                       report, export_log->type->name);
}

static void log_written(void *arg, const char *report, const char *path)
{
    struct export_log *export_log = arg;
    struct collection_log *log = &export_log->job->log;

    announce(export_log, report);
    collection_log_exported(log, LOG_SOURCE_EXPORT, report, export_log->type->name, path);
    console_detail("wrote '%s'", path);
}

static int tell_nothing(struct capture_job *job, const struct export_type *type)
{
    struct err err = ERR_INIT;

    collection_log_add(&job->log, LOG_LEVEL_WARNING, LOG_SOURCE_EXPORT,
                       "Unable to get %s data. Maybe the data is not collected, or the data may fail to be analyzed.",
                       type->name);
    err_set(&err, ERR_NOT_FOUND, "'%s' has no data for a %s", job->directory, type->name);
    err_hint(&err, "'msprof import -v -dir %s' tells what it has", job->directory);
    console_error(&err);
    return STATUS_NOTHING;
}

/* Inside the results. A database that does not say what it is fails later, when it is exported. */
static const char *results_directory(const struct export_type *type, sqlite3 *db)
{
    struct err ignored = ERR_INIT;
    struct db_facts facts;

    if (*type->directory == '\0')
        return type->directory;
    return db_read_facts(db, &facts, &ignored) == 0 && facts.family == DB_FAMILY_CANN ? CANN_DIRECTORY
                                                                                      : type->directory;
}

static int export_reports(struct capture_job *job, const struct export_type *type, sqlite3 *db)
{
    struct export_log export_log = {.job = job, .type = type};
    struct export_result exported = {0};
    struct err err = ERR_INIT;
    char *directory = NULL;
    int64_t start_ns = clock_now_ns();
    char seconds[CLOCK_TEXT_SIZE], timestamp[TIMESTAMP_SIZE];
    unsigned hidden_layers = 0;
    int status, result;

    if (job->settings->reports != NULL && reports_load(job->settings->reports, &hidden_layers, &err) < 0)
        return job_fail(job, LOG_SOURCE_EXPORT, &err);
    status = job_make_directory(job, results_directory(type, db), &directory);
    if (status != STATUS_DONE)
        return status;
    job_open_log(job);
    remove_stale_temporaries(directory);
    const struct export_options options = {
        .database = job->database,
        .directory = directory,
        .format = (enum table_format)job->settings->table_format,
        .columns = (enum column_set)job->settings->columns,
        .timestamp = clock_format_local(timestamp),
        .iteration_id = job->settings->iteration_id,
        .iteration_count = job->settings->iteration_count,
        .model_id = job->settings->model_id,
        .trace_compat = job->settings->trace_compat,
        .hidden_layers = hidden_layers,
        .written = log_written,
        .written_arg = &export_log,
        .progress = console_progress(),
    };
    result = type->export(db, &options, &exported, &err);
    console_progress_end();
    if (result != 0) {
        err_wrap(&err, "cannot export the %s of '%s'", type->name, job->directory);
        status = job_fail(job, LOG_SOURCE_EXPORT, &err);
    } else if (exported.files == 0) {
        status = tell_nothing(job, type);
    } else {
        console_note("'%s': %" PRIu64 " file%s, %" PRIu64 " %s%s, %s s", directory, exported.files,
                     console_plural(exported.files), exported.rows, type->unit, console_plural(exported.rows),
                     clock_format_seconds(clock_now_ns() - start_ns, seconds));
    }
    free(directory);
    return status;
}

static int export_capture(struct capture_job *job, const struct export_type *type)
{
    sqlite3 *db = NULL;
    int status = job_open_database(job, &db), exported;

    if (db == NULL)
        return status;
    exported = export_reports(job, type, db);
    database_close(db);
    if (exported == STATUS_DONE && job->settings->clear && unlink(job->database) != 0)
        console_warning("'%s' is not removed: %s", job->database, strerror(errno));
    return status_worse(status, exported);
}

static int export_capture_timeline(struct capture_job *job)
{
    return export_capture(job, &timeline_type);
}

static int export_capture_summary(struct capture_job *job)
{
    return export_capture(job, &summary_type);
}

static int export_capture_db(struct capture_job *job)
{
    return export_capture(job, &db_type);
}

static int run_timeline(const struct settings *settings)
{
    return captures_process(settings, export_capture_timeline);
}

static int run_summary(const struct settings *settings)
{
    return captures_process(settings, export_capture_summary);
}

static int run_db(const struct settings *settings)
{
    return captures_process(settings, export_capture_db);
}

static const struct example export_examples[] = {
    {"both kinds of reports of one capture", "msprof export timeline -dir JOBX && msprof export summary -dir JOBX"},
    {NULL, NULL},
};

const struct command command_export = {
    .path = "export",
    .parent = COMMAND_ROOT,
    .summary = "write reports into files",
    .description = "Writes reports of a capture. A capture without a database, or with one that is older than\n"
                   "its data, is imported first.\n",
    .examples = export_examples,
};

static const struct example timeline_examples[] = {
    {"write JOBX/timeline/*.json", "msprof export timeline -dir JOBX"},
    {"into another directory, the errors only", "msprof export timeline -q -dir JOBX --output results"},
    {NULL, NULL},
};

const struct command command_export_timeline = {
    .path = "export timeline",
    .parent = COMMAND_EXPORT,
    .summary = "timelines for trace viewers (Chrome trace JSON)",
    .description = "Writes the timelines of device tasks, of API calls and of the program's own marks and\n"
                   "ranges (msproftx) as Chrome trace JSON into timeline/;\n"
                   "Perfetto, chrome://tracing and speedscope open them.\n",
    .needs_capture = true,
    .examples = timeline_examples,
    .run = run_timeline,
};

static const struct example summary_examples[] = {
    {"write JOBX/summary/*.csv", "msprof export summary -dir JOBX"},
    {"as JSON, with the columns that the vendor's tool prints",
     "msprof export summary -dir JOBX --format json --columns vendor"},
    {NULL, NULL},
};

const struct command command_export_summary = {
    .path = "export summary",
    .parent = COMMAND_EXPORT,
    .summary = "summary tables (CSV or JSON)",
    .description = "Writes the tables of operators, of API calls and of the program's own marks and ranges\n"
                   "(msproftx) as CSV or JSON into summary/.\n",
    .needs_capture = true,
    .examples = summary_examples,
    .run = run_summary,
};

static const struct example db_examples[] = {
    {"what it can be told", "msprof help export db"},
    {NULL, NULL},
};

const struct command command_export_db = {
    .path = "export db",
    .parent = COMMAND_EXPORT,
    .summary = "database for Ascend's viewers",
    .description = "Writes what a CANN capture holds as one SQLite database in the schema that Ascend has\n"
                   "published, msprof_<time>.db in the capture.\n",
    .needs_capture = true,
    .examples = db_examples,
    .run = run_db,
};
