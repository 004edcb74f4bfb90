/* SPDX-License-Identifier: Apache-2.0 */
#include "features/page/page.h"

#include "base/file/checksum.h"
#include "db/query/query.h"

#include <errno.h>
#include <stdlib.h>

static int put_capture_line(struct html_page *page, struct err *err)
{
    (void)err;
    html_put_capture_line(page);
    return 0;
}

static int put_losses_line(struct html_page *page, struct err *err)
{
    html_text(&page->w, "Records: ");
    return html_put_records_line(page, err);
}

/* In their order. */
static const struct html_part parts[] = {
    {"losses", "Losses and coverage", .put = html_put_losses, .place = PLACE_DAMAGED, .prints = true},
    {"summary", "Summary", .put = html_put_summary, .prints = true},
    {"timeline", "Timeline", .put = html_put_timeline, .prints = true},
    {"findings", "Findings", .put = html_put_findings, .prints = true},
    {"changes", "Changes", .put = html_put_changes, .prints = true},
    {"time", "Where the time goes", .put = html_put_time, .prints = true},
    {"steps", "Steps", .put = html_put_steps, .prints = true},
    {"utilisation", "Utilisation over time", .put = html_put_utilisation},
    {"operators", "Operators",
     .tables = {{"types", .subject = "type_name", .bars = "share"},
                {"shapes", .subject = "type", .bars = "share"},
                {"ops", .subject = "name", .bars = "share", .anchor = "name"}}},
    {"limits", "Limits of operators", .put = html_put_limits, .tables = {{"roofline", .subject = "name"}}},
    {"idle", "Gaps, launch and queue",
     .tables = {{"gaps", .subject = "after", .anchor = "start"}, {"phases", .subject = "name", .bars = "share"}}},
    {"memory", "Device memory", .put = html_put_memory,
     .tables = {{"memory_peak", .subject = "name", .bars = "share"}, {.report = "memory_curve"}}},
    {"host", "Calls and ranges of the host",
     .tables = {{"api", .subject = "function", .bars = "share"}, {"ranges", .subject = "name"}}},
    {"layers", "Layers and stacks", .put = html_put_layers},
    {"communication", "Communication", .tables = {{"communication", .subject = "name", .bars = "share"}}},
    {"path", "Critical path of a step", .put = html_put_path,
     .tables = {{"path", .subject = "name", .bars = "share"}, {"path_step", .subject = "name"}}},
    {"frequency", "Frequency of the cores", .tables = {{.report = "frequency"}}},
    {"identity", "Capture", .put = html_put_identity, .line = put_capture_line},
    {"losses", "Losses and coverage", .put = html_put_losses, .place = PLACE_WHOLE, .line = put_losses_line},
    {"formulas", "Formulas and limits", .put = html_put_formulas},
    {.title = NULL},
};
#define PARTS (sizeof parts / sizeof *parts - 1)
#define PART_LIMIT ((size_t)1024 * 1024 * 1024) /* bytes of what is added at a time */

struct html_report {
    struct html_options options;
    struct outfile out;
    struct html_writer w;
    size_t added;
    struct outfile part_out; /* of what is being added, which goes into the page when it is whole */
    struct strbuf part_text;
};

/* ---- the frame of the page ---- */

/* One script, which sees nothing of others. */
static const char *const script_begin[] = {
    "'use strict';\n(function(){\n",
    /* A text of script_texts in the language of the page, with what follows in the places of {0}, {1} and so on. */
    "var words=(document.body.dataset.words||'').split('|');\n",
    "function say(text){var i=words.indexOf(text),a=arguments;\n",
    " return(i%2===0?words[i+1]:text).replace(/\\{(\\d)\\}/g,function(m,n){return a[+n+1]})}\n",
    NULL,
};
static const char *const script_end[] = {"})();\n", NULL};
static const char *const *const scripts[] = {script_begin, html_script, html_timeline_script, script_end, NULL};

