/* SPDX-License-Identifier: Apache-2.0 */
/* The first screen: what bounds the capture, four numbers, how its time divides, and the findings that weigh most. */
#include "base/file/large.h"
#include "base/language.h"
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
    {LANGUAGE_MARK("Computing"), LANGUAGE_MARK("Bound by computing"), "cube", offsetof(struct division, computing_ns)},
    {LANGUAGE_MARK("Exposed communication"), LANGUAGE_MARK("Bound by exposed communication"), "exposed",
     offsetof(struct division, exposed_ns)},
    {LANGUAGE_MARK("Copies"), LANGUAGE_MARK("Bound by copies"), "copies", offsetof(struct division, copy_ns)},
    {LANGUAGE_MARK("Other tasks"), LANGUAGE_MARK("Bound by tasks that are no operators"), "other",
     offsetof(struct division, other_ns)},
    {LANGUAGE_MARK("Idle"), LANGUAGE_MARK("Bound by idle time"), "free", offsetof(struct division, free_ns)},
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

/* Of a base it is known when devices were busy. */
static void put_base_bar(struct html_page *page)
{
    const double busy = html_base_busy(page);
    const struct chart_share shares[] = {{"busy", language_shown("Busy in the base"), busy},
                                         {"free", language_shown("Idle in the base"), 1 - busy}};
    char caption[96];

    if (busy < 0)
        return;
    snprintf(caption, sizeof caption, language_shown("In the base: busy %.2f %%, idle %.2f %%"), 100 * busy,
             100 * (1 - busy));
    html_open(&page->w, "figure");
    html_element(&page->w, "figcaption", caption);
    chart_shares(&page->w, "How the time of devices of the base divides, as the sentence above says", shares, 2);
    html_close(&page->w);
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
            html_text_f(&page->w, " %s %.1f %%.", language_shown(bounds[i].title), share_of(all, &bounds[i]));
    html_close(&page->w);
    put_bar(page);
    put_base_bar(page);
}

/* ---- four numbers ---- */

/* A number, exactly where it is pointed at, and below it what it is of. */
static void begin_number(struct html_page *page, const char *title)
{
    html_open(&page->w, "div");
    html_element(&page->w, "dt", title);
    html_open(&page->w, "dd");
}

static void begin_remark(struct html_page *page)
{
    html_open(&page->w, "small");
}

static void end_number(struct html_page *page)
{
    for (int i = 0; i < 3; i++) /* the remark, the number, both with their title */
        html_close(&page->w);
}

static void put_unknown(struct html_page *page, const char *title, const char *why)
{
    begin_number(page, title);
    html_text(&page->w, "not known");
    begin_remark(page);
    html_text(&page->w, why);
    end_number(page);
}

static void put_step_time(struct html_page *page)
{
    const struct step_group *group = html_leading_group(page);

    if (group == NULL) {
        put_unknown(page, "Step time", "no steps are marked, and no sequence of operators repeats");
        return;
    }
    begin_number(page, "Step time");
    html_put_scaled(page, group->times.median);
    begin_remark(page);
    html_text_f(&page->w, "median of %" PRId64 "; 95th percentile ", group->times.n);
    html_put_scaled(page, group->times.p95);
    const double fps = splits_fps(&page->splits.groups.items[group->group].throughput);
    if (fps > 0)
        html_text_f(&page->w, "; Fps %.3f", fps);
    if (page->groups.count > 1 && !page->w.redact) {
        char name[GROUP_NAME_SIZE];
        splits_group_name(&page->workload, &page->splits, group->group, name);
        html_text_f(&page->w, "; %s", name);
    }
    end_number(page);
}

/* A share of the time of devices; the caller puts a remark and ends it. */
static void begin_share(struct html_page *page, const char *title, int64_t part_ns)
{
    const struct division *all = &page->splits.all;

    begin_number(page, title);
    html_text_f(&page->w, "%.2f %%", all->time_ns > 0 ? 100 * (double)part_ns / (double)all->time_ns : 0);
    begin_remark(page);
    html_put_scaled(page, (double)part_ns);
    html_text(&page->w, " of ");
    html_put_scaled(page, (double)all->time_ns);
    html_text(&page->w, "; ");
}

static void put_share(struct html_page *page, const char *title, int64_t part_ns, const char *remark)
{
    begin_share(page, title, part_ns);
    html_text(&page->w, remark);
    end_number(page);
}

