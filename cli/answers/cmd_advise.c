/* SPDX-License-Identifier: Apache-2.0 */
/* msprof advise: what to look at first, with the evidence. */
#include "analysis/advice.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "cli/answers/answer.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "db/query/query.h"
#include "exporters/html/report_page.h"
#include "exporters/load/load.h"
#include "exporters/reports/answers/diff_output.h"
#include "features/feature.h"

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

static int find_origin(sqlite3 *db, struct advice *advice, struct err *err)
{
    struct capture_origin origin;
    struct db_facts facts;

    _Static_assert(sizeof advice->problems >= PROBLEMS_TEXT_SIZE, "a text of query_problems");
    if (db_read_facts(db, &facts, err) != 0 || query_origin(db, facts.family, &origin, err) != 0 ||
        query_problems(db, advice->problems, err) != 0)
        return err_status(err);
    advice->origin_ns = origin.time_ns;
    return 0;
}

static int find_advice(sqlite3 *db, const struct advising *advising, struct advice *ret, int64_t *ret_executions,
                       struct err *err)
{
    struct workload workload;
    SCOPED(host_evidence_release) struct host_evidence evidence = {.known = false};
    const struct feature *feature;

    if (feature_of_database(db, &feature, err) != 0)
        return err_status(err);
    *ret_executions = 1;
    if (feature != NULL)
        return feature->advise(db, advising->thresholds, ret, err);
    if (workload_load(db, WITH_COUNTERS, &workload, err) != 0)
        return err_status(err);
    *ret_executions = (int64_t)workload.execution_count;
    bool failed = evidence_load(db, &workload, NULL, &evidence, err) != 0 ||
                  workload_load_launches(db, &workload, &evidence.launches, err) != 0;
    evidence.launches_known = true;
    failed = failed || advice_make(&workload, &evidence, advising->thresholds, ret, err) != 0 ||
             evidence_name_launchers(db, ret, err) != 0 || find_origin(db, ret, err) != 0;
    workload_release(&workload);
    return failed ? err_status(err) : 0;
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
    begin_one(visit);
    advice_print(advice, path_name(visit->directory), (enum advice_format)visit->settings->advise.format, stdout);
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

static int print_program(struct capture_visit *visit, const char *problems, const struct named_times *ranges,
                         const struct named_times *calls)
{
    const struct settings *settings = visit->settings;
    struct err err = ERR_INIT;

    if (ranges->count + calls->count == 0)
        return console_fail(ERR_NOT_FOUND, NULL, "'%s' has no operators, ranges or calls to advise on",
                            visit->directory);
    begin_one(visit);
    int result = advice_print_program(ranges, calls, path_name(visit->directory), problems,
                                      (enum advice_format)settings->advise.format, screen_answer_width(settings),
                                      screen_is_ascii(), stdout, &err);
    int status = console_output_end(false);
    return result == 0 ? status : visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

/* Tells what the program did, of a capture without devices. */
static int tell_program(struct capture_visit *visit, sqlite3 *db)
{
    SCOPED(named_times_release) struct named_times ranges = {.items = NULL}, calls = {.items = NULL};
    char problems[PROBLEMS_TEXT_SIZE];
    struct err err = ERR_INIT;

    return named_times_of_ranges(db, &ranges, &err) != 0 || named_times_of_calls(db, &calls, &err) != 0 ||
                   query_problems(db, problems, &err) != 0
               ? visit_fail(visit, LOG_SOURCE_COMMON, &err)
               : print_program(visit, problems, &ranges, &calls);
}

static int advise_database(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;
    SCOPED(advice_release) struct advice advice = {.elapsed_ns = 0};
    int64_t executions = 0;
    int told;

    if (find_advice(db, visit->context, &advice, &executions, &err) != 0) {
        err_wrap(&err, "cannot analyse '%s'", visit->directory);
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
        return console_fail(ERR_USAGE, NULL, "--list makes no page: --format html is for findings");
    if (settings->advise.list) {
        console_output_begin();
        advice_print_rules((enum advice_format)settings->advise.format, stdout);
        return console_output_end(false);
    }
    if (settings->captures.count == 0)
        return console_fail(ERR_USAGE, NULL,
                            "no capture given: CAPTURE, or -dir DIR, is missing; try 'msprof advise --help'");
    give_large_memory_back();
    status = captures_query(settings, &settings->captures, answer_open_host_side, advise_database, &advising);
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
    .parent = COMMAND_ROOT,
    .only_answers = true,
    .order = 130,
    .imports = true,
    .summary = "tell what to look at first, with the evidence",
    .description = "Holds rules against captures: each finding tells the time at stake, the numbers that it is\n"
                   "made of, a time to jump to, and what to do. Without --fail-on the status does not depend on\n"
                   "what is found.\n",
    .needs_capture = true,
    .captures_optional = true,
    EXAMPLES(
        {"what to look at first", "msprof advise JOBX"}, {"what rules there are", "msprof advise --list"},
        {"a page with the findings", "msprof advise JOBX --format html >advice.html"},
        {"more than 40 % of time in waiting for memory counts", "msprof advise JOBX --threshold svp-memory-bound:40"}),
    .run = run_advise,
};
