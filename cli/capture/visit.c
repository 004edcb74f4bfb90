/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the work on one capture that several commands share. */
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/interrupt.h"
#include "base/strbuf.h"
#include "cli/capture/captures.h"
#include "cli/capture/pin.h"
#include "cli/capture/result_record.h"
#include "cli/clock.h"
#include "cli/console.h"
#include "cli/status.h"
#include "db/database.h"
#include "db/import.h"
#include "db/query/query.h"
#include "exporters/reports/answers/outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIN_TRIES 5 /* to import, when others remove what was imported before it is opened */

int visit_fail(struct capture_visit *visit, const char *source, const struct err *err)
{
    console_progress_end();
    console_error(err);
    collection_log_error(&visit->log, source, err);
    return status_of_error(err);
}

/* In a directory of its own, results say whose they are. */
static void record_owner(struct capture_visit *visit)
{
    struct err err = ERR_INIT;
    char *log = path_join(visit->results, "log");

    if (strcmp(visit->results, visit->directory) != 0 && !visit->owner_recorded &&
        (log == NULL || make_result_directory(log, &err) != 0 ||
         result_owner_record(visit->results, visit->directory, &err) != 0))
        console_warning("'%s' does not say whose results it holds: %s", visit->results, err_message(&err));
    visit->owner_recorded = true;
    free(log);
}

/* The --output of a report is the page. */
static const char *results_option(const struct settings *settings)
{
    return settings->command == COMMAND_REPORT ? "--results" : "--output";
}

