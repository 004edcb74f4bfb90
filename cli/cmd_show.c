/* SPDX-License-Identifier: Apache-2.0 */
/* msprof show: the tables of a capture in the terminal. */
#include "cli/cmd_show.h"
#include "base/language.h"
#include "cli/extension.h"
#include "cli/screen.h"

#include "base/file/fsutil.h"
#include "cli/answer_tables.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options/first_tries.h"
#include "db/database.h"
#include "db/stable_views.h"
#include "exporters/export.h"
#include "exporters/extension.h"
#include "exporters/table/choice.h"
#include "exporters/table/grid.h"
#include "exporters/table/writer.h"
#include "features/opprof/opprof_link.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The words that --table takes beside the names of tables: the list of them, and what the vendor's tool shows. */
static bool table_is(const char *table, const char *word)
{
    return table != NULL && strcmp(table, word) == 0;
}

/* The table to show: the one that was asked for; else the summary, where the family has one and the vendor's spelling
 * does not ask for the vendor's tables. */
static int table_of(const struct capture_visit *visit, sqlite3 *db, const char **ret, struct err *err)
{
    struct db_facts facts;
    const struct report *const *all = report_all(err);

    *ret = visit->settings->show.table;
    if (*ret != NULL)
        return 0;
    if (all == NULL || db_read_facts(db, &facts, err) < 0)
        return err_status(err);
    const bool has_summary = !visit->settings->by_vendor_dir && report_find(all, "summary", facts.family) != NULL;
    struct err reason = ERR_INIT;
    *ret = has_summary && !visit_is_empty(visit, db, &reason) ? "summary" : "vendor";
    return 0;
}

/* A step or a stretch of time was chosen. */
static bool is_part(const struct settings *settings)
{
    const struct window_settings *window = &settings->window;

    return window->step != NULL || window->from != NULL || window->until != NULL;
}

static int show_table(struct capture_visit *visit, sqlite3 *db, const char *table, const struct show_options *options,
                      struct export_result *ret, struct err *err)
{
    const struct table_choice choice = answer_choice(visit->settings);

    if (table_is(table, "vendor") && is_part(visit->settings)) {
        err_set(err, ERR_USAGE,
                "the tables of the vendor's tool are about the whole capture; --step, --from and --until do not apply");
        return err_hint(err, "choose one of them, such as --table op_summary, which accepts these options");
    }
    if (table_is(table, "vendor"))
        return show_capture(db, stdout, options, ret, err);
    if (!table_is(table, "list"))
        return show_one_table(db, stdout, table, answer_format(visit->settings), &choice, options, ret, err);
    ret->rows = 1;
    size_t left = 0;
    int status = show_table_list(db, stdout, options, &left, err);
    if (status == 0 && left > 0)
        console_note("%zu table%s no rows here: --all lists %s, too", left, left == 1 ? " has" : "s have",
                     left == 1 ? "it" : "them");
    return status;
}

/* The same pattern for both cases of each letter; its value begins at a byte of the filter. */
static void hint_of_case(const char *filter, size_t at, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf both;
    bool has_letter = false;

    strbuf_init(&both, ERR_TEXT_SIZE);
    for (const char *letter = filter + at; *letter != '\0'; letter++)
        if (isalpha((unsigned char)*letter)) {
            strbuf_addf(&both, "[%c%c]", toupper((unsigned char)*letter), tolower((unsigned char)*letter));
            has_letter = true;
        } else {
            strbuf_addc(&both, *letter);
        }
    if (has_letter && !both.failed)
        err_hint(err, "a pattern counts upper and lower case: --filter '%.*s%s'", (int)at, filter, both.data);
}

/* How texts are compared, where the only filter compares one and nothing passed it. */
static void hint_of_filter(const struct show_settings *settings, struct err *err)
{
    const char *filter = settings->filters.count == 1 ? settings->filters.values[0] : "";
    const char *sign = strpbrk(filter, "~<>=!"), *value = sign != NULL ? sign + strspn(sign, "~<>=! ") : "";

    if (sign == NULL || (*sign != '~' && *sign != '=') || strpbrk(value, "['") != NULL)
        return;
    if (*sign == '~' && strpbrk(value, "*?") != NULL) {
        hint_of_case(filter, (size_t)(value - filter), err);
        return;
    }
    if (!isalpha((unsigned char)*value) || strpbrk(value, "*?") != NULL)
        return;
    err_hint(err, "%s: --filter '%.*s~*[%c%c]%s*'",
             *sign == '~' || sign[1] == '~' ? language_said("~ compares the whole text with a pattern")
                                            : language_said("a text is compared whole, and with its case"),
             (int)(sign - filter), filter, toupper((unsigned char)*value), tolower((unsigned char)*value), value + 1);
}