/* The digest of the script as the policy wants it: in base64. */
static void put_digest(char ret[64])
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char digits[CHECKSUM_TEXT_SIZE];
    unsigned char bytes[33] = {0};
    struct checksum *sum = checksum_new();
    size_t used = 0;

    for (size_t i = 0; scripts[i] != NULL; i++)
        for (const char *const *piece = scripts[i]; *piece != NULL; piece++)
            checksum_add(sum, *piece, strlen(*piece));
    checksum_finish(sum, digits);
    checksum_free(sum);
    for (size_t i = 0; i < 32 && digits[0] != '\0'; i++) {
        const char pair[3] = {digits[2 * i], digits[2 * i + 1], '\0'};
        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    for (size_t i = 0; i < 33; i += 3) {
        uint32_t three = (uint32_t)bytes[i] << 16 | (uint32_t)bytes[i + 1] << 8 | bytes[i + 2];
        for (int shift = 18; shift >= 0; shift -= 6)
            ret[used++] = letters[three >> shift & 63];
    }
    ret[used - 1] = '='; /* of 33 bytes the last is none */
    ret[used] = '\0';
}

static void put_meta(struct html_writer *w, const char *key, const char *name, const char *content)
{
    html_bare(w, "meta");
    html_attribute(w, key, name);
    html_attribute(w, "content", content);
}

static void put_pieces(struct html_writer *w, const char *const *pieces)
{
    for (; *pieces != NULL; pieces++)
        html_raw(w, *pieces);
}

/* What scripts say. */
static const char *const script_texts[] = {
    LANGUAGE_MARK("Show all {0} rows"),
    LANGUAGE_MARK("Rows that contain"),
    LANGUAGE_MARK("Copy"),
    LANGUAGE_MARK("Copied"),
    LANGUAGE_MARK("Timeline of {0} lanes."),
    LANGUAGE_MARK("Arrow keys move and zoom, Home shows all, N and P choose a slice, Enter goes to its row."),
    LANGUAGE_MARK("(a name that the page has no room for)"),
    LANGUAGE_MARK("{0}, from {1} on, {2}, {3}"),
    LANGUAGE_MARK("Launched by {0}, {1} before"),
    LANGUAGE_MARK("Finding {0}, at {1}"),
    LANGUAGE_MARK("{0}: no table of the page has a row of it"),
    LANGUAGE_MARK("{0} slices of {1}, the longest in the middle"),
    LANGUAGE_MARK("Whole"),
    LANGUAGE_MARK("Zoom in"),
    LANGUAGE_MARK("Zoom out"),
};

/* Texts and their translations by turns; nothing in English. */
static void put_script_texts(struct html_writer *w)
{
    SCOPED(strbuf_release) struct strbuf words;

    strbuf_init(&words, 65536);
    for (size_t i = 0; i < sizeof script_texts / sizeof *script_texts; i++)
        if (language_shown(script_texts[i]) != script_texts[i])
            strbuf_addf(&words, "%s%s|%s", words.length > 0 ? "|" : "", script_texts[i],
                        language_shown(script_texts[i]));
    if (words.length > 0)
        html_attribute(w, "data-words", words.data);
}

static void put_head(struct html_report *report)
{
    struct html_writer *w = &report->w;
    char digest[64];

    html_raw(w, "<!DOCTYPE html>\n");
    html_open_f(w, "html", "lang=%s", language_shown(LANGUAGE_MARK("en")));
    html_open(w, "head");
    html_bare(w, "meta");
    html_attribute(w, "charset", "utf-8");
    put_digest(digest);
    html_bare(w, "meta");
    html_attribute(w, "http-equiv", "Content-Security-Policy");
    html_attribute_f(w, "content",
                     "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'; base-uri 'none'; "
                     "form-action 'none'",
                     digest);
    put_meta(w, "name", "viewport", "width=device-width, initial-scale=1");
    put_meta(w, "name", "referrer", "no-referrer");
    html_open(w, "title");
    html_name(w, report->options.title, strlen(report->options.title));
    html_text(w, " \xE2\x80\x93 msprof");
    html_close(w);
    html_open(w, "style");
    html_text(w, "");
    put_pieces(w, html_style);
    html_close(w);
    html_close(w);
    html_open(w, "body");
    put_script_texts(w);
    html_open_f(w, "a", "class=skip|href=#main");
    html_text(w, "Skip to the content");
    html_close(w);
    html_open_f(w, "main", "id=main");
    html_open(w, "h1");
    html_name(w, report->options.title, strlen(report->options.title));
    html_close(w);
}

