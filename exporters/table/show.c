/* SPDX-License-Identifier: Apache-2.0 */

#include "base/file/large.h"
#include "base/language.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/suggest.h"
#include "db/query/operators/query_steps.h"
#include "db/query/query.h"
#include "db/query/query_executions.h"
#include "db/query/query_loop.h"
#include "db/query/query_window.h"
#include "exporters/export.h"
#include "exporters/extension.h"
#include "exporters/report_scopes.h"
#include "exporters/reports/cann/device_2022.h"
#include "exporters/table/grid.h"
#include "exporters/table/report.h"
#include "exporters/table/terminal.h"
#include "exporters/table/writer.h"
#include "exporters/tree_outputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- reports as blocks: a title, and the table behind it ---- */

/* State of showing reports on a terminal; rows are counted in show->result. It needs report_show_close. */
struct report_show {
    struct show *show;
    int family;
    struct export_options options;
    struct report_session session;
    struct report_scope scope; /* of what is shown; all of the capture unless it is set */
};

static int report_show_open(struct report_show *shows, struct show *show, int family, struct err *err)
{
    *shows = (struct report_show){
        .show = show,
        .family = family,
        .options = {.database = show->options->database,
                    .format = TABLE_TERMINAL,
                    .columns = COLUMNS_VENDOR,
                    .model_id = -1,
                    .roofs = show->options->roofs,
                    .show = show},
        .scope = {DB_NULL, DB_NULL, DB_NULL, ""},
    };
    show->compact = family != CAPTURE_SVP;
    return report_session_open(&shows->session, show->db, &shows->options, show->result, err);
}

static void report_show_close(struct report_show *shows)
{
    report_session_release(&shows->session);
}

static void report_show_line(struct report_show *shows, const char *text)
{
    show_field(shows->show, "", language_shown(text));
    show_end_line(shows->show);
}

static int show_table(struct report_show *shows, const struct report *report, const struct table_choice *choice,
                      uint64_t *ret_rows, struct err *err)
{
    shows->options.choice = choice;
    int status = report_write(&shows->session, report, &shows->scope, ret_rows, err);
    shows->options.choice = NULL;
    return status;
}

static int report_show(struct report_show *shows, const char *name, const char *sort, uint64_t top, uint64_t *ret_rows,
                       struct err *err)
{
    const struct report *const *all = report_all(err);
    const struct table_choice choice = {.sort = sort, .top = top};
    *ret_rows = 0;
    if (all == NULL)
        return err_status(err);
    const struct report *report = report_find(all, name, shows->family);
    return report != NULL ? show_table(shows, report, &choice, ret_rows, err)
                          : err_set(err, ERR_NOT_FOUND, "captures of this family have no table '%s'", name);
}

/* A table under its title, or what is said where it has no rows. */
struct show_block {
    const char *title, *table, *nothing;
    bool unwanted;
};

static int report_show_blocks(struct report_show *shows, const struct show_block *blocks, size_t count, struct err *err)
{
    uint64_t rows;
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].unwanted)
            continue;
        show_title(shows->show, blocks[i].title);
        show_end_line(shows->show);
        if (report_show(shows, blocks[i].table, NULL, 0, &rows, err) < 0)
            return err_status(err);
        if (rows == 0)
            report_show_line(shows, blocks[i].nothing);
        if (shows->show->few && shows->show->parts > (uint64_t)shows->show->options->top) {
            show_field(shows->show, "", "Tables :");
            show_top(shows->show, (int64_t)shows->show->parts, blocks[i].table);
        }
    }
    return 0;
}

static int report_show_file(struct report_show *shows, const struct report *report, struct err *err)
{
    uint64_t rows;
    show_title(shows->show, report->title);
    show_title(shows->show, " :");
    show_end_line(shows->show);
    if (show_table(shows, report, NULL, &rows, err) < 0)
        return err_status(err);
    if (rows == 0)
        report_show_line(shows, "No rows.");
    return 0;
}

static int report_show_marks(struct report_show *shows, struct err *err)
{
    int64_t messages = 0;
    uint64_t rows;
    int status = query_number(shows->show->db,
                              "SELECT count(*) FROM (SELECT 1 FROM msproftx GROUP BY event_type, "
                              "message)",
                              &messages, err);
    if (status < 0 || messages == 0)
        return status;
    show_title(shows->show, "Msproftx statistic :");
    show_top(shows->show, messages, "msprof_tx");
    return report_show(shows, "msprof_tx_statistic", NULL, (uint64_t)shows->show->options->top, &rows, err);
}

/* ---- captures of boards ---- */

struct frequency_block {
    struct show *show;
    bool any;
    int64_t device_id, core_khz; /* printed last */
};

