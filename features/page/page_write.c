/* SPDX-License-Identifier: Apache-2.0 */
#include "features/page/page.h"

#include "base/array.h"
#include "base/language.h"
#include "base/number.h"
#include "exporters/report_scopes.h"
#include "exporters/table/writer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_SIZE 1024

const char *html_us(int64_t ns, char text[NUMBER_MAX])
{
    *number_put_us(text, ns) = '\0';
    return text;
}

const char *html_scaled(double ns, char text[SCALED_MAX])
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const size_t last = sizeof units / sizeof *units - 1;
    size_t unit = ns == 0 ? 1 : 0;

    while (unit < last && fabs(ns) / units[unit].ns >= 999.95) /* which four digits would round to 1000 */
        unit++;
    const double value = ns / units[unit].ns, size = fabs(value);
    const int decimals = unit == 0 || ns == 0 ? 0 : size < 9.9995 ? 3 : size < 99.995 ? 2 : 1;
    snprintf(text, SCALED_MAX, "%.*f %s", decimals, value, units[unit].name);
    return text;
}

void html_put_scaled(struct html_page *page, double ns)
{
    char text[SCALED_MAX];

    html_open(&page->w, "span");
    html_attribute_f(&page->w, "title", "%.3f us", number_us(ns));
    html_text(&page->w, html_scaled(ns, text));
    html_close(&page->w);
}

void html_absent(struct html_page *page, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;

    va_start(args, format);
    err_format(text, sizeof text, language_shown(format), args);
    va_end(args);
    html_element(&page->w, "p", text);
    if (page->absences != NULL)
        strbuf_addf(page->absences, "%s%s", page->absences->length > 0 ? " " : "", text);
}

void html_note(struct html_page *page, const char *format, ...)
{
    char text[TEXT_SIZE];
    va_list args;

    page->content = true;

    va_start(args, format);
    err_format(text, sizeof text, language_shown(format), args);
    va_end(args);
    html_element(&page->w, "p", text);
}

/* ---- links ---- */

#define ID_SIZE 96

/* To a row of a later table. */
struct html_link {
    const char *report;
    char id[ID_SIZE];
    bool found;
};

static void make_id(const struct html_page *page, const char *report, const char *cell, size_t length, char id[ID_SIZE])
{
    char hash[HTML_HASH_SIZE];

    html_name_hash(cell, length, hash);
    snprintf(id, ID_SIZE, "c%zu-%s-%s", page->number, report, hash);
}

static struct html_link *find_link(struct html_page *page, const char *id)
{
    for (size_t i = 0; i < page->links.count; i++)
        if (strcmp(page->links.items[i].id, id) == 0)
            return &page->links.items[i];
    return NULL;
}

void html_link_open(struct html_page *page, const char *report, const char *cell)
{
    struct html_link link = {.report = report};
    struct err ignored = ERR_INIT;

    make_id(page, report, cell, strlen(cell), link.id);
    html_open(&page->w, "a");
    if (page->alone)
        return;
    if (find_link(page, link.id) == NULL) {
        if (array_reserve(&page->links, 1, &ignored) < 0)
            return; /* without an address it is a text */
        page->links.items[page->links.count++] = link;
    }
    html_attribute_f(&page->w, "href", "#%s", link.id);
}

/* Those that lead to no row lead to the end of the table. */
static void put_rests(struct html_page *page, const char *report)
{
    for (size_t i = 0; i < page->links.count; i++) {
        struct html_link *link = &page->links.items[i];
        if (link->found || strcmp(link->report, report) != 0)
            continue;
        html_open_f(&page->w, "span", "id=%s", link->id);
        html_close(&page->w);
        link->found = true;
    }
}

/* ---- tables of the page's own ---- */

static void begin_table(struct html_page *page, const char *caption)
{
    struct html_writer *w = &page->w;

    page->content = true;
    html_open_f(w, "div", "class=scroll|role=region|tabindex=0");
    html_attribute_f(w, "aria-label", page->several ? "Table: %s, capture %zu" : "Table: %s", caption, page->number);
    html_open(w, "table");
    html_element(w, "caption", caption);
}

void html_facts_begin(struct html_page *page, const char *caption)
{
    begin_table(page, caption);
    html_open(&page->w, "tbody");
}

static void begin_heads(struct html_page *page)
{
    html_open(&page->w, "thead");
    html_open(&page->w, "tr");
}

static void put_head(struct html_page *page, const char *title, bool is_number)
{
    html_open_f(&page->w, "th", "scope=col");
    if (is_number)
        html_attribute(&page->w, "class", "n");
    html_text(&page->w, title);
    html_close(&page->w);
}

static void begin_rows(struct html_page *page)
{
    html_close(&page->w);
    html_close(&page->w);
    html_open(&page->w, "tbody");
}

