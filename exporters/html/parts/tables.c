/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that are tables of the engine alone, and the formulas of all numbers. */
#include "exporters/html/page.h"

static int put_tables(struct html_page *page, const struct html_table *tables, size_t count, struct err *err)
{
    int status = 0;

    for (size_t i = 0; status == 0 && i < count; i++)
        status = html_put_table(page, &tables[i], NULL, err);
    return status;
}

int html_put_operators(struct html_page *page, struct err *err)
{
    static const struct html_table tables[] = {
        {.report = "types", .bars = "share"},
        {.report = "shapes", .bars = "share"},
        {.report = "ops", .bars = "share", .anchor = "name"},
    };
    return put_tables(page, tables, sizeof tables / sizeof *tables, err);
}

int html_put_gaps(struct html_page *page, struct err *err)
{
    static const struct html_table tables[] = {{.report = "gaps", .anchor = "start"},
                                               {.report = "phases", .bars = "share"}};
    return put_tables(page, tables, sizeof tables / sizeof *tables, err);
}

int html_put_host(struct html_page *page, struct err *err)
{
    static const struct html_table tables[] = {{.report = "api", .bars = "share"}, {.report = "ranges"}};
    return put_tables(page, tables, sizeof tables / sizeof *tables, err);
}

int html_put_communication(struct html_page *page, struct err *err)
{
    static const struct html_table tables[] = {{.report = "communication", .bars = "share"}};
    return put_tables(page, tables, sizeof tables / sizeof *tables, err);
}

int html_put_frequency(struct html_page *page, struct err *err)
{
    static const struct html_table tables[] = {{.report = "frequency"}};
    return put_tables(page, tables, sizeof tables / sizeof *tables, err);
}

/* ---- formulas ---- */

static void put_rules(struct html_page *page)
{
    static const char *const heads[] = {"Rule", "Formula", "#Limit(%)"};

    html_table_begin(page, "Rules of the findings", heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < advice_rule_count; i++) {
        html_open(&page->w, "tr");
        html_cell(page, advice_rules[i].id);
        html_cell(page, advice_rules[i].formula);
        html_cell_number(page, "%g", advice_rules[i].threshold);
        html_close(&page->w);
    }
    html_table_end(page);
}

int html_put_formulas(struct html_page *page, struct err *err)
{
    static const struct {
        const char *term, *meaning;
    } terms[] = {
        {"Busy",
         "the union of all operators, communication tasks, copies and other tasks of a device; its share is of the "
         "time from the first execution to the end of the last, without what was not recorded"},
        {"Exposed communication", "when a communication operator was under way and no operator computed"},
        {"Step",
         "of the families that a capture has the first of these: ranges that were chosen, steps of a framework, "
         "marked steps, iterations, inferences, the period of the sequence of operators"},
        {"Period", "from the begin of a step to that of its neighbour, where both were recorded"},
        {"Warm-up",
         "the first steps that take longer than the median and five times the scatter, of four steps at least"},
        {"Median, P95", "half, and 19 of 20, took no longer; between two values by linear interpolation"},
        {"MAD", "the median of the distances from the median"},
        {"Gap", "a stretch in which a device did nothing, between two executions"},
    };

    (void)err;
    html_open(&page->w, "dl");
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        html_element(&page->w, "dt", terms[i].term);
        html_element(&page->w, "dd", terms[i].meaning);
    }
    html_close(&page->w);
    put_rules(page);
    html_note(
        page,
        "A table of this page has at most %d rows, or %d KiB. A value that the capture does not hold is N/A, not 0.",
        HTML_ROWS_MAX, HTML_TABLE_BYTES_MAX / 1024);
    return 0;
}
