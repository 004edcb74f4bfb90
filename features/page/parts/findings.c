/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of 'msprof advise', with links to the rows that it is made of. */
#include "base/file/large.h"
#include "base/language.h"
#include "base/number.h"
#include "features/page/page.h"

#include <inttypes.h>
#include <string.h>

bool html_is_operator(const struct html_page *page, const char *name)
{
    const struct workload *workload = &page->workload;

    for (size_t i = 0; *name != '\0' && i < workload->operator_count; i++) {
        if (strcmp(workload_text(workload, workload->operators[i].key.name), name) == 0)
            return true;
    }
    return false;
}

static const struct gap *gap_at(const struct html_page *page, int64_t start_ns)
{
    for (size_t i = 0; i < page->gaps.count; large_pass(i++))
        if (page->gaps.items[i].start_ns == start_ns)
            return &page->gaps.items[i];
    return NULL;
}

/* A gap is named by what comes after it, and by the call that covers it. */
static void put_gap(struct html_page *page, const struct finding_row *row)
{
    const struct gap *gap = gap_at(page, row->at_ns);
    struct html_writer *w = &page->w;

    if (gap != NULL) {
        const struct workload *workload = &page->workload;
        const char *after = execution_name(workload, gap->after);
        const int64_t stream = workload->streams[workload->executions[gap->after].stream].id;
        html_text(w, "gap before ");
        html_name(w, after, strlen(after));
        if (stream >= 0)
            html_text_f(w, ", stream %" PRId64, stream);
    } else {
        html_text(w, "gap");
    }
    if (row->name[0] != '\0') {
        html_text(w, gap != NULL ? ": " : " in ");
        html_name(w, row->name, strlen(row->name));
    }
}

void html_put_finding_row(struct html_page *page, const struct rule *rule, const struct finding_row *row)
{
    if (rule->shows_gaps)
        put_gap(page, row);
    else
        html_name(&page->w, row->name, strlen(row->name));
}

static void put_row_name(struct html_page *page, const struct rule *rule, const struct finding_row *row)
{
    const bool op = !rule->shows_gaps && html_is_operator(page, row->name);
    char start[NUMBER_MAX];

    html_open(&page->w, "td");
    html_name_class(&page->w, row->name, strlen(row->name));
    if (rule->shows_gaps)
        html_link_open(page, "gaps", html_us(row->at_ns, start));
    else if (op)
        html_link_open(page, "ops", row->name);
    html_put_finding_row(page, rule, row);
    if (rule->shows_gaps || op)
        html_close(&page->w);
    html_close(&page->w);
}

static void put_rows(struct html_page *page, const struct finding *finding)
{
    static const char *const heads[] = {"Name", "#Time(us)", "#Share(%)", "#Count", "#At(us)", "Launched by"};
    char caption[96];
    bool launched = false;

    for (size_t i = 0; i < finding->row_count; i++)
        launched |= finding->rows[i].launcher[0] != '\0';
    snprintf(caption, sizeof caption, language_shown("Rows behind %s"), finding->rule->id);
    html_table_begin(page, caption, heads, sizeof heads / sizeof *heads - !launched);
    for (size_t i = 0; i < finding->row_count; i++) {
        const struct finding_row *row = &finding->rows[i];
        html_open(&page->w, "tr");
        put_row_name(page, finding->rule, row);
        html_cell_number(page, "%.3f|%.1f|%" PRId64, number_us(row->time_ns), row->share, row->count);
        html_cell_at(page, row->at_ns);
        if (launched)
            html_cell_name(page, row->launcher);
        html_close(&page->w);
    }
    html_table_end(page);
}

static void put_measure(struct html_page *page, const struct finding *finding)
{
    char saved[QUANTITY_MAX];

    html_open_f(&page->w, "p", "class=soft");
    html_text_f(&page->w, "%s: %.2f %%, the limit is %.2f %%. At stake: ", language_shown(finding->rule->formula),
                finding->value, finding->threshold);
    if (finding->rule->of_memory)
        html_text(&page->w, FINDING_OF_MEMORY);
    else
        html_put_scaled(page, finding->at_stake_ns);
    html_text_f(&page->w, ". Rests on %s.", language_shown(finding->rule->rests_on));
    if (finding->saves_ns >= 0)
        html_text_f(&page->w, " Removing the cause saves at most %s.", quantity_time(finding->saves_ns, saved));
    html_put_place(page, finding->time_ns);
    if (finding->same_cause != NULL)
        html_text_f(&page->w, " Rule %s found the same cause.", finding->same_cause->id);
    html_close(&page->w);
}

static void put_finding(struct html_page *page, const struct finding *finding)
{
    struct html_writer *w = &page->w;
    const char *severity = advice_severity_name(finding->severity);

    html_open(w, "li");
    if (!page->alone)
        html_attribute_f(w, "id", "c%zu-finding-%s", page->number, finding->rule->id);
    html_open(w, "p");
    html_open_f(w, "strong", "class=severity %s", severity);
    html_text(w, severity);
    html_close(w);
    html_text(w, " ");
    html_element(w, "strong", finding->rule->id);
    html_text(w, ": ");
    html_text(w, w->redact ? "its sentence may hold names." : finding->sentence);
    html_close(w);
    put_measure(page, finding);
    html_note(page, "%s", finding->rule->advice);
    if (finding->row_count > 0)
        put_rows(page, finding);
    html_close(w);
}

static void put_not_checked(struct html_page *page)
{
    bool any = false;

    for (size_t i = 0; i < page->advice.rule_count; i++) {
        const struct finding *finding = &page->advice.findings[i];
        if (finding->not_checked == NULL)
            continue;
        if (!any) {
            html_note(page, "Not checked:");
            html_open(&page->w, "ul");
        }
        any = true;
        html_open(&page->w, "li");
        html_text_f(&page->w, "%s, because %s", finding->rule->id, language_shown(finding->not_checked));
        html_close(&page->w);
    }
    if (any)
        html_close(&page->w);
}

int html_put_findings(struct html_page *page, struct err *err)
{
    size_t fired = 0;

    (void)err;
    page->content = true;
    if (page->workload.execution_count == 0) {
        html_note(page, "Nothing ran on a device, so no rule applies.");
        return 0;
    }
    while (fired < page->advice.rule_count && page->advice.findings[fired].fired)
        fired++;
    if (fired == 0)
        html_note(page, "No rule of 'msprof advise' found anything.");
    else {
        html_open_f(&page->w, "ol", "class=findings");
        for (size_t i = 0; i < fired; i++)
            put_finding(page, &page->advice.findings[i]);
        html_close(&page->w);
    }
    put_not_checked(page);
    return 0;
}
