/* SPDX-License-Identifier: Apache-2.0 */
/* Changes against another capture. */
#include "base/language.h"
#include "base/number.h"
#include "base/utf8.h"
#include "features/answers/load/load.h"
#include "features/diff/compare.h"
#include "features/diff/compare_workload.h"
#include "features/diff/diff_output.h"
#include "features/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_checks(struct html_page *page, const struct comparison *comparison)
{
    static const char *const heads[] = {"Fact", "Base", "This capture", "Differs"};

    html_table_begin(page, "Whether both can be compared", heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < comparison->check_count; i++) {
        const struct compare_check *check = &comparison->checks[i];
        html_open(&page->w, "tr");
        html_cell(page, check->name);
        html_cell_name(page, check->base);
        html_cell_name(page, check->new_side);
        html_cell(page, check->same ? "" : "yes");
        html_close(&page->w);
    }
    html_table_end(page);
}

static void put_us(struct html_page *page, double ns, bool known)
{
    if (known)
        html_cell_number(page, "%.3f", number_us(ns));
    else
        html_cell_number(page, TABLE_MISSING);
}

static void put_row(struct html_page *page, const struct compare_row *row)
{
    bool both = row->base_key != NULL && row->new_key != NULL;

    html_open(&page->w, "tr");
    html_cell_name(page, row->key);
    html_cell_number(page, "%+.3f", number_us(row->total_new - row->total_base));
    put_us(page, row->total_base, row->base_key != NULL);
    put_us(page, row->total_new, row->new_key != NULL);
    put_us(page, row->median_base, row->base_key != NULL);
    put_us(page, row->median_new, row->new_key != NULL);
    html_cell_number(page, "%" PRId64 "|%" PRId64, row->n_base, row->n_new);
    html_cell(page, both                   ? compare_row_verdict_name(row->verdict)
                    : row->new_key != NULL ? LANGUAGE_MARK("new")
                                           : LANGUAGE_MARK("gone"));
    html_close(&page->w);
}

/* The steps' times without what the rows explain. */
static void put_rest(struct html_page *page, const struct comparison *comparison)
{
    html_open(&page->w, "tr");
    html_cell(page, "(rest)");
    html_cell_number(page, "%+.3f", number_us(comparison->rest_new - comparison->rest_base));
    put_us(page, comparison->rest_base, true);
    put_us(page, comparison->rest_new, true);
    for (int i = 0; i < 4; i++)
        put_us(page, 0, false);
    html_cell(page, "");
    html_close(&page->w);
}

/* rest: those of the comparison, which the row of the rest makes a whole step of. */
static void put_rows(struct html_page *page, const char *caption, const struct compare_rows *rows,
                     const struct comparison *rest)
{
    size_t most =
        page->comparison_rows > 0 && page->comparison_rows < HTML_ROWS_MAX ? page->comparison_rows : HTML_ROWS_MAX;
    static const char *const heads[] = {"Name",        "#Change(us)",      "#Base(us)",
                                        "#New(us)",    "#Base median(us)", "#New median(us)",
                                        "#Base count", "#New count",       "Verdict"};
    size_t shown = 0;
    uint64_t limit = html_table_limit(page);

    html_table_begin(page, caption, heads, sizeof heads / sizeof *heads);
    while (shown < rows->count && shown < most && html_bytes(page) <= limit)
        put_row(page, &rows->items[shown++]);
    if (rest != NULL) {
        html_table_foot(page);
        put_rest(page, rest);
    }
    html_table_end(page);
    if (rows->count > shown)
        html_note(page, "And %zu more, which 'msprof diff' prints.", rows->count - shown);
}

/* The rows that changed most as bars, now above the base. */

#define BARS_MAX 12
#define BAR_HEIGHT 26
#define BAR_LEFT 270
#define BAR_LONGEST 520
#define BAR_NAME 28 /* bytes */

