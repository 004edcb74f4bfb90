/* SPDX-License-Identifier: Apache-2.0 */
/* msprof advise: what to look at first, with the evidence. */
#include "base/file/fsutil.h"
#include "base/number.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "cli/options/options.h"
#include "cli/screen.h"
#include "db/query/query.h"
#include "exporters/query_compile.h"
#include "exporters/table/grid.h"
#include "features/answers/analysis/advice.h"
#include "features/answers/load/advise.h"
#include "features/diff/diff_output.h"
#include "features/feature.h"
#include "features/page/report_page.h"

#include <stdio.h>
#include <string.h>

struct advising {
    struct html_report *page; /* of --format html; NULL: not begun */
    double thresholds[ADVICE_MOST_RULES];
    size_t told; /* captures, of one array where they are several */
};

/* ID:PERCENT */
static int take_threshold(struct advising *advising, const char *text)
{
    const char *colon = strrchr(text, ':');
    int64_t value = colon != NULL ? number_parse_thousandths(colon + 1, strlen(colon + 1)) : -1;

    for (size_t i = 0; colon != NULL && value >= 0 && i < advice_rule_count; i++)
        if (strlen(advice_rules[i]->id) == (size_t)(colon - text) &&
            strncmp(advice_rules[i]->id, text, (size_t)(colon - text)) == 0) {
            advising->thresholds[i] = (double)value / 1000;
            return STATUS_DONE;
        }
    return console_fail(ERR_USAGE, NULL,
                        "--threshold is '%s', expected RULE:PERCENT with a rule of 'msprof advise --list'", text);
}

/* Columns that lines of text wrap at; 0: lines of other formats are whole. */
static int text_width(const struct settings *settings)
{
    return settings->advise.format == ADVICE_TABLE ? screen_answer_width(settings) : 0;
}

/* Several captures in JSON are one array. */
static void begin_one(struct capture_visit *visit)
{
    struct advising *advising = visit->context;

    if (visit->settings->advise.format == 0)
        pager_start(visit->settings);
    console_output_begin();
    if (visit->settings->advise.format == ADVICE_JSON && visit->capture_count > 1)
        fputs(advising->told++ > 0 ? "," : "[", stdout);
}

static int print(struct capture_visit *visit, const struct advice *advice)
{
    const int width = text_width(visit->settings); /* before a pager is between */
    struct grid_wrap wrap;

    begin_one(visit);
    FILE *file = grid_wrap_begin(&wrap, stdout, width);
    advice_print(advice, path_name(visit->directory), (enum advice_format)visit->settings->advise.format, file);
    grid_wrap_end(&wrap, file);
    return console_output_end(false);
}

/* The status when something is found that --fail-on is about. */
static int judge(struct capture_visit *visit, const struct advice *advice, int status)
{
    const struct advise_settings *settings = &visit->settings->advise;

    for (size_t i = 0; settings->fail_on != FAIL_ON_NOTHING && i < advice->rule_count && advice->findings[i].fired; i++)
        if ((int)advice->findings[i].severity >= SEVERITY_HIGH - settings->fail_on)
            status = status_worse(status, STATUS_BROKEN);
    return status;
}

