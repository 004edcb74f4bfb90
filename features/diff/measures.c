/* SPDX-License-Identifier: Apache-2.0 */
#include "features/diff/measures.h"

#include "base/array.h"
#include "exporters/json_text.h"
#include "exporters/table/grid.h"
#include "features/page/page.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int measures_add(struct measures *measures, const char *operator_name, const char *key, double value, struct err *err)
{
    struct measure_sample sample = {.value = value};
    if (array_reserve(measures, 1, err) < 0 ||
        intern_keep(&measures->texts, operator_name, &sample.operator_name, err) < 0 ||
        intern_keep(&measures->texts, key, &sample.key, err) < 0)
        return err_status(err);
    measures->items[measures->count++] = sample;
    return 0;
}

void measures_release(struct measures *measures)
{
    free(measures->items);
    intern_release(&measures->texts);
    *measures = (struct measures){.items = NULL};
}

/* ---- comparing ---- */

/* The duration of the task first, then by name. */
static int compare_keys(const char *a, const char *b)
{
    const bool x = strcmp(a, "op_time") == 0, y = strcmp(b, "op_time") == 0;
    return x != y ? y - x : strcmp(a, b);
}

static int compare_names(const struct measure_sample *a, const struct measure_sample *b)
{
    const int order = strcmp(a->operator_name, b->operator_name);
    return order != 0 ? order : compare_keys(a->key, b->key);
}

static int compare_samples(const void *a, const void *b)
{
    const struct measure_sample *x = a, *y = b;
    const int order = compare_names(x, y);
    return order != 0 ? order : (x->value > y->value) - (x->value < y->value);
}

static bool has_one_operator(const struct measures *measures)
{
    for (size_t i = 1; i < measures->count; i++) {
        if (strcmp(measures->items[i].operator_name, measures->items[0].operator_name) != 0)
            return false;
    }
    return measures->count > 0;
}

/* The samples of one measure, sorted. */
struct run_of {
    const struct measure_sample *items;
    size_t count;
};

static struct run_of next_run(const struct measures *measures, size_t at)
{
    struct run_of run = {measures->items + at, 0};
    while (at + run.count < measures->count && compare_names(run.items, &run.items[run.count]) == 0)
        run.count++;
    return run;
}

static double median_of(struct run_of run)
{
    if (run.count == 0)
        return NAN;
    return (run.items[(run.count - 1) / 2].value + run.items[run.count / 2].value) / 2;
}

/* From the least to the largest, as a share of the median. */
static double spread_of(struct run_of run)
{
    const double median = median_of(run);
    return run.count > 1 && median > 0 ? (run.items[run.count - 1].value - run.items[0].value) / median : NAN;
}

static struct measure_row make_row(struct run_of base, struct run_of other, double least)
{
    const struct measure_sample *named = other.count > 0 ? other.items : base.items;
    struct measure_row row = {.operator_name = named->operator_name,
                              .key = named->key,
                              .n_base = base.count,
                              .n_new = other.count,
                              .base = median_of(base),
                              .new_value = median_of(other),
                              .change = NAN,
                              .noise = fmax(spread_of(base), spread_of(other))};
    if (base.count == 0 || other.count == 0) {
        row.verdict = MEASURE_MISSING;
        return row;
    }
    if (row.base > 0)
        row.change = (row.new_value - row.base) / row.base;
    const double change = row.new_value - row.base;
    if (fabs(change) <= least * fmax(row.base, row.new_value))
        row.verdict = MEASURE_SAME;
    else if (!isnan(row.noise) && fabs(change) <= row.noise * fmax(row.base, row.new_value))
        row.verdict = MEASURE_NOISE;
    else
        row.verdict = change < 0 ? MEASURE_LESS : MEASURE_MORE;
    return row;
}

static void sort_samples(struct measures *measures)
{
    array_sort(measures->items, measures->count, sizeof *measures->items, compare_samples);
}