void html_table_begin(struct html_page *page, const char *caption, const char *const *heads, size_t count)
{
    begin_table(page, caption);
    begin_heads(page);
    for (size_t i = 0; i < count; i++)
        put_head(page, heads[i] + (heads[i][0] == '#'), heads[i][0] == '#');
    begin_rows(page);
}

void html_table_foot(struct html_page *page)
{
    html_close(&page->w);
    html_open(&page->w, "tfoot");
}

void html_table_end(struct html_page *page)
{
    for (int i = 0; i < 3; i++) /* rows, table, the box around it */
        html_close(&page->w);
}

void html_cell(struct html_page *page, const char *text)
{
    html_element(&page->w, "td", text);
}

void html_cell_name(struct html_page *page, const char *text)
{
    html_open(&page->w, "td");
    html_name_class(&page->w, text, strlen(text));
    html_name(&page->w, text, strlen(text));
    html_close(&page->w);
}

void html_cell_number(struct html_page *page, const char *format, ...)
{
    char text[TEXT_SIZE], *rest = text;
    va_list args;

    va_start(args, format);
    err_format(text, sizeof text, format, args);
    va_end(args);
    for (const char *cell; (cell = strsep(&rest, "|")) != NULL;) {
        html_open_f(&page->w, "td", "class=n");
        html_text(&page->w, cell);
        html_close(&page->w);
    }
}

void html_cell_us(struct html_page *page, int64_t ns)
{
    char text[NUMBER_MAX];

    html_cell_number(page, "%s", ns == DB_NULL ? TABLE_MISSING : html_us(ns, text));
}

int64_t html_since(const struct html_page *page, int64_t time_ns)
{
    return page->origin_ns != INT64_MIN ? number_subtract(time_ns, page->origin_ns) : time_ns;
}

void html_cell_at(struct html_page *page, int64_t time_ns)
{
    char text[NUMBER_MAX];

    if (time_ns == DB_NULL || time_ns == INT64_MIN) {
        html_cell_number(page, TABLE_MISSING);
        return;
    }
    html_open_f(&page->w, "td", "class=n");
    if (page->origin_ns != INT64_MIN)
        html_attribute_f(&page->w, "title", "%s us", html_us(time_ns, text));
    html_text(&page->w, html_us(html_since(page, time_ns), text));
    html_close(&page->w);
}

/* ---- tables of the engine ---- */

struct filling {
    struct html_page *page;
    const struct html_table *table;
    const struct report *report;
    const struct report_plan *plan; /* NULL: no row yet */
    size_t bars, anchor, subject;   /* steps; SIZE_MAX: none */
    uint64_t rows, limit_bytes, left;
    bool more;
};

uint64_t html_bytes(const struct html_page *page)
{
    return page->bytes + page->w.out->written + page->w.out->used;
}

/* A quarter of what is left of the page, so that something is left for each of those that follow. */
uint64_t html_table_limit(const struct html_page *page)
{
    uint64_t now = html_bytes(page), quarter = now < HTML_PAGE_BYTES_MAX ? (HTML_PAGE_BYTES_MAX - now) / 4 : 0;

    return now + (quarter < HTML_TABLE_BYTES_MAX ? quarter : HTML_TABLE_BYTES_MAX);
}

static size_t find_step(const struct report_plan *plan, const char *id)
{
    int column = id != NULL ? report_plan_find(plan, id, strlen(id)) : -1;

    for (size_t i = 0; column >= 0 && i < plan->step_count; i++)
        if (plan->steps[i].column == column)
            return i;
    return SIZE_MAX;
}

static const struct known_column *column_of(const struct report_plan *plan, size_t step)
{
    return &plan->columns[plan->steps[step].column];
}

/* The column that stands at a place: what the row is about first, the others as the table has them. */
static size_t in_order(const struct filling *filling, size_t place)
{
    if (filling->subject == SIZE_MAX || place > filling->subject)
        return place;
    return place == 0 ? filling->subject : place - 1;
}

static int begin_filling(void *arg, const struct report_plan *plan, struct err *err)
{
    struct filling *filling = arg;
    struct html_page *page = filling->page;

    (void)err;
    filling->subject = find_step(plan, filling->table->subject);
    if (filling->plan == NULL) {
        begin_table(page, filling->table->caption != NULL ? filling->table->caption : filling->report->title);
        begin_heads(page);
        for (size_t i = 0; i < plan->step_count; i++) {
            const size_t step = in_order(filling, i);
            put_head(page, plan->titles[step], !report_holds_texts(&column_of(plan, step)->column));
        }
        begin_rows(page);
        filling->limit_bytes = html_table_limit(page);
    }
    filling->plan = plan;
    filling->bars = find_step(plan, filling->table->bars);
    filling->anchor = find_step(plan, filling->table->anchor);
    return 0;
}

