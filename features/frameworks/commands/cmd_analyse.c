/* SPDX-License-Identifier: Apache-2.0 */
/* msprof analyse: directories of MindSpore's and PyTorch's profilers. */
#include "features/frameworks/commands/cmd_analyse.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/language.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/thread.h"
#include "cli/capture/captures.h"
#include "cli/capture/found.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/jobs.h"
#include "cli/number_list.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/schema.h"
#include "exporters/export.h"
#include "features/frameworks/commands/analyse_output.h"
#include "features/frameworks/reports/analysis.h"
#include "parsers/capture/capture.h"
#include "parsers/capture/framework_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct work {
    const struct analyse_request *request;
    struct framework_info info;
    struct framework_paths profs;
    size_t prof;     /* which is being analysed */
    char *directory; /* that its files go into, owned */
    struct framework_clock clock;
    struct analyse_output output;
    struct diagnostics diag;
    struct export_result result;
    size_t not_written;
    bool nothing;     /* was found to do */
    bool misses_host; /* the capture has no clocks of its host */
    int64_t start_ns;
};

static void tell_not_written(void *arg, const char *file, const char *because)
{
    struct work *work = arg;
    work->not_written++;
    console_progress_end();
    console_warning("not written: %s, because %s", file, because);
}

/* ---- what the framework recorded, which is read while the capture is imported ---- */

struct loading {
    struct work *work;
    struct framework framework;
    struct diagnostics again, *diag; /* gaps of the framework's records are reported once */
    struct err err;
    pthread_t thread;
    bool begun;
};

static void *load(void *arg)
{
    struct loading *loading = arg;
    framework_load(&loading->framework, loading->work->request->directory, &loading->work->clock, loading->diag,
                   &loading->err);
    return NULL;
}

static void loading_init(struct loading *loading, struct work *work)
{
    *loading = (struct loading){.work = work, .framework = {.info = work->info}, .err = ERR_INIT};
    diag_init(&loading->again, false);
    loading->diag = work->prof > 0 ? &loading->again : &work->diag;
}

static void loading_end(struct loading *loading)
{
    if (loading->begun)
        pthread_join(loading->thread, NULL);
    else
        load(loading);
}

static void loading_release(struct loading *loading)
{
    framework_release(&loading->framework);
    diag_release(&loading->again);
}

/* ---- with the database of the PROF capture, or without one ---- */

struct step_numbers ARRAY_OF(int64_t);

/* The numbers of the steps that there are, ascending. */
static int find_steps(const struct framework *framework, struct step_numbers *ret, struct err *err)
{
    for (size_t i = 0; i < framework->steps.count; i++) {
        const char *id = framework_text(framework, framework->steps.items[i].id);
        int64_t number;
        if (number_parse_integer(id, strlen(id), &number) == 0 && array_add(ret, err, number) < 0)
            return err_status(err);
    }
    array_sort(ret->items, ret->count, sizeof *ret->items, array_compare_numbers);
    return 0;
}

static bool is_step(const struct step_numbers *steps, int64_t number)
{
    return steps->count > 0 &&
           bsearch(&number, steps->items, steps->count, sizeof *steps->items, array_compare_numbers) != NULL;
}

static int fail_without_steps(struct work *work, const struct step_numbers *steps, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf there;
    strbuf_init(&there, NUMBERS_TEXT);
    number_list_add(&there, steps->items, steps->count);
    if (there.failed)
        return err_no_memory(err);
    work->nothing = true;
    err_set(err, ERR_NOT_FOUND, "--step-list chooses no step of the capture; available: %s",
            there.length > 0 ? there.data : language_said("none with a number"));
    return err_hint(err, "choose some of these, or omit --step-list for all");
}

/* Comes before anything is written: results that were there stay when no step is chosen. Steps that are asked for and
 * not there are reported. */
