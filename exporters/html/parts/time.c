/* SPDX-License-Identifier: Apache-2.0 */
/* Four numbers, and how a step divides. */
#include "analysis/time_parts.h"
#include "exporters/html/page.h"

#include <inttypes.h>

static void put_number(struct html_page *page, const char *title, const char *value, const char *remark)
{
    struct html_writer *w = &page->w;

    html_open(w, "div");
    html_element(w, "dt", title);
    html_open(w, "dd");
    html_text(w, value);
    html_element(w, "small", remark);
    html_close(w);
    html_close(w);
}

/* The group with most time of its own among those of the leading family: NULL without steps. */
static const struct step_group *leading_group(const struct html_page *page)
{
    const struct step_group *leading = NULL;

    for (size_t i = 0; i < page->groups.count; i++) {
        const struct step_group *it = &page->groups.items[i];
        bool leads = page->splits.groups.items[it->group].source == page->splits.source;
        if (leads && it->times.n > 0 && (leading == NULL || it->times.total > leading->times.total))
            leading = it;
    }
    return leading;
}

static void put_step_time(struct html_page *page)
{
    const struct step_group *group = leading_group(page);
    char value[64], remark[GROUP_NAME_SIZE + 96];

    if (group == NULL) {
        put_number(page, "Step time", "not known", "no steps are marked, and no sequence of operators repeats");
        return;
    }
    snprintf(value, sizeof value, "%.3f us", group->times.median / 1e3);
    size_t used = (size_t)snprintf(remark, sizeof remark, "median of %" PRId64 "; 95th percentile %.3f us",
                                   group->times.n, group->times.p95 / 1e3);
    if (page->groups.count > 1 && !page->w.redact) {
        char name[GROUP_NAME_SIZE];
        splits_group_name(&page->workload, &page->splits, group->group, name);
        snprintf(remark + used, sizeof remark - used, "; %s", name);
    }
    put_number(page, "Step time", value, remark);
}

static void put_share(struct html_page *page, const char *title, int64_t part_ns, const char *remark)
{
    const struct division *all = &page->splits.all;
    char value[32], text[128];

    snprintf(value, sizeof value, "%.2f %%", all->time_ns > 0 ? 100 * (double)part_ns / (double)all->time_ns : 0);
    snprintf(text, sizeof text, "%.3f of %.3f us; %s", (double)part_ns / 1e3, (double)all->time_ns / 1e3, remark);
    put_number(page, title, value, text);
}

static void put_largest_gap(struct html_page *page)
{
    const struct gap *largest = NULL;
    char value[NUMBER_MAX + 4], text[NUMBER_MAX], remark[96];

    for (size_t i = 0; i < page->gaps.count; i++)
        if (largest == NULL || gap_length_ns(&page->gaps.items[i]) > gap_length_ns(largest))
            largest = &page->gaps.items[i];
    if (page->workload.facts.placed || largest == NULL) {
        put_number(page, "Largest gap", page->workload.facts.placed ? "not known" : "none",
                   page->workload.facts.placed ? "the capture does not say when each task ran"
                                               : "nothing stands idle between two executions");
        return;
    }
    snprintf(value, sizeof value, "%s us", html_us(gap_exact_ns(&page->workload, largest), text));
    snprintf(remark, sizeof remark, "of %zu, on device %" PRId64, page->gaps.count,
             page->workload.devices[page->workload.executions[largest->after].device].id);
    put_number(page, "Largest gap", value, remark);
}

static void put_numbers(struct html_page *page)
{
    html_open_f(&page->w, "dl", "class=four");
    put_step_time(page);
    put_share(page, "Busy", page->splits.all.busy_ns, "when devices did anything");
    put_share(page, "Exposed communication", page->splits.all.exposed_ns, "when they communicated and did not compute");
    put_largest_gap(page);
    html_close(&page->w);
}

/* ---- how a step divides ---- */

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
        snprintf(caption, sizeof caption, "Device %" PRId64 ", from its first execution to the end of its last",
                 page->workload.devices[page->splits.groups.items[group].device].id);
    else if (page->w.redact)
        snprintf(caption, sizeof caption, "%zu steps: %s, group %zu", sum.steps, step_source_name(page->splits.source),
                 group + 1);
    else
        snprintf(caption, sizeof caption, "%zu steps: %s", sum.steps, name);
    time_bar_put(page, caption, &sum);
    put_division(page, caption, &sum);
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
    if (told > GROUPS_MAX)
        html_note(page, "And %zu more groups of steps, which 'msprof show --table steps' prints.", told - GROUPS_MAX);
    time_bars_release(&bars);
    return 0;
}

/* Says that the page is about a part of the capture. */
static void put_window(struct html_page *page)
{
    const struct workload_window *window = &page->workload.window;
    char from[NUMBER_MAX], until[NUMBER_MAX];

    if (!window->any)
        return;
    if (window->step > 0)
        html_note(page, "This page is about step %" PRId64 " alone.", window->step);
    else
        html_note(
            page, "This page is about the time from %s to %s us of the timeline alone.",
            window->from_ns > INT64_MIN ? html_us(number_subtract(window->from_ns, page->advice.origin_ns), from) : "0",
            window->until_ns < INT64_MAX ? html_us(number_subtract(window->until_ns, page->advice.origin_ns), until)
                                         : "the last");
    html_note(page, "Losses, memory over time, shapes, rooflines and stacks are those of the whole capture.");
}

int html_put_time(struct html_page *page, struct err *err)
{
    if (page->workload.execution_count == 0) {
        html_note(page, "Nothing of a device was recorded: there is no time of one to divide.");
        return 0;
    }
    if (!page->workload.facts.times_known)
        html_note(page, "This capture does not tell how long things took in seconds: its times are those of a clock "
                        "whose frequency is not known (--freq-mhz tells it).");
    put_window(page);
    put_numbers(page);
    return put_divisions(page, err);
}