static void put_idle(struct html_page *page)
{
    const struct workload *workload = &page->workload;
    const struct gap *largest = NULL;

    if (workload->facts.placed) {
        put_unknown(page, "Idle", "start times of tasks are synthesised, so gaps are meaningless");
        return;
    }
    for (size_t i = 0; i < page->gaps.count; large_pass(i++))
        if (largest == NULL || gap_length_ns(&page->gaps.items[i]) > gap_length_ns(largest))
            largest = &page->gaps.items[i];
    begin_share(page, "Idle", page->splits.all.free_ns);
    if (largest == NULL) {
        html_text(&page->w, "no gap between two executions");
    } else {
        html_text(&page->w, "largest gap ");
        html_put_scaled(page, (double)gap_exact_ns(workload, largest));
        html_text_f(&page->w, ", of %zu, on device %" PRId64, page->gaps.count,
                    workload->devices[workload->executions[largest->after].device].id);
    }
    end_number(page);
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

/* ---- against a base ---- */

static void put_change(struct html_page *page)
{
    struct html_writer *w = &page->w;

    if (!page->change.known)
        return;
    html_open_f(w, "div", "class=change");
    html_put_verdict(page, &page->change.comparison);
    html_open(w, "p");
    html_open_f(w, "a", "href=#c%zu-changes", page->number);
    html_text(w, "What changed");
    html_close(w);
    html_close(w);
    html_close(w);
}

/* ---- findings ---- */

/* A command for a shell, whatever the capture is called: the page's script adds a button that copies it. */
static int put_command(struct html_page *page, const char *command, struct err *err)
{
    char *items[] = {(char *)(uintptr_t)page->capture->name};
    const struct words name = {items, 1, 1};
    SCOPED(strbuf_release) struct strbuf text;
    struct html_writer *w = &page->w;

    strbuf_init(&text, COMMAND_MAX);
    strbuf_addf(&text, "%s --", command);
    words_show(&name, &text);
    if (text.failed)
        return err_no_memory(err);
    html_open_f(w, "code", "class=command");
    if (w->redact)
        html_text_f(w, "%s CAPTURE", command);
    else
        html_text(w, text.data);
    html_close(w);
    return 0;
}

/* Prints the rows that a finding rests on, where a table has them. */
static const char *command_of(const struct html_page *page, const struct finding *finding)
{
    if (finding->rule->shows_gaps)
        return "msprof show --table gaps";
    if (finding->rule->of_memory)
        return "msprof show --table memory_peak";
    return finding->row_count > 0 && html_is_operator(page, finding->rows[0].name) ? "msprof show --table ops" : NULL;
}

static int put_top_finding(struct html_page *page, const struct finding *finding, struct err *err)
{
    struct html_writer *w = &page->w;
    const char *command = command_of(page, finding);
    char saved[QUANTITY_MAX];

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
        html_text_f(w, " Removing the cause saves at most %s.", quantity_time(finding->saves_ns, saved));
    html_put_place(page, finding->time_ns);
    if (command != NULL) {
        html_text(w, " ");
        if (put_command(page, command, err) < 0)
            return err_status(err);
    }
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
        if (put_top_finding(page, &page->advice.findings[i], err) < 0)
            return err_status(err);
    html_close(&page->w);
    html_open(&page->w, "p");
    if (fired > TOP_FINDINGS)
        html_text_f(&page->w, "And %zu more below. ", fired - TOP_FINDINGS);
    html_text(&page->w, "In a terminal: ");
    const int status = put_command(page, "msprof advise", err);
    html_close(&page->w);
    return status;
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

void html_put_capture_line(struct html_page *page)
{
    const struct workload_facts *facts = &page->workload.facts;

    html_text_f(&page->w, "%s%s%s, %" PRId64 " device%s, %zu executions of %zu operators.", facts->family,
                facts->chip[0] != '\0' && strcmp(facts->chip, facts->family) != 0 ? ", chip " : "",
                strcmp(facts->chip, facts->family) != 0 ? facts->chip : "", facts->devices,
                facts->devices == 1 ? "" : "s", page->workload.execution_count, page->workload.operator_count);
}

int html_put_records_line(struct html_page *page, struct err *err)
{
    int64_t counts[3] = {0};

    if (inventory_each_kind(page->db, add_records, counts, err) != 0)
        return err_status(err);
    html_text_f(&page->w, "%" PRId64 " in %" PRId64 " files, %" PRId64 " rejected.", counts[1], counts[0], counts[2]);
    return 0;
}

static int put_capture(struct html_page *page, struct err *err)
{
    struct html_writer *w = &page->w;

    html_open_f(w, "p", "class=soft");
    html_open_f(w, "a", "href=#c%zu-identity", page->number);
    html_text(w, "Capture");
    html_close(w);
    html_text(w, ": ");
    html_put_capture_line(page);
    html_text(w, " ");
    html_open_f(w, "a", "href=#c%zu-losses", page->number);
    html_text(w, "Records");
    html_close(w);
    html_text(w, ": ");
    const int status = html_put_records_line(page, err);
    html_close(w);
    return status;
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
    page->content = true;
    if (page->workload.execution_count == 0) {
        html_note(page, "No device was recorded, so there is no device time to divide.");
        return put_capture(page, err);
    }
    if (html_compare(page, err) < 0)
        return err_status(err);
    put_window(page);
    if (!page->workload.facts.times_known)
        html_note(page,
                  "Times of this capture are in ticks of a clock of unknown frequency (pass it with --freq-mhz).");
    else
        put_bound(page);
    put_numbers(page);
    html_put_coverage(page);
    put_change(page);
    return put_findings(page, err) < 0 ? err_status(err) : put_capture(page, err);
}