static int check_steps(struct work *work, const struct framework *framework, struct err *err)
{
    const struct step_filter_list *wanted = &work->request->steps;
    SCOPED_FREE struct step_numbers steps = {.count = 0};
    size_t found = 0;
    if (wanted->count > 0 && find_steps(framework, &steps, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < wanted->count; i++)
        found += is_step(&steps, wanted->items[i]);
    if (found == 0 && wanted->count > 0)
        return fail_without_steps(work, &steps, err);
    for (size_t i = 0; i < wanted->count; i++) {
        char because[96];
        snprintf(because, sizeof because, language_said("the capture has %zu steps, but no step %" PRId64),
                 framework->steps.count, wanted->items[i]);
        if (!is_step(&steps, wanted->items[i]))
            tell_not_written(work, language_said("the rows of a step"), because);
    }
    return 0;
}

static bool is_asked_for(const struct settings *settings, const char *type)
{
    const char *types = settings->analyse.export_types;
    return types != NULL ? strstr(types, type) != NULL : strcmp(type, "text") == 0;
}

static int write_output(struct work *work, struct loading *loading, sqlite3 *db, const char *database, struct err *err)
{
    const struct settings *settings = work->request->settings;
    const char *said = work->info.cann_version;
    int cann_version = CANN_VERSION_NEWEST;
    if (!work->request->for_cluster &&
        capture_names_version(settings, db, said, work->request->directory, &cann_version, err) < 0)
        return err_status(err);
    const struct export_options options = {
        .database = database,
        .directory = work->directory,
        .format = TABLE_CSV,
        .columns = COLUMNS_VENDOR,
        .timestamp = "",
        .model_id = -1,
        .cann_version = cann_version,
        .trace_compat = !settings->analyse.relative_times,
        .progress = console_progress(),
    };
    struct framework_analysis analysis = {
        .framework = &loading->framework,
        .directory = work->request->directory,
        .db = db,
        .prof = database != NULL ? work->profs.items[work->prof] : NULL,
        .database = database,
        .options = &options,
        .result = &work->result,
        .diag = loading->diag,
        .for_cluster = work->request->for_cluster,
        .texts = is_asked_for(settings, "text"),
        .databases = is_asked_for(settings, "db"),
        .relative_times = settings->analyse.relative_times,
        .pretty = settings->analyse.pretty,
        .steps = work->request->steps,
        .clock = &work->clock,
        .not_written = tell_not_written,
        .not_written_arg = work,
    };
    if (loading->err.code != ERR_NONE) {
        *err = loading->err;
        return err_status(err);
    }
    if (work->prof == 0 && check_steps(work, &loading->framework, err) < 0)
        return err_status(err);
    return framework_write(&analysis, err);
}

/* All files are there. */
static int complete_output(struct work *work, struct err *err)
{
    if (work->info.kind == FRAMEWORK_PYTORCH && analyse_output_put(&work->output, "analyse.done", "", err) < 0)
        return err_status(err);
    return analyse_output_commit(&work->output, err);
}

static int fail(const struct work *work, struct err *err)
{
    console_progress_end();
    err_wrap(err, "cannot analyse '%s'", work->request->directory);
    int status = console_error(err);
    if (work->misses_host)
        return STATUS_DATA_PROBLEMS;
    return work->nothing ? STATUS_NOTHING : status;
}

static int finish(struct work *work, int status, struct err *err)
{
    console_progress_end();
    console_diagnostics(&work->diag);
    if (status < 0)
        return fail(work, err);
    bool complete = work->not_written == 0 && diag_problems(&work->diag) == 0;
    console_note("'%s/" FRAMEWORK_OUTPUT "': %" PRIu64 " files, %" PRIu64 " rows and events, %s s",
                 work->request->results, work->result.files, work->result.rows, CLOCK_SECONDS_SINCE(work->start_ns));
    if (!complete)
        return STATUS_DATA_PROBLEMS;
    return STATUS_DONE;
}

static int with_capture(struct capture_visit *visit)
{
    struct work *work = visit->context;
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;
    SCOPED(loading_release) struct loading loading;
    loading_init(&loading, work);
    loading.begun = thread_start(&loading.thread, load, &loading) == 0;
    int imported = visit_open_database(visit, &db);
    loading_end(&loading);
    if (db == NULL)
        return imported;
    int status =
        work->request->problem != NULL && work->prof == 0 ? query_first_problem(db, work->request->problem, &err) : 0;
    if (status == 0)
        status = write_output(work, &loading, db, visit->database, &err);
    database_close(db);
    return status < 0 ? fail(work, &err) : imported;
}

static int without_capture(struct work *work)
{
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;
    SCOPED(loading_release) struct loading loading;
    loading_init(&loading, work);
    loading_end(&loading);
    bool failed = database_setup(&err) < 0 || database_open_memory(&db, &err) < 0 ||
                  schema_create_tables(db, &err) < 0 || schema_finish(db, &err) < 0 ||
                  write_output(work, &loading, db, NULL, &err) < 0 || complete_output(work, &err) < 0;
    database_close(db);
    return finish(work, failed ? -(int)err.code : 0, &err);
}

/* The clock of the framework's records. prof: NULL: there is no capture. */
static int read_clock(struct work *work, const char *prof, struct err *err)
{
    int status = framework_clock_of(&work->info, prof, &work->clock, err);
    if (work->request->settings->with_warm_up)
        work->clock.collection_ns = 0;
    return status;
}

/* ---- several PROF captures: the first one's files are the directory's, others have a directory of their own there
 * ----
 */

/* Takes the capture's clock, and makes where its files go. */
static int begin_capture(struct work *work, size_t number, struct err *err)
{
    const char *name = path_name(work->profs.items[number]);
    work->prof = number;
    free(work->directory);
    work->directory = number == 0 ? strdup(work->output.temporary) : path_join(work->output.temporary, name);
    if (work->directory == NULL)
        return err_no_memory(err);
    if (number == 0)
        return 0;
    console_note("'%s': another PROF capture; its files are in '%s/" FRAMEWORK_OUTPUT "/%s'", work->profs.items[number],
                 work->request->results, name);
    int status = read_clock(work, work->profs.items[number], err);
    return status == 0 ? path_make_directories(work->directory, err) : status;
}

/* Databases of several captures would be one file with --output. */
static char *database_place(const struct work *work, size_t number)
{
    return number == 0 ? scoped_text(work->request->results, SIZE_MAX)
                       : path_join(work->request->results, path_name(work->profs.items[number]));
}

static int analyse_capture(struct work *work, size_t number)
{
    struct err err = ERR_INIT;
    struct settings settings = *work->request->settings;
    SCOPED_FREE char *place = settings.output != NULL ? database_place(work, number) : NULL;
    const char *prof = work->profs.items[number];
    const struct value_list captures = {&prof, 1, 0};
    int status = begin_capture(work, number, &err);
    if (status == 0 && settings.output != NULL && place == NULL)
        status = err_no_memory(&err);
    settings.output = place;
    if (status == 0)
        status = captures_process(&settings, &captures, with_capture, work);
    else
        status = finish(work, status, &err);
    return status;
}

/* Further captures that cannot be analysed are reported, and the rest stays. */
static int with_captures(struct work *work)
{
    struct err err = ERR_INIT;
    int worst = analyse_capture(work, 0);
    if (worst != STATUS_DONE && worst != STATUS_DATA_PROBLEMS)
        return worst;
    for (size_t i = 1; i < work->profs.count && !work->request->for_cluster && !interrupted(); i++) {
        int status = analyse_capture(work, i);
        if (status != STATUS_DONE && status != STATUS_DATA_PROBLEMS) {
            tell_not_written(work, work->directory, language_said("its capture cannot be analysed"));
            analyse_remove_directory(work->directory, &err);
        }
        worst = status_worse(worst, status);
    }
    int status = interrupted() ? interrupt_error(&err) : complete_output(work, &err);
    return status_worse(worst, finish(work, status, &err));
}

/* ---- before ---- */

/* A rank of a cluster is one capture. */
static void tell_further_captures(struct work *work)
{
    for (size_t i = 1; i < work->profs.count && work->request->for_cluster; i++) {
        diag_report(&work->diag, DIAG_FILE_DUPLICATE, FILE_PLACE(work->profs.items[i], NULL),
                    "second PROF capture; '%s' is read instead", work->profs.items[0]);
    }
}

/* Prepares the analysis of a capture without a framework: it is treated like one of PyTorch without operators. */
static int find_bare(struct work *work, struct err *err)
{
    int status = array_reserve(&work->profs, 1, err);
    char *path = status == 0 ? strdup(work->request->directory) : NULL;
    if (path == NULL)
        return err_no_memory(err);
    work->profs.items[work->profs.count++] = path;
    work->info = (struct framework_info){
        .kind = FRAMEWORK_PYTORCH, .rank = -1, .level = 2, .with_npu = true, .text = true, .bare = true};
    return 0;
}

/* A link may lead out of what is analysed: its capture is not read, and that is reported. */
static int find_profs(struct work *work, const char *directory, struct err *err)
{
    SCOPED(framework_paths_release) struct framework_paths links = {.count = 0};
    int status = framework_find_prof(directory, &work->profs, &links, err);
    for (size_t i = 0; i < links.count; i++) {
        diag_report(&work->diag, DIAG_FILE_TYPE, FILE_PLACE(links.items[i], NULL),
                    "symbolic link to a capture; not read");
    }
    return status;
}

static int find_parts(struct work *work, struct err *err)
{
    const char *directory = work->request->directory;
    enum framework_kind kind;
    if (work->request->bare)
        return find_bare(work, err);
    if (framework_kind_of(directory, &kind, err) < 0 || framework_info_load(directory, kind, &work->info, err) < 0)
        return err_status(err);
    return find_profs(work, directory, err);
}

static const char *missing_part(const struct work *work)
{
    if (!framework_has_records(work->request->directory))
        return "FRAMEWORK/";
    return work->profs.count == 0 ? "a PROF capture" : "";
}

static int prepare_clock(struct work *work, struct err *err)
{
    int status = work->info.bare ? 0 : read_clock(work, work->profs.count > 0 ? work->profs.items[0] : NULL, err);
    work->misses_host = status < 0 && err->code == ERR_NOT_FOUND;
    return status;
}

static int prepare(struct work *work, struct err *err)
{
    const struct analyse_request *request = work->request;
    if (find_parts(work, err) < 0 || prepare_clock(work, err) < 0 || path_make_directories(request->results, err) < 0)
        return err_status(err);
    return analyse_output_open(&work->output, request->results, missing_part(work), request->settings->analyse.force,
                               err);
}

static int run(struct work *work)
{
    if (work->profs.count == 0 || !work->info.with_npu) {
        struct err err = ERR_INIT;
        work->directory = strdup(work->output.temporary);
        return work->directory != NULL ? without_capture(work) : finish(work, err_no_memory(&err), &err);
    }
    tell_further_captures(work);
    return with_captures(work);
}

/* Only what is complete may lose its sources. */
static int simplify(struct work *work, int status)
{
    const struct analyse_request *request = work->request;
    struct err err = ERR_INIT;
    if (status != STATUS_DONE) {
        console_warning("'%s' is not simplified: its results are incomplete", request->directory);
        return status;
    }
    if (analyse_simplify_run(request->directory, &work->profs, &err) == 0)
        return status;
    err_wrap(&err, "cannot simplify '%s'", request->directory);
    return console_error(&err);
}

#define KEPT "'%s' is kept: it may contain more than '%s' has now, because %s is missing"

/* Results that are there are those that are asked for, unless options ask for others; with --simplify it is done. */
static int tell_kept(const struct work *work)
{
    const struct settings *settings = work->request->settings;
    const char *final = work->output.final, *directory = work->request->directory, *without = work->output.without;
    const char *hint = LANGUAGE_MARK("replace it with --force, or choose another directory with --output DIR");
    bool asks_for_others = work->request->steps.count > 0 || is_asked_for(settings, "db") || settings->analyse.pretty ||
                           settings->analyse.relative_times || settings->cann_version != CANN_VERSION_OF_CAPTURE;
    console_diagnostics(&work->diag);
    if (asks_for_others && !settings->analyse.simplify)
        return console_fail(ERR_NOT_FOUND, hint, KEPT, final, directory, without);
    console_note(KEPT "; %s", final, directory, without, language_said(hint));
    return STATUS_DONE;
}

int analyse_directory(const struct analyse_request *request)
{
    struct work work = {.request = request, .output = {.lock_fd = -1}, .start_ns = clock_now_ns()};
    struct err err = ERR_INIT;
    diag_init(&work.diag, request->settings->strict);
    int result = prepare(&work, &err), status;
    if (result < 0)
        status = finish(&work, result, &err);
    else
        status = work.output.kept ? tell_kept(&work) : run(&work);
    if (request->settings->analyse.simplify && !work.output.kept)
        status = simplify(&work, status);
    analyse_output_close(&work.output);
    framework_paths_release(&work.profs);
    free(work.directory);
    diag_release(&work.diag);
    return status;
}

#define MOST_STEPS 100000

/* Takes blanks off both ends. */
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && (**text == ' ' || **text == '\t')) {
        ++*text;
        --*length;
    }
    while (*length > 0 && ((*text)[*length - 1] == ' ' || (*text)[*length - 1] == '\t'))
        --*length;
}

