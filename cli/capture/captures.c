/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/captures.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/file/temporary.h"
#include "base/language.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "cli/capture/found.h"
#include "cli/capture/place.h"
#include "cli/capture/result_record.h"
#include "cli/capture/written.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "cli/jobs.h"
#include "cli/options/options.h"
#include "db/database.h"
#include "db/import.h"
#include "db/pin.h"
#include "db/query/cann_version.h"
#include "db/query/query.h"
#include "db/use.h"
#include "db/warm_up.h"
#include "exporters/extension.h"
#include "parsers/capture/capture.h"
#include "parsers/decode/parameters.h"
#include "parsers/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a user keeps what is read at every run. */

typedef int load_directory(void *set, const char *path, struct err *err);

/* One that is there and cannot be read costs what it holds, not the command. */
static int load_readable(load_directory *load, void *set, const char *path, struct err *err)
{
    if (access(path, R_OK | X_OK) == 0)
        return load(set, path, err);
    if (errno != ENOENT && errno != ENOTDIR)
        console_warning("cannot read '%s', skipped: %s", path, strerror(errno));
    return 0;
}

/* $XDG_CONFIG_HOME/<below>, by default ~/.config/<below>; none when there is no home. */
static int load_of_user(load_directory *load, void *set, const char *below, struct err *err)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool by_config = config != NULL && config[0] == '/'; /* a relative one is to be ignored */

    if (!by_config && (home == NULL || home[0] == '\0'))
        return 0;
    SCOPED_FREE char *place = by_config ? scoped_text(config, SIZE_MAX) : path_join(home, ".config");
    SCOPED_FREE char *path = place != NULL ? path_join(place, below) : NULL;
    return path != NULL ? load_readable(load, set, path, err) : err_no_memory(err);
}

static int load_reports(void *files, const char *path, struct err *err)
{
    return report_files_load_directory(files, path, err);
}

int captures_load_reports(struct report_files *files, const struct settings *settings, struct err *err)
{
    files->seconds = settings->report_seconds;
    files->joint = settings->show.joint;
    if (settings->show.sql != NULL) /* alone: none of the others is asked for */
        return report_files_add_query(files, settings->show.table, settings->show.sql, err);
    bool failed = load_readable(load_reports, files, MSPROF_PREFIX "/share/msprof/reports", err) != 0 ||
                  load_of_user(load_reports, files, "msprof/reports", err) != 0;

    for (size_t i = 0; !failed && i < settings->report_files.count; i++)
        failed = report_files_load(files, settings->report_files.values[i], err) != 0;
    return failed ? err_wrap(err, "cannot load user-defined reports") : 0;
}

static int load_layouts(void *set, const char *path, struct err *err)
{
    return layout_set_load_directory(set, path, err);
}

int layouts_load(struct layout_set *set, const struct settings *settings, struct err *err)
{
    bool failed = load_readable(load_layouts, set, MSPROF_PREFIX "/share/msprof/layouts", err) != 0;
    layout_set_mark_shipped(set);
    failed = failed || load_of_user(load_layouts, set, "msprof/layouts", err) != 0;
    for (size_t i = 0; !failed && i < settings->layouts.count; i++)
        failed = layout_set_load_named(set, settings->layouts.values[i], err) != 0;
    return failed ? err_wrap(err, "cannot load the record layouts") : 0;
}

static void tell(const struct cann_version_said *said, const char *directory)
{
    if (said->contradicted != NULL)
        console_note("'%s': version is CANN %s, but it contains %s, which are newer; names of the newest version are "
                     "used (see --cann-version)",
                     directory, said->text, said->contradicted);
    else if (cann_version_has(said->version, NAMING_BLOCK_DIM))
        console_note("'%s': names of CANN %s are used, the capture's version (see --cann-version)", directory,
                     said->text);
}

int capture_names_version(const struct settings *settings, sqlite3 *db, const char *framework, const char *directory,
                          int *ret, struct err *err)
{
    struct cann_version_said said;
    struct db_facts facts;
    *ret = settings->cann_version;
    if (settings->cann_version != CANN_VERSION_OF_CAPTURE)
        return 0;
    *ret = CANN_VERSION_NEWEST;
    int status = framework == NULL ? db_read_facts(db, &facts, err) : 0;
    if (status < 0 || (framework == NULL && facts.family != CAPTURE_CANN))
        return status;
    status = cann_version_said(db, framework, &said, err);
    if (status < 0)
        return status;
    tell(&said, directory);
    *ret = said.version;
    return 0;
}

