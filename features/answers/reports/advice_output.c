/* SPDX-License-Identifier: Apache-2.0 */
#include "features/diff/diff_output.h"

#include "base/number.h"
#include "exporters/json_text.h"
#include "exporters/table/grid.h"

/* A point in time, exact: since 1970 it has more digits than a double. */
static const char *place_text(char text[NUMBER_MAX], int64_t time_ns)
{
    *number_put_us(text, time_ns) = '\0';
    return text;
}

/* The time as the timeline has it, its ts; NULL where it has none. */
static const char *ts_text(char text[NUMBER_MAX], const struct advice *advice, int64_t time_ns)
{
    return advice->origin_ns != INT64_MIN ? place_text(text, number_subtract(time_ns, advice->origin_ns)) : NULL;
}

static void put_row_place(FILE *stream, const struct advice *advice, int64_t time_ns)
{
    char text[NUMBER_MAX], ts_buffer[NUMBER_MAX];
    const char *at = place_text(text, time_ns), *ts = ts_text(ts_buffer, advice, time_ns);

    if (ts != NULL)
        language_print(stream, "  (at %s us, ts %s)", at, ts);
    else
        language_print(stream, "  (at %s us)", at);
}

static void put_place(FILE *stream, const struct advice *advice, int64_t time_ns)
{
    char text[NUMBER_MAX], ts_buffer[NUMBER_MAX];
    const char *at = place_text(text, time_ns), *ts = ts_text(ts_buffer, advice, time_ns);

    if (ts != NULL)
        language_print(stream, "; look at %s us (ts %s in the timeline)", at, ts);
    else
        language_print(stream, "; look at %s us", at);
}

static void put_rows(FILE *stream, const struct advice *advice, const struct finding *finding)
{
    for (size_t i = 0; i < finding->row_count; i++) {
        const struct finding_row *row = &finding->rows[i];
        fprintf(stream, "    %12.3f us %6.1f %% %8lld x  ", number_us(row->time_ns), row->share, (long long)row->count);
        grid_put_safe_line(stream, row->name, false);
        if (row->at_ns != INT64_MIN)
            put_row_place(stream, advice, row->at_ns);
        if (row->launcher[0] != '\0') {
            language_print(stream, "\n      launched by ");
            grid_put_safe_line(stream, row->launcher, false);
        }
        fputc('\n', stream);
    }
}

static void put_finding(FILE *stream, const struct advice *advice, const struct finding *finding, bool markdown)
{
    const struct rule *rule = finding->rule;

    fprintf(stream, markdown ? "### %s: %s\n\n" : "%s  %s\n", language_shown(advice_severity_name(finding->severity)),
            rule->id);
    fputs(markdown ? "" : "  ", stream);
    grid_put_safe_line(stream, finding->sentence, markdown);
    language_print(stream, "\n%s%s: %.2f %%, the limit is %.2f %% (--threshold %s:PERCENT)\n%sAt stake: ",
                   markdown ? "\n* " : "  ", language_shown(rule->formula), finding->value, finding->threshold,
                   rule->id, markdown ? "* " : "  ");
    if (rule->of_memory)
        fputs(language_shown(FINDING_OF_MEMORY), stream);
    else
        fprintf(stream, "%.3f us", number_us(finding->at_stake_ns));
    if (finding->time_ns != INT64_MIN)
        put_place(stream, advice, finding->time_ns);
    if (finding->saves_ns >= 0)
        language_print(stream, "; removing the cause saves at most %.3f us", number_us(finding->saves_ns));
    if (finding->same_cause != NULL)
        language_print(stream, "; rule %s found the same cause", finding->same_cause->id);
    language_print(stream, "\n%sRests on %s\n%s%s\n", markdown ? "* " : "  ", language_shown(rule->rests_on),
                   markdown ? "* " : "  ", language_shown(rule->advice));
    if (finding->row_count > 0 && markdown)
        fputs("\n```\n", stream);
    put_rows(stream, advice, finding);
    fputs(finding->row_count > 0 && markdown ? "```\n\n" : "\n", stream);
}

/* The time as the timeline has it; INT64_MIN: it has none. */
static int64_t timeline_ns(const struct advice *advice, int64_t time_ns)
{
    return time_ns == INT64_MIN || advice->origin_ns == INT64_MIN ? INT64_MIN
                                                                  : number_subtract(time_ns, advice->origin_ns);
}