static void put_foot(struct html_report *report)
{
    struct html_writer *w = &report->w;

    html_close(w); /* main */
    html_open(w, "footer");
    html_text_f(w,
                "Made by msprof %s. Times are in microseconds where no unit is given; those of a moment are since the "
                "start of the capture.",
                report->options.version);
    if (report->options.redact)
        html_text(w, " Names are replaced by the beginnings of their SHA-256.");
    html_close(w);
    html_open(w, "script");
    html_text(w, "");
    for (size_t i = 0; scripts[i] != NULL; i++)
        put_pieces(w, scripts[i]);
    html_close(w);
    html_close(w);
    html_close(w);
    html_raw(w, "\n");
}

int html_report_open(const struct html_options *options, struct html_report **ret, struct err *err)
{
    struct html_report *report = calloc(1, sizeof *report);

    *ret = NULL;
    if (report == NULL)
        return err_no_memory(err);
    report->options = *options;
    int status = outfile_open(&report->out, options->path, err);
    if (status < 0) {
        free(report);
        return status;
    }
    strbuf_init(&report->part_text, PART_LIMIT);
    html_init(&report->w, &report->out);
    report->w.redact = options->redact;
    report->w.is_markdown = options->markdown;
    put_head(report);
    *ret = report;
    return 0;
}

int html_report_close(struct html_report *report, int status, struct err *err)
{
    if (report == NULL)
        return status;
    if (status == 0 && report->added > 0) {
        put_foot(report);
        status = outfile_commit(&report->out, err);
    } else {
        outfile_abort(&report->out);
    }
    strbuf_release(&report->part_text);
    free(report);
    return status;
}

/* ---- one capture ---- */

static int make_advice(struct html_page *page, struct err *err)
{
    SCOPED(host_evidence_release) struct host_evidence evidence = {.known = false};

    if (host_calls_open(&page->calls, &page->workload, &page->gaps, true, err) != 0 ||
        evidence_load(page->db, &page->workload, &page->paths.launches, &page->calls, &evidence, err) != 0 ||
        advice_make(&page->workload, &evidence, NULL, &page->advice, err) != 0 ||
        evidence_name_launchers(page->db, &page->advice, err) != 0)
        return err_status(err);
    page->advice.origin_ns = page->origin_ns;
    return 0;
}

static int load(struct html_page *page, struct err *err)
{
    struct db_facts facts;
    struct capture_origin origin;

    if (db_read_facts(page->db, &facts, err) < 0)
        return err_status(err);
    page->family = facts.family;
    if (query_origin(page->db, page->family, &origin, err) != 0)
        return err_status(err);
    page->origin_ns = page->advice.origin_ns = origin.time_ns;
    if (workload_load(page->db, WITH_COUNTERS, &page->workload, err) < 0 ||
        splits_make(&page->workload, &page->splits, err) < 0 ||
        (!page->splits.whole && step_groups_make(&page->workload, &page->splits, &page->groups, err) < 0) ||
        (!page->workload.facts.placed && gaps_make(&page->workload, &page->gaps, err) < 0))
        return err_status(err);
    page->workload.splits = &page->splits;
    if (html_load_timeline(page, err) < 0)
        return err_status(err);
    page->paths.workload = page->workload; /* which the page owns */
    if (path_steps_load(page->db, &page->paths, err) < 0)
        return err_status(err);
    return page->workload.execution_count > 0 ? make_advice(page, err) : 0;
}

static void release(struct html_page *page)
{
    free(page->links.items);
    report_session_release(&page->session);
    html_change_release(&page->change);
    slices_release(&page->slices);
    path_steps_release(&page->paths);
    host_calls_release(&page->calls);
    gaps_release(&page->gaps);
    step_groups_release(&page->groups);
    splits_release(&page->splits);
    workload_release(&page->workload);
    if (!page->alone)
        advice_release(&page->advice);
}

static bool is_wanted(const struct html_page *page, const struct html_part *part)
{
    if (part->place != PLACE_ALWAYS && (part->place == PLACE_DAMAGED) != page->damaged)
        return false;
    if (part->put == html_put_timeline)
        return page->slices.order.count > 0;
    return part->put != html_put_changes || page->capture->base != NULL;
}

