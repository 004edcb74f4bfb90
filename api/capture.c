/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: found, opened with their database, which is made where it is missing or out of date, and closed. */
#include "api/internal.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "db/database.h"
#include "db/pin.h"
#include "db/query/query.h"
#include "db/use.h"
#include "db/warm_up.h"
#include "exporters/extension.h"
#include "features/frameworks/reports/host_side.h"
#include "parsers/capture/capture.h"
#include "parsers/capture/capture_find.h"
#include "parsers/decode/parameters.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

int msprof_find(const char *directory, int depth, int (*each)(void *arg, const char *path), void *arg,
                struct msprof_error **error)
{
    const char *null = NULL_OF_TWO(directory, each);
    if (null != NULL)
        return fail_null(null, error);
    SCOPED(found_captures_release) struct found_captures found = {.items = NULL};
    atomic_int interrupt = 0;
    struct visit visit;
    struct err err = ERR_INIT;
    bool none;
    int status = 0;

    enter(&visit, &interrupt);
    SCOPED_FREE char *absolute = path_absolute(directory, &err);
    if (absolute != NULL)
        found_captures_find(&found, directory, absolute, depth > 0 ? depth : 0, &none, &err);
    const int left = leave(&visit, &err, error);
    for (size_t i = 0; left == 0 && status == 0 && i < found.count; i++)
        status = each(arg, found.items[i].path);
    return left < 0 ? left : status;
}

/* ---- opening ---- */

/* The one capture that a directory is, or holds. */
static int find_one(struct msprof_capture *capture, const char *path, struct err *err)
{
    SCOPED(found_captures_release) struct found_captures found = {.items = NULL};
    SCOPED_FREE char *absolute = path_absolute(path, err);
    bool none = false;

    if (absolute == NULL || found_captures_find(&found, path, absolute, 0, &none, err) < 0)
        return err_status(err);
    if (none) {
        err_set(err, ERR_NOT_FOUND, "'%s' is not a capture and contains none", path);
        return err_hint(err, "pass a directory with data/ and info.json, or one that contains a JOB*, PROF* or OPPROF* "
                             "directory");
    }
    if (found.count > 1) {
        err_set(err, ERR_USAGE, "'%s' contains %zu captures, expected one", path, found.count);
        return err_hint(err, "open one of them, such as '%s'", found.items[0].path);
    }
    capture->directory = found.items[0].path;
    capture->framework = found.items[0].framework;
    found.items[0].path = found.items[0].framework = NULL;
    return 0;
}

static int load_layouts(struct msprof_capture *capture, const char *more, struct err *err)
{
    static const char shipped[] = MSPROF_PREFIX "/share/msprof/layouts";
    if (access(shipped, R_OK | X_OK) == 0 && layout_set_load_directory(&capture->layouts, shipped, err) < 0)
        return err_status(err);
    layout_set_mark_shipped(&capture->layouts);
    SCOPED_FREE char *directory = more != NULL ? path_absolute(more, err) : NULL;
    if (more != NULL && (directory == NULL || layout_set_load_directory(&capture->layouts, directory, err) < 0))
        return err_status(err);
    return parameters_add(&capture->parameters, &capture->layouts, 0, err);
}

/* What an opening needs beside the capture. */
struct opening {
    struct msprof_capture *capture;
    const struct msprof_open_options *options;
};

static void tell_progress(void *arg, const char *what, uint64_t done, uint64_t total)
{
    const struct opening *opening = arg;
    if (opening->options->progress(opening->options->progress_arg, what, done, total) != 0)
        atomic_store(&opening->capture->interrupt, INTERRUPT_BY_CALLER);
}

/* Results for the time that the capture is open. */
static int use_temporary(struct msprof_capture *capture, struct err *err)
{
    capture->temporary = temporary_directory("msprof-results.", err);
    if (capture->temporary == NULL)
        return err_status(err);
    free(capture->database);
    capture->database = path_join(capture->temporary, "sqlite/runtime.db");
    return capture->database != NULL ? 0 : err_no_memory(err);
}

static int prepare_place(struct opening *opening, struct import_request *request, struct err *err)
{
    struct msprof_capture *capture = opening->capture;
    if (opening->options->results == NULL && !path_can_hold(capture->directory, "sqlite") &&
        use_temporary(capture, err) < 0)
        return err_status(err);
    request->database = capture->database;
    SCOPED_FREE char *directory =
        scoped_text(capture->database, (size_t)(strrchr(capture->database, '/') - capture->database));
    if (directory == NULL)
        return err_no_memory(err);
    if (access(capture->database, F_OK) == 0 && !database_is_as_made(capture->database)) {
        err_set(err, ERR_USAGE, "'%s' is not a database that msprof made, or another program changed it",
                capture->database);
        return err_hint(err, "move it away, or choose another directory for results");
    }
    return path_make_result_directory(directory, err);
}