int visit_make_directory(struct capture_visit *visit, const char *name, char **ret_path)
{
    struct err err = ERR_INIT;
    char *path = name[0] != '\0' ? path_join(visit->results, name) : strdup(visit->results);
    int result;

    result = path != NULL ? make_result_directory(path, &err) : err_set(&err, ERR_NO_MEMORY, "out of memory");

    if (result != 0) {
        free(path);
        err_wrap(&err, "cannot put results into '%s'", visit->results);
        if (err.code == ERR_ACCESS && visit->settings->output == NULL)
            err_hint(&err, "put them elsewhere with %s DIR", results_option(visit->settings));
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    record_owner(visit);
    if (ret_path != NULL)
        *ret_path = path;
    else
        free(path);
    return STATUS_DONE;
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

static void tell_account(const struct capture_visit *visit, const struct import_result *imported, int64_t elapsed_ns)
{
    char seconds[CLOCK_TEXT_SIZE];
    struct strbuf reasons;

    strbuf_init(&reasons, 4096);
    list_reasons(imported, &reasons);
    console_note("'%s': %zu file%s, %" PRIu64 " record%s decoded, %" PRIu64 " rejected%s, %s s", visit->directory,
                 imported->files_decoded, console_plural(imported->files_decoded), imported->records_decoded,
                 console_plural(imported->records_decoded), imported->records_rejected,
                 reasons.failed ? "" : reasons.data, clock_format_seconds(elapsed_ns, seconds));
    strbuf_release(&reasons);
}

/* An import that failed: the database that was there before, if any, is untouched. */
static int tell_failure(struct capture_visit *visit, struct err *err)
{
    err_wrap(err, "cannot import '%s'", visit->directory);
    if (err->code == ERR_ACCESS && visit->settings->output == NULL)
        err_hint(err, "when the capture is read-only, put the results elsewhere with %s DIR",
                 results_option(visit->settings));
    if (err->code != ERR_INTERRUPTED)
        collection_log_add(&visit->log, LOG_LEVEL_ERROR, LOG_SOURCE_COMMON,
                           "Analysis data in \"%s\" failed. Maybe the data is incomplete.", visit->directory);
    return visit_fail(visit, LOG_SOURCE_COMMON, err);
}

bool visit_is_empty(const struct capture_visit *visit, sqlite3 *db, struct err *ret)
{
    struct err ignored = ERR_INIT;
    struct strbuf reason;
    bool is_empty;

    strbuf_init(&reason, ERR_TEXT_SIZE);
    is_empty = emptiness_tell(db, &reason, &ignored) == 0 && reason.length > 0;
    if (is_empty)
        err_set(ret, ERR_NOT_FOUND, "'%s': %s", visit->directory, reason.data);
    strbuf_release(&reason);
    return is_empty;
}

static int tell_nothing(struct capture_visit *visit)
{
    struct err err = ERR_INIT, ignored = ERR_INIT;
    sqlite3 *db = NULL;

    if (database_open(visit->database, &db, &ignored) != 0 || !visit_is_empty(visit, db, &err)) {
        err_set(&err, ERR_NOT_FOUND, "'%s' holds no data that this version decodes", visit->directory);
        err_hint(&err, "see 'msprof kinds' for the files that are read");
    }
    database_close(db);
    visit_fail(visit, LOG_SOURCE_COMMON, &err);
    return STATUS_NOTHING;
}

int visit_import(struct capture_visit *visit)
{
    struct import_request request = make_request(visit);
    struct import_result imported = {0};
    struct err err = ERR_INIT;
    struct diagnostics diag;
    int64_t start_ns = clock_now_ns();
    char *directory = NULL;
    int status, result;

    status = visit_make_directory(visit, "sqlite", &directory);
    if (status != STATUS_DONE)
        return status;
    remove_stale_temporaries(directory);
    free(directory);
    visit_open_log(visit);
    collection_log_add(&visit->log, LOG_LEVEL_INFO, LOG_SOURCE_COMMON, "Start analyzing data in \"%s\" ...",
                       visit->directory);
    collection_log_add(&visit->log, LOG_LEVEL_INFO, LOG_SOURCE_COMMON,
                       "It may take few minutes, please be patient ...");
    console_detail("decoding '%s' into '%s'", visit->directory, visit->database);

    diag_init(&diag, visit->settings->strict);
    result = db_import(&request, &diag, &imported, &err);
    console_progress_end();
    if (err.code != ERR_STRICT) { /* else the error is the first problem */
        console_diagnostics(&diag);
        collection_log_diagnostics(&visit->log, LOG_SOURCE_COMMON, &diag);
    }
    if (result != 0) {
        status = tell_failure(visit, &err);
    } else {
        tell_account(visit, &imported, clock_now_ns() - start_ns);
        collection_log_add(&visit->log, LOG_LEVEL_INFO, LOG_SOURCE_COMMON, "Analysis data in \"%s\" finished.",
                           visit->directory);
        if (diag_problems(&diag) > 0)
            status = STATUS_DATA_PROBLEMS;
        bool is_blank = imported.records_decoded == 0 && imported.records_rejected == 0;
        if (status == STATUS_DONE ? imported.files_decoded == 0 : is_blank)
            status = status_worse(status, tell_nothing(visit));
    }
    diag_release(&diag);
    return status;
}

/* The problems that an earlier import met; returns an exit status. */
static int tell_known_problems(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;
    struct db_facts facts;
    int64_t problems;

    if (db_read_facts(db, &facts, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    problems = facts.problems;
    if (problems == 0)
        return STATUS_DONE;
    if (visit->settings->strict) {
        err_set(&err, ERR_STRICT, "'%s' has %" PRId64 " data problem%s, and --strict is given", visit->directory,
                problems, console_plural((uint64_t)problems));
        err_hint(&err, "'msprof import -dir %s' tells of them", visit->directory);
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    console_warning("'%s' has %" PRId64 " data problem%s; 'msprof import' tells of them", visit->directory, problems,
                    console_plural((uint64_t)problems));
    return STATUS_DATA_PROBLEMS;
}

/* The database of the path, which no other msprof removes while it is pinned. */
static bool pin_database(struct capture_visit *visit)
{
    if (!pin_is_current(visit->pin, visit->database)) {
        pin_close(visit->pin);
        visit->pin = pin_open(visit->database);
    }
    return visit->pin >= 0;
}

int visit_open_database(struct capture_visit *visit, sqlite3 **ret)
{
    struct import_request request = make_request(visit);
    struct err err = ERR_INIT;
    sqlite3 *db = pin_database(visit) ? db_open_current(&request) : NULL;
    bool is_current = db != NULL;
    int status = STATUS_DONE;

    for (int tries = 0; !is_current && (tries == 0 || (tries < PIN_TRIES && !pin_database(visit))); tries++) {
        console_note("'%s': %s, importing", visit->directory,
                     access(visit->database, F_OK) == 0 ? "the database is out of date" : "there is no database yet");
        status = visit_import(visit);
        if (status != STATUS_DONE && status != STATUS_DATA_PROBLEMS)
            return status;
    }
    if (db == NULL && database_open(visit->database, &db, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    if (is_current)
        status = tell_known_problems(visit, db);
    if (status != STATUS_DONE && status != STATUS_DATA_PROBLEMS)
        database_close(db);
    else
        *ret = db;
    return status;
}