static void print_frequency(struct show *show, int64_t device_id, int64_t core_khz)
{
    char number[NUMBER_MAX], text[NUMBER_MAX + 8];
    snprintf(text, sizeof text, "%s%s", show_scaled(number, core_khz, 3), core_khz == DB_NULL ? "" : " Mhz");
    show_title(show, "Frequency :");
    show_field(show, "", text);
    show_device(show, device_id);
    show_end_line(show);
}

static int take_frequency(void *arg, const struct svp_inference *inference, struct err *err)
{
    struct frequency_block *block = arg;
    if (block->any && block->device_id == inference->device_id && block->core_khz == inference->core_khz)
        return 0;
    block->any = true;
    block->device_id = inference->device_id;
    block->core_khz = inference->core_khz;
    print_frequency(block->show, inference->device_id, inference->core_khz);
    return interrupted() ? interrupt_error(err) : 0;
}

static int show_frequency(struct show *show, struct err *err)
{
    struct frequency_block block = {.show = show};
    if (svp_each_inference(show->db, NULL, take_frequency, &block, err) < 0)
        return err_status(err);
    if (!block.any)
        print_frequency(show, 0, DB_NULL);
    return 0;
}

static int show_of_svp(struct show *show, struct err *err)
{
    static const struct show_block blocks[] = {
        {"AI Core Metrics :", "op_summary", LANGUAGE_MARK("No device data: the model never ran, or marks no layers."),
         false},
        {"Op statistic :", "op_statistic", LANGUAGE_MARK("No operators."), false},
        {"Acl statistic :", "acl_statistic", LANGUAGE_MARK("No API calls."), false},
    };
    SCOPED(report_show_close) struct report_show shows;
    show->few = true;
    return report_show_open(&shows, show, CAPTURE_SVP, err) < 0 ||
                   report_show_blocks(&shows, blocks, sizeof blocks / sizeof *blocks, err) < 0
               ? err_status(err)
               : show_frequency(show, err);
}

/* ---- captures of 2020 ---- */