/* "10,11,12", or as a script of Python has it: "[10, 11, 12]". */
static int parse_steps(const char *text, struct step_numbers *ret, struct err *err)
{
    const char *p = text != NULL ? text : "";
    size_t left = strlen(p);
    trim(&p, &left);
    if (left >= 2 && *p == '[' && p[left - 1] == ']') {
        p++;
        left -= 2;
    }
    for (bool more = text != NULL; more;) {
        const char *comma = memchr(p, ',', left), *word = p;
        size_t whole = comma != NULL ? (size_t)(comma - p) : left, length = whole;
        int64_t number;
        trim(&word, &length);
        if (number_parse_integer(word, length, &number) < 0 || ret->count == MOST_STEPS)
            return err_set(err, ERR_USAGE, "--step-list '%s': expected numbers as in 10,11,12 or [10, 11, 12]", text);
        if (array_add(ret, err, number) < 0)
            return err_status(err);
        more = comma != NULL;
        p += whole + more;
        left -= whole + more;
    }
    return 0;
}

/* Warns of each of them. */
static int tell_paths(const struct framework_paths *paths, bool are_links)
{
    for (size_t i = 0; i < paths->count; i++)
        console_warning(are_links
                            ? "not written: results of '%s', because it is a symbolic link; pass its path to analyse it"
                            : "skipped: '%s' has no readable FRAMEWORK/ or PROF_<n>_<time>_<id>/",
                        paths->items[i]);
    return paths->count > 0 ? STATUS_DATA_PROBLEMS : STATUS_DONE;
}