/* lacking: bits of parts that have nothing to show. */
static void put_contents(struct html_page *page, const struct html_part *list, uint64_t lacking)
{
    struct html_writer *w = &page->w;

    html_open(w, "nav");
    html_attribute_f(w, "aria-label", page->several ? "Parts of capture %zu" : "Parts", page->number);
    html_open(w, "ul");
    for (const struct html_part *part = list; part->title != NULL; part++) {
        if (!is_wanted(page, part) || (lacking >> (part - list) & 1) != 0)
            continue;
        html_open(w, "li");
        html_open_f(w, "a", "href=#c%zu-%s", page->number, part->id);
        html_text(w, part->title);
        html_close(w);
        html_close(w);
    }
    if (lacking != 0) {
        html_open(w, "li");
        html_open_f(w, "a", "href=#c%zu-lacking", page->number);
        html_text(w, "Without data");
        html_close(w);
        html_close(w);
    }
    html_close(w);
    html_close(w);
}

/* A part that is a line until it is opened, which needs no script. */
static int begin_fold(struct html_page *page, const struct html_part *part, struct err *err)
{
    html_open(&page->w, "details");
    html_open(&page->w, "summary");
    const int status = part->line(page, err);
    html_close(&page->w);
    return status;
}

static int put_part(struct html_page *page, const struct html_part *part, struct err *err)
{
    struct html_writer *w = &page->w;

    html_open_f(w, "section", "id=c%zu-%s", page->number, part->id);
    if (part->prints)
        html_attribute(w, "class", "prints");
    if (page->several)
        html_attribute_f(w, "aria-label", "%s, capture %zu", part->title, page->number);
    else
        html_attribute_f(w, "aria-labelledby", "c%zu-%s-title", page->number, part->id);
    html_open_f(w, page->several ? "h3" : "h2", "id=c%zu-%s-title", page->number, part->id);
    html_text(w, part->title);
    html_close(w);
    int status = part->line != NULL ? begin_fold(page, part, err) : 0;
    if (status == 0 && part->put != NULL)
        status = part->put(page, err);
    for (const struct html_table *table = part->tables; status == 0 && table->report != NULL; table++)
        status = html_put_table(page, table, NULL, err);
    if (part->line != NULL)
        html_close(w);
    html_close(w);
    html_raw(w, "\n");
    return status;
}

static void begin_article(struct html_page *page)
{
    struct html_writer *w = &page->w;

    html_open(w, "article");
    if (page->prints_answers)
        html_attribute(w, "class", "short");
    if (page->several) {
        html_open(w, "h2");
        html_name(w, page->capture->name, strlen(page->capture->name));
        html_close(w);
    }
}

/* What the import found wrong stands before everything that rests on the rest. */
static void put_missing(struct html_page *page, const char *problems)
{
    if (problems[0] != '\0')
        html_note(page, "Missing: %s. The following is based on the remaining data.", problems);
}

/* ---- parts, and those that have nothing to show ---- */

#define ABSENCES_MAX ((size_t)64 * 1024)

/* What was written of a page's parts, before its contents, which name only those that have something to show. */
struct body {
    struct strbuf text, absences; /* absences: why the parts that lack have nothing to show */
    struct strbuf part, why;      /* of one part */
    uint64_t lacking;             /* bits of parts */
};

static int take_part(void *text, const char *bytes, size_t length)
{
    return strbuf_add(text, bytes, length) == 0 ? 0 : ENOMEM;
}

static void body_init(struct body *body)
{
    *body = (struct body){.lacking = 0};
    strbuf_init(&body->text, PART_LIMIT);
    strbuf_init(&body->part, PART_LIMIT);
    strbuf_init(&body->absences, ABSENCES_MAX);
    strbuf_init(&body->why, ABSENCES_MAX);
}

static void body_release(struct body *body)
{
    strbuf_release(&body->text);
    strbuf_release(&body->part);
    strbuf_release(&body->absences);
    strbuf_release(&body->why);
}

/* Writes a part by itself, and keeps it unless it has nothing to show: then only why. */
static int write_part(struct html_page *page, const struct html_part *list, const struct html_part *part,
                      struct body *body, struct err *err)
{
    const struct html_writer before = page->w;
    struct outfile out;

