/* SPDX-License-Identifier: Apache-2.0 */
#include "features/diff/diff_output.h"

#include "base/language.h"
#include "exporters/json_text.h"
#include "exporters/table/grid.h"

#include "base/array.h"
#include "base/number.h"
#include "base/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct grid_column row_columns[] = {
    {.title = "change/step", .number = true},
    {.title = "change", .number = true},
    {.title = "own", .number = true, .least_first = 12},
    {.title = "smallest", .number = true, .least_first = 11},
    {.title = "base/step", .number = true, .least_first = 4},
    {.title = "new/step", .number = true, .least_first = 3},
    {.title = "base median", .number = true, .least_first = 6},
    {.title = "new median", .number = true, .least_first = 5},
    {.title = "n base", .number = true, .least_first = 9},
    {.title = "n new", .number = true, .least_first = 8},
    {.title = "q", .number = true, .least_first = 7},
    {.title = "cliff", .number = true, .least_first = 10},
    {.title = "verdict"},
    {.title = "match", .least_first = 2},
    {.title = "key", .cut = true},
};
#define ROW_COLUMNS (sizeof row_columns / sizeof *row_columns)

static const char *sign_of(double value)
{
    return value > 0 ? "+" : "";
}

static void percent_text(char *text, size_t size, double base, double other)
{
    if (base > 0)
        snprintf(text, size, "%s%.2f%%", sign_of(other - base), 100 * (other - base) / base);
    else
        snprintf(text, size, "%s", other > 0 ? "new" : "-");
}

#define TEXT_SIZE 48

/* A share. Few executions say nothing: then a change would have to be larger than any that there is. */
static void smallest_text(char text[TEXT_SIZE], double share)
{
    const double most = 10;

    snprintf(text, TEXT_SIZE, share > most ? ">%.0f%%" : "%.2f%%", 100 * fmin(share, most));
}

/* Nothing where there was no execution; what is too small for the table's unit is not called 0. */
static void median_text(char *median, char *count, int64_t n, double ns, double unit)
{
    if (n == 0)
        return;
    const double value = number_in(ns, unit);
    snprintf(median, TEXT_SIZE, ns > 0 && !(value > 0) ? "<0.001" : "%.3f", value);
    snprintf(count, TEXT_SIZE, "%lld", (long long)n);
}

static int add_row(struct grid *grid, const struct compare_row *row, struct time_unit unit, struct err *err)
{
    char texts[ROW_COLUMNS][TEXT_SIZE] = {{0}};
    const char *cells[ROW_COLUMNS];
    double change = row->total_new - row->total_base;
    bool tested = row->smallest >= 0;

    snprintf(texts[0], TEXT_SIZE, "%s%.3f", sign_of(change), number_in(change, unit.ns) + 0.0);
    percent_text(texts[1], TEXT_SIZE, row->total_base, row->total_new);
    if (tested) {
        if (isfinite(row->own))
            snprintf(texts[2], TEXT_SIZE, "%s%.2f%%", sign_of(row->own), 100 * row->own);
        smallest_text(texts[3], row->smallest);
        snprintf(texts[10], TEXT_SIZE, "%.3g", row->q);
        snprintf(texts[11], TEXT_SIZE, "%.3f", row->cliff);
    }
    snprintf(texts[4], TEXT_SIZE, "%.3f", number_in(row->total_base, unit.ns) + 0.0);
    snprintf(texts[5], TEXT_SIZE, "%.3f", number_in(row->total_new, unit.ns) + 0.0);
    median_text(texts[6], texts[8], row->n_base, row->median_base, unit.ns);
    median_text(texts[7], texts[9], row->n_new, row->median_new, unit.ns);
    for (size_t i = 0; i < ROW_COLUMNS; i++)
        cells[i] = texts[i];
    cells[12] = row->n_base + row->n_new > 0 ? compare_row_verdict_name(row->verdict) : "";
    cells[13] = match_kind_name(row->match);
    cells[14] = row->key;
    return grid_row(grid, cells, err);
}

/* The rows behind those that are shown, as one; *ret_left: how many they are. */
static struct compare_row others_of(const struct diff_output *output, const char *key, size_t *ret_left)
{
    const struct compare_rows *rows = &output->comparison->rows;
    struct compare_row others = {.key = key, .p = 1, .q = 1, .smallest = -1};