/* Drops those behind the first ones that are among these. */
static void drop_known(struct framework_paths *paths, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < paths->count; i++) {
        bool known = false;
        for (size_t k = 0; k < first && !known; k++)
            known = strcmp(paths->items[k], paths->items[i]) == 0;
        if (known)
            free(paths->items[i]);
        else
            paths->items[kept++] = paths->items[i];
    }
    paths->count = kept;
}

static int find_one(const struct settings *settings, const char *word, struct framework_paths *paths)
{
    SCOPED_FREE char *path = NULL;
    const int unpacked = found_directory(settings, word, &path);
    if (path == NULL)
        return unpacked;
    SCOPED(framework_paths_release) struct framework_paths links = {.count = 0}, empty = {.count = 0};
    struct err err = ERR_INIT;
    size_t before = paths->count;
    int status = framework_find(path, paths, &links, &empty, &err);
    /* a link may lead anywhere, and to a directory that is analysed already */
    int told = status_worse(unpacked, tell_paths(&links, true));
    told = status_worse(told, tell_paths(&empty, false));
    bool found = paths->count > before;
    drop_known(paths, before);
    if (status == 0 && found)
        return told;
    if (status == 0) {
        err_set(&err, ERR_NOT_FOUND, "'%s' is not an *_ascend_ms or *_ascend_pt directory and contains none", word);
        if (options_is_capture(word))
            err_hint(&err, "msprof analyse --rule communication %s", word);
        err_hint(&err, "such a directory contains FRAMEWORK/ or PROF_<n>_<time>_<id>/");
    }
    console_error(&err);
    return status == 0 ? STATUS_NOTHING : status_of_error(&err);
}