static void put_json_finding(struct json_out *json, const struct advice *advice, const struct finding *finding)
{
    const struct rule *rule = finding->rule;
    char option[128];

    json_put_begin(json, NULL, '{');
    json_put_members(json, JSON_TEXT("advice", rule->advice), JSON_FIXED("at_stake", number_us(finding->at_stake_ns)));
    json_put_begin(json, "evidence", '[');
    for (size_t i = 0; i < finding->row_count; i++) {
        const struct finding_row *row = &finding->rows[i];
        json_put_object(json, NULL, JSON_INTEGER("count", row->count), JSON_TEXT("name", row->name),
                        JSON_NOTE("launched_by", row->launcher), JSON_FIXED("share", row->share),
                        JSON_FIXED("time", number_us(row->time_ns)),
                        JSON_US("timeline_ts", timeline_ns(advice, row->at_ns)), JSON_US("timestamp", row->at_ns));
    }
    json_put_end(json, ']');
    snprintf(option, sizeof option, "--threshold %s:PERCENT", rule->id);
    json_put_members(json, JSON_TEXT("formula", rule->formula), JSON_TEXT("id", rule->id), JSON_TEXT("option", option),
                     JSON_TEXT("rests_on", rule->rests_on),
                     JSON_TEXT("same_cause", finding->same_cause != NULL ? finding->same_cause->id : NULL),
                     JSON_DECIMAL("saves", finding->saves_ns >= 0 ? number_rounded(finding->saves_ns) : INT64_MIN, 3),
                     JSON_TEXT("sentence", finding->sentence),
                     JSON_TEXT("severity", advice_severity_name(finding->severity)),
                     JSON_NOTE("stake", rule->of_memory ? "memory" : ""), JSON_FIXED("threshold", finding->threshold),
                     JSON_US("timeline_ts", timeline_ns(advice, finding->time_ns)),
                     JSON_US("timestamp", finding->time_ns), JSON_FIXED("value", finding->value));
    json_put_end(json, '}');
}

static void put_json_advice(FILE *stream, const struct advice *advice, const char *capture)
{
    struct json_out json = {.stream = stream};

    json_put_begin(&json, NULL, '{');
    json_put_members(&json, JSON_TEXT("capture", capture), JSON_NOTE("cut_steps", advice->cut_steps));
    json_put_begin(&json, "findings", '[');
    for (size_t i = 0; i < advice->rule_count && advice->findings[i].fired; i++)
        put_json_finding(&json, advice, &advice->findings[i]);
    json_put_end(&json, ']');
    json_put_begin(&json, "not_checked", '[');
    for (size_t i = 0; i < advice->rule_count; i++)
        if (advice->findings[i].not_checked != NULL)
            json_put_object(&json, NULL, JSON_TEXT("id", advice->findings[i].rule->id),
                            JSON_TEXT("reason", advice->findings[i].not_checked));
    json_put_end(&json, ']');
    json_put_begin(&json, "passed", '[');
    for (size_t i = 0; i < advice->rule_count; i++)
        if (advice->findings[i].not_checked == NULL && !advice->findings[i].fired &&
            !advice->findings[i].told_elsewhere)
            json_put_text(&json, NULL, advice->findings[i].rule->id);
    json_put_end(&json, ']');
    json_put_members(&json, JSON_NOTE("problems", advice->problems), JSON_NOTE("recorded", advice->recorded),
                     JSON_TEXT("schema", SCHEMA_ADVICE));
    json_put_end(&json, '}');
    fputc('\n', stream);
}

/* Says first that what follows rests on a part of what was recorded. */
static void put_problems(FILE *stream, const char *problems)
{
    if (problems[0] == '\0')
        return;
    language_print(stream, "Missing: ");
    grid_put_safe_line(stream, problems, false);
    language_print(stream, "\nThe following is based on the remaining data.\n\n");
}