int captures_check_names(const void *items, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            const char *first = *(char *const *)((const char *)items + k * size);
            const char *second = *(char *const *)((const char *)items + i * size);
            if (strcmp(path_name(first), path_name(second)) == 0)
                return console_fail(ERR_USAGE, "process them separately, each with its own --output",
                                    "'%s' and '%s' would both write to the same place under --output", first, second);
        }
    return STATUS_DONE;
}

static void visit_release(struct capture_visit *visit)
{
    pin_close(visit->pin);
    collection_log_close(&visit->log);
    private_results_remove(&visit->temporary);
    free(visit->directory);
    free(visit->shown);
    free(visit->results);
    free(visit->database);
}

static int visit_init(struct capture_visit *visit, const struct found_capture *capture, bool own_directory,
                      struct err *err)
{
    const char *path = capture->path;
    SCOPED_FREE char *output = NULL;

    if (visit->settings->output != NULL && (output = path_from_here(visit->settings->output, err)) == NULL)
        return err_status(err);
    visit->framework = capture->framework;
    visit->is_unpacked = capture->is_unpacked;
    visit->directory = strdup(path);
    visit->shown = strdup(capture->shown != NULL ? capture->shown : path);
    if (output == NULL)
        visit->results = strdup(path);
    else if (own_directory)
        visit->results = path_join(output, path_name(path));
    else
        visit->results = strdup(output);
    if (visit->results != NULL)
        visit->database = path_join(visit->results, "sqlite/runtime.db");
    if (visit->directory == NULL || visit->shown == NULL || visit->results == NULL || visit->database == NULL)
        return err_no_memory(err);
    return 0;
}

/* What the visits of a command have in common. */
struct visiting {
    const struct found_captures *found;
    const struct capture_visit *model; /* but for what is of one capture */
    bool many;
};

static int visit_one(void *arg, size_t i)
{
    const struct visiting *visiting = arg;
    const struct settings *settings = visiting->model->settings;
    SCOPED(visit_release) struct capture_visit visit = *visiting->model;
    struct err err = ERR_INIT;

    const bool may_begin =
        visit_init(&visit, &visiting->found->items[i], visiting->many, &err) == 0 &&
        (settings->output == NULL || place_check_results(visit.results, visit.directory, &err) == 0) &&
        result_owner_check(visit.results, visit.shown, visit.directory, &err) == 0;
    return may_begin ? visit.process(&visit) : visit_fail(&visit, LOG_SOURCE_COMMON, &err);
}

static int process_found(const struct found_captures *found, const struct capture_visit *model)
{
    const struct settings *settings = model->settings;
    struct err err = ERR_INIT;
    SCOPED(layout_set_release) struct layout_set layouts;
    SCOPED(strbuf_release) struct strbuf parameters;
    struct capture_visit each = *model;
    struct visiting visiting = {found, &each, found->count > 1 || found->from_parent};

    layout_set_init(&layouts);
    strbuf_init(&parameters, IMPORT_PARAMETERS_LIMIT);
    if (layouts_load(&layouts, settings, &err) != 0 ||
        parameters_add(&parameters, &layouts, settings->clock_khz, &err) != 0 || database_setup(&err) != 0)
        return console_error(&err);
    each.layouts = &layouts;
    each.parameters = parameters.data;
    each.one_of_many = visiting.many;
    each.capture_count = found->count;
    return jobs_run(found->count, model->side_by_side && settings->jobs > 0 ? settings->jobs : 1, visit_one, &visiting);
}