/* The making of db_use. */
static int import(void *arg, struct import_request *request, struct err *err)
{
    struct opening *opening = arg;
    struct msprof_capture *capture = opening->capture;
    if (opening->options->import == MSPROF_IMPORT_NEVER) {
        err_set(err, ERR_NOT_FOUND, "'%s' has no current database", capture->directory);
        return err_hint(err, "open it without MSPROF_IMPORT_NEVER, or run 'msprof import'");
    }
    if (prepare_place(opening, request, err) < 0)
        return err_status(err);
    diag_release(&capture->diag);
    diag_init(&capture->diag, opening->options->strict != 0);
    capture->imported = true;
    return db_import(request, &capture->diag, &capture->counts, err) < 0
               ? err_wrap(err, "cannot import '%s'", capture->directory)
               : 0;
}

static int name_database(struct msprof_capture *capture, const char *results, struct err *err)
{
    SCOPED_FREE char *absolute = path_from_here(results != NULL ? results : capture->directory, err);
    capture->database = absolute != NULL ? path_join(absolute, "sqlite/runtime.db") : NULL;
    return capture->database != NULL ? 0 : err->code != ERR_NONE ? err_status(err) : err_no_memory(err);
}

static int refuse_unknown(const struct msprof_capture *capture, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf reason;
    struct db_facts facts;
    struct err ignored = ERR_INIT;
    strbuf_init(&reason, ERR_TEXT_SIZE);
    if (db_read_facts(capture->db, &facts, err) < 0 || facts.family != CAPTURE_UNKNOWN)
        return err_status(err);
    const bool told = extension_tell_emptiness(capture->db, &reason, &ignored) == 0 && reason.length > 0;
    return err_set(err, ERR_NOT_FOUND, "'%s'%s%s", capture->directory,
                   told ? ": " : " contains no data that this version decodes", told ? reason.data : "");
}

/* Attaches the framework's data, without which a connection can answer, too. */
static int attach(const struct msprof_capture *capture, bool stacks, struct diagnostics *diag, sqlite3 **db,
                  struct err *err)
{
    if (framework_attach(*db, capture->framework, capture->directory, capture->database, stacks, diag, err) == 0)
        return 0;
    database_close(*db); /* with a part of them */
    *db = NULL;
    return err_status(err);
}

/* The connection that asks what there is. A framework whose data cannot be read is a data problem, and left out. */
static int connect_first(struct msprof_capture *capture, bool strict, struct err *err)
{
    struct err damage = ERR_INIT;
    if (warm_up_open(capture->database, &capture->db, err) < 0)
        return err_status(err);
    if (capture->framework == NULL || attach(capture, false, &capture->diag, &capture->db, &damage) == 0)
        return 0;
    if (strict || damage.code == ERR_INTERRUPTED || damage.code == ERR_NO_MEMORY || damage.code == ERR_STRICT) {
        *err = damage;
        return err_status(err);
    }
    diag_report(&capture->diag, DIAG_FRAMEWORK_UNREADABLE, FILE_PLACE(path_name(capture->framework), NULL), "%s",
                err_message(&damage));
    free(capture->framework);
    capture->framework = NULL;
    return warm_up_open(capture->database, &capture->db, err);
}

static int open_capture(struct msprof_capture *capture, const char *path, const struct msprof_open_options *options,
                        struct err *err)
{
    struct opening opening = {.capture = capture, .options = options};
    const struct progress progress = {tell_progress, &opening};
    if (find_one(capture, path, err) < 0 || name_database(capture, options->results, err) < 0 ||
        load_layouts(capture, options->layouts, err) < 0)
        return err_status(err);
    struct import_request request = {
        .directory = capture->directory,
        .database = capture->database,
        .tool_version = MSPROF_VERSION,
        .parameters = capture->parameters.data,
        .options = {.layouts = &capture->layouts},
        .progress = options->progress != NULL ? &progress : NULL,
        .way = DATABASE_PAGES,
        .complete = extension_complete,
    };
    if (options->import == MSPROF_IMPORT_ALWAYS && import(&opening, &request, err) < 0)
        return err_status(err);
    if (db_use(&request, &capture->pin, import, &opening, &capture->db, err) < 0 ||
        (!capture->imported && db_read_import(capture->db, &capture->diag, &capture->counts, err) < 0) ||
        refuse_unknown(capture, err) < 0)
        return err_status(err);
    if (options->strict != 0 && diag_problems(&capture->diag) > 0)
        return err_set(err, ERR_STRICT, "'%s' has %llu data problems, which 'strict' refuses", capture->directory,
                       (unsigned long long)diag_problems(&capture->diag));
    database_close(capture->db); /* the file's locks go with the next descriptor that is closed */
    capture->db = NULL;
    return connect_first(capture, options->strict != 0, err);
}