    *ret_left = output->top > 0 && rows->count > output->top ? rows->count - output->top : 0;
    for (size_t i = rows->count - *ret_left; i < rows->count; i++) {
        others.total_base += rows->items[i].total_base;
        others.total_new += rows->items[i].total_new;
    }
    return others;
}

static struct compare_row rest_of(const struct comparison *comparison)
{
    return (struct compare_row){.key = "(rest)",
                                .p = 1,
                                .q = 1,
                                .smallest = -1,
                                .total_base = comparison->rest_base,
                                .total_new = comparison->rest_new};
}

static int add_rows(const struct diff_output *output, struct grid *grid, struct time_unit unit, struct err *err)
{
    const struct compare_rows *rows = &output->comparison->rows;
    size_t left;
    char others_key[64] = "";
    const struct compare_row others = others_of(output, others_key, &left), rest = rest_of(output->comparison);

    snprintf(others_key, sizeof others_key, "(%zu more)", left);
    for (size_t i = 0; i < rows->count - left; i++)
        if (add_row(grid, &rows->items[i], unit, err) < 0)
            return err_status(err);
    return left > 0 && add_row(grid, &others, unit, err) < 0 ? err_status(err) : add_row(grid, &rest, unit, err);
}

static void put_names(FILE *stream, const struct side *side, bool markdown)
{
    for (size_t i = 0; i < side->count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        grid_put_safe_line(stream, side->profiles[i]->name, markdown);
    }
}

static void put_change(FILE *stream, const char *name, double base, double other, const char *end)
{
    struct time_unit unit = time_unit_for(fmax(base, other));
    char change[TEXT_SIZE];

    percent_text(change, sizeof change, base, other);
    language_print(stream, "%s: %.3f %s -> %.3f %s (%s)%s", name, base / unit.ns, unit.name, other / unit.ns, unit.name,
                   change, end);
}

#define GROUPS_SHOWN 16

/* The medians of each group of steps that both sides have: models, batches and devices have no mean. */
static void put_medians(FILE *stream, const char *name, const struct compare_rows *rows, bool markdown)
{
    size_t shown = 0;

    for (size_t i = 0; i < rows->count && shown < GROUPS_SHOWN; i++) {
        const struct compare_row *row = &rows->items[i];
        if (row->base_key == NULL || row->new_key == NULL)
            continue;
        shown++;
        fputs(name, stream);
        if (rows->count > 1) {
            fputs(", ", stream);
            grid_put_safe_line(stream, row->key, markdown);
        }
        put_change(stream, "", row->median_base, row->median_new, markdown ? "  \n" : "\n");
    }
}

/* Reports the inferences that the captures cover. */
static void put_recorded(const struct diff_output *output, FILE *stream, const char *end)
{
    const struct side *const sides[] = {output->base, output->new_side};

    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < sides[s]->count; i++) {
            char recorded[RECORDED_SIZE];
            workload_recorded_text(&sides[s]->profiles[i]->facts, recorded);
            if (recorded[0] != '\0') {
                language_print(stream, "%s: %s; figures cover only those%s", s == 0 ? "Base" : "New", recorded, end);
                break;
            }
        }
}

/* Steps that a mark says were begun and of which a part was not recorded. */
static void put_cut_steps(const struct diff_output *output, FILE *stream, bool markdown)
{
    const struct side *const sides[] = {output->base, output->new_side};

    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < sides[s]->count; i++) {
            const char *cut = sides[s]->profiles[i]->cut_steps;
            if (*cut == '\0')
                continue;
            fputs(s == 0 ? "Base: " : "New: ", stream);
            grid_put_safe_line(stream, cut, markdown);
            fputs(markdown ? "  \n" : "\n", stream);
        }
}

/* The row that changed most of those that are noise for now. */
static void put_undecided(FILE *stream, const struct comparison *comparison, const char *end)
{
    const struct compare_row *most = NULL;

    for (size_t i = 0; i < comparison->rows.count; i++)
        if (comparison->rows.items[i].verdict == ROW_NOISE && comparison->rows.items[i].needed > 0 &&
            (most == NULL || fabs(comparison->rows.items[i].effect) > fabs(most->effect)))
            most = &comparison->rows.items[i];
    if (most != NULL)
        language_print(stream, "Within noise: %s (%s%.2f%%); if it changed, %zu captures a side would show it%s",
                       most->key, sign_of(most->effect), 100 * expm1(most->effect), most->needed, end);
}

