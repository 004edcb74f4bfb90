/* SPDX-License-Identifier: Apache-2.0 */
/* msprof report: one page to hand on. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "base/language.h"
#include "base/words.h"
#include "cli/answer_tables.h"
#include "cli/capture/captures.h"
#include "cli/capture/written.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "cli/options/options.h"
#include "features/answers/load/load.h"
#include "features/cluster/cluster.h"
#include "features/diff/commands/bases.h"
#include "features/diff/diff_output.h"
#include "features/feature.h"
#include "features/page/report_page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct reporting {
    struct html_report *page; /* NULL: not begun yet */
    size_t added;             /* captures in it */
    const char *path;
    bool is_named;      /* by -o */
    struct bases bases; /* of --diff */
};

#define STANDARD_OUTPUT "/dev/stdout"

/* Markdown is asked for by --format, or by the end of the page's name. */
static bool is_markdown(const struct settings *settings)
{
    const char *page = settings->report.page;

    return settings->report.format != 0 ||
           (page != NULL && (words_end_in(page, ".md") || words_end_in(page, ".markdown")));
}

/* A page is no document of another kind, whatever its name. */
static int check_name(const struct settings *settings)
{
    static const struct {
        const char *end, *hint;
    } others[] = {
        {".pdf", LANGUAGE_MARK("-o FILE.html, and print the page from the browser")},
        {".json", "msprof advise CAPTURE --format json"},
        {".csv", "msprof show CAPTURE --table NAME --format csv"},
        {".xlsx", "msprof export summary CAPTURE --spreadsheet-safe"},
        {".docx", "-o FILE.html, or -o FILE.md"},
        {".txt", "-o FILE.md, or -o FILE.html"},
    };
    const char *page = settings->report.page;

    for (size_t i = 0; page != NULL && i < sizeof others / sizeof *others; i++) {
        if (words_end_in(page, others[i].end))
            return console_fail(ERR_USAGE, others[i].hint, "cannot write '%s': a report is HTML or Markdown", page);
    }
    return STATUS_DONE;
}

static const char *page_of(const struct settings *settings)
{
    static const char *const pages[] = {"report.html", "report.md"};

    if (settings->report.page != NULL && strcmp(settings->report.page, "-") == 0)
        return STANDARD_OUTPUT;
    return settings->report.page != NULL ? settings->report.page : pages[is_markdown(settings)];
}

static int begin_page(struct capture_visit *visit, struct err *err)
{
    struct reporting *reporting = visit->context;
    char title[64];

    snprintf(title, sizeof title, "%zu captures", visit->capture_count);
    const struct html_options options = {
        .path = reporting->path,
        .title = visit->capture_count > 1 ? title : path_name(visit->directory),
        .version = MSPROF_VERSION,
        .captures = visit->capture_count,
        .markdown = is_markdown(visit->settings),
        .print_all = visit->settings->report.print != 0,
        .redact = visit->settings->report.redact,
        .source = visit->settings->report.source,
        .roofs = roofs_of(visit->settings),
        .progress = console_progress(),
    };
    return html_report_open(&options, &reporting->page, err);
}

/* A capture that is a tree has a page of its own tables. */
static int add_capture(struct html_report *page, sqlite3 *db, const struct html_capture *capture, bool has_source,
                       struct err *err)
{
    bool is_tree = false;
    int status = html_report_add_any(page, db, capture, &is_tree, err);
    if (status == 0 && has_source && !is_tree)
        console_warning("'%s': --source needs an OPPROF directory, which alone has lines of the simulator",
                        capture->name);
    return status;
}