int capture_connect(const struct msprof_capture *capture, bool stacks, sqlite3 **ret, struct err *err)
{
    struct diagnostics known; /* of the first connection */
    *ret = NULL;
    if (warm_up_open(capture->database, ret, err) < 0)
        return err_status(err);
    if (capture->framework == NULL)
        return 0;
    diag_init(&known, false);
    int status = attach(capture, stacks, &known, ret, err);
    diag_release(&known);
    return status;
}

int msprof_open(const char *path, const struct msprof_open_options *given, struct msprof_capture **ret,
                struct msprof_error **error)
{
    const char *null = NULL_OF_TWO(path, ret);
    if (null != NULL)
        return fail_null(null, error);
    struct msprof_open_options options = {.size = 0};
    struct msprof_capture *capture = calloc(1, sizeof *capture);
    atomic_int none = 0;
    struct visit visit;
    struct err err = ERR_INIT;

    *ret = NULL;
    enter(&visit, capture != NULL ? &capture->interrupt : &none);
    if (capture == NULL) {
        err_no_memory(&err);
        return leave(&visit, &err, error);
    }
    capture->pin = -1;
    capture->users = 1;
    diag_init(&capture->diag, false);
    layout_set_init(&capture->layouts);
    strbuf_init(&capture->parameters, IMPORT_PARAMETERS_LIMIT);
    if (copy_options(&options, sizeof options, given, &err) == 0) {
        if ((unsigned)options.import > MSPROF_IMPORT_NEVER)
            err_set(&err, ERR_USAGE, "the option 'import' is %d, which is none of enum msprof_import",
                    (int)options.import);
        else
            open_capture(capture, path, &options, &err);
    }
    const int status = leave(&visit, &err, error);
    if (status < 0)
        msprof_close(capture);
    else
        *ret = capture;
    return status;
}

void msprof_close(struct msprof_capture *capture)
{
    if (capture == NULL || atomic_fetch_sub(&capture->users, 1) > 1)
        return;
    database_close(capture->db);
    pin_close(capture->pin);
    if (capture->temporary != NULL)
        path_remove_tree(capture->temporary);
    free(capture->temporary);
    free(capture->directory);
    free(capture->database);
    free(capture->framework);
    diag_release(&capture->diag);
    layout_set_release(&capture->layouts);
    strbuf_release(&capture->parameters);
    free(capture);
}

void msprof_interrupt(struct msprof_capture *capture)
{
    if (capture != NULL)
        atomic_store(&capture->interrupt, INTERRUPT_BY_CALLER);
}

/* ---- what it is ---- */

int msprof_facts(struct msprof_capture *capture, struct msprof_facts *ret, struct msprof_error **error)
{
    const char *null = NULL_OF_TWO(capture, ret);
    if (null != NULL)
        return fail_null(null, error);
    struct msprof_facts facts = {.path = capture->directory,
                                 .database = capture->database,
                                 .records_decoded = capture->counts.records_decoded,
                                 .records_rejected = capture->counts.records_rejected,
                                 .problems = diag_problems(&capture->diag),
                                 .imported = capture->imported};
    struct capture_origin origin = {.time_ns = 0};
    struct db_facts known;
    struct visit visit;
    struct err err = ERR_INIT;

    enter(&visit, &capture->interrupt);
    if (ret->size < sizeof ret->size || ret->size % sizeof ret->size != 0) {
        err_set(&err, ERR_USAGE, "the size of struct msprof_facts is %zu: set it to its sizeof", ret->size);
        return leave(&visit, &err, error);
    }
    if (db_read_facts(capture->db, &known, &err) == 0 && query_origin(capture->db, known.family, &origin, &err) == 0) {
        facts.family = capture_family_name(known.family);
        facts.start_ns = origin.time_ns;
        facts.size = ret->size < sizeof facts ? ret->size : sizeof facts;
        memcpy(ret, &facts, facts.size);
    }
    return leave(&visit, &err, error);
}

int msprof_diagnostics(struct msprof_capture *capture,
                       int (*each)(void *arg, const struct msprof_diagnostic *diagnostic), void *arg,
                       struct msprof_error **error)
{
    const char *null = NULL_OF_TWO(capture, each);
    if (null != NULL)
        return fail_null(null, error);
    static const enum msprof_severity severities[] = {
        [DIAG_NOTE] = MSPROF_NOTE, [DIAG_WARNING] = MSPROF_WARNING, [DIAG_ERROR] = MSPROF_ERROR};
    for (size_t i = 0; i < capture->diag.count; i++) {
        const struct diag_entry *entry = &capture->diag.entries[i];
        const struct diag_info *info = diag_info(entry->id);
        const struct msprof_diagnostic diagnostic = {
            .id = info->id,
            .severity = severities[info->severity],
            .file = entry->file,
            .message = entry->kept > 0 ? entry->texts[0] : info->meaning,
            .remedy = info->remedy,
            .count = entry->count,
        };
        const int status = each(arg, &diagnostic);
        if (status != 0)
            return status;
    }
    return 0;
}
