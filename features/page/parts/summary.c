/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen: what bounds the capture, four numbers, how its time divides, and the findings that weigh most. */
#include "base/file/large.h"
#include "base/number.h"
#include "base/strbuf.h"
#include "base/words.h"
#include "db/query/query_inventory.h"
#include "features/page/page.h"

#include <inttypes.h>
#include <string.h>

#define TOP_FINDINGS 3
#define COMMAND_MAX ((size_t)64 * 1024)

/* ---- what bounds it ---- */

/* Shares of the devices' time; together at most all of it. */
static const struct bound {
    const char *title, *bottleneck, *class;
    size_t offset; /* in struct division, of an int64_t */
} bounds[] = {
    {"Computing", "Bound by computing", "cube", offsetof(struct division, computing_ns)},
    {"Exposed communication", "Bound by exposed communication", "exposed", offsetof(struct division, exposed_ns)},
    {"Copies", "Bound by copies", "copies", offsetof(struct division, copy_ns)},
    {"Other tasks", "Bound by tasks that are no operators", "other", offsetof(struct division, other_ns)},
    {"Idle", "Bound by idle time", "free", offsetof(struct division, free_ns)},
};
#define BOUNDS (sizeof bounds / sizeof *bounds)

static double share_of(const struct division *all, const struct bound *bound)
{
    int64_t ns;

    memcpy(&ns, (const char *)all + bound->offset, sizeof ns);
    return 100 * (double)ns / (double)all->time_ns;
}

/* The sentence's shares, drawn. */
static void put_bar(struct html_page *page)
{
    struct chart_share shares[BOUNDS];
    const char *classes[BOUNDS], *names[BOUNDS];

    for (size_t i = 0; i < BOUNDS; i++) {
        classes[i] = bounds[i].class;
        names[i] = bounds[i].title;
        shares[i] = (struct chart_share){classes[i], names[i], share_of(&page->splits.all, &bounds[i]) / 100};
    }
    html_open(&page->w, "figure");
    chart_shares(&page->w, "How the time of devices divides, as the sentence above says", shares, BOUNDS);
    html_close(&page->w);
    chart_legend(page, classes, names, BOUNDS);
}

static void put_bound(struct html_page *page)
{
    const struct division *all = &page->splits.all;
    size_t largest = 0;

    if (all->time_ns <= 0 || page->workload.facts.placed)
        return;
    for (size_t i = 1; i < BOUNDS; i++)
        largest = share_of(all, &bounds[i]) > share_of(all, &bounds[largest]) ? i : largest;
    html_open_f(&page->w, "p", "class=answer");
    html_element(&page->w, "strong", bounds[largest].bottleneck);
    html_text_f(&page->w, ": %.1f %% of the time of devices.", share_of(all, &bounds[largest]));
    for (size_t i = 0; i < BOUNDS; i++)
        if (i != largest && share_of(all, &bounds[i]) >= 0.05)
            html_text_f(&page->w, " %s %.1f %%.", bounds[i].title, share_of(all, &bounds[i]));
    html_close(&page->w);
    put_bar(page);
}

/* ---- four numbers ---- */

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
    snprintf(value, sizeof value, "%.3f us", number_us(group->times.median));
    size_t used = (size_t)snprintf(remark, sizeof remark, "median of %" PRId64 "; 95th percentile %.3f us",
                                   group->times.n, number_us(group->times.p95));
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
    char value[32], text[192];

    snprintf(value, sizeof value, "%.2f %%", all->time_ns > 0 ? 100 * (double)part_ns / (double)all->time_ns : 0);
    snprintf(text, sizeof text, "%.3f of %.3f us; %s", (double)part_ns / 1e3, (double)all->time_ns / 1e3, remark);
    put_number(page, title, value, text);
}

static void put_idle(struct html_page *page)
{
    const struct gap *largest = NULL;
    char text[NUMBER_MAX], remark[128];

    for (size_t i = 0; i < page->gaps.count; large_pass(i++))
        if (largest == NULL || gap_length_ns(&page->gaps.items[i]) > gap_length_ns(largest))
            largest = &page->gaps.items[i];
    if (page->workload.facts.placed) {
        put_number(page, "Idle", "not known", "start times of tasks are synthesised, so gaps are meaningless");
        return;
    }
    if (largest == NULL)
        snprintf(remark, sizeof remark, "no gap between two executions");
    else
        snprintf(remark, sizeof remark, "largest gap %s us, of %zu, on device %" PRId64,
                 html_us(gap_exact_ns(&page->workload, largest), text), page->gaps.count,
                 page->workload.devices[page->workload.executions[largest->after].device].id);
    put_share(page, "Idle", page->splits.all.free_ns, remark);
}