int measures_compare(struct measures *base, struct measures *other, double least, struct measures_comparison *ret,
                     struct err *err)
{
    *ret = (struct measures_comparison){.rows = calloc(base->count + other->count + 1, sizeof *ret->rows)};
    if (ret->rows == NULL)
        return err_no_memory(err);
    if (has_one_operator(base) && has_one_operator(other)) {
        for (size_t i = 0; i < base->count; i++) /* a candidate may have another name */
            base->items[i].operator_name = other->items[0].operator_name;
    }
    sort_samples(base);
    sort_samples(other);
    for (size_t i = 0, k = 0; i < base->count || k < other->count;) {
        struct run_of left = {base->items + i, 0}, right = {other->items + k, 0};
        const int order = i == base->count    ? 1
                          : k == other->count ? -1
                                              : compare_names(&base->items[i], &other->items[k]);
        if (order <= 0)
            left = next_run(base, i);
        if (order >= 0)
            right = next_run(other, k);
        ret->rows[ret->count++] = make_row(left, right, least);
        i += left.count;
        k += right.count;
    }
    return 0;
}

/* ---- gates ---- */

/* pipe:vec is pipe:aic_vec and pipe:aiv_vec, as the files call them. */
static bool is_meant(const struct gate *gate, const char *key)
{
    if (gate->metric == GATE_OP_TIME)
        return strcmp(key, "op_time") == 0;
    const char *kind = gate->metric == GATE_PIPE ? "pipe:" : gate->metric == GATE_PATH ? "bytes:" : NULL;
    if (kind == NULL || strncmp(key, kind, strlen(kind)) != 0)
        return false;
    const char *name = key + strlen(kind);
    const bool prefixed = strncmp(name, "aic_", 4) == 0 || strncmp(name, "aiv_", 4) == 0;
    return fnmatch(gate->pattern, name, 0) == 0 || (prefixed && fnmatch(gate->pattern, name + 4, 0) == 0);
}

static double worsening(const struct gate *gate, const struct measure_row *row)
{
    return gate->percent && row->base > 0 ? row->new_value / row->base : row->new_value - row->base;
}

bool measures_hold(const struct measures_comparison *comparison, const struct gate *gate, bool *ret_known,
                   const struct measure_row **ret_worst)
{
    bool holds = true;
    const struct measure_row *worst = NULL;
    *ret_known = false;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct measure_row *row = &comparison->rows[i];
        if (row->verdict == MEASURE_MISSING || !is_meant(gate, row->key))
            continue;
        *ret_known = true;
        if (gate_holds(gate, row->base, row->new_value, row->new_value))
            continue;
        holds = false;
        if (worst == NULL || worsening(gate, row) > worsening(gate, worst))
            worst = row;
    }
    *ret_worst = worst;
    return holds;
}

/* ---- output ---- */

static const char *const verdicts[] = {[MEASURE_SAME] = "same",
                                       [MEASURE_NOISE] = "noise",
                                       [MEASURE_LESS] = "less",
                                       [MEASURE_MORE] = "more",
                                       [MEASURE_MISSING] = "one side"};

static const struct grid_column columns[] = {
    {.title = "Measure"},
    {.title = "Base", .number = true},
    {.title = "New", .number = true},
    {.title = "Unit"},
    {.title = "Change(%)", .number = true},
    {.title = "Noise(%)", .number = true, .least_first = 2},
    {.title = "Launches", .number = true, .least_first = 1},
    {.title = "Verdict"},
    {.title = "Operator", .cut = true, .least_first = 3},
};
enum { MEASURE, BASE, NEW, UNIT, CHANGE, NOISE, LAUNCHES, VERDICT, OPERATOR, COLUMNS };

#define CELL_SIZE 48

static void print_number(char text[CELL_SIZE], double value, int decimals)
{
    snprintf(text, CELL_SIZE, isnan(value) ? "N/A" : "%.*f", decimals, value);
}

static void fill(const struct measure_row *row, char texts[COLUMNS][CELL_SIZE], const char *cells[COLUMNS])
{
    const bool bytes = strncmp(row->key, "bytes:", 6) == 0;
    print_number(texts[BASE], bytes ? row->base : row->base / 1e3, bytes ? 0 : 6);
    print_number(texts[NEW], bytes ? row->new_value : row->new_value / 1e3, bytes ? 0 : 6);
    print_number(texts[CHANGE], 100 * row->change, 2);
    print_number(texts[NOISE], 100 * row->noise, 2);
    snprintf(texts[LAUNCHES], CELL_SIZE, "%zu/%zu", row->n_base, row->n_new);
    for (size_t i = 0; i < COLUMNS; i++)
        cells[i] = texts[i];
    cells[MEASURE] = row->key;
    cells[UNIT] = bytes ? "B" : "us";
    cells[VERDICT] = verdicts[row->verdict];
    cells[OPERATOR] = row->operator_name;
}