static int process_named(const struct value_list *captures, struct capture_visit *model)
{
    const struct settings *settings = model->settings;
    SCOPED(found_captures_release) struct found_captures found = {.items = NULL};
    int worst = STATUS_DONE;

    for (size_t i = 0; i < captures->count; i++)
        worst = status_worse(worst, found_captures_add(&found, settings, captures->values[i]));
    if (command_get(settings->command)->takes_one && found.count > 1)
        worst = console_fail(ERR_USAGE, NULL, "'%s' takes one capture, but got %zu: '%s', '%s'%s",
                             command_full_name(settings->command), found.count, found.items[0].path,
                             found.items[1].path, found.count > 2 ? ", ..." : "");
    if (found.count > 0 && settings->output != NULL)
        worst = status_worse(worst, captures_check_names(found.items, found.count, sizeof *found.items));
    if (found.count > 0 && worst != STATUS_USAGE)
        worst = status_worse(worst, process_found(&found, model));
    return worst;
}

int captures_process(const struct settings *settings, const struct value_list *captures,
                     int (*process)(struct capture_visit *visit), void *context)
{
    struct capture_visit model = {
        .settings = settings, .process = process, .context = context, .pin = -1, .log = {.fd = -1}};

    return process_named(captures, &model);
}

int captures_process_apart(const struct settings *settings, int (*process)(struct capture_visit *visit), void *context)
{
    struct capture_visit model = {.settings = settings,
                                  .process = process,
                                  .context = context,
                                  .side_by_side = true,
                                  .pin = -1,
                                  .log = {.fd = -1}};

    return process_named(&settings->captures, &model);
}

static int query_one(struct capture_visit *visit)
{
    sqlite3 *db = NULL;
    int status = visit->open(visit, &db);

    if (db == NULL)
        return status;
    status = status_worse(status, visit->work(visit, db));
    database_close(db);
    return status;
}

int captures_query(const struct settings *settings, const struct value_list *captures,
                   int (*open)(struct capture_visit *visit, sqlite3 **ret),
                   int (*work)(struct capture_visit *visit, sqlite3 *db), void *context)
{
    struct capture_visit model = {.settings = settings,
                                  .process = query_one,
                                  .open = open,
                                  .work = work,
                                  .context = context,
                                  .pin = -1,
                                  .log = {.fd = -1}};

    return process_named(captures, &model);
}

int captures_make_reports(const struct settings *settings, const struct value_list *captures, bool timeline,
                          bool summary)
{
    const struct {
        enum command_id command;
        bool wanted;
    } steps[] = {{COMMAND_IMPORT, true}, {COMMAND_EXPORT_TIMELINE, timeline}, {COMMAND_EXPORT_SUMMARY, summary}};
    struct settings each = *settings;
    int status = STATUS_DONE;

    each.captures = *captures;
    each.output = NULL; /* results go into the capture */
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && captures->count > 0; i++)
        if (steps[i].wanted)
            status = status_worse(status, command_get(steps[i].command)->run(&each));
    return status;
}

/* The steps of the work on one capture that several commands share. */

int visit_fail(struct capture_visit *visit, const char *source, const struct err *err)
{
    console_progress_end();
    console_error(err);
    collection_log_error(&visit->log, source, err);
    return status_of_error(err);
}

/* In a directory of its own, results say whose they are. fingerprint: of the capture's files; NULL: it is made here. */
static void record_owner(const struct capture_visit *visit, const char *fingerprint)
{
    struct err err = ERR_INIT;
    SCOPED_FREE char *log = path_join(visit->results, "log");

    if (strcmp(visit->results, visit->directory) != 0 &&
        (log == NULL || path_make_result_directory(log, &err) != 0 ||
         result_owner_record(visit->results, visit->shown, visit->directory, fingerprint, &err) != 0))
        console_warning("cannot read whose results '%s' contains: %s", visit->results, err_message(&err));
}