static void put_numbers(struct html_page *page)
{
    html_open_f(&page->w, "dl", "class=four");
    put_step_time(page);
    put_share(page, "Busy", page->splits.all.busy_ns, "when devices did anything");
    put_share(page, "Exposed communication", page->splits.all.exposed_ns, "when they communicated and did not compute");
    put_idle(page);
    html_close(&page->w);
}

/* ---- findings ---- */

static void put_top_finding(struct html_page *page, const struct finding *finding)
{
    struct html_writer *w = &page->w;

    html_open(w, "li");
    html_open_f(w, "strong", "class=severity %s", advice_severity_name(finding->severity));
    html_text(w, advice_severity_name(finding->severity));
    html_close(w);
    html_text(w, " ");
    html_open_f(w, "a", "href=#c%zu-finding-%s", page->number, finding->rule->id);
    html_text(w, finding->rule->id);
    html_close(w);
    html_text(w, ": ");
    html_text(w, w->redact ? "its sentence may hold names." : finding->sentence);
    if (finding->saves_ns >= 0)
        html_text_f(w, " Without the cause at most %.3f us shorter.", number_us(finding->saves_ns));
    html_close(w);
}

/* The page's script adds a button that copies it, so the capture's name is quoted for a shell. */
static int put_command(struct html_page *page, struct err *err)
{
    char *items[] = {(char *)(uintptr_t)page->capture->name};
    const struct words name = {items, 1, 1};
    SCOPED(strbuf_release) struct strbuf command;
    struct html_writer *w = &page->w;

    strbuf_init(&command, COMMAND_MAX);
    strbuf_adds(&command, "msprof advise --");
    words_show(&name, &command);
    if (command.failed)
        return err_no_memory(err);
    html_open(w, "p");
    html_text(w, "In a terminal: ");
    html_open_f(w, "code", "class=command");
    html_text(w, w->redact ? "msprof advise CAPTURE" : command.data);
    html_close(w);
    html_close(w);
    return 0;
}

static int put_findings(struct html_page *page, struct err *err)
{
    size_t fired = 0;

    while (fired < page->advice.rule_count && page->advice.findings[fired].fired)
        fired++;
    if (fired == 0) {
        html_note(page, "No rule of 'msprof advise' found anything.");
        return 0;
    }
    html_open_f(&page->w, "ol", "class=top");
    for (size_t i = 0; i < fired && i < TOP_FINDINGS; i++)
        put_top_finding(page, &page->advice.findings[i]);
    html_close(&page->w);
    if (fired > TOP_FINDINGS)
        html_note(page, "And %zu more below.", fired - TOP_FINDINGS);
    return put_command(page, err);
}

/* ---- the capture in a line ---- */

static int add_records(void *arg, const struct inventory_kind *kind, struct err *err)
{
    int64_t *counts = arg;

    (void)err;
    counts[0] += kind->files;
    counts[1] += kind->rows + kind->joined + kind->rejected;
    counts[2] += kind->rejected;
    return 0;
}

static int put_capture(struct html_page *page, struct err *err)
{
    const struct workload_facts *facts = &page->workload.facts;
    struct html_writer *w = &page->w;
    int64_t counts[3] = {0};

    if (inventory_each_kind(page->db, add_records, counts, err) != 0)
        return err_status(err);
    html_open_f(w, "p", "class=soft");
    html_open_f(w, "a", "href=#c%zu-identity", page->number);
    html_text(w, "Capture");
    html_close(w);
    html_text_f(w, ": %s%s%s, %" PRId64 " device%s, %zu executions of %zu operators. ", facts->family,
                facts->chip[0] != '\0' && strcmp(facts->chip, facts->family) != 0 ? ", chip " : "",
                strcmp(facts->chip, facts->family) != 0 ? facts->chip : "", facts->devices,
                facts->devices == 1 ? "" : "s", page->workload.execution_count, page->workload.operator_count);
    html_open_f(w, "a", "href=#c%zu-losses", page->number);
    html_text(w, "Records");
    html_close(w);
    html_text_f(w, ": %" PRId64 " in %" PRId64 " files, %" PRId64 " rejected.", counts[1], counts[0], counts[2]);
    html_close(w);
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

int html_put_summary(struct html_page *page, struct err *err)
{
    if (page->workload.execution_count == 0) {
        html_note(page, "No device was recorded, so there is no device time to divide.");
        return put_capture(page, err);
    }
    put_window(page);
    if (!page->workload.facts.times_known)
        html_note(page,
                  "Times of this capture are in ticks of a clock of unknown frequency (pass it with --freq-mhz).");
    else
        put_bound(page);
    put_numbers(page);
    html_put_coverage(page);
    return put_findings(page, err) < 0 ? err_status(err) : put_capture(page, err);
}