    if (outfile_open_pipe(&out, "part", take_part, &body->part, err) < 0)
        return err_status(err);
    page->w.out = &out;
    page->content = false;
    page->absences = &body->why;
    int status = put_part(page, part, err);
    page->absences = NULL;
    status = status == 0 ? outfile_commit(&out, err) : status;
    outfile_abort(&out);
    page->w.out = before.out;
    if (status == 0 && page->content) {
        strbuf_add_built(&body->text, &body->part);
        page->bytes += body->part.length - page->data_bytes;
        page->data_bytes = 0;
    } else if (status == 0) {
        page->w = before;
        body->lacking |= UINT64_C(1) << (part - list);
        strbuf_addf(&body->absences, "%s%s", part->title, "\n");
        strbuf_addf(&body->absences, "%s\n", body->why.data);
    }
    strbuf_clear(&body->part);
    strbuf_clear(&body->why);
    if (status == 0 && (body->text.failed || body->absences.failed))
        return err_no_memory(err);
    return status;
}

/* Names the parts that have nothing to show, in a line that opens to why. */
static void put_absences(struct html_page *page, struct body *body)
{
    struct html_writer *w = &page->w;
    const char *before = "Nothing to show: ";
    char *rest = body->absences.data;

    if (body->lacking == 0)
        return;
    html_open_f(w, "section", "id=c%zu-lacking", page->number);
    html_attribute_f(w, "aria-label", page->several ? "Parts without data, capture %zu" : "Parts without data",
                     page->number);
    html_open(w, "details");
    html_open(w, "summary");
    SCOPED_FREE char *titles = scoped_text(body->absences.data, body->absences.length);
    char *of_titles = titles;
    for (const char *title; titles != NULL && (title = strsep(&of_titles, "\n")) != NULL && *title != '\0';) {
        html_text_f(w, "%s%s", before, title);
        before = ", ";
        strsep(&of_titles, "\n");
    }
    html_text(w, ".");
    html_close(w);
    html_open(w, "dl");
    for (const char *title; (title = strsep(&rest, "\n")) != NULL && *title != '\0';) {
        const char *why = strsep(&rest, "\n");
        html_element(w, "dt", title);
        html_element(w, "dd", why != NULL ? why : "");
    }
    for (int i = 0; i < 3; i++)
        html_close(w);
    html_raw(w, "\n");
}

/* Puts the contents and all parts that are wanted; each: before a part, may be NULL. */
static int put_list(struct html_page *page, const struct html_part *list,
                    void (*each)(struct html_page *page, const struct html_part *part), struct err *err)
{
    struct body body;
    int status = 0;

    body_init(&body);
    html_text(&page->w, ""); /* what is open has its end before parts are written elsewhere */
    for (const struct html_part *part = list; status == 0 && part->title != NULL; part++) {
        if (!is_wanted(page, part))
            continue;
        if (each != NULL)
            each(page, part);
        status = write_part(page, list, part, &body, err);
    }
    if (status == 0) {
        put_contents(page, list, body.lacking);
        html_text(&page->w, "");
        outfile_add(page->w.out, &body.text);
        page->bytes = 0; /* they are among the page's own */
        put_absences(page, &body);
    }
    body_release(&body);
    return status;
}

static void tell_progress(struct html_page *page, const struct html_part *part)
{
    progress_update(page->progress, "report", (uint64_t)(part - parts) + 1, PARTS + 1);
}

static int put_parts(struct html_page *page, struct err *err)
{
    char problems[PROBLEMS_TEXT_SIZE];

    if (query_losses(page->db, problems, err) < 0)
        return err_status(err);
    page->prints_answers = !page->print_all;
    begin_article(page);
    put_missing(page, problems);
    page->damaged = problems[0] != '\0' || page->workload.refused > 0;
    const int status = put_list(page, parts, tell_progress, err);
    html_close(&page->w);
    return status;
}

static int put_named(struct html_page *page, const char *id, struct err *err)
{
    const struct html_part *part = parts;

    while (strcmp(part->id, id) != 0)
        part++;
    return put_part(page, part, err);
}

/* A page without a capture is one about a job or a comparison. */
static int open_page(struct html_page *page, struct html_report *report, sqlite3 *db,
                     const struct html_capture *capture, struct err *err)
{
    if (outfile_open_pipe(&report->part_out, report->options.path, take_part, &report->part_text, err) < 0)
        return err_status(err);
    *page = (struct html_page){.w = report->w,
                               .db = db,
                               .number = report->added + 1,
                               .several = capture != NULL && report->options.captures > 1,
                               .capture = capture,
                               .origin_ns = INT64_MIN,
                               .print_all = report->options.print_all,
                               .progress = report->options.progress,
                               .source = report->options.source,
                               .roofs = &report->options.roofs};
    page->w.out = &report->part_out;
    return 0;
}

