/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/capture/captures.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/file/fsutil.h"
#include "base/file/large.h"
#include "base/file/temporary.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "cli/capture/place.h"
#include "cli/capture/result_record.h"
#include "cli/capture/written.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "db/database.h"
#include "db/import.h"
#include "db/query/cann_version.h"
#include "db/query/query.h"
#include "db/warm_up.h"
#include "exporters/reports/answers/outcome.h"
#include "parsers/capture/capture.h"
#include "parsers/frameworks/directory.h"
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
        console_warning("'%s' cannot be read and is passed over: %s", path, strerror(errno));
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
    if (settings->show.sql != NULL) /* alone: none of the others is asked for */
        return report_files_add_query(files, settings->show.table, settings->show.sql, err);
    bool failed = load_readable(load_reports, files, MSPROF_PREFIX "/share/msprof/reports", err) != 0 ||
                  load_of_user(load_reports, files, "msprof/reports", err) != 0;

    for (size_t i = 0; !failed && i < settings->report_files.count; i++)
        failed = report_files_load(files, settings->report_files.values[i], err) != 0;
    return failed ? err_wrap(err, "cannot load your reports") : 0;
}

#define FINGERPRINT_LIMIT ((size_t)64 * 1024 * 1024)

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

/* Every command asks for all fields of all kinds, so none of them is formatted. */
static void describe_field(struct strbuf *text, const struct field *field)
{
    const int64_t numbers[] = {field->offset,    field->width,    field->first_bit, field->bit_count,
                               field->is_signed, field->multiply, field->divide,    field->relation};

    char digits[sizeof numbers / sizeof *numbers * (NUMBER_MAX + 1) + 1], *end = digits;
    strbuf_adds(text, field->column);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *end++ = ' ';
        end = number_put_signed(end, numbers[i]);
    }
    *end++ = ' ';
    strbuf_add(text, digits, (size_t)(end - digits));
    strbuf_adds(text, field->other != NULL ? field->other : "-");
    strbuf_addc(text, '\n');
}

static void describe_layout(struct strbuf *text, const struct layout *layout)
{
    strbuf_addf(text, "%s %" PRIu32 " %" PRIu32 " %d %" PRId64 "\n", layout->name, layout->record_size, layout->header,
                layout->big_endian, layout->core_khz);
    for (size_t i = 0; i < LAYOUT_MAX_MAGICS && layout->magics[i].width != 0; i++)
        strbuf_addf(text, "magic %" PRIu32 " %" PRIu32 " %" PRIx64 " %" PRIx64 "\n", layout->magics[i].offset,
                    layout->magics[i].width, layout->magics[i].value, layout->magics[i].mask);
    for (size_t i = 0; i < layout->field_count; i++) {
        describe_field(text, &layout->fields[i]);
    }
}

/* A checksum of everything that the layouts of a set say; equal for sets that decode alike. */
static int layouts_fingerprint(const struct layout_set *set, char ret[CHECKSUM_TEXT_SIZE], struct err *err)
{
    SCOPED(strbuf_release) struct strbuf text;

    strbuf_init(&text, FINGERPRINT_LIMIT);
    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++) {
        const struct layout *layout;

        strbuf_addf(&text, "kind %s\n", (*kind)->name);
        for (size_t i = 0; (layout = layout_candidate(set, *kind, i)) != NULL; i++)
            describe_layout(&text, layout);
    }
    if (text.failed)
        return err_no_memory(err);
    checksum_of(text.data, text.length, ret);
    return *ret != '\0' ? 0 : err_no_memory(err);
}