static void put_noise(FILE *stream, const struct comparison *comparison, const char *end)
{
    const struct noise *noise = &comparison->noise;
    char smallest[TEXT_SIZE];

    language_print(stream, "Run-to-run noise: %s", comparison->run_to_run ? "measured" : "not measured");
    if (!comparison->run_to_run)
        language_print(stream, ", a drift of %.3g %% is assumed (--drift; several captures a side measure it)",
                       100 * comparison->options.drift);
    fputs(end, stream);
    if (noise->separated) {
        language_print(stream, "All operators together: %s%.2f%%", sign_of(noise->change), 100 * expm1(noise->change));
        if (comparison->shared_told)
            language_print(stream, ", more than the drift between runs");
        else if (fabs(expm1(noise->change)) > comparison->options.least_change && comparison->shared_needed > 0)
            language_print(stream, ", which is within the drift between runs; %zu captures per side would show it",
                           comparison->shared_needed);
        fputs(end, stream);
    }
    if (comparison->smallest >= 0) {
        smallest_text(smallest, comparison->smallest);
        language_print(stream, "Smallest change that would show: %s of one %s (median)", smallest,
                       profile_subject_name(comparison->options.by));
        smallest_text(smallest, comparison->shared_smallest);
        if (noise->separated)
            language_print(stream, ", %s of all operators together", smallest);
        fputs(end, stream);
    }
    put_undecided(stream, comparison, end);
}

static void put_failed(FILE *stream, const struct comparison *comparison, bool markdown)
{
    size_t failed = 0;

    for (size_t i = 0; i < comparison->gate_count; i++)
        failed += comparison->gates[i].known && !comparison->gates[i].passed;
    if (failed > 0)
        language_print(stream, "%sGates: %zu of %zu failed%s\n\n", markdown ? "**" : "", failed, comparison->gate_count,
                       markdown ? "**" : "");
}

void diff_causes_text(const struct comparison *comparison, char text[DIFF_CAUSES_SIZE])
{
    static const char *const words[] = {
        [CAUSE_STEP_TIME] = LANGUAGE_MARK("step time"),     [CAUSE_PERIOD] = LANGUAGE_MARK("period"),
        [CAUSE_OPERATORS] = LANGUAGE_MARK("operators"),     [CAUSE_GAPS] = LANGUAGE_MARK("gaps"),
        [CAUSE_CALLS] = LANGUAGE_MARK("calls of the host"), [CAUSE_GATES] = LANGUAGE_MARK("gates")};
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < VERDICT_CAUSES; i++)
        if (comparison->causes[i])
            used += (size_t)snprintf(text + used, DIFF_CAUSES_SIZE - used, "%s%s", used > 0 ? ", " : "",
                                     language_shown(words[i]));
}

static void put_causes(FILE *stream, const struct comparison *comparison, bool markdown)
{
    char causes[DIFF_CAUSES_SIZE];

    diff_causes_text(comparison, causes);
    if (comparison->verdict == VERDICT_REGRESSION)
        language_print(stream, "Slower: %s%s\n\n", causes, markdown ? "  " : "");
}

static int64_t warmup_of(const struct side *side)
{
    int64_t warmup = 0;

    for (size_t i = 0; i < side->count; i++)
        warmup += side->profiles[i]->warmup;
    return warmup;
}

static void put_warmup(const struct diff_output *output, FILE *stream, const char *end)
{
    const int64_t base = warmup_of(output->base), other = warmup_of(output->new_side);

    if (base + other > 0)
        language_print(stream, "Warm-up steps left out: %lld of base, %lld of new%s", (long long)base, (long long)other,
                       end);
}

static void put_head(const struct diff_output *output, FILE *stream, bool markdown)
{
    const struct comparison *comparison = output->comparison;
    const char *end = markdown ? "  \n" : "\n";

    language_print(stream, "%s%s%s\n\n",
                   markdown ? "**Verdict: " : "Verdict: ", compare_verdict_name(comparison->verdict),
                   markdown ? "**" : "");
    put_causes(stream, comparison, markdown);
    put_failed(stream, comparison, markdown);
    language_print(stream, "Base: ");
    put_names(stream, output->base, markdown);
    language_print(stream, "%sNew: ", end);
    put_names(stream, output->new_side, markdown);
    language_print(stream, "%sComparability: %.2f%s%s", end, comparison->score,
                   comparison->comparable ? "" : language_shown(", too different to say anything"), end);
    for (size_t i = 0; i < comparison->check_count; i++) {
        const struct compare_check *check = &comparison->checks[i];
        if (!check->same)
            language_print(stream, "  %s: %s -> %s%s", check->name, check->base, check->new_side, end);
    }
    put_noise(stream, comparison, end);
    put_warmup(output, stream, end);
    if (comparison->steps_differ)
        language_print(stream,
                       "Steps run different operators: changes in the number of executions are tested against chance%s",
                       end);
    put_cut_steps(output, stream, markdown);
    put_medians(stream, "Period", &comparison->periods, markdown);
    put_recorded(output, stream, end);
    put_medians(stream, "Step time", &comparison->steps, markdown);
}