/* The page about all captures goes to standard output. */
static int add_to_page(struct capture_visit *visit, sqlite3 *db, const struct advice *advice, int64_t executions)
{
    struct advising *advising = visit->context;
    const struct html_capture capture = {.name = path_name(visit->directory), .database = visit->database};
    char title[64];
    struct err err = ERR_INIT;

    snprintf(title, sizeof title, "%zu captures", visit->capture_count);
    const struct html_options options = {.path = "/dev/stdout",
                                         .title = visit->capture_count > 1 ? title : capture.name,
                                         .version = MSPROF_VERSION,
                                         .captures = visit->capture_count};
    const struct feature *feature;
    if (feature_of_database(db, &feature, &err) == 0 &&
        (advising->page != NULL || html_report_open(&options, &advising->page, &err) == 0) &&
        (feature != NULL ? html_report_add_tree(advising->page, db, &capture, advice, NULL, &err)
                         : html_report_add_advice(advising->page, db, &capture, advice, executions, &err)) == 0)
        return STATUS_DONE;
    return visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

static int end_page(struct advising *advising)
{
    struct err err = ERR_INIT;

    if (advising->page == NULL || html_report_close(advising->page, 0, &err) == 0)
        return STATUS_DONE;
    return console_error(&err);
}

static int print_program(struct capture_visit *visit, const struct program_answer *answer)
{
    struct err err = ERR_INIT;

    if (answer->ranges->count + answer->calls->count == 0 && answer->problems[0] == '\0')
        return console_fail(ERR_NOT_FOUND, NULL, "nothing to advise on: '%s' has no operators, ranges or calls",
                            visit->shown);
    begin_one(visit);
    int result = advice_print_program(answer, (enum advice_format)visit->settings->advise.format, stdout, &err);
    int status = console_output_end(false);
    return result == 0 ? status : visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

/* Of a capture without operators: what is wrong with it, and what the program did. */
static int tell_program(struct capture_visit *visit, sqlite3 *db)
{
    SCOPED(program_told_release) struct program_told told;
    struct err err = ERR_INIT;

    if (advise_program(db, path_name(visit->directory), &told, &err) != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    told.answer.width = screen_answer_width(visit->settings);
    told.answer.ascii = screen_is_ascii();
    return print_program(visit, &told.answer);
}

static int advise_database(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;
    SCOPED(advice_release) struct advice advice = {.elapsed_ns = 0};
    int64_t executions = 0;
    int told;

    if (advise(db, ((const struct advising *)visit->context)->thresholds, &advice, &executions, &err) != 0) {
        err_wrap(&err, "cannot analyse '%s'", visit->shown);
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    }
    if (visit->settings->advise.format == ADVICE_HTML)
        told = add_to_page(visit, db, &advice, executions);
    else
        told = executions > 0 ? print(visit, &advice) : tell_program(visit, db);
    return executions > 0 ? judge(visit, &advice, told) : told;
}

static int run_advise(const struct settings *settings)
{
    struct advising advising = {.told = 0};
    int status = STATUS_DONE;

    for (size_t i = 0; i < advice_rule_count; i++)
        advising.thresholds[i] = advice_rules[i]->threshold;
    for (size_t i = 0; status == STATUS_DONE && i < settings->advise.thresholds.count; i++)
        status = take_threshold(&advising, settings->advise.thresholds.values[i]);
    if (status != STATUS_DONE)
        return status;
    if (settings->advise.list && settings->advise.format == ADVICE_HTML)
        return console_fail(ERR_USAGE, NULL, "--list cannot be combined with --format html, which is for findings");
    if (settings->advise.list) {
        struct grid_wrap wrap;
        console_output_begin();
        FILE *file = grid_wrap_begin(&wrap, stdout, text_width(settings));
        advice_print_rules((enum advice_format)settings->advise.format, file);
        grid_wrap_end(&wrap, file);
        return console_output_end(false);
    }
    if (settings->captures.count == 0) {
        struct err err = ERR_INIT;
        (void)options_no_capture(settings, &err);
        return err.hint[0] != '\0' ? console_error(&err)
                                   : console_fail(ERR_USAGE, NULL, "%s; try 'msprof advise --help'", err.causes[0]);
    }
    give_large_memory_back();
    status = captures_query(settings, &settings->captures, visit_open_prepared, advise_database, &advising);
    status = status_worse(status, end_page(&advising));
    if (advising.told > 0) {
        console_output_begin();
        fputs("]\n", stdout);
        status = status_worse(status, console_output_end(false));
    }
    pager_end();
    return status;
}

const struct command command_advise = {
    .path = "advise",
    .people = READ_BY_PEOPLE(advise.format, ~(1U << ADVICE_JSON)),
    .parent = COMMAND_ROOT,
    .only_answers = true,
    .order = 130,
    .imports = true,
    .summary = "show what to improve first, with the evidence",
    .description = "Checks captures against rules. Each finding shows the time at stake, the numbers behind it,\nwhere "
                   "to look in the timeline, and what to do. Findings change the exit status only with\n--fail-on.\n",
    .needs_capture = true,
    .captures_optional = true,
    EXAMPLES({"what to improve first", "msprof advise JOBX"}, {"what rules there are", "msprof advise --list"},
             {"a page with the findings", "msprof advise JOBX --format html >advice.html"},
             {"report waiting for memory only above 40 % of the time",
              "msprof advise JOBX --threshold svp-memory-bound:40"}),
    .run = run_advise,
};