void advice_print(const struct advice *advice, const char *capture, enum advice_format format, FILE *stream)
{
    bool markdown = format == ADVICE_MARKDOWN;
    size_t fired = 0;

    if (format == ADVICE_JSON) {
        put_json_advice(stream, advice, capture);
        return;
    }
    while (fired < advice->rule_count && advice->findings[fired].fired)
        fired++;
    fputs(markdown ? "## " : "", stream);
    grid_put_safe_line(stream, capture, markdown);
    fprintf(stream, language_counted_shown(": %zu finding\n\n", ": %zu findings\n\n", fired), fired);
    put_problems(stream, advice->problems);
    if (advice->recorded[0] != '\0')
        language_print(stream, "%s; figures cover only those\n\n", advice->recorded);
    if (advice->cut_steps[0] != '\0') {
        language_print(stream, "Not counted: ");
        grid_put_safe_line(stream, advice->cut_steps, false);
        fputs("\n\n", stream);
    }
    for (size_t i = 0; i < fired; i++)
        put_finding(stream, advice, &advice->findings[i], markdown);
    for (size_t i = fired; i < advice->rule_count; i++)
        if (advice->findings[i].not_checked != NULL)
            language_print(stream, "%s%s: not checked, because %s\n", markdown ? "* " : "",
                           advice->findings[i].rule->id, language_shown(advice->findings[i].not_checked));
}

static void put_json_rules(FILE *stream)
{
    struct json_out json = {.stream = stream};

    json_put_begin(&json, NULL, '{');
    json_put_begin(&json, "rules", '[');
    for (size_t i = 0; i < advice_rule_count; i++)
        json_put_object(&json, NULL, JSON_TEXT("advice", advice_rules[i]->advice),
                        JSON_TEXT("formula", advice_rules[i]->formula), JSON_TEXT("id", advice_rules[i]->id),
                        JSON_TEXT("rests_on", advice_rules[i]->rests_on),
                        JSON_GENERAL("threshold", 6, advice_rules[i]->threshold));
    json_put_end(&json, ']');
    json_put_text(&json, "schema", SCHEMA_RULES);
    json_put_end(&json, '}');
    fputc('\n', stream);
}

void advice_print_rules(enum advice_format format, FILE *stream)
{
    if (format == ADVICE_JSON) {
        put_json_rules(stream);
        return;
    }
    for (size_t i = 0; i < advice_rule_count; i++) {
        const struct rule *rule = advice_rules[i];
        language_print(stream, "%s%s\n  %s: limit %g %%\n  Rests on %s\n%s  %s\n%s",
                       format == ADVICE_MARKDOWN ? "### " : "", rule->id, language_shown(rule->formula),
                       rule->threshold, language_shown(rule->rests_on),
                       rule->of_memory ? language_shown("  At stake: " FINDING_OF_MEMORY "\n") : "",
                       language_shown(rule->advice), i + 1 < advice_rule_count ? "\n" : "");
    }
}

/* ---- program output ---- */

/* Why no rule can be checked. */
static const char *why_unchecked(const struct program_answer *answer)
{
    return answer->devices_ran ? "no operator is known" : "no device was recorded";
}

struct list {
    struct named_series items[NAMED_LARGEST];
    size_t count;
};

static void release_list(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        series_release(&list->items[i].times);
}

/* ---- text ---- */

static const struct grid_column columns[] = {
    {.title = "Total(us)", .number = true},
    {.title = "Count", .number = true},
    {.title = "Median(us)", .number = true, .least_first = 1},
    {.title = "Longest(us)", .number = true, .least_first = 2},
    {.title = "Mean period(us)", .number = true, .least_first = 3},
    {.title = "Name", .cut = true},
};

static int print_list(const struct list *list, const char *title, bool markdown, int width, bool ascii, FILE *stream,
                      struct err *err)
{
    SCOPED(grid_release) struct grid grid = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status = 0;

    for (size_t i = 0; status == 0 && i < list->count; i++) {
        const struct named_series *told = &list->items[i];
        char texts[5][48];
        const char *cells[] = {texts[0], texts[1], texts[2], texts[3], texts[4], told->name};
        snprintf(texts[0], sizeof texts[0], "%.3f", number_us(told->times.total));
        snprintf(texts[1], sizeof texts[1], "%lld", (long long)told->times.n);
        snprintf(texts[2], sizeof texts[2], "%.3f", number_us(told->times.median));
        snprintf(texts[3], sizeof texts[3], "%.3f", number_us(told->times.maximum));
        snprintf(texts[4], sizeof texts[4], told->period_ns >= 0 ? "%.3f" : "N/A", number_us(told->period_ns));
        status = grid_row(&grid, cells, err);
    }
    if (status == 0 && list->count > 0) {
        fprintf(stream, markdown ? "\n### %s\n\n" : "\n%s\n", language_shown(title));
        grid_print(&grid, stream, markdown ? GRID_MARKDOWN : GRID_TABLE, width, ascii);
    }
    return status;
}