static int check_types(const char *text, struct err *err)
{
    if (text == NULL || strcmp(text, "text") == 0 || strcmp(text, "db") == 0 || strcmp(text, "text,db") == 0 ||
        strcmp(text, "db,text") == 0)
        return 0;
    return err_set(err, ERR_USAGE, "--export '%s': expected text, db or text,db", text);
}

/* Results that are a part do not make up for what they are made of. */
static int check_simplify(const struct settings *settings, struct err *err)
{
    bool some_steps = settings->analyse.steps != NULL;
    if (!settings->analyse.simplify || (!some_steps && is_asked_for(settings, "text")))
        return 0;
    err_set(err, ERR_USAGE, "--simplify removes the input of all results, but %s writes only some of them",
            some_steps ? "--step-list" : "--export db");
    return err_hint(err, "omit one of the two");
}

/* ---- several at once ---- */

struct many {
    const struct settings *settings;
    struct step_filter_list steps;
    const struct framework_paths *paths;
};

static int analyse_one(void *arg, size_t i)
{
    const struct many *many = arg;
    const char *path = many->paths->items[i];
    const char *output = many->settings->output, *name = strrchr(path, '/');
    SCOPED_FREE char *own =
        output != NULL && many->paths->count > 1 ? path_join(output, name != NULL ? name + 1 : path) : NULL;
    const char *results = output != NULL ? output : path;
    const struct analyse_request request = {
        .settings = many->settings, .steps = many->steps, .directory = path, .results = own != NULL ? own : results};
    return analyse_directory(&request);
}