static void value_text(char *text, size_t size, enum gate_unit unit, double value)
{
    if (isnan(value))
        snprintf(text, size, TABLE_MISSING);
    else if (unit == UNIT_OF_TIME)
        snprintf(text, size, "%.3f us", number_us(value) + 0.0);
    else
        snprintf(text, size, "%.6g%s", value, unit == UNIT_OF_SHARE ? " %" : unit == UNIT_OF_BYTES ? " B" : "");
}

static int put_gates(const struct diff_output *output, FILE *stream, enum grid_format format, struct err *err)
{
    static const struct grid_column columns[] = {
        {.title = "gate", .cut = true},   {.title = "limit"},  {.title = "base", .number = true},
        {.title = "new", .number = true}, {.title = "result"}, {.title = "worst", .cut = true, .least_first = 1}};
    struct grid grid = {.columns = columns, .column_count = sizeof columns / sizeof *columns};
    int status = 0;

    for (size_t i = 0; status == 0 && i < output->comparison->gate_count; i++) {
        const struct compare_gate *result = &output->comparison->gates[i];
        char metric[1024], base[TEXT_SIZE], other[TEXT_SIZE];
        const char *cells[] = {metric,
                               result->gate->limit_text,
                               base,
                               other,
                               !result->known ? "no value" : result->passed ? "passed" : "failed",
                               result->worst};
        snprintf(metric, sizeof metric, "%.*s", result->gate->metric_length, result->gate->metric_text);
        value_text(base, sizeof base, gate_unit(result->gate->metric), result->base);
        value_text(other, sizeof other, gate_unit(result->gate->metric), result->new_value);
        status = grid_row(&grid, cells, err);
    }
    if (status == 0 && grid.count > 0) {
        fputc('\n', stream);
        grid_print(&grid, stream, format, output->width, output->ascii);
    }
    grid_release(&grid);
    return status;
}

static void put_legend(const struct diff_output *output, FILE *out, bool markdown)
{
    const struct comparison *comparison = output->comparison;
    struct grid_wrap wrap;
    FILE *stream = grid_wrap_begin(&wrap, out, markdown ? 0 : output->width);

    language_print(
        stream,
        "\nown: change after removing the shift common to all operators; smallest: the smallest detectable change.\n");
    language_print(stream, "(rest): part of the step that the rows do not explain");
    if (comparison->rest_base < 0 || comparison->rest_new < 0)
        language_print(
            stream,
            "; negative, because rows ran in parallel, or on the AI CPU before or after a step, so that their times "
            "add "
            "up to more");
    fputs(".\n", stream);
    if (comparison->rest_cause[0] != '\0') {
        char text[QUANTITY_MAX];
        language_print(stream,
                       "(rest) changed by %s: ", quantity_change(comparison->rest_new - comparison->rest_base, text));
        grid_put_safe_line(stream, comparison->rest_cause, markdown);
        fputs("\n", stream);
    }
    grid_wrap_end(&wrap, stream);
}

/* Gaps are many, and most of them do not change: of those a few show that. */
#define STILL_GAPS 3

/* Gaps by what runs before and behind them: all that changed, and a few others. */
static int put_gaps(const struct diff_output *output, FILE *stream, enum grid_format format, struct time_unit unit,
                    struct err *err)
{
    const struct compare_rows *gaps = &output->comparison->gaps;
    struct grid grid = {.columns = row_columns, .column_count = ROW_COLUMNS};
    size_t most = output->top > 0 ? output->top : gaps->count, shown = 0;
    int status = 0;