/* A table that is empty by itself, not by its filters, needed something to be switched on. */
static int tell_nothing(struct capture_visit *visit, sqlite3 *db, const char *needs)
{
    const struct show_settings *settings = &visit->settings->show;
    struct err err = ERR_INIT, ignored = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf reason;

    strbuf_init(&reason, ERR_TEXT_SIZE);
    if (settings->joint) {
        err_set(&err, ERR_NOT_FOUND, "the query has no rows");
    } else if (visit_is_empty(visit, db, &err)) {
        /* said */
    } else if (settings->table != NULL && is_part(visit->settings)) {
        err_set(&err, ERR_NOT_FOUND, "'%s' has no rows for table '%s' in the chosen %s", visit->shown, settings->table,
                visit->settings->window.step != NULL ? "step" : "time");
    } else if (needs != NULL) {
        err_set(&err, ERR_NOT_FOUND, "'%s' has no rows for table '%s', which needs %s", visit->shown, settings->table,
                needs);
    } else if (settings->sql != NULL) {
        err_set(&err, ERR_NOT_FOUND, "'%s': the query has no rows", visit->shown);
    } else if (settings->filters.count > 0) {
        for (size_t i = 0; i < settings->filters.count; i++)
            strbuf_addf(&reason, "%s'%s'", i > 0 ? " and " : "", settings->filters.values[i]);
        err_set(&err, ERR_NOT_FOUND, "'%s': no row of table '%s' passes the filter%s %s", visit->shown, settings->table,
                console_plural(settings->filters.count), reason.data != NULL ? reason.data : "");
        hint_of_filter(settings, &err);
    } else if (settings->table != NULL && extension_tell_absence(db, settings->table, &reason, &ignored) == 0) {
        err_set(&err, ERR_NOT_FOUND, "%s", reason.data);
        err_wrap(&err, "'%s' has nothing to show", visit->shown);
    } else {
        err_set(&err, ERR_NOT_FOUND, "'%s' has nothing to show", visit->shown);
    }
    console_error(&err);
    return STATUS_NOTHING;
}

/* What the tables of all captures are put into, and what --opprof has. */
struct showing {
    struct table_stream stream;
    const struct opprof_links *links;
};

/* A query's hint: where the tables are, or the report that has the name of the missing one. */
static void hint_of_query(struct err *err)
{
    static const char missing[] = "no such table: ";
    const char *name = strstr(err->causes[0], missing);
    struct err ignored = ERR_INIT;
    const struct report *const *report = name != NULL ? report_all(&ignored) : NULL;

    for (; report != NULL && *report != NULL; report++)
        if (strcmp((*report)->name, name + sizeof missing - 1) == 0)
            err_hint(err, "that is a report: msprof show CAPTURE --table %s", (*report)->name);
    if (name != NULL || strstr(err->causes[0], "no such column") != NULL ||
        strstr(err->causes[0], "syntax error") != NULL || strstr(err->causes[0], "it is a view") != NULL)
        err_hint(err, "msprof sql CAPTURE 'SELECT name, sql FROM sqlite_schema' lists tables and columns");
}

/* What to type where the user asked for a table by a name of another tool. */
static void hint_of_table(const char *table, struct err *err)
{
    const char *form = first_try_of_table(table);

    if (form == NULL)
        return;
    err->hint[0] = '\0'; /* the list of all tables */
    err_hint(err, "%s", language_said(form));
}

