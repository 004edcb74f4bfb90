/* SPDX-License-Identifier: Apache-2.0 */
#include "base/array.h"
#include "base/err.h"
#include "base/file/fsutil.h"
#include "base/language.h"
#include "cli/capture/captures.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/extension.h"
#include "cli/options/options.h"
#include "cli/screen.h"
#include "features/answers/load/load.h"
#include "features/diff/compare.h"
#include "features/diff/diff_output.h"
#include "features/diff/sides.h"
#include "features/page/report_page.h"
#include "parsers/capture/archive.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* msprof diff: what changed between captures, and whether that breaks a gate. */

/* Whether this side has it already: what is named twice counts once, or its samples would seem to be runs. */
static bool is_taken(struct profiles *profiles, const char *path, struct err *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return false; /* that it is not there is reported by who reads it */
    for (size_t i = 0; i < profiles->taken.count; i++)
        if (profiles->taken.items[i].device == info.st_dev && profiles->taken.items[i].inode == info.st_ino)
            return true;
    if (array_reserve(&profiles->taken, 1, err) == 0)
        profiles->taken.items[profiles->taken.count++] = (struct identity){info.st_dev, info.st_ino};
    return false;
}

static int take_database(struct capture_visit *visit, sqlite3 *db)
{
    struct err err = ERR_INIT;
    SCOPED_FREE char *path = profile_path(visit->directory, &err);
    bool failed = path == NULL || profiles_add(visit->context, db, path, &err) != 0;
    give_spare_memory_back();
    if (failed)
        err_wrap(&err, "cannot analyse '%s'", visit->shown);
    return failed ? visit_fail(visit, LOG_SOURCE_COMMON, &err) : STATUS_DONE;
}

static int open_untaken(struct capture_visit *visit, sqlite3 **ret)
{
    struct err err = ERR_INIT;

    if (is_taken(visit->context, visit->directory, &err))
        return STATUS_DONE;
    if (err.code != 0)
        return visit_fail(visit, LOG_SOURCE_COMMON, &err);
    return visit_open_prepared(visit, ret);
}

/* A capture of a baseline is as if it lay in it. */
static int name_by_file(struct profile *profile, const char *path, struct err *err)
{
    char *name = NULL;
    SCOPED_FREE char *file = profile_path(path, err);

    if (file != NULL && asprintf(&name, "%s/%s", file, profile->name) < 0) {
        name = NULL;
        err_no_memory(err);
    }
    if (name == NULL)
        return err_status(err);
    profile_rename(profile, name);
    return 0;
}

static int take_baseline(const char *path, struct profiles *profiles)
{
    struct err err = ERR_INIT;
    SCOPED_FREE struct profile *items = NULL;
    size_t count = 0, kept = 0;

    if (is_taken(profiles, path, &err))
        return STATUS_DONE;
    bool is_of_operator = false;
    int result = err.code != 0 ? -(int)err.code : measures_read(path, &profiles->measures, &is_of_operator, &err);
    if (result == 0 && !is_of_operator)
        result = baseline_read(path, &items, &count, &err);

    while (result == 0 && kept < count) {
        result = name_by_file(&items[kept], path, &err);
        if (result != 0)
            break;
        result = profiles_keep(profiles, &items[kept], &err);
        kept += result == 0;
    }
    for (size_t i = kept; i < count; i++)
        profile_release(&items[i]);
    if (result == 0)
        return STATUS_DONE;
    return console_error(&err);
}

