/* SPDX-License-Identifier: Apache-2.0 */
/* Identity of the capture; what its import lost, and what was never recorded. */
#include "base/language.h"
#include "db/query/query_inventory.h"
#include "features/page/page.h"

#include <inttypes.h>

static void begin_fact(struct html_page *page, const char *item)
{
    html_open(&page->w, "tr");
    html_open_f(&page->w, "th", "scope=row");
    html_text(&page->w, item);
    html_close(&page->w);
}

static void put_fact(struct html_page *page, const char *item, const char *value)
{
    if (value[0] == '\0')
        return;
    begin_fact(page, item);
    html_cell(page, value);
    html_close(&page->w);
}

static void put_name(struct html_page *page, const char *item, const char *value)
{
    if (value[0] == '\0')
        return;
    begin_fact(page, item);
    html_cell_name(page, value);
    html_close(&page->w);
}

static void put_cores(struct html_page *page, const struct workload_facts *facts)
{
    char text[96];

    if (facts->cube_cores <= 0)
        return;
    snprintf(text, sizeof text,
             facts->vector_cores > 0 ? language_shown("%" PRId64 ", and %" PRId64 " for vectors") : "%" PRId64,
             facts->cube_cores, facts->vector_cores);
    put_fact(page, "Cores", text);
}

static void put_megahertz(struct html_page *page, const char *item, int64_t khz)
{
    char text[64];

    snprintf(text, sizeof text, "%.3f MHz", (double)khz / 1000);
    put_fact(page, item, khz > 0 ? text : "");
}

static void put_counts(struct html_page *page, const struct workload *workload)
{
    char text[160];

    snprintf(text, sizeof text, "%" PRId64, workload->facts.devices);
    put_fact(page, "Devices", text);
    snprintf(text, sizeof text, "%zu of %zu operators", workload->execution_count, workload->operator_count);
    put_fact(page, "Executions", text);
    snprintf(text, sizeof text, "%zu%s%s%s", page->splits.steps, page->splits.steps > 0 ? " (" : "",
             page->splits.steps > 0 ? step_source_name(page->splits.source) : "", page->splits.steps > 0 ? ")" : "");
    put_fact(page, "Steps", text);
}

int html_put_identity(struct html_page *page, struct err *err)
{
    const struct workload_facts *facts = &page->workload.facts;

    (void)err;
    html_facts_begin(page, "The capture");
    put_name(page, "Name", page->capture->name);
    put_fact(page, "Family", facts->family);
    put_fact(page, "Chip", facts->chip);
    put_megahertz(page, "Clock", facts->clock_khz);
    put_megahertz(page, "Rated frequency", facts->rated_khz);
    put_cores(page, facts);
    put_name(page, "Models", facts->models != NULL ? facts->models : "");
    put_fact(page, "Metrics", facts->metrics != NULL ? facts->metrics : "");
    put_counts(page, &page->workload);
    html_table_end(page);
    return 0;
}

/* ---- losses ---- */

struct records {
    struct html_page *page;
    int64_t files, rows, joined, rejected;
};

static int put_kind(void *arg, const struct inventory_kind *kind, struct err *err)
{
    struct records *records = arg;
    struct html_page *page = records->page;

    (void)err;
    records->files += kind->files;
    records->rows += kind->rows;
    records->joined += kind->joined;
    records->rejected += kind->rejected;
    html_open(&page->w, "tr");
    html_cell(page, kind->kind != NULL ? kind->kind->name : LANGUAGE_MARK("settings, and files of no kind"));
    html_cell_number(page, "%" PRId64 "|%" PRId64 "|%" PRId64 "|%" PRId64 "|%" PRId64 "|%" PRId64, kind->files,
                     kind->bytes, kind->rows + kind->joined + kind->rejected, kind->rows, kind->joined, kind->rejected);
    html_close(&page->w);
    return 0;
}

static int put_records(struct html_page *page, struct err *err)
{
    static const char *const heads[] = {"Kind",     "#Files", "#Bytes", "#Records", "#Rows", "#Joined into rows",
                                        "#Rejected"};
    struct records records = {.page = page};

    html_table_begin(page, "Records of the files, and where they went", heads, sizeof heads / sizeof *heads);
    int status = inventory_each_kind(page->db, put_kind, &records, err);
    html_table_end(page);
    html_note(page,
              "%" PRId64 " files hold %" PRId64 " records: %" PRId64 " are rows, %" PRId64
              " were joined into rows, and %" PRId64 " were rejected.",
              records.files, records.rows + records.joined + records.rejected, records.rows, records.joined,
              records.rejected);
    return status;
}

static int put_problem(void *arg, const struct inventory_problem *problem, struct err *err)
{
    struct html_page *page = arg;
    const struct diag_info *info = diag_info(problem->id);

    (void)err;
    html_open(&page->w, "tr");
    html_cell(page, diag_severity_name(info->severity));
    html_cell(page, info->id);
    html_cell_number(page, "%" PRId64 "|%" PRId64 "|%" PRId64, problem->occurrences, problem->files, problem->rejected);
    html_cell(page, info->meaning);
    html_close(&page->w);
    return 0;
}

static int count_problem(void *arg, const struct inventory_problem *problem, struct err *err)
{
    (void)err;
    *(int64_t *)arg += problem->occurrences;
    return 0;
}

static int put_problems(struct html_page *page, struct err *err)
{
    static const char *const heads[] = {"Severity", "Code", "#Occurrences", "#Files", "#Records rejected", "Meaning"};
    static const struct html_table examples = {.report = "diagnostics", .caption = "Examples of them"};
    int64_t occurrences = 0;
    int status = inventory_each_problem(page->db, count_problem, &occurrences, err);

    if (status != 0)
        return status;
    html_note(page, "The import reported %" PRId64 " problem%s.", occurrences, occurrences == 1 ? "" : "s");
    if (occurrences == 0)
        return 0;
    html_table_begin(page, "Problems of the data", heads, sizeof heads / sizeof *heads);
    status = inventory_each_problem(page->db, put_problem, page, err);
    html_table_end(page);
    return status == 0 ? html_put_table(page, &examples, NULL, err) : status;
}

bool html_put_coverage(struct html_page *page)
{
    char recorded[RECORDED_SIZE], cuts[CUT_STEPS_TEXT_SIZE];

    workload_recorded_text(&page->workload.facts, recorded);
    cut_steps_text(page->splits.cuts, cuts);
    if (recorded[0] != '\0')
        html_note(page, "%s; figures cover only those.", recorded);
    if (cuts[0] != '\0')
        html_note(page, "Not counted in any number of a step: %s.", cuts);
    if (page->workload.refused > 0)
        html_note(page, "%" PRIu64 " executions have impossible times and are not used.", page->workload.refused);
    return recorded[0] != '\0' || cuts[0] != '\0' || page->workload.refused > 0;
}

int html_put_losses(struct html_page *page, struct err *err)
{
    if (!html_put_coverage(page) && page->workload.execution_count > 0)
        html_note(page, "No cut steps and no missing inferences are known.");
    return put_problems(page, err) < 0 || put_records(page, err) < 0 ? err_status(err) : 0;
}