    for (size_t i = 0; status == 0 && i < gaps->count && shown < most; i++) {
        const struct compare_row *row = &gaps->items[i];
        bool changed = row->verdict == ROW_REGRESSION || row->verdict == ROW_IMPROVEMENT;
        if (!changed && shown >= STILL_GAPS)
            continue;
        shown++;
        status = add_row(&grid, row, unit, err);
    }
    if (status == 0 && shown > 0) {
        language_print(stream, "\nGaps between operators, a step and the median, in %s:\n%s", unit.name,
                       format == GRID_MARKDOWN ? "\n" : "");
        grid_print(&grid, stream, format, output->width, output->ascii);
    }
    grid_release(&grid);
    return status;
}

/* One of all tables, in which totals and medians can be read. */
static struct time_unit unit_of(const struct comparison *comparison, enum diff_format format)
{
    double total = 0, median = 0;

    for (size_t i = 0; i < comparison->rows.count; i++) {
        const struct compare_row *row = &comparison->rows.items[i];
        total = fmax(total, fmax(row->total_base, row->total_new));
        median = fmax(median, fmax(row->median_base, row->median_new));
    }
    return time_unit_for(format == DIFF_CSV ? 0 : fmin(total, median));
}

/* JSON of the schema msprof.diff/2: names of members ascend, times are microseconds, and nothing depends on when or
 * where it was made. */

/* A measure of steps, null where no capture of the side has it, or steps are of several models, batches or devices:
 * these have no mean. */
static struct json_member measure_of(const struct side *side, enum measure measure)
{
    bool known = false, several = false;

    for (size_t i = 0; i < side->count; i++) {
        known = known || profile_measure(side->profiles[i], measure) >= 0;
        several = several || side->profiles[i]->group_count > 1;
    }
    return known && !several
               ? JSON_FIXED(profile_measure_name(measure), number_us(comparison_side_measure(side, measure)))
               : JSON_TEXT(profile_measure_name(measure), NULL);
}

/* How its devices' time divides, as far as it was recorded: of all captures of the side together. */
static void put_elapsed(struct json_out *json, const struct side *side)
{
    double time_ns = 0, busy_ns = 0, free_ns = 0;

    for (size_t i = 0; i < side->count; i++) {
        time_ns += side->profiles[i]->time_ns;
        busy_ns += side->profiles[i]->busy_ns;
        free_ns += side->profiles[i]->free_ns;
    }
    json_put_object(json, "elapsed", JSON_FIXED("busy", number_us(busy_ns)), JSON_FIXED("free", number_us(free_ns)),
                    JSON_FIXED("time", number_us(time_ns)));
}

/* Puts the cut steps of all captures of the side; no member where no step was cut. */
static void put_cut_steps_json(struct json_out *json, const struct side *side)
{
    bool any = false;

    for (size_t i = 0; i < side->count; i++) {
        if (*side->profiles[i]->cut_steps == '\0')
            continue;
        if (!any)
            json_put_begin(json, "cut_steps", '[');
        json_put_text(json, NULL, side->profiles[i]->cut_steps);
        any = true;
    }
    if (any)
        json_put_end(json, ']');
}

static void put_side(struct json_out *json, const char *key, const struct side *side)
{
    int64_t steps = 0, executions = 0;
    char recorded[RECORDED_SIZE] = "";

    json_put_begin(json, key, '{');
    json_put_members(json, measure_of(side, MEASURE_BUSY));
    json_put_begin(json, "captures", '[');
    for (size_t i = 0; i < side->count; i++) {
        json_put_text(json, NULL, side->profiles[i]->name);
        steps += side->profiles[i]->steps;
        executions += side->profiles[i]->executions;
        if (recorded[0] == '\0')
            workload_recorded_text(&side->profiles[i]->facts, recorded);
    }
    json_put_end(json, ']');
    put_cut_steps_json(json, side);
    json_put_members(json, measure_of(side, MEASURE_DEVICE_BUSY));
    put_elapsed(json, side);
    json_put_members(json, JSON_INTEGER("executions", executions), measure_of(side, MEASURE_EXPOSED),
                     measure_of(side, MEASURE_FREE), measure_of(side, MEASURE_PERIOD), JSON_NOTE("recorded", recorded),
                     measure_of(side, MEASURE_STEP), JSON_INTEGER("steps", steps),
                     JSON_INTEGER("warmup_steps", warmup_of(side)));
    json_put_end(json, '}');
}