static int make_directory(struct capture_visit *visit, const char *name, char **ret_path)
{
    struct err err = ERR_INIT;
    char *path = name[0] != '\0' ? path_join(visit->results, name) : strdup(visit->results);

    int result = path != NULL ? path_make_result_directory(path, &err) : err_no_memory(&err);

    if (result != 0) {
        free(path);
        err_wrap(&err, "cannot write results into '%s'", visit->results);
        if (err.code == ERR_ACCESS && visit->settings->output == NULL)
            err_hint(&err, "choose another directory with --output DIR");
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    *ret_path = path;
    return STATUS_DONE;
}

int visit_make_directory(struct capture_visit *visit, const char *name, char **ret_path)
{
    int status = make_directory(visit, name, ret_path);
    if (status == STATUS_DONE && !visit->owner_recorded) {
        record_owner(visit, NULL);
        visit->owner_recorded = true;
    }
    return status;
}

void visit_open_log(struct capture_visit *visit)
{
    struct err err = ERR_INIT;

    if (visit->log.fd < 0 && collection_log_open(&visit->log, visit->results, &err) != 0)
        console_warning("no log is written: %s", err_message(&err));
}

static struct import_request make_request(const struct capture_visit *visit)
{
    return (struct import_request){
        .directory = visit->directory,
        .database = visit->database,
        .tool_version = MSPROF_VERSION,
        .parameters = visit->parameters,
        .options = {.layouts = visit->layouts,
                    .clock_khz = visit->settings->clock_khz,
                    .clock_shift_ns = visit->clock_shift_ns},
        .progress = console_progress(),
        .way = (enum database_way)visit->settings->database_way,
        .complete = extension_complete,
    };
}

/* " (2 record-magic, 1 record-value)", or nothing. */
static void list_reasons(const struct import_result *imported, struct strbuf *text)
{
    for (size_t i = 0; i < DIAG_COUNT; i++) {
        if (imported->rejected_for[i] > 0)
            strbuf_addf(text, "%s%" PRIu64 " %s", text->length == 0 ? " (" : ", ", imported->rejected_for[i],
                        diag_info((enum diag_id)i)->id);
    }
    if (text->length > 0)
        strbuf_addc(text, ')');
}

/* effort: what it took, "0.12 s". */
static void tell_account(const struct capture_visit *visit, const struct import_result *imported, const char *effort)
{
    SCOPED(strbuf_release) struct strbuf reasons;

    strbuf_init(&reasons, 4096);
    list_reasons(imported, &reasons);
    console_note("'%s': %zu file%s, %" PRIu64 " record%s decoded, %" PRIu64 " rejected%s, %s", visit->shown,
                 imported->files_decoded, console_plural(imported->files_decoded), imported->records_decoded,
                 console_plural(imported->records_decoded), imported->records_rejected,
                 reasons.failed ? "" : reasons.data, effort);
    if (imported->warm_up_records > 0)
        console_note("'%s': %" PRIu64 " record%s of warm-up, which ended before the collection started%s", visit->shown,
                     imported->warm_up_records, console_plural(imported->warm_up_records),
                     visit->settings->with_warm_up ? "" : language_said("; reports omit them (see --with-warm-up)"));
}

/* An import that failed: the database that was there before, if any, is untouched. */
static int tell_failure(struct capture_visit *visit, struct err *err)
{
    err_wrap(err, "cannot import '%s'", visit->shown);
    if (err->code == ERR_ACCESS && visit->settings->output == NULL)
        err_hint(err, "if the capture is read-only, choose another directory with --output DIR");
    if (err->code != ERR_INTERRUPTED)
        collection_log_add(&visit->log, LOG_LEVEL_ERROR, LOG_SOURCE_COMMON,
                           "Analysis data in \"%s\" failed. Maybe the data is incomplete.", visit->shown);
    return visit_fail(visit, LOG_SOURCE_COMMON, err);
}

bool visit_is_empty(const struct capture_visit *visit, sqlite3 *db, struct err *ret)
{
    struct err ignored = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf reason;

    strbuf_init(&reason, ERR_TEXT_SIZE);
    bool is_empty = extension_tell_emptiness(db, &reason, &ignored) == 0 && reason.length > 0;
    if (is_empty)
        err_set(ret, ERR_NOT_FOUND, "'%s': %s", visit->shown, reason.data);
    return is_empty;
}

int visit_tell_nothing(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;

    if (db == NULL || !visit_is_empty(visit, db, &err)) {
        err_set(&err, ERR_NOT_FOUND, "'%s' contains no data that this version decodes", visit->shown);
        err_hint(&err, "'msprof kinds' lists the files that are read");
    }
    visit_fail(visit, LOG_SOURCE_COMMON, &err);
    return STATUS_NOTHING;
}

/* Opens the new database to say why nothing is in it. */
static int tell_nothing(struct capture_visit *visit)
{
    struct err ignored = ERR_INIT;
    sqlite3 *db = NULL;

    warm_up_open(visit->database, &db, &ignored);
    int status = visit_tell_nothing(visit, db);
    database_close(db);
    return status;
}

/* Returns the exit status of an import that was made. */
static int report_account(struct capture_visit *visit, const struct import_result *imported,
                          const struct diagnostics *diag, const char *effort)
{
    const int status = diag_problems(diag) > 0 ? STATUS_DATA_PROBLEMS : STATUS_DONE;
    const bool is_blank = imported->records_decoded == 0 && imported->records_rejected == 0;

    tell_account(visit, imported, effort);
    if (status == STATUS_DONE ? imported->files_decoded > 0 : !is_blank)
        return status;
    return status_worse(status, tell_nothing(visit));
}

int visit_import(struct capture_visit *visit)
{
    struct import_request request = make_request(visit);
    struct import_result imported = {0};
    struct err err = ERR_INIT;
    struct diagnostics diag;
    int64_t start_ns = clock_now_ns();
    char *directory = NULL;

    int status = make_directory(visit, "sqlite", &directory);
    if (status != STATUS_DONE)
        return status;
    record_owner(visit, "importing"); /* the import looks at all files anyway: their fingerprint is known behind it */
    temporary_remove_stale(directory);
    free(directory);
    visit_open_log(visit);
    collection_log_add(&visit->log, LOG_LEVEL_INFO, LOG_SOURCE_COMMON, "Start analyzing data in \"%s\" ...",
                       visit->shown);
    collection_log_add(&visit->log, LOG_LEVEL_INFO, LOG_SOURCE_COMMON,
                       "It may take few minutes, please be patient ...");
    console_detail("decoding '%s' into '%s'", visit->shown, visit->database);

    diag_init(&diag, visit->settings->strict);
    outfile_set_spare(written_spare_database, NULL);
    int result = db_import(&request, &diag, &imported, &err);
    outfile_set_spare(NULL, NULL);
    record_owner(visit, result == 0 ? imported.fingerprint : NULL);
    visit->owner_recorded = true;
    console_progress_end();
    if (err.code != ERR_STRICT) { /* else the error is the first problem */
        console_diagnostics(&diag);
        collection_log_diagnostics(&visit->log, &diag);
    }
    if (result != 0) {
        status = tell_failure(visit, &err);
    } else {
        char took[64];
        snprintf(took, sizeof took, "%s s", CLOCK_SECONDS_SINCE(start_ns));
        status = report_account(visit, &imported, &diag, took);
        collection_log_add(&visit->log, LOG_LEVEL_INFO, LOG_SOURCE_COMMON, "Analysis data in \"%s\" finished.",
                           visit->shown);
    }
    diag_release(&diag);
    return status;
}

/* The problems that an earlier import met; returns an exit status. */
static int tell_known_problems(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;
    struct db_facts facts;
    char text[PROBLEMS_TEXT_SIZE];

    if (db_read_facts(db, &facts, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    int64_t problems = facts.problems;
    if (problems == 0)
        return STATUS_DONE;
    if (visit->settings->strict) {
        err_set(&err, ERR_STRICT, "'%s' has %" PRId64 " data problem%s, and --strict is given", visit->shown, problems,
                console_plural((uint64_t)problems));
        err_hint(&err, "run 'msprof import -dir %s' to see them", visit->shown);
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    if (query_problems(db, text, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    console_warning("'%s' has %s%s", visit->shown, text,
                    problems > 1 ? language_said("; 'msprof import' lists them") : "");
    return STATUS_DATA_PROBLEMS;
}

void give_spare_memory_back(void)
{
#ifdef M_MMAP_THRESHOLD
    malloc_trim(0);
#endif
    large_put_away();
}

/* Whether an import could not put its results into the capture, as nobody says where else they go. */
static bool needs_temporary(const struct capture_visit *visit)
{
    return visit->settings->output == NULL && command_get(visit->settings->command)->only_answers &&
           visit->temporary.path == NULL && !path_can_hold(visit->results, "sqlite");
}

static int use_temporary(struct capture_visit *visit)
{
    struct err err = ERR_INIT;
    char *results, *database;

    if (private_results_make(&visit->temporary, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    results = strdup(visit->temporary.path);
    database = path_join(visit->temporary.path, "sqlite/runtime.db");
    if (results == NULL || database == NULL) {
        free(results);
        free(database);
        err_no_memory(&err);
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    console_note("'%s' is not writable: using a temporary database (%s DIR keeps it)", visit->shown,
                 console_results_option());
    free(visit->results);
    free(visit->database);
    visit->results = results;
    visit->database = database;
    visit->owner_recorded = true; /* it is nobody's soon */
    return STATUS_DONE;
}

/* Repeats the messages of the import that made a current database. *ret_again: they cannot be read, or --strict makes
 * its problems an error. Returns an exit status. */
static int tell_known_import(struct capture_visit *visit, sqlite3 *db, bool *ret_again)
{
    struct import_result imported;
    struct diagnostics diag;
    struct err ignored = ERR_INIT;
    int status = STATUS_DONE;

    diag_init(&diag, false);
    *ret_again =
        db_read_import(db, &diag, &imported, &ignored) != 0 || (visit->settings->strict && diag_problems(&diag) > 0);
    if (!*ret_again) {
        console_diagnostics(&diag);
        status = report_account(visit, &imported, &diag,
                                language_said("the database is up to date (--force imports again)"));
    }
    diag_release(&diag);
    return status;
}

int visit_import_changed(struct capture_visit *visit)
{
    const bool may_be_current = !visit->settings->import_again && visit->settings->database_way == DATABASE_PAGES;
    struct import_request request = make_request(visit);
    sqlite3 *db = may_be_current && pin_database(visit->database, &visit->pin) ? db_open_current(&request) : NULL;
    bool again = true;
    int status = db != NULL ? tell_known_import(visit, db, &again) : STATUS_DONE;

    database_close(db);
    return again ? visit_import(visit) : status;
}

/* What visit_open_database hands to the one that finds a database missing. */
struct making {
    struct capture_visit *visit;
    int status;
    bool made;
};

static int make_database(void *arg, struct import_request *request, struct err *err)
{
    struct making *making = arg;
    struct capture_visit *visit = making->visit;
    if (!making->made && needs_temporary(visit))
        making->status = use_temporary(visit);
    making->made = true;
    if (making->status == STATUS_DONE || making->status == STATUS_DATA_PROBLEMS) {
        request->database = visit->database;
        console_note("'%s': %s, importing", visit->shown,
                     access(visit->database, F_OK) == 0 ? language_said("the database is out of date")
                                                        : language_said("there is no database yet"));
        making->status = visit_import(visit);
        give_spare_memory_back();
    }
    return making->status == STATUS_DONE || making->status == STATUS_DATA_PROBLEMS ? 0
                                                                                   : err_set(err, ERR_FAILED, "told");
}

int visit_open_database(struct capture_visit *visit, sqlite3 **ret)
{
    struct making making = {.visit = visit, .status = STATUS_DONE};
    struct import_request request = make_request(visit);
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;

    if (db_use(&request, &visit->pin, make_database, &making, &db, &err) < 0)
        return making.status == STATUS_DONE || making.status == STATUS_DATA_PROBLEMS
                   ? visit_fail(visit, LOG_SOURCE_COMMON, &err)
                   : making.status;
    int status = making.made ? making.status : tell_known_problems(visit, db);
    if (status != STATUS_DONE && status != STATUS_DATA_PROBLEMS)
        database_close(db);
    else
        *ret = db;
    return status;
}

static bool is_unknown(sqlite3 *db)
{
    struct db_facts facts;
    struct err ignored = ERR_INIT;

    return db_read_facts(db, &facts, &ignored) == 0 && facts.family == CAPTURE_UNKNOWN;
}

int visit_open_prepared(struct capture_visit *visit, sqlite3 **ret)
{
    int status = visit_open_database(visit, ret);
    bool usable = *ret == NULL || !is_unknown(*ret);

    if (!usable)
        status = status_worse(status, visit_tell_nothing(visit, *ret));
    for (const struct command_extension *const *one = command_extensions; *ret != NULL && usable && *one != NULL;
         one++) {
        if ((*one)->open == NULL)
            continue;
        int opened = (*one)->open(visit, *ret, &usable);
        status = usable ? status_worse(status, opened) : opened;
    }
    if (!usable) {
        database_close(*ret);
        *ret = NULL;
    }
    return status;
}