static void put_bar(struct html_page *page, const struct compare_row *row, size_t place, double longest)
{
    struct html_writer *w = &page->w;
    const int y = (int)place * BAR_HEIGHT;
    const size_t length = strlen(row->key);
    const double now = BAR_LONGEST * row->total_new / longest, base = BAR_LONGEST * row->total_base / longest;
    char name[HTML_HASH_SIZE + BAR_NAME], value[2][QUANTITY_MAX];

    if (w->redact)
        html_name_hash(row->key, length, name);
    else if (length > BAR_NAME)
        snprintf(name, sizeof name, "%.*s\xE2\x80\xA6", (int)utf8_cut(row->key, BAR_NAME - 1), row->key);
    else
        snprintf(name, sizeof name, "%s", row->key);
    chart_label(w, "end", BAR_LEFT - 8, y + 16, name);
    html_open_f(w, "rect", "class=cube|x=%d|y=%d|width=%.2f|height=12", BAR_LEFT, y + 3, now);
    html_close(w);
    html_open_f(w, "rect", "class=unrecorded|x=%d|y=%d|width=%.2f|height=6", BAR_LEFT, y + 16, base);
    html_close(w);
    html_open_f(w, "text", "x=%.2f|y=%d", BAR_LEFT + (now > base ? now : base) + 6, y + 16);
    html_text_f(w, "%s, base %s",
                row->new_key != NULL ? quantity_time(row->total_new, value[0]) : language_shown("gone"),
                row->base_key != NULL ? quantity_time(row->total_base, value[1]) : "none");
    html_close(w);
}

static bool is_changed(const struct compare_row *row)
{
    return fabs(row->total_new - row->total_base) > 0.005 * fmax(row->total_new, row->total_base);
}

static void put_bars(struct html_page *page, const char *caption, const struct compare_rows *rows)
{
    const struct compare_row *shown[BARS_MAX];
    size_t count = 0;
    double longest = 0;

    for (size_t i = 0; i < rows->count && count < BARS_MAX; i++) {
        const struct compare_row *row = &rows->items[i];
        if (!is_changed(row))
            continue;
        shown[count++] = row;
        longest = fmax(longest, fmax(row->total_new, row->total_base));
    }
    if (longest <= 0)
        return;
    chart_legend(page, (const char *const[]){"cube", "unrecorded"}, (const char *const[]){"Now", "Base"}, 2);
    chart_begin_sized(page, caption, "Times of a step now and in the base; the table below has the numbers",
                      (int)count * BAR_HEIGHT);
    for (size_t i = 0; i < count; i++)
        put_bar(page, shown[i], i, longest);
    chart_end(page);
}

static void put_tables(struct html_page *page, const struct comparison *comparison)
{
    char caption[64], text[QUANTITY_MAX];

    snprintf(caption, sizeof caption, language_shown("By %s: the change of a step's time"),
             profile_subject_name(comparison->options.by));
    put_bars(page, language_shown("What changed most of a step's time"), &comparison->rows);
    if (comparison->rows.count > 0)
        put_rows(page,
                 comparison->options.by == BY_OP ? LANGUAGE_MARK("Operators by the change of a step's time") : caption,
                 &comparison->rows, comparison);
    if (comparison->rest_cause[0] != '\0')
        html_note(page, "(rest) changed by %s: %s.",
                  quantity_change(comparison->rest_new - comparison->rest_base, text), comparison->rest_cause);
    put_bars(page, language_shown("Gaps that changed most of a step's time"), &comparison->gaps);
    if (comparison->gaps.count > 0)
        put_rows(page, LANGUAGE_MARK("Gaps between operators by the change of a step's time"), &comparison->gaps, NULL);
}

static void put_gate_value(struct html_page *page, const struct compare_gate *result, double value)
{
    enum gate_unit unit = gate_unit(result->gate->metric);

    if (isnan(value))
        html_cell_number(page, TABLE_MISSING);
    else if (unit == UNIT_OF_TIME)
        html_cell_number(page, "%.3f us", number_us(value));
    else
        html_cell_number(page, "%.6g%s", value, unit == UNIT_OF_SHARE ? " %" : unit == UNIT_OF_BYTES ? " B" : "");
}

static void put_gates(struct html_page *page, const struct comparison *comparison)
{
    static const char *const heads[] = {"Gate", "Limit", "#Base", "#New", "Result", "Worst"};

    html_table_begin(page, "Gates", heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < comparison->gate_count; i++) {
        const struct compare_gate *result = &comparison->gates[i];
        html_open(&page->w, "tr");
        html_open(&page->w, "td");
        html_name(&page->w, result->gate->metric_text, (size_t)result->gate->metric_length);
        html_close(&page->w);
        html_cell(page, result->gate->limit_text);
        put_gate_value(page, result, result->base);
        put_gate_value(page, result, result->new_value);
        html_cell(page, !result->known   ? LANGUAGE_MARK("no value")
                        : result->passed ? LANGUAGE_MARK("passed")
                                         : LANGUAGE_MARK("failed"));
        html_cell_name(page, result->worst != NULL ? result->worst : "");
        html_close(&page->w);
    }
    html_table_end(page);
}