static void tell(const struct cann_version_said *said, const char *directory)
{
    if (said->contradicted != NULL)
        console_note("'%s': it says CANN %s, but has %s, which are newer; names are those of the newest version "
                     "(--cann-version asks for others)",
                     directory, said->text, said->contradicted);
    else if (cann_version_has(said->version, NAMING_BLOCK_DIM))
        console_note("'%s': names are those of CANN %s, as it says (--cann-version newest: of the newest)", directory,
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

#define PARAMETERS_LIMIT 1024

/* Absolute paths of captures, each once. */
struct found_captures {
    struct found_capture {
        char *path;
        char *framework; /* its directory, which this was found in; NULL: none */
    } * items;
    size_t count, capacity;
    bool from_parent; /* some were found inside a given directory */
};

static void found_captures_release(struct found_captures *found)
{
    for (size_t i = 0; i < found->count; i++) {
        free(found->items[i].path);
        free(found->items[i].framework);
    }
    free(found->items);
}

/* The directory itself (free() it) when the framework's own part is there, without which it is one that holds captures;
 * else NULL. length: of its path. */
static int framework_of(const char *directory, size_t length, char **ret, struct err *err)
{
    struct stat info;
    char *part;

    *ret = NULL;
    if (asprintf(&part, "%.*s/FRAMEWORK", (int)length, directory) < 0)
        return err_no_memory(err);
    if (stat(part, &info) == 0 && S_ISDIR(info.st_mode)) {
        part[length] = '\0';
        *ret = part;
    } else {
        free(part);
    }
    return 0;
}

/* Adds the capture at a path, found in a directory whose path has so many characters, unless it is there already. */
static int add_capture(struct found_captures *found, const char *path, const char *directory, size_t length,
                       struct err *err)
{
    struct found_capture capture = {path_absolute(path, err), NULL};

    if (capture.path == NULL)
        return err_status(err);
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->items[i].path, capture.path) == 0) {
            free(capture.path);
            return 0;
        }
    if (framework_of(directory, length, &capture.framework, err) == 0 && array_add(found, err, capture) == 0)
        return 0;
    free(capture.path);
    free(capture.framework);
    return err_status(err);
}

static int find_in_parent(struct found_captures *found, const char *parent, struct err *err)
{
    SCOPED_FREE char **paths = NULL;
    size_t count = 0;
    int result = capture_list(parent, &paths, &count, err);

    if (result != 0)
        return result;
    found->from_parent = true;
    for (size_t i = 0; i < count; i++) {
        if (result == 0)
            result = add_capture(found, paths[i], parent, strlen(parent), err);
        free(paths[i]);
    }
    return result;
}

/* The captures in the directories of frameworks that a directory holds. */
static int find_in_frameworks(struct found_captures *found, const char *parent, struct err *err)
{
    SCOPED(framework_paths_release) struct framework_paths directories = {.count = 0};
    int result = framework_find(parent, &directories, NULL, NULL, err);

    for (size_t i = 0; i < directories.count && result == 0; i++)
        result = find_in_parent(found, directories.items[i], err);
    return result;
}

/* Adds what one --collection-dir names; *ret_none: it is no capture, and holds none. */
static int find_in(struct found_captures *found, const char *path, const char *absolute, bool *ret_none,
                   struct err *err)
{
    enum directory_class class = DIRECTORY_OTHER;
    const size_t before = found->count;
    SCOPED_FREE char *outer = NULL;

    if (capture_find_outer(absolute, &outer, err) != 0)
        return err_status(err);
    if (outer != NULL) {
        err_set(err, ERR_USAGE, "'%s' is a part of the capture '%s'", path, outer);
        err_hint(err, "give the capture itself: -dir %s", outer);
        return err_status(err);
    }
    if (capture_classify(absolute, &class, err) != 0)
        return err_status(err);
    if (class == DIRECTORY_CAPTURE)
        return add_capture(found, absolute, absolute, (size_t)(strrchr(absolute, '/') - absolute), err);
    if ((class == DIRECTORY_PARENT && find_in_parent(found, absolute, err) != 0) ||
        (found->count == before && find_in_frameworks(found, absolute, err) != 0))
        return err_status(err);
    *ret_none = found->count == before;
    return 0;
}