static void put_comparability(struct json_out *json, const struct comparison *comparison)
{
    json_put_begin(json, "comparability", '{');
    json_put_begin(json, "checks", '[');
    for (size_t i = 0; i < comparison->check_count; i++) {
        const struct compare_check *check = &comparison->checks[i];
        json_put_object(json, NULL, JSON_TEXT("base", check->base), JSON_GENERAL("factor", 4, check->factor),
                        JSON_TEXT("name", check->name), JSON_TEXT("new", check->new_side),
                        JSON_BOOL("same", check->same));
    }
    json_put_end(json, ']');
    json_put_members(json, JSON_BOOL("comparable", comparison->comparable),
                     JSON_TEXT("run_to_run_noise", comparison->run_to_run ? "measured" : "not measured"),
                     JSON_GENERAL("score", 4, comparison->score));
    json_put_end(json, '}');
}

/* Null: not known. */
static struct json_member value_of(const char *key, enum gate_unit unit, double value)
{
    return unit == UNIT_OF_TIME && !isnan(value) ? JSON_FIXED(key, number_us(value)) : JSON_GENERAL(key, 6, value);
}

static void put_gate(struct json_out *json, const struct compare_gate *result)
{
    enum gate_unit unit = gate_unit(result->gate->metric);
    char metric[1024];

    snprintf(metric, sizeof metric, "%.*s", result->gate->metric_length, result->gate->metric_text);
    json_put_object(json, NULL, value_of("base", unit, result->base),
                    value_of("delta", unit, result->new_value - result->base),
                    JSON_TEXT("limit", result->gate->limit_text), JSON_TEXT("metric", metric),
                    value_of("new", unit, result->new_value), JSON_BOOL("passed", result->passed),
                    JSON_NOTE("reason", result->why));
}

/* Null also where no change is large enough: nothing could show one. */
static struct json_member percent(const char *key, bool known, double share)
{
    return JSON_GENERAL(key, 4, known ? 100 * share + 0.0 : INFINITY);
}

static struct json_member count_of(const char *key, size_t count)
{
    return JSON_INTEGER(key, count > 0 ? (int64_t)count : INT64_MIN);
}

/* Percentages. */
static void put_noise_json(struct json_out *json, const struct comparison *comparison)
{
    const struct noise *noise = &comparison->noise;

    json_put_object(json, "noise", percent("assumed_drift", true, comparison->options.drift),
                    percent("shared_change", noise->separated, expm1(noise->change)),
                    count_of("shared_needs_captures", noise->separated ? comparison->shared_needed : 0),
                    percent("shared_smallest", noise->separated, comparison->shared_smallest),
                    JSON_BOOL("shared_told", comparison->shared_told),
                    percent("smallest", comparison->smallest >= 0, comparison->smallest));
}

static void put_row(struct json_out *json, const struct compare_row *row)
{
    json_put_object(
        json, NULL, JSON_GENERAL("cliff", 6, row->cliff), JSON_TEXT("key", row->key),
        JSON_TEXT("match", match_kind_name(row->match)), JSON_FIXED("median_base", number_us(row->median_base)),
        JSON_FIXED("median_new", number_us(row->median_new)), JSON_INTEGER("n_base", row->n_base),
        JSON_INTEGER("n_new", row->n_new), count_of("needs_captures", row->verdict == ROW_NOISE ? row->needed : 0),
        percent("own_change", row->smallest >= 0, row->own), JSON_GENERAL("p", 6, row->p), JSON_GENERAL("q", 6, row->q),
        percent("smallest", row->smallest >= 0, row->smallest),
        JSON_FIXED("total_step_base", number_us(row->total_base)),
        JSON_FIXED("total_step_new", number_us(row->total_new)),
        JSON_TEXT("verdict", compare_row_verdict_name(row->verdict)));
}

static void put_rows(const struct diff_output *output, struct json_out *json)
{
    const struct compare_rows *rows = &output->comparison->rows;
    size_t left;
    const struct compare_row others = others_of(output, "(others)", &left), rest = rest_of(output->comparison);

    json_put_begin(json, "rows", '[');
    for (size_t i = 0; i < rows->count - left; i++)
        put_row(json, &rows->items[i]);
    if (left > 0)
        put_row(json, &others);
    put_row(json, &rest);
    json_put_end(json, ']');
}