#define GROUPS_SHOWN 16

static void put_steps(struct html_page *page, const char *what, const struct compare_rows *rows)
{
    size_t shown = 0;

    for (size_t i = 0; i < rows->count && shown < GROUPS_SHOWN; i++) {
        const struct compare_row *row = &rows->items[i];
        if (row->base_key == NULL || row->new_key == NULL)
            continue;
        shown++;
        char base[QUANTITY_MAX], now[QUANTITY_MAX];
        quantity_time(row->median_base, base);
        quantity_time(row->median_new, now);
        if (rows->count > 1 && !page->w.redact)
            html_note(page, "%s took %s in the base and takes %s now (medians, %s).", language_shown(what), base, now,
                      row->key);
        else
            html_note(page,
                      rows->count == 1 ? "%s took %s in the base and takes %s now (medians)."
                                       : "%s took %s in the base and takes %s now (medians, of one group).",
                      language_shown(what), base, now);
    }
}

void html_put_verdict(struct html_page *page, const struct comparison *comparison)
{
    char causes[DIFF_CAUSES_SIZE];

    html_note(page, "Verdict: %s.", language_shown(compare_verdict_name(comparison->verdict)));
    put_steps(page, "A step", &comparison->steps);
    put_steps(page, "From the begin of a step to that of the next", &comparison->periods);
    diff_causes_text(comparison, causes);
    if (comparison->verdict == VERDICT_REGRESSION)
        html_note(page, "Slower: %s.", causes);
    if (!comparison->comparable)
        html_note(page, "The captures are too different to be compared: score %.2f, at least %.2f is needed.",
                  comparison->score, comparison->options.comparable);
    if (!comparison->run_to_run)
        html_note(page, "Each side is one capture: noise between runs was not measured; %.1f %% is assumed.",
                  comparison->options.drift * 100);
}

static void put_comparison(struct html_page *page, const struct comparison *comparison)
{
    html_put_verdict(page, comparison);
    if (comparison->gate_count > 0)
        put_gates(page, comparison);
    put_checks(page, comparison);
    put_tables(page, comparison);
}

int html_compare(struct html_page *page, struct err *err)
{
    struct page_change *change = &page->change;
    struct err why = ERR_INIT;

    if (change->known || page->capture->base == NULL)
        return 0;
    const int status = compare_workload(page->db, &page->workload, page->capture->name, page->capture->base,
                                        &change->profile, &change->comparison, &why);
    change->known = status >= 0;
    if (why.code == ERR_NOT_FOUND)
        return 0;
    if (why.code != ERR_NONE)
        *err = why;
    return status;
}

double html_base_busy(const struct html_page *page)
{
    const struct side *base = page->change.known ? page->capture->base : NULL;
    double busy_ns = 0, time_ns = 0;

    for (size_t i = 0; base != NULL && i < base->count; i++) {
        busy_ns += base->profiles[i]->busy_ns;
        time_ns += base->profiles[i]->time_ns;
    }
    return time_ns > 0 ? busy_ns / time_ns : -1;
}

double html_base_factor(const struct html_page *page, const char *name)
{
    const struct compare_rows *rows = &page->change.comparison.rows;

    for (size_t i = 0; page->change.known && i < rows->count; i++) {
        const struct compare_row *row = &rows->items[i];
        if (row->base_key != NULL && row->new_key != NULL && row->median_new > 0 && strcmp(row->key, name) == 0)
            return row->median_base / row->median_new;
    }
    return -1;
}

void html_change_release(struct page_change *change)
{
    if (!change->known)
        return;
    comparison_release(&change->comparison);
    profile_release(&change->profile);
    change->known = false;
}

int html_put_changes(struct html_page *page, struct err *err)
{
    if (page->comparison == NULL && html_compare(page, err) < 0)
        return err_status(err);
    if (page->comparison != NULL || page->change.known)
        put_comparison(page, page->comparison != NULL ? page->comparison : &page->change.comparison);
    else
        html_note(page, "Nothing to compare: one of the two has no operators.");
    if (page->change.known)
        html_note(
            page,
            "The timeline, the memory over time, the stacks and the critical path are drawn of this capture alone: "
            "of a base only the sums and medians are kept.");
    return 0;
}