static bool is_file(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int take_all(const struct settings *settings, const struct value_list *captures, struct profiles *profiles)
{
    int worst = STATUS_DONE;

    profiles->name = captures->count > 0 ? path_name(captures->values[0]) : "";
    for (size_t i = 0; i < captures->count; i++) {
        const struct value_list one = {&captures->values[i], 1, 0};
        worst = status_worse(worst, is_file(captures->values[i]) && !archive_has_name(captures->values[i], NULL)
                                        ? take_baseline(captures->values[i], profiles)
                                        : captures_query(settings, &one, open_untaken, take_database, profiles));
    }
    return worst;
}

/* ---- the command line ---- */

static int usage(const char *message)
{
    return console_fail(ERR_USAGE, NULL, "%s; try 'msprof diff --help'", language_said(message));
}

/* Positional captures are BASE and NEW unless options name a side. */
static int find_sides(const struct settings *settings, struct value_list *base, struct value_list *new_side)
{
    struct value_list words = settings->captures;

    *base = settings->diff.base;
    *new_side = settings->diff.new_side;
    if (settings->diff.save != NULL) {
        if (new_side->count > 0)
            return usage("--save cannot be combined with --new: it compares nothing");
        if (base->count > 0 && words.count > 0)
            return usage("--save takes captures from --base or as an operand, not both");
        if (words.count > 1)
            return usage("--save takes one operand; pass several captures with --base CAPTURE each");
        if (settings->diff.gates.count > 0)
            return usage("--save cannot be combined with --gate: it compares nothing");
        if (base->count == 0)
            *base = words;
        return base->count > 0 ? STATUS_DONE : usage("--save needs a capture: --base CAPTURE");
    }
    if (base->count == 0 && new_side->count == 0 && words.count == 2) {
        *base = (struct value_list){words.values, 1, 0};
        *new_side = (struct value_list){words.values + 1, 1, 0};
    } else if (base->count > 0 && new_side->count == 0 && words.count > 0) {
        *new_side = words;
    } else if (base->count == 0 && new_side->count > 0 && words.count > 0) {
        *base = words;
    } else if (base->count == 0 || new_side->count == 0 || words.count > 0) {
        return usage("pass two captures: BASE NEW, or --base and --new");
    }
    return STATUS_DONE;
}

static int parse_gates(const struct settings *settings, struct gate **ret)
{
    const struct value_list *texts = &settings->diff.gates;
    struct gate *gates = scoped_memory(texts->count + 1, sizeof *gates);
    struct err err = ERR_INIT;
    int result = gates == NULL ? err_no_memory(&err) : 0;

    for (size_t i = 0; result == 0 && i < texts->count; i++)
        result = gate_parse(texts->values[i], &gates[i], &err);
    if (result != 0) {
        free(gates);
        return console_error(&err);
    }
    *ret = gates;
    return STATUS_DONE;
}

static struct compare_options options_of(const struct settings *settings)
{
    struct compare_options options = COMPARE_DEFAULTS;

    options.by = (enum subject)settings->diff.by;
    options.least_change = (double)settings->diff.least_change / 1e5;
    options.least_share = (double)settings->diff.least_share / 1e5;
    options.drift = fmax((double)settings->diff.drift / 1e5, 1e-6);
    return options;
}

/* ---- the work ---- */

static int tell_gates(const struct settings *settings, const struct comparison *comparison)
{
    int status = STATUS_DONE;

    for (size_t i = 0; i < comparison->gate_count; i++) {
        const struct compare_gate *result = &comparison->gates[i];

        if (result->why[0] != '\0') {
            console_warning("cannot decide gate %s: %s", settings->diff.gates.values[i], result->why);
            status = status_worse(status, STATUS_INCOMPARABLE);
        } else if (!result->known) {
            status = status_worse(status,
                                  console_fail(ERR_NOT_FOUND, "neither side has it, or the captures did not record it",
                                               "nothing to compare for gate '%.*s'", result->gate->metric_length,
                                               result->gate->metric_text));
        } else if (!result->passed) {
            console_note("gate %s failed%s%s", settings->diff.gates.values[i],
                         result->worst != NULL ? ", mostly by " : "", result->worst != NULL ? result->worst : "");
            status = status_worse(status, STATUS_BROKEN);
        }
    }
    if (!comparison->comparable && !settings->diff.allow_incomparable) {
        console_warning("the captures are too different to compare (score %.2f, at least %.2f is needed)",
                        comparison->score, comparison->options.comparable);
        status = status_worse(status, STATUS_INCOMPARABLE);
    }
    return status;
}

/* The page goes to standard output. */
static int open_page(const char *new_side, const char *base, struct html_report **ret, struct err *err)
{
    char title[512];

    snprintf(title, sizeof title, "%s against %s", new_side, base);
    const struct html_options options = {
        .path = "/dev/stdout", .title = title, .version = MSPROF_VERSION, .captures = 1};
    return html_report_open(&options, ret, err);
}

static int print_page(const struct diff_output *output, struct err *err)
{
    struct html_report *page = NULL;
    int result = open_page(output->new_side->profiles[0]->name, output->base->profiles[0]->name, &page, err);

    if (result == 0)
        result = html_report_add_comparison(page, output->comparison, output->top, err);
    return html_report_close(page, result, err);
}

static int print_measures_page(const struct measures_comparison *comparison, const char *new_side, const char *base,
                               struct err *err)
{
    struct html_report *page = NULL;
    int result = open_page(new_side, base, &page, err);

    if (result == 0)
        result = measures_add_page(page, comparison, err);
    return html_report_close(page, result, err);
}

static int compare_sides(const struct settings *settings, const struct profiles *base, const struct profiles *new_side,
                         const struct gate *gates)
{
    const struct compare_options options = options_of(settings);
    const struct side sides[] = {{base->items, base->count}, {new_side->items, new_side->count}};
    struct diff_output output = {.base = &sides[0], .new_side = &sides[1], .ascii = screen_is_ascii()};
    struct comparison comparison;
    struct err err = ERR_INIT;

    if (base->count == 0 || new_side->count == 0)
        return STATUS_NOTHING; /* said of each capture */
    int result = comparison_make(&sides[0], &sides[1], &options, gates, settings->diff.gates.count, &comparison, &err);
    if (result != 0)
        return console_missing(&err);
    output.comparison = &comparison;
    output.width = screen_answer_width(settings);
    output.top = (size_t)settings->diff.top;
    if (output.top == 0 && (settings->diff.format == DIFF_TABLE || settings->diff.format == DIFF_MARKDOWN))
        output.top = TOP_DEFAULT;
    if (settings->diff.format == DIFF_TABLE)
        pager_start(settings);
    console_output_begin();
    result = settings->diff.format == DIFF_HTML
                 ? print_page(&output, &err)
                 : diff_print(&output, (enum diff_format)settings->diff.format, stdout, &err);
    if (result != 0)
        console_error(&err);
    int status = console_output_end(result != 0);
    pager_end();
    if (result != 0)
        status = status_worse(status, status_of_error(&err));
    status = status_worse(status, tell_gates(settings, &comparison));
    comparison_release(&comparison);
    return status;
}

static int tell_measure_gates(const struct settings *settings, const struct measures_comparison *comparison,
                              const struct gate *gates)
{
    int status = STATUS_DONE;

    for (size_t i = 0; i < settings->diff.gates.count; i++) {
        const struct measure_row *worst;
        bool known;
        if (measures_hold(comparison, &gates[i], &known, &worst) && known)
            continue;
        if (!known) {
            status = status_worse(status,
                                  console_fail(ERR_NOT_FOUND,
                                               "captures of one operator have gates op_time, pipe:GLOB and bytes:GLOB",
                                               "nothing to compare for gate '%s'", settings->diff.gates.values[i]));
            continue;
        }
        console_note("gate %s failed, mostly by %s", settings->diff.gates.values[i], worst->key);
        status = status_worse(status, STATUS_BROKEN);
    }
    return status;
}

/* Captures of one operator. */
static int compare_measures(const struct settings *settings, struct profiles *base, struct profiles *new_side,
                            const struct gate *gates)
{
    static const enum measures_format formats[] = {[DIFF_TABLE] = MEASURES_TABLE,
                                                   [DIFF_JSON] = MEASURES_JSON,
                                                   [DIFF_CSV] = MEASURES_CSV,
                                                   [DIFF_MARKDOWN] = MEASURES_MARKDOWN};
    struct measures_comparison comparison;
    struct err err = ERR_INIT;

    if (base->measures.count == 0 || new_side->measures.count == 0)
        return console_fail(ERR_USAGE, "pass two captures of the same kind",
                            "cannot compare a capture of one operator with a capture of a program");
    int result =
        measures_compare(&base->measures, &new_side->measures, options_of(settings).least_change, &comparison, &err);
    console_output_begin();
    if (result == 0 && settings->diff.format == DIFF_HTML)
        result = print_measures_page(&comparison, new_side->name, base->name, &err);
    else if (result == 0)
        result = measures_print(&comparison, formats[settings->diff.format], screen_answer_width(settings),
                                screen_is_ascii(), stdout, &err);
    int status = console_output_end(result != 0);
    status = result != 0 ? console_error(&err) : status_worse(status, tell_measure_gates(settings, &comparison, gates));
    free(comparison.rows);
    return status;
}

static bool is_empty(const struct profiles *side)
{
    return side->count + side->measures.count == 0;
}

static int refuse_empty(const struct settings *settings, int status, const struct profiles *base,
                        const struct profiles *new_side)
{
    static const char reason[] =
        LANGUAGE_MARK("captures of one operator are compared by durations, pipes and bytes of a device, which "
                      "results of the simulator do not have");
    const char *hint = status == STATUS_DONE ? reason : NULL; /* else the problems of the data are the reason */

    if (settings->diff.save == NULL && is_empty(base) && is_empty(new_side))
        return console_fail(ERR_NOT_FOUND, hint, "there is nothing to compare in '%s', and nothing in '%s'", base->name,
                            new_side->name);
    return console_fail(ERR_NOT_FOUND, hint, "there is nothing to compare in '%s'",
                        is_empty(base) ? base->name : new_side->name);
}

static int save(const struct settings *settings, const struct profiles *base)
{
    struct err err = ERR_INIT;

    if (base->count > 0 && base->measures.count > 0)
        return console_fail(ERR_USAGE, "save one baseline for each kind",
                            "cannot save captures of one operator and of a program in one baseline");
    if (base->count + base->measures.count == 0)
        return STATUS_NOTHING;
    const bool of_operator = base->measures.count > 0;
    if ((of_operator ? measures_write(settings->diff.save, &base->measures, &err)
                     : baseline_write(settings->diff.save, base->items, base->count, &err)) < 0) {
        err_wrap(&err, "cannot write the baseline '%s'", settings->diff.save);
        return console_error(&err);
    }
    if (of_operator)
        console_note("%s: baseline of captures of one operator", settings->diff.save);
    else
        console_note("%s: baseline of %zu capture%s", settings->diff.save, base->count, console_plural(base->count));
    return STATUS_DONE;
}

static bool is_fatal(int status)
{
    return status != STATUS_DONE && status != STATUS_DATA_PROBLEMS;
}

static int run_diff(const struct settings *settings)
{
    struct value_list base_words, new_words;
    SCOPED(profiles_release) struct profiles base = {.items = NULL}, new_side = {.items = NULL};
    SCOPED_FREE struct gate *gates = NULL;
    struct err err = ERR_INIT;
    int status = find_sides(settings, &base_words, &new_words);

    give_large_memory_back();
    if (status == STATUS_DONE)
        status = parse_gates(settings, &gates);
    if (status != STATUS_DONE)
        return status;
    if (settings->diff.save != NULL && baseline_check_target(settings->diff.save, &err) < 0)
        return console_error(&err);
    const struct compare_options options = options_of(settings);
    base.subjects = new_side.subjects =
        settings->diff.save != NULL ? ALL_SUBJECTS : comparison_subjects(&options, gates, settings->diff.gates.count);
    status = take_all(settings, &base_words, &base);
    if (!is_fatal(status) && settings->diff.save == NULL)
        status = status_worse(status, take_all(settings, &new_words, &new_side));
    if (!is_fatal(status) && (is_empty(&base) || (settings->diff.save == NULL && is_empty(&new_side))))
        return status_worse(status, refuse_empty(settings, status, &base, &new_side));
    if (!is_fatal(status) && settings->diff.save == NULL && base.measures.count + new_side.measures.count > 0)
        return status_worse(status, compare_measures(settings, &base, &new_side, gates));
    if (!is_fatal(status) && profiles_name_apart(&base, &new_side, &err) != 0) {
        console_error(&err);
        status = STATUS_FAILURE;
    }
    if (!is_fatal(status))
        status = status_worse(status, settings->diff.save != NULL ? save(settings, &base)
                                                                  : compare_sides(settings, &base, &new_side, gates));
    return status;
}

const struct command command_diff = {
    .path = "diff",
    .people = READ_BY_PEOPLE(diff.format, ~(1U << DIFF_JSON | 1U << DIFF_CSV)),
    .parent = COMMAND_ROOT,
    .only_answers = true,
    .order = 140,
    .imports = true,
    .summary = "compare captures, and check them against gates",
    .description = "Shows what changed between captures, operator by operator, and which changes exceed the\nnoise. "
                   "With gates the exit status is 0 if all hold, 6 if one does not, and 7 if the\ncaptures are too "
                   "different to compare. Without gates it is 0 or 7.\n",
    .operands = "[BASE NEW]",
    .needs_capture = true,
    .takes_baselines = true,
    EXAMPLES({"what changed between two captures", "msprof diff captures/JOBA captures/JOBB"},
             {"a gate for CI: a step may take 3 % longer, no operator 10 %",
              "msprof diff captures/JOBA captures/JOBB --gate step_time:+3% --gate 'op:*:+10%' --format json"},
             {"keep a baseline instead of the capture",
              "msprof diff --save base.json --base captures/JOBA && msprof diff base.json captures/JOBB"},
             {"a page with the changes", "msprof diff captures/JOBA captures/JOBB --format html >changes.html"}),
    .run = run_diff,
};

const struct command_extension command_extension_gates = {
    .order = 50, .offer = OFFER_METRICS, .word = gate_metric_name};