static int put_page(struct html_page *page, struct err *err)
{
    const struct measures_comparison *comparison = page->subject;
    const char *heads[COLUMNS];
    char numbers[COLUMNS][CELL_SIZE];

    (void)err;
    for (size_t i = 0; i < COLUMNS; i++) {
        snprintf(numbers[i], CELL_SIZE, "%s%s", columns[i].number ? "#" : "", columns[i].title);
        heads[i] = numbers[i];
    }
    html_table_begin(page, "Changes", heads, COLUMNS);
    for (size_t i = 0; i < comparison->count; i++) {
        char texts[COLUMNS][CELL_SIZE];
        const char *cells[COLUMNS];
        fill(&comparison->rows[i], texts, cells);
        html_open(&page->w, "tr");
        for (size_t k = 0; k < COLUMNS; k++) {
            if (columns[k].number)
                html_cell_number(page, "%s", cells[k]);
            else if (k == OPERATOR)
                html_cell_name(page, cells[k]);
            else
                html_cell(page, cells[k]);
        }
        html_close(&page->w);
    }
    html_table_end(page);
    html_note(page, "With several launches per side the medians are compared. Noise is the larger spread of the two "
                    "sides; changes within it are ignored. With one launch per side noise is unknown.");
    return 0;
}

int measures_add_page(struct html_report *report, const struct measures_comparison *comparison, struct err *err)
{
    static const struct html_part parts[] = {{"changes", "Changes of one operator", .put = put_page}, {.title = NULL}};
    return html_report_add_parts(report, parts, comparison, err);
}

static void put_real(struct json_out *json, const char *key, double value, int decimals)
{
    if (isnan(value))
        json_put_text(json, key, NULL);
    else
        json_put_format(json, key, "%.*f", decimals, value);
}

static void put_json(const struct measures_comparison *comparison, FILE *stream)
{
    struct json_out json = {.stream = stream};
    json_put_begin(&json, NULL, '{');
    json_put_begin(&json, "measures", '[');
    for (size_t i = 0; i < comparison->count; i++) {
        const struct measure_row *row = &comparison->rows[i];
        const bool bytes = strncmp(row->key, "bytes:", 6) == 0;
        json_put_begin(&json, NULL, '{');
        put_real(&json, "base", bytes ? row->base : row->base / 1e3, bytes ? 0 : 6);
        put_real(&json, "change", 100 * row->change, 4);
        json_put_members(&json, JSON_INTEGER("launches_base", (int64_t)row->n_base),
                         JSON_INTEGER("launches_new", (int64_t)row->n_new), JSON_TEXT("measure", row->key));
        put_real(&json, "new", bytes ? row->new_value : row->new_value / 1e3, bytes ? 0 : 6);
        put_real(&json, "noise", 100 * row->noise, 4);
        json_put_members(&json, JSON_TEXT("operator", row->operator_name), JSON_TEXT("unit", bytes ? "B" : "us"),
                         JSON_TEXT("verdict", verdicts[row->verdict]));
        json_put_end(&json, '}');
    }
    json_put_end(&json, ']');
    json_put_text(&json, "schema", SCHEMA_MEASURES);
    json_put_end(&json, '}');
    fputc('\n', stream);
}

int measures_print(const struct measures_comparison *comparison, enum measures_format format, int width, bool ascii,
                   FILE *stream, struct err *err)
{
    static const enum grid_format formats[] = {
        [MEASURES_TABLE] = GRID_TABLE, [MEASURES_CSV] = GRID_CSV, [MEASURES_MARKDOWN] = GRID_MARKDOWN};
    SCOPED(grid_release) struct grid grid = {.columns = columns, .column_count = COLUMNS};
    if (format == MEASURES_JSON) {
        put_json(comparison, stream);
        return 0;
    }
    for (size_t i = 0; i < comparison->count; i++) {
        char texts[COLUMNS][CELL_SIZE];
        const char *cells[COLUMNS];
        fill(&comparison->rows[i], texts, cells);
        if (grid_row(&grid, cells, err) < 0)
            return err_status(err);
    }
    grid_print(&grid, stream, formats[format], width, ascii);
    return 0;
}