/* The keys of one side alone, ascending. */
static int put_only(struct json_out *json, const struct compare_rows *rows, bool base, struct err *err)
{
    const char **keys = calloc(rows->count + 1, sizeof *keys);
    size_t n = 0;

    if (keys == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < rows->count; i++)
        if ((base ? rows->items[i].new_key : rows->items[i].base_key) == NULL)
            keys[n++] = rows->items[i].key;
    qsort((void *)keys, n, sizeof *keys, array_compare_texts);
    json_put_begin(json, base ? "only_base" : "only_new", '[');
    for (size_t i = 0; i < n; i++)
        json_put_text(json, NULL, keys[i]);
    json_put_end(json, ']');
    free((void *)keys);
    return 0;
}

static void put_list(struct json_out *json, const char *key, const struct compare_rows *rows, size_t most)
{
    json_put_begin(json, key, '[');
    for (size_t i = 0; i < rows->count && i < most; i++)
        put_row(json, &rows->items[i]);
    json_put_end(json, ']');
}

static void put_causes_json(struct json_out *json, const struct comparison *comparison)
{
    json_put_begin(json, "causes", '[');
    for (int i = 0; i < VERDICT_CAUSES; i++)
        if (comparison->causes[i])
            json_put_text(json, NULL, compare_cause_name((enum verdict_cause)i));
    json_put_end(json, ']');
}

/* No member where the rest did not change. */
static void put_rest_cause(struct json_out *json, const struct comparison *comparison)
{
    if (comparison->rest_cause[0] != '\0')
        json_put_members(json, JSON_TEXT("rest_cause", comparison->rest_cause));
}

/* Inside. */
static int diff_print_json(const struct diff_output *output, FILE *stream, struct err *err)
{
    const struct comparison *comparison = output->comparison;
    struct json_out json = {.stream = stream};

    json_put_begin(&json, NULL, '{');
    put_side(&json, "base", output->base);
    put_causes_json(&json, comparison);
    put_comparability(&json, comparison);
    put_list(&json, "gaps", &comparison->gaps, output->top > 0 ? output->top : 20);
    json_put_begin(&json, "gates", '[');
    for (size_t i = 0; i < comparison->gate_count; i++)
        put_gate(&json, &comparison->gates[i]);
    json_put_end(&json, ']');
    put_side(&json, "new", output->new_side);
    put_noise_json(&json, comparison);
    if (put_only(&json, &comparison->rows, true, err) < 0 || put_only(&json, &comparison->rows, false, err) < 0)
        return err_status(err);
    put_list(&json, "periods", &comparison->periods, SIZE_MAX);
    put_rest_cause(&json, comparison);
    put_rows(output, &json);
    json_put_members(&json, JSON_TEXT("schema", SCHEMA_DIFF));
    put_list(&json, "steps", &comparison->steps, SIZE_MAX);
    json_put_members(&json, JSON_TEXT("verdict", compare_verdict_name(comparison->verdict)));
    json_put_end(&json, '}');
    fputc('\n', stream);
    return 0;
}

int diff_print(const struct diff_output *output, enum diff_format format, FILE *stream, struct err *err)
{
    const struct comparison *comparison = output->comparison;
    enum grid_format kind = format == DIFF_CSV ? GRID_CSV : format == DIFF_MARKDOWN ? GRID_MARKDOWN : GRID_TABLE;
    struct grid grid = {.columns = row_columns, .column_count = ROW_COLUMNS};
    const struct time_unit unit = unit_of(comparison, format);

    if (format == DIFF_JSON)
        return diff_print_json(output, stream, err);
    bool failed = add_rows(output, &grid, unit, err) < 0;
    if (format != DIFF_CSV && !failed) {
        struct grid_wrap wrap;
        FILE *head = grid_wrap_begin(&wrap, stream, format == DIFF_MARKDOWN ? 0 : output->width);
        put_head(output, head, format == DIFF_MARKDOWN);
        grid_wrap_end(&wrap, head);
        failed = put_gates(output, stream, kind, err) < 0;
        put_legend(output, stream, format == DIFF_MARKDOWN);
        language_print(stream, "\nBy %s, a step and the median, in %s:\n%s",
                       profile_subject_name(comparison->options.by), unit.name, format == DIFF_MARKDOWN ? "\n" : "");
    }
    if (!failed)
        grid_print(&grid, stream, kind, output->width, output->ascii);
    failed = failed || (format != DIFF_CSV && put_gaps(output, stream, kind, unit, err) < 0);
    grid_release(&grid);
    return failed ? err_status(err) : 0;
}
