/* SPDX-License-Identifier: Apache-2.0 */
/* How a step divides. */
#include "base/language.h"
#include "features/answers/analysis/time_parts.h"
#include "features/page/page.h"

#include <inttypes.h>

static void put_division(struct html_page *page, const char *caption, const struct time_bar *bar)
{
    static const char *const heads[] = {"Part", "#All steps(us)", "#A step(us)", "#Share(%)"};
    int64_t whole_ns = time_bar_ns(&bar->parts);

    html_table_begin(page, caption, heads, sizeof heads / sizeof *heads);
    for (int part = 0; part < TIME_PARTS; part++) {
        int64_t ns = bar->parts.ns[part];
        if (ns == 0)
            continue;
        html_open(&page->w, "tr");
        html_cell(page, time_part_title((enum time_part)part, &page->workload.facts));
        html_cell_us(page, ns);
        html_cell_number(page, "%.3f|%.2f", (double)ns / 1e3 / (double)bar->steps, 100 * (double)ns / (double)whole_ns);
        html_close(&page->w);
    }
    html_table_foot(page);
    html_open(&page->w, "tr");
    html_element(&page->w, "td", "Together");
    html_cell_us(page, whole_ns);
    html_cell_number(page, "%.3f", (double)whole_ns / 1e3 / (double)bar->steps);
    html_cell_number(page, "100.00");
    html_close(&page->w);
    html_table_end(page);
}

static void put_group(struct html_page *page, const struct time_bars *bars, size_t group)
{
    struct time_bar sum = {.steps = 0};
    char name[GROUP_NAME_SIZE], caption[GROUP_NAME_SIZE + 96];

    for (size_t i = 0; i < bars->count; i++) {
        if (bars->items[i].group != group || !bars->items[i].counts || !bars->items[i].of_base)
            continue;
        sum.steps++;
        for (int part = 0; part < TIME_PARTS; part++)
            sum.parts.ns[part] += bars->items[i].parts.ns[part];
    }
    if (sum.steps == 0 || time_bar_ns(&sum.parts) == 0)
        return;
    splits_group_name(&page->workload, &page->splits, group, name);
    if (page->splits.whole)
        snprintf(caption, sizeof caption,
                 language_shown("Device %" PRId64 ", from its first execution to the end of its last"),
                 page->workload.devices[page->splits.groups.items[group].device].id);
    else if (page->w.redact)
        snprintf(caption, sizeof caption, language_shown("%zu steps: %s, group %zu"), sum.steps,
                 step_source_name(page->splits.source), group + 1);
    else
        snprintf(caption, sizeof caption, language_shown("%zu steps: %s"), sum.steps, name);
    time_bar_put(page, caption, &sum);
    put_division(page, caption, &sum);
}

/* The base's bar of a capture whose steps are one group, of medians. */
static void put_base(struct html_page *page)
{
    const struct side *base = page->change.known ? page->capture->base : NULL;

    if (base == NULL || page->groups.count > 1)
        return;
    const double exposed_ns = comparison_side_measure(base, MEASURE_EXPOSED),
                 busy_ns = comparison_side_measure(base, MEASURE_BUSY),
                 free_ns = comparison_side_measure(base, MEASURE_FREE);
    const double whole_ns = busy_ns + free_ns;
    if (!(exposed_ns >= 0 && busy_ns >= exposed_ns && free_ns >= 0 && whole_ns > 0))
        return;
    const struct chart_share shares[] = {
        {"busy", language_shown("Other work in the base"), (busy_ns - exposed_ns) / whole_ns},
        {"exposed", language_shown("Exposed communication in the base"), exposed_ns / whole_ns},
        {"free", language_shown("Free in the base"), free_ns / whole_ns}};
    char caption[200], text[3][SCALED_MAX];
    snprintf(caption, sizeof caption,
             language_shown(
                 "In the base a step is busy for %s, of which %s are exposed communication, and free for %s (medians)"),
             html_scaled(busy_ns, text[0]), html_scaled(exposed_ns, text[1]), html_scaled(free_ns, text[2]));
    html_open(&page->w, "figure");
    html_element(&page->w, "figcaption", caption);
    chart_shares(&page->w, "Parts of a step of the base", shares, 3);
    html_close(&page->w);
}

#define GROUPS_MAX 16

static int put_divisions(struct html_page *page, struct err *err)
{
    struct time_bars bars;
    size_t told = 0;
    int status = time_bars_make(page, &bars, err);

    if (status != 0)
        return status;
    html_note(page,
              "Each nanosecond of a step is of one part: the first of this list that was under way. A step is from "
              "its begin to that of its neighbour, where that was recorded. Warm-up, and steps that were cut, do "
              "not count.");
    time_legend_put(page);
    for (size_t group = 0; group < page->splits.groups.count; group++)
        if (page->splits.whole || page->splits.groups.items[group].source == page->splits.source)
            if (++told <= GROUPS_MAX)
                put_group(page, &bars, group);
    put_base(page);
    if (told > GROUPS_MAX)
        html_note(page, "And %zu more groups of steps, which 'msprof show --table steps' prints.", told - GROUPS_MAX);
    time_bars_release(&bars);
    return 0;
}

int html_put_time(struct html_page *page, struct err *err)
{
    if (page->workload.execution_count == 0) {
        html_absent(page, "No device was recorded, so there is no device time to divide.");
        return 0;
    }
    return put_divisions(page, err);
}