static int report_database(struct capture_visit *visit, sqlite3 *db)
{
    struct reporting *reporting = visit->context;
    const struct side base = {reporting->bases.pointers, reporting->bases.count};
    const struct html_capture capture = {path_name(visit->directory), visit->database,
                                         reporting->bases.pointers != NULL ? &base : NULL};
    struct err err = ERR_INIT;

    const bool added = (reporting->page != NULL || begin_page(visit, &err) == 0) &&
                       add_capture(reporting->page, db, &capture, visit->settings->report.source != NULL, &err) == 0;
    console_progress_end();
    reporting->added += added;
    if (added)
        return STATUS_DONE;
    err_wrap(&err, "cannot report on '%s' in '%s'", visit->shown, reporting->path);
    return visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

static bool holds(int fd, off_t from, const char *text)
{
    char bytes[4096];
    ssize_t length = file_read_at(fd, bytes, sizeof bytes, from > 0 ? from : 0);
    return length > 0 && memmem(bytes, (size_t)length, text, strlen(text)) != NULL;
}

/* An outfile_spare: a page of another program under the name that is taken without -o is put aside. */
static int spare_page(void *arg, const char *temporary, const char *path)
{
    struct err ignored = ERR_INIT;
    struct stat info;
    SCOPED_CLOSE int fd = path_open_regular(path, &ignored);
    (void)arg;
    (void)temporary;
    if (fd < 0 || fstat(fd, &info) != 0 || info.st_size == 0 || holds(fd, 0, "msprof</title>") ||
        holds(fd, info.st_size - 1024, "Made by msprof "))
        return 0;
    return written_keep(path);
}

static int end_page(struct reporting *reporting)
{
    struct err err = ERR_INIT;

    if (reporting->added == 0 || interrupted()) {
        html_report_close(reporting->page, -ERR_FAILED, &err);
        return STATUS_DONE;
    }
    if (!reporting->is_named)
        outfile_set_spare(spare_page, NULL);
    if (strcmp(reporting->path, STANDARD_OUTPUT) == 0)
        console_output_begin(); /* who stops reading ends the program, as with others that print */
    const int failed = html_report_close(reporting->page, 0, &err);
    outfile_set_spare(NULL, NULL);
    if (failed != 0) {
        err_wrap(&err, "cannot write '%s'", reporting->path);
        return console_error(&err);
    }
    if (strcmp(reporting->path, STANDARD_OUTPUT) != 0)
        console_note("%s", reporting->path);
    return STATUS_DONE;
}

/* ---- the ranks of a job ---- */

/* The cluster_analysis_output/ that a directory is, or has (free() it); NULL: neither. */
static char *cluster_output(const char *directory)
{
    static const char *const places[] = {CLUSTER_OUTPUT "/" CLUSTER_COMMUNICATION, CLUSTER_COMMUNICATION};

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        SCOPED_FREE char *file = path_join(directory, places[i]);
        bool found = file != NULL && access(file, F_OK) == 0;
        if (found)
            return i == 0 ? path_join(directory, CLUSTER_OUTPUT) : scoped_text(directory, SIZE_MAX);
    }
    return NULL;
}

/* The first option that only captures have a use for; NULL: none was given. */
static const char *option_of_captures(const struct settings *settings)
{
    const struct {
        bool given;
        const char *name;
    } options[] = {{settings->report.base != NULL, "--diff"},   {settings->report.source != NULL, "--source"},
                   {settings->report.print != 0, "--print"},    {settings->step_range != NULL, "--step-range"},
                   {settings->window.step != NULL, "--step"},   {settings->window.from != NULL, "--from"},
                   {settings->window.until != NULL, "--until"}, {settings->depth > 0, "--depth"},
                   {settings->peak_flops != 0, "--peak-flops"}, {settings->peak_bandwidth != 0, "--peak-bandwidth"},
                   {settings->output != NULL, "--results"},     {settings->clock_khz != 0, "--freq-mhz"},
                   {settings->layouts.count > 0, "--layout"},   {settings->database_way != 0, "--database"},
                   {settings->with_warm_up, "--with-warm-up"}};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return options[i].name;
    return NULL;
}