/* "communication,communication_matrix" as bits. */
static int parse_rules(const char *text, unsigned *ret, struct err *err)
{
    static const struct {
        const char *name;
        enum communication_kind kind;
    } rules[] = {{"communication", COMMUNICATION_TIMES}, {"communication_matrix", COMMUNICATION_MATRIX}};
    *ret = 0;
    for (const char *p = text; p != NULL;) {
        size_t length = strcspn(p, ",");
        unsigned found = 0;
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
            if (strlen(rules[i].name) == length && memcmp(rules[i].name, p, length) == 0)
                found = rules[i].kind;
        }
        if (found == 0)
            return err_set(err, ERR_USAGE, "--rule '%s': expected communication, communication_matrix or both", text);
        *ret |= found;
        p = p[length] == ',' ? p + length + 1 : NULL;
    }
    return 0;
}

/* Options of the other form would be passed over in silence. */
static int check_form(const struct settings *settings, struct err *err)
{
    const struct analyse_settings *given = &settings->analyse;
    const struct {
        const char *name;
        bool given, of_rules;
    } options[] = {
        {"--type db", given->rule_type == RULE_TYPE_DB, true},
        {"--clear", settings->clear, true},
        {"--step-list", given->steps != NULL, false},
        {"--export", given->export_types != NULL, false},
        {"--pretty", given->pretty, false},
        {"--simplify", given->simplify, false},
        {"--relative-times", given->relative_times, false},
        {"--force", given->force, false},
        {"--jobs", settings->jobs > 0, false},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        if (!options[i].given || options[i].of_rules == (given->rules != NULL))
            continue;
        err_set(err, ERR_USAGE, options[i].of_rules ? "%s needs --rule" : "%s cannot be combined with --rule",
                options[i].name);
        return err_hint(err, "%s",
                        language_said(options[i].of_rules ? "add --rule LIST, or omit it" : "omit one of the two"));
    }
    return 0;
}

/* Captures instead of directories of frameworks. */
static int run_rules(const struct settings *settings)
{
    struct settings chosen = *settings;
    struct err err = ERR_INIT;
    if (parse_rules(settings->analyse.rules, &chosen.analyse.rule_mask, &err) < 0)
        return console_error(&err);
    return export_rules(&chosen);
}

static int run_analyse(const struct settings *settings)
{
    give_large_memory_back();
    SCOPED_FREE struct step_numbers steps = {.count = 0};
    SCOPED(framework_paths_release) struct framework_paths paths = {.count = 0};
    struct err err = ERR_INIT;
    int status = STATUS_DONE;
    if (check_form(settings, &err) < 0)
        return console_error(&err);
    if (settings->analyse.rules != NULL)
        return run_rules(settings);
    if (parse_steps(settings->analyse.steps, &steps, &err) < 0 ||
        check_types(settings->analyse.export_types, &err) < 0 || check_simplify(settings, &err) < 0)
        return console_error(&err);
    for (size_t i = 0; i < settings->captures.count; i++)
        status = status_worse(status, find_one(settings, settings->captures.values[i], &paths));
    if (settings->output != NULL && captures_check_names(paths.items, paths.count, sizeof *paths.items) != STATUS_DONE)
        return STATUS_USAGE;
    for (size_t i = 0; i < paths.count && settings->analyse.simplify && settings->output != NULL; i++)
        if (analyse_simplify_check(paths.items[i], settings->output, &err) < 0)
            return console_error(&err);
    struct many many = {settings, {steps.items, steps.count}, &paths};
    const int jobs = settings->jobs > 0 ? settings->jobs : jobs_default();
    return status_worse(status, jobs_run(paths.count, jobs, analyse_one, &many));
}

const struct command command_analyse = {
    .path = "analyse",
    .parent = COMMAND_ROOT,
    .order = 110,
    .also = "analyze",
    .summary = "analyse profiler directories of MindSpore and PyTorch",
    .description = "Converts profiler directories of MindSpore and PyTorch (*_ascend_ms, *_ascend_pt) into the\nfiles "
                   "that the frameworks' own analysis writes to ASCEND_PROFILER_OUTPUT/: timeline with\nframework "
                   "operators, kernels, steps. DIR may contain several such directories. With --rule\nit writes for "
                   "captures (PROF_*) what 'analyze' of Ascend's tool writes. 'analyze' is the\nsame command.\n",
    .operands = "DIR...",
    .most_operands = -1,
    .needs_capture = true,
    EXAMPLES(
        {"write run_ascend_ms/ASCEND_PROFILER_OUTPUT/", "msprof analyse run_ascend_ms"},
        {"only two steps, results elsewhere", "msprof analyse run_ascend_pt --step-list 4,5 --output results/run"}),
    .run = run_analyse,
};