static int show_database(struct capture_visit *visit, sqlite3 *db)
{
    const char *table;
    const struct roofs roofs = roofs_of(visit->settings);
    struct report_files report_files = {.items = NULL};
    struct show_options options =
        answer_show_options(visit->settings, &roofs, &((struct showing *)visit->context)->stream);
    struct table_stream *stream = options.stream;
    struct export_result shown = {0};
    struct err err = ERR_INIT;
    int status = STATUS_DONE, result;

    const bool of_user = visit->settings->show.sql != NULL && !visit->settings->show.joint;
    if (table_of(visit, db, &table, &err) < 0 || captures_load_reports(&report_files, visit->settings, &err) < 0 ||
        (of_user && stable_views_hide(db, &err) < 0)) {
        report_files_release(&report_files);
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    stream->capture = visit->capture_count > 1 ? visit->shown : NULL;
    options.report_files = &report_files;
    options.without_rows = visit->settings->show.without_rows;
    options.database = visit->database;
    options.plain = strcmp(table, "vendor") != 0;
    options.width = options.plain ? options.width : screen_width(visit->settings);
    options.brief = options.plain && visit->settings->show.table == NULL && visit->settings->show.format == 0 &&
                    isatty(STDOUT_FILENO);
    if (visit->settings->show.format == 0)
        pager_start(visit->settings);
    console_output_begin();
    if (visit->one_of_many && visit->settings->show.format == 0) {
        fputs("Capture : ", stdout);
        grid_put_safe_line(stdout, visit->shown, false);
        fputs("\n\n", stdout);
    }
    answer_table_begin(visit->settings, visit->settings->show.table);
    result = show_table(visit, db, table, &options, &shown, &err);
    if (result != 0) {
        if (visit->settings->show.sql != NULL && err.code == ERR_FORMAT)
            hint_of_query(&err);
        else if (err.code == ERR_USAGE)
            hint_of_table(table, &err);
        err_wrap(&err, visit->settings->show.sql != NULL ? "cannot run the query on '%s'" : "cannot show '%s'",
                 visit->shown);
        status = visit_fail(visit, LOG_SOURCE_COMMON, &err);
    } else if (shown.rows == 0) {
        status = tell_nothing(visit, db, shown.needs);
    }
    report_files_release(&report_files);
    status = status_worse(status, console_output_end(result != 0));
    if (result == 0 && shown.rows > 0 && shown.note != NULL)
        console_note("%s", shown.note);
    if (shown.recorded[0] != '\0')
        console_note("%s; figures cover only those", shown.recorded);
    if (visit->settings->show.table == NULL && options.plain && result == 0)
        console_note("see --table NAME for more: ops, bound, gaps, steps; list (all tables), vendor (the vendor's "
                     "tables)%s",
                     options.brief ? language_said(", summary (in full)") : "");
    return status;
}

/* The vendor's tool leaves the timelines of a board's capture behind, and so does this where it is called like it. */
static int leaves_timelines(const struct capture_visit *visit, sqlite3 *db, bool *ret, struct err *err)
{
    struct db_facts facts;

    *ret = visit->settings->by_vendor_dir && visit->settings->show.table == NULL;
    if (!*ret)
        return 0;
    if (db_read_facts(db, &facts, err) < 0)
        return err_status(err);
    *ret = facts.family == CAPTURE_SVP;
    return 0;
}

static int make_timelines(const struct capture_visit *visit)
{
    struct settings settings = *visit->settings;
    const char *path = visit->directory;
    settings.captures = (struct value_list){.values = &path, .count = 1};
    settings.output = visit->results;
    settings.quiet = true; /* nobody has asked */
    int status = command_get(COMMAND_EXPORT_TIMELINE)->run(&settings);
    return status == STATUS_NOTHING ? STATUS_DONE : status;
}

/* Nobody has asked for timelines: of a capture that cannot be written to they are left out. */
static bool can_leave_them(const struct capture_visit *visit)
{
    return visit->temporary.path == NULL && !visit->is_unpacked && access(visit->results, W_OK) == 0;
}

static int show_one(struct capture_visit *visit)
{
    sqlite3 *db = NULL;
    int status = visit_open_prepared(visit, &db);

    if (db == NULL)
        return status;
    const struct showing *showing = visit->context;
    struct err err = ERR_INIT;
    bool timelines = false;
    if (leaves_timelines(visit, db, &timelines, &err) < 0) {
        database_close(db);
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    timelines = timelines && can_leave_them(visit);
    status = status_worse(status, showing->links != NULL && opprof_links_put(showing->links, db, &err) < 0
                                      ? visit_fail(visit, LOG_SOURCE_COMMON, &err)
                                      : show_database(visit, db));
    database_close(db);
    return timelines ? status_worse(status, make_timelines(visit)) : status;
}

/* The list of tables is the only thing that needs none. */
static int show_without_capture(const struct settings *settings)
{
    struct err err = ERR_INIT;

    if (settings->show.tables.count == 0 || strcmp(settings->show.tables.values[0], "list") != 0) {
        (void)options_no_capture(settings, &err);
        return err.hint[0] != '\0' ? console_error(&err)
                                   : console_fail(ERR_USAGE, NULL, "%s; try 'msprof show --help'", err.causes[0]);
    }
    console_output_begin();
    int result = show_table_list_all(stdout, screen_answer_width(settings), &err);
    if (result < 0)
        console_error(&err);
    return status_worse(result < 0 ? status_of_error(&err) : STATUS_DONE, console_output_end(result < 0));
}

int show_joint(const struct settings *settings, sqlite3 *db)
{
    char name[] = "the captures";
    struct showing showing = {.stream = {.path = "/dev/stdout"}};
    struct capture_visit visit = {
        .settings = settings, .directory = name, .shown = name, .context = &showing, .pin = -1, .log = {.fd = -1}};
    int status = show_database(&visit, db);

    status = status_worse(status, answer_stream_end(&showing.stream));
    pager_end();
    return status;
}

/* ---- --opprof ---- */

/* Captures of programs that stand beside them are left alone. */
static int open_opprof(struct capture_visit *visit, sqlite3 **ret)
{
    const char *name = path_name(visit->directory);
    return strncmp(name, "PROF", 4) == 0 || strncmp(name, "JOB", 3) == 0 ? STATUS_DONE
                                                                         : visit_open_database(visit, ret);
}

static int take_opprof(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;
    return opprof_links_add(visit->context, db, path_name(visit->directory), &err) < 0
               ? visit_fail(visit, LOG_SOURCE_COMMON, &err)
               : STATUS_DONE;
}

static int read_opprof(const struct settings *settings, struct opprof_links *links)
{
    const struct value_list one = {(const char **)(uintptr_t)&settings->show.opprof, 1, 0};
    static const char sought[] =
        LANGUAGE_MARK("pass an OPPROF_* directory of 'msprof op', or a directory with several");
    struct settings each = *settings;

    each.output = NULL; /* results go into the OPPROF directories */
    each.sought = sought;
    int status = captures_query(&each, &one, open_opprof, take_opprof, links);
    if (links->count > 0 || (status != STATUS_DONE && status != STATUS_DATA_PROBLEMS))
        return status;
    return console_fail(ERR_NOT_FOUND, sought, "'%s' has no launch of 'msprof op' with an OpBasicInfo.csv",
                        settings->show.opprof);
}

static bool can_show(int status)
{
    return status == STATUS_DONE || status == STATUS_DATA_PROBLEMS;
}

/* The tables that were asked for, one after the other, each of all captures. */
static int show_tables(struct settings *settings, const struct value_list *tables, const struct opprof_links *links)
{
    int status = STATUS_DONE;

    for (size_t i = 0; i < tables->count; i++) {
        struct showing showing = {.stream = {.path = "/dev/stdout"}, .links = links};
        settings->show.table = tables->values[i];
        if (i > 0)
            answer_table_divide(settings);
        status = status_worse(status, captures_process(settings, &settings->captures, show_one, &showing));
        status = status_worse(status, answer_stream_end(&showing.stream));
    }
    return status;
}

static int run_show(const struct settings *given)
{
    static const char *summary[] = {"summary"}, *none[] = {NULL}, *linked[] = {"opprof"};
    static const struct value_list default_tables = {.values = none, .count = 1};
    struct settings chosen = *given;
    const struct settings *settings = &chosen;
    const struct show_settings *show = &chosen.show;

    if (show->opprof != NULL && show->tables.count == 0)
        chosen.show.tables = (struct value_list){.values = linked, .count = 1};
    if (show->format != 0 && show->tables.count == 0 && given->captures.count > 0)
        chosen.show.tables = (struct value_list){.values = summary, .count = 1}; /* what a program reads first, too */
    if (answer_check_tables(show, "vendor", LANGUAGE_MARK("'msprof show --table list CAPTURE' lists the tables")) !=
        STATUS_DONE)
        return STATUS_USAGE;
    if (settings->captures.count == 0)
        return show_without_capture(settings);
    if (show->tables.count > 0)
        give_large_memory_back();
    SCOPED(opprof_links_release) struct opprof_links links = {.items = NULL};
    int status = show->opprof != NULL ? read_opprof(settings, &links) : STATUS_DONE;
    if (can_show(status))
        status = status_worse(status, show_tables(&chosen, show->tables.count > 0 ? &show->tables : &default_tables,
                                                  show->opprof != NULL ? &links : NULL));
    pager_end();
    return status;
}

const struct command command_show = {
    .path = "show",
    .people = READ_BY_PEOPLE(show.format, 1U << 0),
    .parent = COMMAND_ROOT,
    .only_answers = true,
    .order = 100,
    .imports = true,
    .summary = "print summary and tables in the terminal",
    .description = "Prints the summary of a capture, or its tables by name. If the capture has no database, or\none "
                   "older than its data, it is imported first.\n",
    .needs_capture = true,
    .captures_optional = true,
    EXAMPLES(
        {"what the capture is, and what to improve first", "msprof show JOBX"},
        {"the tables of the vendor's tool, at most 100 columns wide", "msprof show JOBX --table vendor --width 100"},
        {"list the tables of a capture and the ids of their columns", "msprof show JOBX --table list"},
        {"list those of every kind of capture", "msprof show --table list"},
        {"operators, longest first, in Markdown", "msprof show JOBX --table ops --format markdown"},
        {"the 100 longest operators of a CANN capture", "msprof show -dir JOBX --top 100"}),
    .run = run_show,
};