static bool has_results(const char *directory)
{
    struct stat info;
    SCOPED_FREE char *results = path_join(directory, "ASCEND_PROFILER_OUTPUT");

    return results != NULL && stat(results, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Whether a directory, or one in it, has what a framework's analysis wrote: of a job, texts can be all that is left. */
static bool holds_results(const char *directory)
{
    DIR *stream = !has_results(directory) ? opendir(directory) : NULL;
    bool found = stream == NULL && has_results(directory);

    for (const struct dirent *entry; stream != NULL && !found && (entry = readdir(stream)) != NULL;) {
        SCOPED_FREE char *inside = path_join(directory, entry->d_name);
        found = inside != NULL && entry->d_name[0] != '.' && has_results(inside);
    }
    if (stream != NULL)
        closedir(stream);
    return found;
}

/* Adds it likewise; tells what is wrong, and returns an exit status. */
static int find_captures(struct found_captures *found, const char *path)
{
    struct err err = ERR_INIT;
    struct stat info;
    SCOPED_FREE char *absolute = path_absolute(path, &err);
    bool is_none = false, failed = absolute == NULL || find_in(found, path, absolute, &is_none, &err) != 0;

    if (failed) {
        if (stat(path, &info) == 0 && S_ISREG(info.st_mode))
            options_hint_of_file(path, &err);
        err_wrap(&err, "cannot use '%s' as a capture", path);
        return console_error(&err);
    }
    if (is_none)
        return console_fail(
            ERR_NOT_FOUND,
            holds_results(absolute)
                ? "it has results of a framework's analysis without the capture: 'msprof cluster DIR' reads those"
                : "give a directory with data/ and info.json inside, or one that holds JOB*, PROF* or OPPROF* "
                  "directories",
            "'%s' is no capture and holds none", path);
    return STATUS_DONE;
}

int captures_check_names(const void *items, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            const char *first = *(char *const *)((const char *)items + k * size);
            const char *second = *(char *const *)((const char *)items + i * size);
            if (strcmp(path_name(first), path_name(second)) == 0)
                return console_fail(ERR_USAGE, "process them one by one, each with its own --output",
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
    free(visit->results);
    free(visit->database);
}

static int visit_init(struct capture_visit *visit, const char *path, bool own_directory, struct err *err)
{
    SCOPED_FREE char *output = NULL;

    if (visit->settings->output != NULL && (output = path_from_here(visit->settings->output, err)) == NULL)
        return err_status(err);
    visit->directory = strdup(path);
    if (output == NULL)
        visit->results = strdup(path);
    else if (own_directory)
        visit->results = path_join(output, path_name(path));
    else
        visit->results = strdup(output);
    if (visit->results != NULL)
        visit->database = path_join(visit->results, "sqlite/runtime.db");
    if (visit->directory == NULL || visit->results == NULL || visit->database == NULL)
        return err_no_memory(err);
    return 0;
}

/* Parameters that the database depends on besides the capture's files, as db_import remembers them. */
static int format_parameters(struct strbuf *text, const struct settings *settings, const struct layout_set *layouts,
                             struct err *err)
{
    char fingerprint[CHECKSUM_TEXT_SIZE];
    if (layouts_fingerprint(layouts, fingerprint, err) < 0)
        return err_status(err);
    if (strbuf_addf(text, "freq_khz=%" PRId64 " layouts=%s", settings->clock_khz, fingerprint) != 0)
        return err_no_memory(err);
    return 0;
}

/* model: the visits but for what is of one capture. */
static int process_found(const struct found_captures *found, const struct capture_visit *model)
{
    const struct settings *settings = model->settings;
    struct err err = ERR_INIT;
    SCOPED(layout_set_release) struct layout_set layouts;
    SCOPED(strbuf_release) struct strbuf parameters;
    bool many = found->count > 1 || found->from_parent;
    int worst = STATUS_DONE;

    layout_set_init(&layouts);
    strbuf_init(&parameters, PARAMETERS_LIMIT);
    bool failed = layouts_load(&layouts, settings, &err) != 0 ||
                  format_parameters(&parameters, settings, &layouts, &err) != 0 || database_setup(&err) != 0;
    if (failed)
        worst = console_error(&err);
    for (size_t i = 0; !failed && i < found->count && !interrupted(); i++) {
        SCOPED(visit_release) struct capture_visit visit = *model;

        visit.layouts = &layouts;
        visit.parameters = parameters.data;
        visit.one_of_many = many;
        visit.capture_count = found->count;
        visit.framework = found->items[i].framework;
        failed = visit_init(&visit, found->items[i].path, many, &err) != 0;
        bool may_begin = !failed &&
                         (settings->output == NULL || place_check_results(visit.results, visit.directory, &err) == 0) &&
                         result_owner_check(visit.results, visit.directory, &err) == 0;
        worst = status_worse(worst, may_begin ? visit.process(&visit) : visit_fail(&visit, LOG_SOURCE_COMMON, &err));
    }
    if (interrupted())
        worst = STATUS_INTERRUPTED;
    return worst;
}

static int process_named(const struct value_list *captures, const struct capture_visit *model)
{
    const struct settings *settings = model->settings;
    SCOPED(found_captures_release) struct found_captures found = {.items = NULL};
    int worst = STATUS_DONE;

    for (size_t i = 0; i < captures->count; i++)
        worst = status_worse(worst, find_captures(&found, captures->values[i]));
    if (command_get(settings->command)->takes_one && found.count > 1)
        worst = console_fail(ERR_USAGE, NULL, "'%s' takes one capture, and these are %zu: '%s', '%s'%s",
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
    const struct capture_visit model = {
        .settings = settings, .process = process, .context = context, .pin = -1, .log = {.fd = -1}};

    return process_named(captures, &model);
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
    const struct capture_visit model = {.settings = settings,
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

#define PIN_TRIES 5 /* to import, when others remove what was imported before it is opened */

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
         result_owner_record(visit->results, visit->directory, fingerprint, &err) != 0))
        console_warning("'%s' does not say whose results it holds: %s", visit->results, err_message(&err));
}

static int make_directory(struct capture_visit *visit, const char *name, char **ret_path)
{
    struct err err = ERR_INIT;
    char *path = name[0] != '\0' ? path_join(visit->results, name) : strdup(visit->results);

    int result = path != NULL ? path_make_result_directory(path, &err) : err_no_memory(&err);

    if (result != 0) {
        free(path);
        err_wrap(&err, "cannot put results into '%s'", visit->results);
        if (err.code == ERR_ACCESS && visit->settings->output == NULL)
            err_hint(&err, "put them elsewhere with --output DIR");
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
    console_note("'%s': %zu file%s, %" PRIu64 " record%s decoded, %" PRIu64 " rejected%s, %s", visit->directory,
                 imported->files_decoded, console_plural(imported->files_decoded), imported->records_decoded,
                 console_plural(imported->records_decoded), imported->records_rejected,
                 reasons.failed ? "" : reasons.data, effort);
    if (imported->warm_up_records > 0)
        console_note("'%s': %" PRIu64 " record%s of warm-up, which ended before the collection started%s",
                     visit->directory, imported->warm_up_records, console_plural(imported->warm_up_records),
                     visit->settings->with_warm_up ? "" : "; reports leave them out (--with-warm-up shows them)");
}

/* An import that failed: the database that was there before, if any, is untouched. */
static int tell_failure(struct capture_visit *visit, struct err *err)
{
    err_wrap(err, "cannot import '%s'", visit->directory);
    if (err->code == ERR_ACCESS && visit->settings->output == NULL)
        err_hint(err, "when the capture is read-only, put the results elsewhere with --output DIR");
    if (err->code != ERR_INTERRUPTED)
        collection_log_add(&visit->log, LOG_LEVEL_ERROR, LOG_SOURCE_COMMON,
                           "Analysis data in \"%s\" failed. Maybe the data is incomplete.", visit->directory);
    return visit_fail(visit, LOG_SOURCE_COMMON, err);
}

bool visit_is_empty(const struct capture_visit *visit, sqlite3 *db, struct err *ret)
{
    struct err ignored = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf reason;

    strbuf_init(&reason, ERR_TEXT_SIZE);
    bool is_empty = outcome_tell_emptiness(db, &reason, &ignored) == 0 && reason.length > 0;
    if (is_empty)
        err_set(ret, ERR_NOT_FOUND, "'%s': %s", visit->directory, reason.data);
    return is_empty;
}

int visit_tell_nothing(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;

    if (db == NULL || !visit_is_empty(visit, db, &err)) {
        err_set(&err, ERR_NOT_FOUND, "'%s' holds no data that this version decodes", visit->directory);
        err_hint(&err, "see 'msprof kinds' for the files that are read");
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
                       visit->directory);
    collection_log_add(&visit->log, LOG_LEVEL_INFO, LOG_SOURCE_COMMON,
                       "It may take few minutes, please be patient ...");
    console_detail("decoding '%s' into '%s'", visit->directory, visit->database);

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
                           visit->directory);
    }
    diag_release(&diag);
    return status;
}

/* The problems that an earlier import met; returns an exit status. */
static int tell_known_problems(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;
    struct db_facts facts;

    if (db_read_facts(db, &facts, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    int64_t problems = facts.problems;
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
    if (visit->pin < 0)
        visit->pin = pin_open(visit->database);
    return visit->pin >= 0;
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
    SCOPED_FREE char *sqlite = path_join(visit->results, "sqlite");

    return visit->settings->output == NULL && command_get(visit->settings->command)->only_answers &&
           visit->temporary.path == NULL && sqlite != NULL && access(sqlite, W_OK) != 0 &&
           (errno != ENOENT || access(visit->results, W_OK) != 0);
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
    console_note("'%s' cannot be written to: its database is temporary (%s DIR keeps it)", visit->directory,
                 console_results_option());
    free(visit->results);
    free(visit->database);
    visit->results = results;
    visit->database = database;
    visit->owner_recorded = true; /* it is nobody's soon */
    return STATUS_DONE;
}

/* What the import that made a current database reported; *ret_again: it cannot be told, or the problems are to be an
 * error. Returns an exit status. */
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
        status = report_account(visit, &imported, &diag, "the database is up to date (--force imports again)");
    }
    diag_release(&diag);
    return status;
}

int visit_import_changed(struct capture_visit *visit)
{
    const bool may_be_current = !visit->settings->import_again && visit->settings->database_way == DATABASE_PAGES;
    struct import_request request = make_request(visit);
    sqlite3 *db = may_be_current && pin_database(visit) ? db_open_current(&request) : NULL;
    bool again = true;
    int status = db != NULL ? tell_known_import(visit, db, &again) : STATUS_DONE;

    database_close(db);
    return again ? visit_import(visit) : status;
}

int visit_open_database(struct capture_visit *visit, sqlite3 **ret)
{
    struct import_request request = make_request(visit);
    struct err err = ERR_INIT;
    sqlite3 *db = pin_database(visit) ? db_open_current(&request) : NULL;
    bool is_current = db != NULL;
    int status = !is_current && needs_temporary(visit) ? use_temporary(visit) : STATUS_DONE;

    if (status != STATUS_DONE)
        return status;

    for (int tries = 1; db == NULL && tries <= PIN_TRIES; tries++) {
        console_note("'%s': %s, importing", visit->directory,
                     access(visit->database, F_OK) == 0 ? "the database is out of date" : "there is no database yet");
        status = visit_import(visit);
        give_spare_memory_back();
        if (status != STATUS_DONE && status != STATUS_DATA_PROBLEMS)
            return status;
        /* who removed the one before this was imported may take this one, too */
        err = (struct err)ERR_INIT;
        if ((pin_database(visit) || tries == PIN_TRIES) && warm_up_open(visit->database, &db, &err) != 0 &&
            (tries == PIN_TRIES || access(visit->database, F_OK) == 0))
            return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    if (is_current)
        status = tell_known_problems(visit, db);
    if (status != STATUS_DONE && status != STATUS_DATA_PROBLEMS)
        database_close(db);
    else
        *ret = db;
    return status;
}