static int show_one_device(void *arg, int64_t device_id, struct err *err)
{
    struct report_show *shows = arg;
    const struct execution_range all = {device_id, INT64_MIN, INT64_MAX};
    struct execution_counts counts;
    uint64_t rows;
    struct cann_steps steps = {.items = NULL};
    int64_t iterations = 0;
    if (execution_count(shows->show->db, &all, &counts, err) < 0 || cann_steps_load(shows->show->db, &steps, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < steps.count; large_pass(i++))
        iterations += steps.items[i].device_id == device_id;
    cann_steps_release(&steps);
    show_number(shows->show, "Device id : ", device_id);
    show_number(shows->show, "Tasks : ", counts.tasks);
    show_number(shows->show, "Operators : ", counts.operators);
    if (iterations > 0)
        show_number(shows->show, "Iterations : ", iterations);
    show_end_line(shows->show);
    shows->scope.device_id = device_id;
    return report_show(shows, "op_statistic", NULL, 0, &rows, err);
}

static int show_of_job(struct show *show, struct err *err)
{
    SCOPED(report_show_close) struct report_show shows;
    if (report_show_open(&shows, show, CAPTURE_JOB, err) < 0)
        return err_status(err);
    show_title(show, "Op statistic :");
    show_end_line(show);
    return execution_each_device(show->db, show_one_device, &shows, err);
}

/* ---- captures of 2022 ---- */

struct show_2022 {
    struct report_show shows;
    bool any_device;
};

static void print_heading(struct show *show, const struct device_2022 *device, const struct execution_counts *counts)
{
    show_number(show, "Device id : ", device->part->device_id);
    show_number(show, "Model id : ", device->range.model_id);
    show_number(show, "Iteration : ", device->range.iteration);
    show_number(show, "Tasks : ", counts->tasks);
    show_end_line(show);
}

/* Tasks are shown on their own where that says more than the operators do: on chip 0 what they waited for. */
static int show_longest(struct report_show *shows, bool states, const struct execution_counts *counts, struct err *err)
{
    struct show *show = shows->show;
    int64_t tasks = counts->tasks + (states ? 0 : counts->copies);
    uint64_t rows, top = (uint64_t)show->options->top;
    int status = 0;
    if (counts->operators > 0) {
        show_title(show, "Longest operators :");
        show_top(show, counts->operators, "op_summary");
        status = report_show(shows, "op_summary", "task_duration,desc", top, &rows, err);
    }
    if (status == 0 && tasks > 0 && (states || counts->operators < tasks)) {
        show_title(show, "Longest tasks :");
        show_top(show, tasks, "task_time");
        status = report_show(shows, "task_time", states ? "time,desc" : "task_time,desc", top, &rows, err);
    }
    return status;
}

static int show_device_2022(void *arg, const struct device_2022 *device, struct err *err)
{
    struct show_2022 *state = arg;
    struct report_show *shows = &state->shows;
    struct execution_counts counts;
    state->any_device = true;
    shows->scope = (struct report_scope){device->part->device_id, device->range.model_id, device->range.iteration, ""};
    if (execution_count(shows->show->db, &device->range.ticks, &counts, err) < 0)
        return err_status(err);
    const struct show_block blocks[] = {
        {"Op statistic :", "op_statistic",
         counts.tasks == 0
             ? LANGUAGE_MARK("No tasks: the device's records are missing or not readable.")
             : LANGUAGE_MARK("No operators: nothing that the host recorded names the operator of a task."),
         false},
        {"Acl statistic :", "acl_statistic", LANGUAGE_MARK("No calls of ACL functions."), false},
        {"Runtime api :", "runtime_api", LANGUAGE_MARK("No calls of runtime functions."), false},
    };
    print_heading(shows->show, device, &counts);
    bool failed = report_show_blocks(shows, blocks, 1, err) < 0 ||
                  show_longest(shows, device->part->chip == 0, &counts, err) < 0 ||
                  report_show_blocks(shows, blocks + 1, 2, err) < 0;
    shows->scope = (struct report_scope){DB_NULL, DB_NULL, DB_NULL, ""};
    return failed ? err_status(err) : 0;
}

static int show_of_2022(struct show *show, struct err *err)
{
    struct show_2022 state = {.any_device = false};
    bool failed = report_show_open(&state.shows, show, CAPTURE_2022, err) < 0 ||
                  device_2022_each(show->db, &state.shows.options, show_device_2022, &state, err) < 0;
    if (!failed && !state.any_device)
        report_show_line(&state.shows, LANGUAGE_MARK("No device data: the capture has no readable device data."));
    failed = failed || report_show_marks(&state.shows, err) < 0;
    report_show_close(&state.shows);
    return failed ? err_status(err) : 0;
}

/* ---- captures of CANN since 2023 ---- */

struct cann_show {
    struct report_show shows;
    int64_t hosts, devices; /* parts of the capture */
    int64_t tasks, operators, communications;
};

/* Tasks without operators are better than nothing. */
static int show_longest_of_cann(struct cann_show *cann, struct err *err)
{
    struct show *show = cann->shows.show;
    bool operators = cann->operators + cann->communications > 0;
    uint64_t rows;
    if (!operators && cann->tasks == 0)
        return 0;
    show_title(show, operators ? "Longest operators :" : "Longest tasks :");
    show_top(show, operators ? cann->operators + cann->communications : cann->tasks,
             operators ? "op_summary" : "task_time");
    return report_show(&cann->shows, operators ? "op_summary" : "task_time",
                       operators ? "task_duration,desc" : "task_time,desc", (uint64_t)show->options->top, &rows, err);
}

static int count_all(struct cann_show *cann, struct err *err)
{
    const struct {
        const char *sql;
        int64_t *ret;
    } counts[] = {
        {"SELECT count(*) FROM capture_part WHERE is_host", &cann->hosts},
        {"SELECT count(*) FROM capture_part WHERE NOT is_host", &cann->devices},
        {"SELECT max(id) FROM device_task", &cann->tasks},
        {"SELECT count(*) FROM communication_op WHERE kernel_row_id IS NULL", &cann->communications},
    };
    int status = cann_operator_count(cann->shows.session.db, &cann->operators, err);
    for (size_t i = 0; status == 0 && i < sizeof counts / sizeof *counts; i++)
        status = query_number(cann->shows.show->db, counts[i].sql, counts[i].ret, err);
    return status;
}

static int show_blocks(struct cann_show *cann, struct err *err)
{
    const char *no_tasks = cann->devices > 0
                               ? LANGUAGE_MARK("No tasks: the devices' records are missing or not readable.")
                               : LANGUAGE_MARK("No device data: the capture has no readable device data.");
    const char *no_operators =
        cann->tasks == 0      ? no_tasks
        : cann->operators > 0 ? LANGUAGE_MARK("No operator types: level 0 does not record them.")
        : cann->hosts > 0 ? LANGUAGE_MARK("No operators: nothing that the host recorded names the operator of a task.")
                          : LANGUAGE_MARK("No operators: the host data, which names them, is missing or not readable.");
    const struct show_block blocks[] = {
        {"Summary :", "summary", no_tasks, cann->tasks == 0},
        {"Op statistic :", "op_statistic", no_operators, false},
        {"Communication statistic :", "communication_statistic",
         LANGUAGE_MARK("No types: the communication operators have none."), cann->communications == 0},
        {"Overlap analysis :", "overlap_analysis", no_tasks, cann->tasks == 0},
        {"Api statistic :", "api_statistic",
         cann->hosts > 0 ? LANGUAGE_MARK("No API calls.")
                         : LANGUAGE_MARK("No API calls: the capture has no readable host data."),
         false},
    };
    return report_show_blocks(&cann->shows, blocks, 2, err) < 0 || show_longest_of_cann(cann, err) < 0 ||
                   report_show_blocks(&cann->shows, blocks + 2, 3, err) < 0
               ? err_status(err)
               : report_show_marks(&cann->shows, err);
}

static int cann_show(struct show *show, struct err *err)
{
    struct cann_show cann = {.hosts = 0};
    bool failed = report_show_open(&cann.shows, show, CAPTURE_CANN, err) < 0 || count_all(&cann, err) < 0 ||
                  show_blocks(&cann, err) < 0;
    report_show_close(&cann.shows);
    return failed ? err_status(err) : 0;
}

/* ---- captures that are trees ---- */

static const struct report *report_at(const struct report *const *all, int family, int place)
{
    for (; *all != NULL; all++) {
        if ((*all)->show_order == place && ((*all)->families & FAMILY_OF(family)) != 0)
            return *all;
    }
    return NULL;
}

static int is_shown(struct show *show, const struct report *report, bool *ret, struct err *err)
{
    char sql[128];
    int64_t shown = 1;
    if (report->show_if != NULL) {
        snprintf(sql, sizeof sql, "SELECT %s", report->show_if);
        if (query_number(show->db, sql, &shown, err) < 0)
            return err_status(err);
    }
    *ret = shown != 0;
    return 0;
}

/* The tables that say that they are shown, in their order. */
static int show_of_tree(struct show *show, int family, struct err *err)
{
    SCOPED(report_show_close) struct report_show shows;
    const struct report *const *all = report_all(err), *report;
    if (report_show_open(&shows, show, family, err) < 0 || all == NULL)
        return err_status(err);
    for (int place = 1; (report = report_at(all, family, place)) != NULL; place++) {
        uint64_t rows;
        bool shown = true;
        if (is_shown(show, report, &shown, err) < 0)
            return err_status(err);
        if (!shown)
            continue;
        show_title(show, report->title);
        show_title(show, " :");
        show_end_line(show);
        if (show_table(&shows, report, NULL, &rows, err) < 0)
            return err_status(err);
        if (rows > 0)
            continue;
        show_field(show, "Not collected: ", report->needs != NULL ? report->needs : report->name);
        show_end_line(show);
    }
    return 0;
}

/* ---- all captures ---- */

static int show_family(struct show *show, int family, struct err *err)
{
    switch (family) {
    case CAPTURE_CANN:
        return cann_show(show, err);
    case CAPTURE_2022:
        return show_of_2022(show, err);
    case CAPTURE_JOB:
        return show_of_job(show, err);
    default:
        return tree_outputs_of(family) != NULL ? show_of_tree(show, family, err) : show_of_svp(show, err);
    }
}

/* The user's own tables, each under its title. */
static int show_files(struct show *show, int family, struct err *err)
{
    const struct report_files *files = show->options->report_files;
    struct report_show shows;
    if (files == NULL || files->count == 0)
        return 0;
    int status = report_show_open(&shows, show, family, err);
    for (size_t i = 0; status == 0 && i < files->count; i++)
        status = report_show_file(&shows, report_files_get(files, i), err);
    report_show_close(&shows);
    return status;
}

int show_capture(sqlite3 *db, FILE *stream, const struct show_options *options, struct export_result *ret,
                 struct err *err)
{
    struct show show = {.db = db, .stream = stream, .options = options, .result = ret};
    *ret = (struct export_result){.files = 0};
    struct db_facts facts;
    display_init(&show.display);
    bool failed = db_read_facts(db, &facts, err) < 0 || show_family(&show, facts.family, err) < 0 ||
                  show_files(&show, facts.family, err) < 0;
    display_release(&show.display);
    if (!failed && (fflush(stream) != 0 || ferror(stream)))
        return err_set_errno(err, errno, "cannot write the tables");
    return failed ? err_status(err) : 0;
}

/* show --table: one table by its name, as a terminal's or into stdout in another format. */

#define ROWS_SHOWN 20 /* on a terminal, unless more are asked for */

struct device_tables {
    struct report_show *shows;
    const struct report *report;
    int64_t device_id; /* of the step that was chosen; DB_NULL: all */
    uint64_t rows;
};

static int write_device(void *arg, const struct report_scope *scope, struct err *err)
{
    struct device_tables *tables = arg;
    uint64_t rows;
    if (tables->device_id != DB_NULL && scope->device_id != DB_NULL && scope->device_id != tables->device_id)
        return 0;
    int status = report_write(&tables->shows->session, tables->report, scope, &rows, err);
    tables->rows += rows;
    return status;
}

/* What makes a table one of the time that was chosen: filters behind those of the user, or tables of which only a part
 * is seen. */
struct table_window {
    struct query_window window;
    sqlite3 *db;
    const struct report *narrowed; /* NULL: none */
    const char **filters;          /* NULL: nothing was chosen, or the table chooses by itself */
    size_t count, made;
    char texts[3][REPORT_ID_MAX + 64];
};

static int table_window_close(struct table_window *made, struct err *err)
{
    free((void *)made->filters);
    return made->narrowed != NULL ? query_window_widen(made->db, made->narrowed->narrowed, err) : 0;
}

static const struct report_column *time_column(const struct report *report)
{
    const struct report_column *first = NULL;

    for (const struct report_column *column = report->columns; column != NULL && column->title != NULL; column++) {
        if ((column->flags & REPORT_START) != 0)
            return column;
        first = first == NULL && column->form == FORM_TIME ? column : first;
    }
    return first;
}

static const struct report_column *device_column(const struct report *report)
{
    const struct report_column *column = report->columns;

    while (column->title != NULL && (column->sql == NULL || strcmp(column->sql, "device_id") != 0))
        column++;
    return column->title != NULL ? column : NULL;
}

static char *add_filter(struct table_window *made, const struct report_column *column, const char *comparison)
{
    char *text = made->texts[made->made++], id[REPORT_ID_MAX];

    report_plan_id(column, id);
    made->filters[made->count++] = text;
    return text + snprintf(text, sizeof made->texts[0], "%s%s", id, comparison);
}

/* In the unit that the column shows: microseconds, or as they are. */
static void add_time(struct table_window *made, const struct report_column *column, const char *comparison, int64_t ns)
{
    char *p = add_filter(made, column, comparison);

    *(column->form == FORM_TEXT ? number_put_signed(p, ns) : number_put_us(p, ns)) = '\0';
}

static int refuse_window(const struct report *report, struct err *err)
{
    err_set(err, ERR_USAGE,
            "rows of table '%s' have no time on the clock of the capture; --step, --from and --until do not apply",
            report->name);
    return err_hint(err, "omit them: the table is about the whole capture");
}

static int filter_window(struct table_window *made, const struct report *report, const struct table_choice *choice,
                         struct err *err)
{
    const struct report_column *column = time_column(report), *device;

    if (column == NULL)
        return refuse_window(report, err);
    if (choice->filter_count + 3 > CHOICE_MAX_FILTERS)
        return err_set(err, ERR_LIMIT, "%zu filters beside --step, --from or --until; at most %d are possible",
                       choice->filter_count, CHOICE_MAX_FILTERS - 3);
    made->filters = calloc(choice->filter_count + 4, sizeof *made->filters);
    if (made->filters == NULL)
        return err_no_memory(err);
    if (made->window.from_ns > 0)
        add_time(made, column, ">=", made->window.from_ns);
    if (made->window.until_ns < INT64_MAX)
        add_time(made, column, "<", made->window.until_ns);
    if (made->window.device_id != DB_NULL && (device = device_column(report)) != NULL)
        *number_put_signed(add_filter(made, device, "="), made->window.device_id) = '\0';
    for (size_t i = 0; i < choice->filter_count; i++)
        made->filters[made->count++] = choice->filters[i];
    return 0;
}

/* A sink gets the columns of a table without rows, too. */
static int begin_without_rows(struct report_show *shows, const struct report *report, struct err *err)
{
    const struct table_sink *sink = shows->options.sink;
    struct report_run run;
    int status = report_open(&run, &shows->session, report, &shows->scope, err);
    if (status == 0)
        status = sink->begin(sink->arg, &run.plan, err);
    return report_close(&run, status, err);
}

static int table_window_open(struct table_window *made, sqlite3 *db, const struct report *report,
                             const struct table_choice *choice, struct err *err)
{
    bool narrowed;

    *made = (struct table_window){.db = db};
    if (query_window_read(db, &made->window, err) < 0)
        return err_status(err);
    if (!made->window.any || report->windowed || report->of_workload != NULL)
        return 0;
    if (time_column(report) != NULL || report->narrowed[0] == NULL)
        return filter_window(made, report, choice, err);
    if (query_window_narrow(db, &made->window, report->narrowed, &narrowed, err) < 0)
        return err_status(err);
    made->narrowed = narrowed ? report : NULL;
    return narrowed ? 0 : refuse_window(report, err);
}

static int write_table(struct show *show, int family, const struct report *report, enum table_format format,
                       const struct table_choice *choice, uint64_t *ret_rows, struct err *err)
{
    SCOPED(report_show_close) struct report_show shows;
    struct table_choice cut = *choice;
    int status = report_show_open(&shows, show, family, err);

    if (format == TABLE_TERMINAL && choice->top == 0 && !report->is_short)
        cut.top = ROWS_SHOWN;
    struct table_window window = {.filters = NULL};
    if (status == 0)
        status = table_window_open(&window, show->db, report, choice, err);
    if (window.filters != NULL) {
        cut.filters = window.filters;
        cut.filter_count = window.count;
    }
    if (status == 0) {
        shows.options.choice = &cut;
        if (format == TABLE_CELLS) {
            shows.options.format = format;
            shows.options.show = NULL;
            shows.options.sink = show->options->sink;
        } else if (format != TABLE_TERMINAL) {
            shows.options.format = format;
            shows.options.show = NULL;
            shows.options.stream = show->options->stream;
            shows.options.stream_path = show->options->stream->path;
        }
        struct device_tables tables = {&shows, report, window.window.any ? window.window.device_id : DB_NULL, 0};
        status = report->of_device ? report_scopes_each(show->db, family, &shows.options, write_device, &tables, err)
                                   : write_device(&tables, &shows.scope, err);
        *ret_rows = tables.rows;
        if (status == 0 && tables.rows == 0 && format == TABLE_CELLS)
            status = begin_without_rows(&shows, report, err);
    }
    return table_window_close(&window, err) < 0 ? err_status(err) : status;
}

/* The table of this name, which may be one of the user's; NULL: there is none. */
static const struct report *find_table(const struct report *const *all, const struct report_files *files,
                                       const char *name, int family)
{
    const struct report *report = report_find(all, name, family);
    for (size_t i = 0; report == NULL && files != NULL && i < files->count; i++) {
        if (strcasecmp(report_files_get(files, i)->name, name) == 0)
            report = report_files_get(files, i);
    }
    return report;
}

static struct nearest nearest_table(const struct report *const *all, const struct report_files *files, const char *name,
                                    int family)
{
    size_t length = strlen(name);
    struct nearest nearest = nearest_to(name, length < 200 ? length : 200);

    for (; *all != NULL; all++)
        if (((*all)->families & FAMILY_OF(family)) != 0)
            nearest_add(&nearest, (*all)->name);
    for (size_t i = 0; files != NULL && i < files->count; i++)
        nearest_add(&nearest, report_files_get(files, i)->name);
    return nearest;
}

#define MOST_ABOUT 6

/* "; about that: dp, data_pipeline": a few tables in whose titles or names the word stands; "" when there are none.
 * Those whose names begin like the word stand first: 'operators' means ops rather than aicpu. */
static void list_tables_about(const struct report *const *all, const char *word, int family, struct strbuf *ret)
{
    unsigned count = 0;

    strbuf_clear(ret);
    for (int round = 0; round < 2; round++) {
        for (const struct report *const *report = all; word[0] != '\0' && *report != NULL; report++) {
            const bool begins = strncasecmp((*report)->name, word, 2) == 0;
            if (begins == (round == 0) && count < MOST_ABOUT && ((*report)->families & FAMILY_OF(family)) != 0 &&
                report_find(all, (*report)->name, family) == *report &&
                (strcasestr((*report)->title, word) != NULL || strcasestr((*report)->name, word) != NULL))
                strbuf_addf(ret, "%s%s", count++ > 0 ? ", " : "; about that: ", (*report)->name);
        }
    }
}

static int no_table(const struct report *const *all, const struct report_files *files, const char *name, int family,
                    struct err *err)
{
    struct nearest nearest = nearest_table(all, files, name, family);
    SCOPED(strbuf_release) struct strbuf about;

    strbuf_init(&about, ERR_TEXT_SIZE);
    if (strchr(name, ',') != NULL) {
        for (; *name != '\0'; name += strcspn(name, ","), name += *name == ',')
            strbuf_addf(&about, " --table %.*s", (int)strcspn(name, ","), name);
        err_set(err, ERR_USAGE, "--table takes one name; repeat the option for several tables");
        return about.failed ? err_status(err) : err_hint(err, "%s", about.data + 1);
    }
    list_tables_about(all, name, family, &about);
    err_set(err, ERR_USAGE, "this capture has no table '%s'%s%s%s", name, NEAREST_TEXT(nearest));
    err_hint_caller(err, "msprof_tables, or .tables in Python, lists its tables%s",
                    about.data != NULL ? about.data : "");
    return err_hint(err, "'msprof show --table list CAPTURE' lists its tables%s", about.data != NULL ? about.data : "");
}

int show_report(sqlite3 *db, FILE *stream, const struct report *report, int family, enum table_format format,
                const struct table_choice *choice, const struct show_options *options, struct export_result *ret,
                struct err *err)
{
    struct show show = {.db = db, .stream = stream, .options = options, .result = ret};
    int status = 0;

    *ret = (struct export_result){.files = 0};
    display_init(&show.display);
    if (fflush(stream) == 0)
        status = write_table(&show, family, report, format, choice, &ret->rows, err);
    display_release(&show.display);
    ret->needs = ret->rows == 0 && choice->filter_count == 0 ? report->needs : NULL;
    if (status == 0 && (fflush(stream) != 0 || ferror(stream)))
        return err_set_errno(err, errno, "cannot write the table");
    return status;
}

static const struct report *find_or_fail(sqlite3 *db, const char *name, const struct report_files *files,
                                         int *ret_family, struct err *err)
{
    struct db_facts facts;
    const struct report *const *all = report_all(err);

    if (all == NULL || db_read_facts(db, &facts, err) < 0)
        return NULL;
    const struct report *report = find_table(all, files, name, facts.family);
    *ret_family = facts.family;
    if (report == NULL)
        no_table(all, files, name, facts.family, err);
    return report;
}

int show_one_table(sqlite3 *db, FILE *stream, const char *name, enum table_format format,
                   const struct table_choice *choice, const struct show_options *options, struct export_result *ret,
                   struct err *err)
{
    int family;
    const struct report *report = find_or_fail(db, name, options->report_files, &family, err);

    *ret = (struct export_result){.files = 0};
    return report != NULL ? show_report(db, stream, report, family, format, choice, options, ret, err)
                          : err_status(err);
}

int give_table(sqlite3 *db, const char *name, const struct table_choice *choice, const struct show_options *options,
               struct export_result *ret, struct err *err)
{
    struct show show = {.db = db, .options = options, .result = ret};
    int family;
    const struct report *report = find_or_fail(db, name, options->report_files, &family, err);

    *ret = (struct export_result){.files = 0};
    if (report == NULL || write_table(&show, family, report, TABLE_CELLS, choice, &ret->rows, err) < 0)
        return err_status(err);
    ret->needs = ret->rows == 0 && choice->filter_count == 0 ? report->needs : NULL;
    return 0;
}

/* show --table list: which tables there are. */

/* remark: what stands behind the title. */
static void put_listed(FILE *out, int width, const struct report *report, const char *remark,
                       const struct report_plan *plan)
{
    struct grid_wrap wrap;
    FILE *stream = grid_wrap_begin(&wrap, out, width);
    fprintf(stream, "%-24s %s%s\n", report->name, language_shown(report->title), language_shown(remark));
    for (size_t i = 0, used = 0; i < plan->column_count; i++)
        if (plan->columns[i].there)
            fprintf(stream, "%s%s", used++ > 0 ? " " : "    ", plan->columns[i].id);
    fputc('\n', stream);
    grid_wrap_end(&wrap, stream);
}

struct list {
    struct export_options options; /* tables go to the sink, which takes no more than their begin */
    struct report_session session;
    struct table_sink sink;
    FILE *stream;
    int width;
    const struct report *report;
    bool begun, listed;
    bool without_rows; /* tables that have none are listed, too */
    size_t left;       /* that are not listed */
    /* Told of each table with rows, which is not listed then; NULL: nobody is. */
    int (*each)(void *arg, const struct report *report, struct err *err);
    void *arg;
};

#define WITHOUT_ROWS LANGUAGE_MARK(" (no rows here)")

/* A table is about to give its first row, which is all that is asked for: it is given up. */
static int stop_at_row(void *arg, const struct report_plan *plan, struct err *err)
{
    struct list *list = arg;
    (void)plan;
    list->begun = true;
    return err_set(err, ERR_FAILED, "one row is enough");
}

/* Whether the capture has rows of a table, which is made until there is one. */
static int ask_rows(struct list *list, const struct report_scope *scope, struct err *err)
{
    uint64_t rows;
    list->begun = false;
    int status = report_write(&list->session, list->report, scope, &rows, err);
    if (!list->begun)
        return status;
    *err = (struct err)ERR_INIT;
    return 0;
}

/* The columns of the first device stand for those of all. */
static int list_table(void *arg, const struct report_scope *scope, struct err *err)
{
    struct list *list = arg;
    SCOPED(report_plan_release) struct report_plan plan = {.column_count = 0};
    if (list->listed)
        return 0;
    list->listed = true;
    if (report_columns(&list->session, list->report, scope, &plan, err) < 0 || ask_rows(list, scope, err) < 0)
        return err_status(err);
    if (list->each != NULL)
        return list->begun ? list->each(list->arg, list->report, err) : 0;
    if (list->begun || list->without_rows)
        put_listed(list->stream, list->width, list->report, list->begun ? "" : WITHOUT_ROWS, &plan);
    else
        list->left++;
    return 0;
}

/* Lists the columns that any device can have, for a table without one. db NULL: those that any capture can have. */
static int list_known(sqlite3 *db, FILE *stream, int width, const struct report *report, const char *families,
                      struct err *err)
{
    SCOPED(report_plan_release) struct report_plan plan = {.column_count = 0};
    if (report_plan_take(&plan, report->columns, db, COLUMNS_VENDOR, err) < 0)
        return err_status(err);
    put_listed(stream, width, report, families, &plan);
    return 0;
}

int show_report_list(FILE *stream, int width, const struct report *const *reports, struct err *err)
{
    for (; *reports != NULL; reports++)
        if (list_known(NULL, stream, width, *reports, "", err) < 0)
            return err_status(err);
    return 0;
}

static int list_tables(struct list *list, const struct report *const *all, int family, struct err *err)
{
    const struct report_scope whole = {DB_NULL, DB_NULL, DB_NULL, ""};
    int status = (FAMILY_OF(family) & FAMILY_TREES) == 0 ? extension_session_begin(&list->session, err) : 0;
    for (const struct report *const *report = all; status == 0 && *report != NULL; report++) {
        if (((*report)->families & FAMILY_OF(family)) == 0 || report_find(all, (*report)->name, family) != *report)
            continue;
        list->report = *report;
        list->listed = false;
        status = (*report)->of_device
                     ? report_scopes_each(list->session.db, family, &list->options, list_table, list, err)
                     : list_table(list, &whole, err);
        if (status == 0 && !list->listed && !list->without_rows)
            list->left++;
        else if (status == 0 && !list->listed)
            status = list_known(NULL, list->stream, list->width, *report, WITHOUT_ROWS, err);
    }
    extension_session_end(&list->session);
    return status;
}

static int list_those_of(sqlite3 *db, const char *database, struct list *list, struct err *err)
{
    const struct report *const *all = report_all(err);
    const struct table_choice one = {.top = 1};
    struct export_result result = {.files = 0};
    struct db_facts facts;
    if (all == NULL || db_read_facts(db, &facts, err) < 0)
        return err_status(err);
    list->sink = (struct table_sink){.begin = stop_at_row, .arg = list};
    list->options = (struct export_options){.database = database,
                                            .format = TABLE_CELLS,
                                            .columns = COLUMNS_VENDOR,
                                            .model_id = -1,
                                            .choice = &one,
                                            .sink = &list->sink};
    int status = report_session_open(&list->session, db, &list->options, &result, err);
    if (status == 0)
        status = list_tables(list, all, facts.family, err);
    report_session_release(&list->session);
    return status;
}

int each_table(sqlite3 *db, const char *database, int (*each)(void *arg, const struct report *report, struct err *err),
               void *arg, struct err *err)
{
    struct list list = {.each = each, .arg = arg};
    return list_those_of(db, database, &list, err);
}

int show_table_list(sqlite3 *db, FILE *stream, const struct show_options *options, size_t *ret_left, struct err *err)
{
    const struct report_files *files = options->report_files;
    struct list list = {.stream = stream, .width = options->width, .without_rows = options->without_rows};
    int status = list_those_of(db, options->database, &list, err);
    for (size_t i = 0; status == 0 && files != NULL && i < files->count; i++)
        status = list_known(db, stream, options->width, report_files_get(files, i), "", err);
    *ret_left = list.left;
    return status;
}

/* " (of CANN since 2023, SVP boards)"; "" for a table that every capture can have, NULL: a table of the same name
 * stands before it in all of them. */
static const char *name_families(const struct report *const *all, const struct report *report, char *text, size_t size)
{
    static const char *const names[] = {[CAPTURE_SVP] = "SVP boards",
                                        [CAPTURE_JOB] = "Ascend's JOB captures",
                                        [CAPTURE_2022] = "CANN before 2023",
                                        [CAPTURE_CANN] = "CANN since 2023"};
    size_t used = 0, missing = 0;
    text[0] = '\0';
    for (int family = 0; family < CAPTURE_UNKNOWN; family++) {
        const struct tree_outputs *tree = tree_outputs_of(family);
        bool has = (report->families & FAMILY_OF(family)) != 0 && report_find(all, report->name, family) == report;
        missing += !has && (FAMILY_ANY & FAMILY_OF(family)) != 0; /* a family of its own has tables of its own */
        if (has && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : " (of ",
                                     tree != NULL ? tree->title : names[family]);
    }
    if (missing == 0)
        return "";
    if (used > 0 && used < size)
        snprintf(text + used, size - used, ")");
    return used > 0 ? text : NULL;
}

int show_table_list_all(FILE *stream, int width, struct err *err)
{
    const struct report *const *all = report_all(err), *const *report = all;
    char families[160];
    if (all == NULL)
        return err_status(err);
    for (; *report != NULL; report++) {
        const char *of = name_families(all, *report, families, sizeof families);
        if (of != NULL && list_known(NULL, stream, width, *report, of, err) < 0)
            return err_status(err);
    }
    return 0;
}