static void put_head(const struct program_answer *answer, bool markdown, FILE *stream)
{
    const bool did = answer->ranges->count + answer->calls->count > 0;

    fputs(markdown ? "## " : "", stream);
    grid_put_safe_line(stream, answer->capture, markdown);
    fprintf(stream, ": %s%s\n", language_shown(why_unchecked(answer)),
            language_shown(!did       ? LANGUAGE_MARK(", and no call or range")
                           : markdown ? LANGUAGE_MARK("; what the program did")
                                      : LANGUAGE_MARK("; what the program did is this")));
}

/* ---- JSON ---- */

static void put_json_list(struct json_out *json, const char *key, const struct list *list)
{
    json_put_begin(json, key, '[');
    for (size_t i = 0; i < list->count; i++) {
        const struct named_series *told = &list->items[i];
        json_put_object(json, NULL, JSON_INTEGER("count", told->times.n),
                        JSON_FIXED("longest", number_us(told->times.maximum)),
                        told->period_ns >= 0 ? JSON_FIXED("mean_period", number_us(told->period_ns))
                                             : JSON_TEXT("mean_period", NULL),
                        JSON_FIXED("median", number_us(told->times.median)), JSON_TEXT("name", told->name),
                        JSON_FIXED("total", number_us(told->times.total)));
    }
    json_put_end(json, ']');
}

static void put_json_answer(const struct list *ranges, const struct list *calls, const struct program_answer *answer,
                            FILE *stream)
{
    struct json_out json = {.stream = stream};

    json_put_begin(&json, NULL, '{');
    put_json_list(&json, "calls", calls);
    json_put_text(&json, "capture", answer->capture);
    json_put_begin(&json, "findings", '[');
    json_put_end(&json, ']');
    json_put_begin(&json, "not_checked", '[');
    for (size_t i = 0; i < advice_rule_count && advice_rules[i]->of_tree == NULL; i++)
        json_put_object(&json, NULL, JSON_TEXT("id", advice_rules[i]->id), JSON_TEXT("reason", why_unchecked(answer)));
    json_put_end(&json, ']');
    json_put_begin(&json, "passed", '[');
    json_put_end(&json, ']');
    json_put_members(&json, JSON_NOTE("problems", answer->problems));
    put_json_list(&json, "ranges", ranges);
    json_put_text(&json, "schema", SCHEMA_ADVICE);
    json_put_end(&json, '}');
    fputc('\n', stream);
}

static int print_lists(const struct list lists[2], const struct program_answer *answer, bool markdown, FILE *stream,
                       struct err *err)
{
    if (lists[0].count + lists[1].count == 0)
        return 0;
    if (print_list(&lists[0], "Ranges by time", markdown, answer->width, answer->ascii, stream, err) < 0 ||
        print_list(&lists[1], "Calls by time", markdown, answer->width, answer->ascii, stream, err) < 0)
        return err_status(err);
    language_print(
        stream,
        "\n'msprof show' lists all of them with --table ranges and --table api; --step-range NAME takes a repeated "
        "one as the step.\n");
    return 0;
}

int advice_print_program(const struct program_answer *answer, enum advice_format format, FILE *stream, struct err *err)
{
    struct list lists[2] = {{.count = 0}};
    bool markdown = format == ADVICE_MARKDOWN;
    bool failed = named_times_largest(answer->ranges, lists[0].items, &lists[0].count, err) < 0 ||
                  named_times_largest(answer->calls, lists[1].items, &lists[1].count, err) < 0;

    if (!failed && format == ADVICE_JSON) {
        put_json_answer(&lists[0], &lists[1], answer, stream);
    } else if (!failed) {
        put_head(answer, markdown, stream);
        if (answer->problems[0] != '\0')
            fputc('\n', stream);
        put_problems(stream, answer->problems);
        failed = print_lists(lists, answer, markdown, stream, err) < 0;
    }
    release_list(&lists[0]);
    release_list(&lists[1]);
    return failed ? err_status(err) : 0;
}