static int close_page(struct html_report *report, struct html_page *page, int status, struct err *err)
{
    release(page);
    const bool whole = status == 0 && outfile_commit(&report->part_out, err) == 0;
    outfile_abort(&report->part_out);
    if (whole) {
        outfile_add(&report->out, &report->part_text);
        report->w = page->w;
        report->w.out = &report->out;
        report->added++;
    }
    strbuf_clear(&report->part_text);
    return whole ? 0 : err_status(err);
}

int html_report_add(struct html_report *report, sqlite3 *db, const struct html_capture *capture, struct err *err)
{
    struct html_page page;

    if (open_page(&page, report, db, capture, err) < 0)
        return err_status(err);
    progress_update(report->options.progress, "report", 0, PARTS + 1);
    int status = load(&page, err);
    return close_page(report, &page, status == 0 ? put_parts(&page, err) : status, err);
}

int html_report_add_cluster(struct html_report *report, const char *directory, uint64_t *ret_problems, struct err *err)
{
    struct html_page page;

    return open_page(&page, report, NULL, NULL, err) < 0
               ? err_status(err)
               : close_page(report, &page, html_put_cluster(&page, directory, ret_problems, err), err);
}

/* What ran is the operator. */
static void set_execution(struct html_page *page, const struct html_part *part)
{
    page->workload.execution_count = part->put == html_put_findings;
}

static int put_tree(struct html_page *page, const struct html_part *list, struct err *err)
{
    static const struct html_part findings = {"findings", "Findings", .put = html_put_findings};
    int status = 0;

    begin_article(page);
    if (list != NULL) {
        status = put_list(page, list, set_execution, err);
    } else {
        set_execution(page, &findings);
        status = put_part(page, &findings, err);
    }
    page->workload.execution_count = 0;
    html_close(&page->w);
    return status;
}

int html_report_add_tree(struct html_report *report, sqlite3 *db, const struct html_capture *capture,
                         const struct advice *advice, const struct html_part *parts_of_tree, struct err *err)
{
    struct html_page page;
    struct db_facts facts;

    if (open_page(&page, report, db, capture, err) < 0)
        return err_status(err);
    page.alone = true;
    page.advice = *advice;
    if (db_read_facts(db, &facts, err) != 0)
        return close_page(report, &page, err_status(err), err);
    page.family = facts.family;
    return close_page(report, &page, put_tree(&page, parts_of_tree, err), err);
}

int html_report_add_advice(struct html_report *report, sqlite3 *db, const struct html_capture *capture,
                           const struct advice *advice, int64_t executions, struct err *err)
{
    struct html_page page;
    struct db_facts facts;

    if (open_page(&page, report, db, capture, err) < 0)
        return err_status(err);
    page.alone = true;
    page.advice = *advice;
    if (db_read_facts(db, &facts, err) != 0 || workload_load(db, WITHOUT_COUNTERS, &page.workload, err) != 0)
        return close_page(report, &page, err_status(err), err);
    page.family = facts.family;
    page.origin_ns = advice->origin_ns;
    page.workload.execution_count = executions > 0 ? page.workload.execution_count : 0;
    begin_article(&page);
    put_missing(&page, advice->problems);
    int status = put_named(&page, "findings", err);
    if (status == 0 && executions == 0)
        status = put_named(&page, "host", err);
    html_close(&page.w);
    return close_page(report, &page, status, err);
}

int html_report_add_parts(struct html_report *report, const struct html_part *list, const void *subject,
                          struct err *err)
{
    struct html_page page;
    int status = 0;

    if (open_page(&page, report, NULL, NULL, err) < 0)
        return err_status(err);
    page.subject = subject;
    html_open(&page.w, "article");
    for (const struct html_part *part = list; status == 0 && part->title != NULL; part++)
        status = put_part(&page, part, err);
    html_close(&page.w);
    return close_page(report, &page, status, err);
}

int html_report_add_comparison(struct html_report *report, const struct comparison *comparison, size_t rows,
                               struct err *err)
{
    struct html_page page;

    if (open_page(&page, report, NULL, NULL, err) < 0)
        return err_status(err);
    page.comparison = comparison;
    page.comparison_rows = rows;
    html_open(&page.w, "article");
    int status = put_named(&page, "changes", err);
    html_close(&page.w);
    return close_page(report, &page, status, err);
}