/* Words of msprof's own and of its formats, not names that somebody gave. */
static bool is_word(const struct report *report, const struct known_column *column)
{
    static const char *const ids[] = {"severity",      "code",
                                      "cause",         "source",
                                      "grew",          "type",
                                      "type_name",     "bound",
                                      "input_shapes",  "input_data_types",
                                      "output_shapes", "output_data_types",
                                      "input_formats", "output_formats",
                                      "kind",          "roof"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (strcmp(ids[i], column->id) == 0)
            return true;
    /* in the table of gaps it is an operator */
    return column->column.names != NULL || (strcmp(column->id, "after") == 0 && strcmp(report->name, "path_step") == 0);
}

static bool is_missing(const struct table_cell *cell)
{
    return cell->length == strlen(TABLE_MISSING) && memcmp(cell->text, TABLE_MISSING, cell->length) == 0;
}

static void put_share(struct html_page *page, const struct table_cell *cell)
{
    char text[NUMBER_MAX];
    size_t length = cell->length < sizeof text ? cell->length : sizeof text - 1;

    memcpy(text, cell->text, length);
    text[length] = '\0';
    html_attribute(&page->w, "class", "n b");
    html_attribute_f(&page->w, "style", "--s:%.2f%%", strtod(text, NULL));
}

/* Nanoseconds of microseconds with three decimals, as tables print times; false: it is no time. */
static bool read_time(const struct table_cell *cell, int64_t *ret)
{
    char text[NUMBER_MAX], *point, *end;

    if (cell->length < 5 || cell->length >= sizeof text)
        return false;
    memcpy(text, cell->text, cell->length);
    text[cell->length] = '\0';
    const int64_t whole = strtoll(text, &point, 10), part = *point == '.' ? strtoll(point + 1, &end, 10) : -1;
    if (part < 0 || *end != '\0' || end != point + 4)
        return false;
    *ret = number_add(number_multiply(whole, 1000), text[0] == '-' ? -part : part);
    return true;
}

static void put_cell(struct filling *filling, const struct table_cell *cell, size_t step)
{
    const struct known_column *column = column_of(filling->plan, step);
    const bool texts = report_holds_texts(&column->column), names = texts && !is_word(filling->report, column);
    struct html_writer *w = &filling->page->w;
    int64_t time_ns;

    if (column->column.form == FORM_TIME && read_time(cell, &time_ns)) {
        html_cell_at(filling->page, time_ns);
        return;
    }
    html_open(w, "td");
    if (step == filling->bars && !is_missing(cell))
        put_share(filling->page, cell);
    else if (names)
        html_name_class(w, cell->text, cell->length);
    else if (!texts)
        html_attribute(w, "class", "n");
    if (names && !is_missing(cell))
        html_name(w, cell->text, cell->length);
    else
        html_text_of(w, cell->text, cell->length);
    html_close(w);
}

/* Gives a row the id of its cell when links have it, unless a row before has it. */
static void put_row_id(struct filling *filling, const struct table_cell *cell)
{
    char id[ID_SIZE];

    if (filling->page->links.count == 0)
        return;
    make_id(filling->page, filling->report->name, cell->text, cell->length, id);
    struct html_link *link = find_link(filling->page, id);
    if (link == NULL || link->found)
        return;
    html_attribute(&filling->page->w, "id", id);
    link->found = true;
}

static int fill_row(void *arg, const struct table_cell *cells, struct err *err)
{
    struct filling *filling = arg;
    struct html_writer *w = &filling->page->w;

    (void)err;
    if (filling->rows >= HTML_ROWS_MAX || html_bytes(filling->page) > filling->limit_bytes) {
        filling->left++;
        return 0;
    }
    filling->rows++;
    html_open(w, "tr");
    if (filling->anchor != SIZE_MAX)
        put_row_id(filling, &cells[filling->anchor]);
    for (size_t i = 0; i < filling->plan->step_count; i++)
        put_cell(filling, &cells[in_order(filling, i)], in_order(filling, i));
    html_close(w);
    return 0;
}

struct device_tables {
    struct report_session *session;
    struct filling *filling;
};

static int fill_device(void *arg, const struct report_scope *scope, struct err *err)
{
    struct device_tables *tables = arg;
    struct table_sink *sink = tables->session->options->sink;
    uint64_t rows;
    int status = report_write(tables->session, tables->filling->report, scope, &rows, err);

    tables->filling->left += sink->left;
    tables->filling->more |= sink->more;
    return status;
}

static struct export_options options_of(const struct html_page *page, const struct table_choice *choice,
                                        struct table_sink *sink)
{
    return (struct export_options){.database = page->capture->database,
                                   .format = TABLE_CELLS,
                                   .columns = COLUMNS_VENDOR,
                                   .model_id = -1,
                                   .choice = choice,
                                   .roofs = page->roofs,
                                   .sink = sink};
}

static int use_session(struct html_page *page, const struct export_options *options, struct export_result *result,
                       struct err *err)
{
    page->session.options = options;
    page->session.result = result;
    if (page->session.db == NULL && report_session_open(&page->session, page->db, options, result, err) < 0)
        return err_status(err);
    page->session.workload = &page->workload;
    page->session.paths = &page->paths;
    page->session.calls = page->workload.execution_count > 0 ? &page->calls : NULL;
    return 0;
}

static const struct report_scope whole = {DB_NULL, DB_NULL, DB_NULL, ""};

static int fill(struct filling *filling, struct err *err)
{
    struct html_page *page = filling->page;
    const struct table_choice choice = {.top = HTML_ROWS_MAX};
    struct table_sink sink = {.begin = begin_filling, .row = fill_row, .arg = filling};
    const struct export_options options = options_of(page, &choice, &sink);
    struct export_result result = {.files = 0};
    struct device_tables tables = {&page->session, filling};

    if (use_session(page, &options, &result, err) < 0)
        return err_status(err);
    const int status = filling->report->of_device
                           ? report_scopes_each(page->db, page->family, &options, fill_device, &tables, err)
                           : fill_device(&tables, &whole, err);
    report_forget_tensors(&page->session);
    return status;
}

const struct cann_texts *html_names(struct html_page *page, struct err *err)
{
    const struct table_choice choice = {.top = 0};
    struct table_sink sink = {.arg = NULL};
    const struct export_options options = options_of(page, &choice, &sink);
    struct export_result result = {.files = 0};

    return use_session(page, &options, &result, err) == 0 ? report_names(&page->session, true, err) : NULL;
}

struct giving {
    const char *const *ids;
    size_t count, steps[HTML_IDS_MAX];
    html_each *each;
    void *arg;
};

static int begin_giving(void *arg, const struct report_plan *plan, struct err *err)
{
    struct giving *giving = arg;

    (void)err;
    for (size_t i = 0; i < giving->count; i++)
        giving->steps[i] = find_step(plan, giving->ids[i]);
    return 0;
}

static int give_row(void *arg, const struct table_cell *cells, struct err *err)
{
    const struct giving *giving = arg;
    char *texts[HTML_IDS_MAX] = {NULL};
    int status = 0;

    for (size_t i = 0; i < giving->count; i++) {
        if (giving->steps[i] == SIZE_MAX)
            continue;
        texts[i] = strndup(cells[giving->steps[i]].text, cells[giving->steps[i]].length);
        if (texts[i] == NULL)
            status = err_no_memory(err);
    }
    status = status < 0 ? status : giving->each(giving->arg, (const char *const *)texts, err);
    for (size_t i = 0; i < giving->count; i++)
        free(texts[i]);
    return status;
}

int html_each_row(struct html_page *page, const char *report, const char *const *ids, size_t count, html_each *each,
                  void *arg, struct err *err)
{
    const struct report *const *all = report_all(err);
    const struct report *found = all != NULL ? report_find(all, report, page->family) : NULL;
    const struct table_choice choice = {.top = 0};
    struct giving giving = {.ids = ids, .count = count, .each = each, .arg = arg};
    struct table_sink sink = {.begin = begin_giving, .row = give_row, .arg = &giving};
    const struct export_options options = options_of(page, &choice, &sink);
    struct export_result result = {.files = 0};
    uint64_t rows;

    if (found == NULL)
        return all != NULL ? 0 : err_status(err);
    return use_session(page, &options, &result, err) == 0 ? report_write(&page->session, found, &whole, &rows, err)
                                                          : err_status(err);
}

int html_put_table(struct html_page *page, const struct html_table *table, uint64_t *ret_rows, struct err *err)
{
    const struct report *const *all = report_all(err);
    struct filling filling = {.page = page, .table = table};

    if (all == NULL)
        return err_status(err);
    filling.report = report_find(all, table->report, page->family);
    int status = filling.report != NULL ? fill(&filling, err) : 0;
    if (filling.plan != NULL)
        html_table_end(page);
    if (table->anchor != NULL)
        put_rests(page, table->report);
    if (filling.more)
        html_note(page, "And more, which 'msprof show --table %s' prints.", table->report);
    else if (filling.left > 0)
        html_note(page, "And %llu more, which 'msprof show --table %s' prints.", (unsigned long long)filling.left,
                  table->report);
    if (status == 0 && filling.report == NULL)
        html_absent(page, "Captures of this family have no table '%s'.", table->report);
    else if (status == 0 && filling.rows == 0)
        html_absent(page, "Table '%s' needs %s, which this capture does not have.", table->report,
                    filling.report->needs != NULL ? filling.report->needs
                                                  : language_shown("records that its import did not find"));
    if (ret_rows != NULL)
        *ret_rows = filling.rows;
    return status;
}