static int report_cluster(const struct settings *settings, const char *output)
{
    const char *misplaced = option_of_captures(settings);
    if (misplaced != NULL)
        return console_fail(ERR_USAGE, "omit it, or pass a capture",
                            "'%s' contains results of 'msprof cluster', but %s needs a capture",
                            settings->captures.values[0], misplaced);

    struct reporting reporting = {.path = page_of(settings), .is_named = settings->report.page != NULL};
    char *real = realpath(settings->captures.values[0], NULL);
    const struct html_options options = {
        .path = reporting.path,
        .title = path_name(real != NULL ? real : settings->captures.values[0]),
        .version = MSPROF_VERSION,
        .captures = 1,
        .markdown = is_markdown(settings),
        .redact = settings->report.redact,
    };
    struct err err = ERR_INIT;
    uint64_t problems = 0;
    int result = html_report_open(&options, &reporting.page, &err);

    free(real);
    if (result == 0)
        result = html_report_add_cluster(reporting.page, output, &problems, &err);
    reporting.added = result == 0;
    if (problems > 0 && result == 0)
        console_warning("'%s' lacks data: 'msprof cluster' reported data problems, which the page lists", output);
    if (result == 0)
        return status_worse(end_page(&reporting), problems > 0 ? STATUS_DATA_PROBLEMS : STATUS_DONE);
    html_report_close(reporting.page, result, &err);
    err_wrap(&err, "cannot report on '%s' in '%s'", output, reporting.path);
    return console_error(&err);
}

/* Before anything is imported. */
static int check_source(const struct settings *settings)
{
    const char *source = settings->report.source;
    struct err err = ERR_INIT;
    struct stat info;

    if (source != NULL && stat(source, &info) != 0) {
        err_set_errno(&err, errno, "cannot read the source in '%s'", source);
        err_hint(&err, "pass the directory of the kernel's source");
        return console_error(&err);
    }
    if (source == NULL || S_ISDIR(info.st_mode))
        return STATUS_DONE;
    return console_fail(ERR_NOT_FOUND, "pass the directory of the kernel's source", "'%s' is not a directory", source);
}

static int run_report(const struct settings *settings)
{
    struct reporting reporting = {.path = page_of(settings), .is_named = settings->report.page != NULL};
    int status = STATUS_DONE;
    SCOPED_FREE char *cluster = settings->captures.count == 1 ? cluster_output(settings->captures.values[0]) : NULL;

    if (check_name(settings) != STATUS_DONE)
        return STATUS_USAGE;
    if (cluster != NULL)
        return report_cluster(settings, cluster);
    if (check_source(settings) != STATUS_DONE)
        return STATUS_NOTHING;
    give_large_memory_back();
    if (settings->report.base != NULL)
        status = bases_read(settings, &reporting.bases);
    if (settings->report.base == NULL || reporting.bases.count > 0)
        status = status_worse(
            status, captures_query(settings, &settings->captures, visit_open_prepared, report_database, &reporting));
    status = status_worse(status, end_page(&reporting));
    bases_release(&reporting.bases);
    return status;
}

const struct command command_report = {
    .path = "report",
    .people = {.all = true},
    .parent = COMMAND_ROOT,
    .only_answers = true,
    .order = 150,
    .summary = "write an HTML page that shows where the time goes",
    .description = "Writes an HTML page about one or several captures: summary, findings, where the time\n"
                   "goes, steps, operators, gaps and lost data. The page needs no network and no other\n"
                   "file.\n",
    .needs_capture = true,
    EXAMPLES({"a page about a capture", "msprof report JOBX -o jobx.html"},
             {"a page about the ranks of a job", "msprof cluster RUN && msprof report RUN"},
             {"the same, with changes against a base", "msprof report captures/JOBB --diff captures/JOBA"},
             {"Markdown for a merge request", "msprof report JOBX --format markdown -o jobx.md"},
             {"a page without names", "msprof report JOBX --redact -o jobx.html"}),
    .run = run_report,
};
