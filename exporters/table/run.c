/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/cann_version.h"
#include "exporters/extension.h"
#include "exporters/query_compile.h"
#include "exporters/table/report.h"

#include <stdlib.h>
#include <string.h>

/* Only what a column needs is read: names are many. */
static int find_texts(struct report_run *run, bool plain, struct report_texts *ret, struct err *err)
{
    static const struct cann_texts none = {.column_count = 1};
    bool names = false, tensors = false;
    for (size_t i = 0; i < run->plan.column_count; i++) {
        const struct report_column *column = &run->plan.columns[i].column;
        names |= column->form == FORM_NAME || column->field.row_size == 0 || column->field.type == FIELD_VALUE;
        tensors |= run->plan.columns[i].there && column->form == FORM_TENSORS;
    }
    *ret = (struct report_texts){.names = names ? report_names(run->session, plain, err) : &none};
    if (ret->names == NULL)
        return err_status(err);
    if (tensors && (ret->tensors = report_tensors(run->session, plain, err)) == NULL)
        return err_status(err);
    return 0;
}

static int compile(struct report_run *run, struct err *err)
{
    const struct export_options *options = run->session->options;
    struct report_texts texts, plain;
    size_t *shown = NULL, count = 0;
    run->plan.frames = run->terminal != NULL;
    if (find_texts(run, false, &texts, err) < 0 ||
        row_choice_columns(options->choice, &run->plan, &shown, &count, err) < 0)
        return err_status(err);
    int status = report_plan_compile(&run->plan, options->format, shown, count, &texts, err);
    free(shown);
    const char *capture = options->stream != NULL ? options->stream->capture : NULL;
    if (status < 0 || (capture != NULL && report_plan_lead(&run->plan, "capture", capture, err) < 0))
        return err_status(err);
    if (options->choice == NULL)
        return 0;
    const struct table_choice *wanted = options->choice;
    run->chosen = wanted->filter_count > 0 || wanted->sort != NULL || wanted->top > 0;
    if (!run->chosen)
        return 0;
    status = find_texts(run, true, &plain, err);
    return status == 0 ? row_choice_compile(&run->choice, wanted, &run->plan, &plain, err) : status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    if (run->report->walk != NULL)
        return run->report->walk->rows(run, err);
    if (run->report->user != NULL)
        return report_user_rows(run, err);
    if (run->report->scan != NULL)
        return report_scan_rows(run, err);
    if (run->report->of_workload != NULL)
        return extension_put_rows(run, err);
    return run->report->rows != NULL ? run->report->rows(run, err) : report_query_rows(run, err);
}

static int take_columns(struct report_run *run, struct err *err)
{
    const struct report *report = run->report;
    if (report_plan_take(&run->plan, report->columns, run->session->db, run->session->options->columns, err) < 0)
        return err_status(err);
    run->state = report->state_size > 0 ? calloc(1, report->state_size) : NULL;
    run->variant = report->variant_size > 0 ? calloc(1, report->variant_size) : NULL;
    if ((report->state_size > 0 && run->state == NULL) || (report->variant_size > 0 && run->variant == NULL))
        return err_no_memory(err);
    int status = report->open != NULL ? report->open(run, err) : 0;
    return status == 0 && report->user == NULL
               ? report_plan_rename(&run->plan, run->session->options->cann_version, err)
               : status;
}

static void release(struct report_run *run)
{
    if (run->report->close != NULL && (run->state != NULL || run->report->state_size == 0))
        run->report->close(run);
    free(run->state);
    free(run->variant);
    free(run->fields);
    free(run->values);
    row_choice_release(&run->choice);
    report_plan_release(&run->plan);
}

static int open_run(struct report_run *run, struct err *err)
{
    const struct report *report = run->report;
    const struct report_session *session = run->session;
    strbuf_init(&run->choice.text, 1);
    if (take_columns(run, err) < 0 || compile(run, err) < 0 || report_lookups_load(run, err) < 0)
        return err_status(err);
    if (run->terminal != NULL && run->terminal->show == NULL &&
        terminal_table_init(run->terminal, &run->plan, session->options->show, report->one_width, err) < 0)
        return err_status(err);
    const struct report_writer writer = {
        .options = session->options,
        .result = session->result,
        .plan = &run->plan,
        .name = cann_version_file(session->options->cann_version, report->name),
        .file = {.whole = report->whole},
        .choice = run->chosen ? &run->choice : NULL,
        .terminal = run->terminal,
        .is_plain = session->options->format == TABLE_TERMINAL && run->terminal == NULL,
    };
    return report_writer_open(&run->writer, &writer, run->scope->suffix, err);
}

int report_columns(struct report_session *session, const struct report *report, const struct report_scope *scope,
                   struct report_plan *ret, struct err *err)
{
    SCOPED(release) struct report_run run = {.report = report, .session = session, .scope = scope};
    strbuf_init(&run.choice.text, 1);
    int status = take_columns(&run, err);
    *ret = run.plan;
    run.plan = (struct report_plan){.column_count = 0};
    return status;
}

int report_open(struct report_run *run, struct report_session *session, const struct report *report,
                const struct report_scope *scope, struct err *err)
{
    *run = (struct report_run){.report = report, .session = session, .scope = scope};
    return open_run(run, err);
}

int report_close(struct report_run *run, int status, struct err *err)
{
    status = report_writer_close(&run->writer, status, err);
    release(run);
    return status;
}

/* ---- rows ---- */

/* A column of the row's struct that is needed; of values that stand side by side several. */
struct put_field {
    uint16_t offset, column, count;
    uint8_t type; /* enum field_type */
    bool whole;   /* a real that is rounded */
};

static struct report_value value_of(const struct put_field *field, const char *row)
{
    const void *member = row + field->offset;
    switch ((enum field_type)field->type) {
    case FIELD_INTEGER:
        return value_integer(*(const int64_t *)member);
    case FIELD_INT32:
        return value_integer(*(const int32_t *)member);
    case FIELD_UINT64:
        return value_integer((int64_t) * (const uint64_t *)member);
    case FIELD_UINT32:
        return value_integer(*(const uint32_t *)member);
    case FIELD_UINT16:
        return value_integer(*(const uint16_t *)member);
    case FIELD_BOOL:
        return value_integer(*(const bool *)member);
    case FIELD_TEXT:
        return value_text(*(const char *const *)member);
    case FIELD_VALUE:
    case FIELD_REAL:
        break;
    }
    double real = *(const double *)member;
    if (isnan(real))
        return value_none();
    return field->whole ? value_rounded(real) : value_real(real);
}

/* Whether a value stands behind those of a field, in the struct and among the columns. */
static bool goes_on(const struct put_field *field, const struct report_column *column, size_t place)
{
    return column->field.type == FIELD_VALUE && field->type == FIELD_VALUE &&
           field->offset + field->count * sizeof(struct report_value) == column->field.offset &&
           (size_t)field->column + field->count == place;
}

static int find_fields(struct report_run *run, size_t size, struct err *err)
{
    run->fields = calloc(run->plan.column_count + 1, sizeof *run->fields);
    run->values = calloc(run->plan.column_count + 1, sizeof *run->values);
    if (run->fields == NULL || run->values == NULL)
        return err_no_memory(err);
    for (size_t i = 0; i < run->plan.column_count; i++) {
        const struct report_column *column = &run->plan.columns[i].column;
        if (column->field.row_size != size)
            return err_set(err, ERR_USAGE, "column %s of table %s shows no member of the row", column->title,
                           run->report->name);
        if (run->session->keep == NULL && !report_needs(run, i))
            continue;
        if (run->field_count > 0 && goes_on(&run->fields[run->field_count - 1], column, i))
            run->fields[run->field_count - 1].count++;
        else
            run->fields[run->field_count++] = (struct put_field){
                .offset = column->field.offset,
                .column = (uint16_t)i,
                .count = 1,
                .type = column->field.type,
                .whole = form_is_scaled(column->form) || column->form == FORM_TIME,
            };
    }
    return 0;
}

int report_put_struct(struct report_run *run, const void *row, size_t size, struct err *err)
{
    if (report_writer_leave_rest(&run->writer, 1))
        return 0;
    if (run->values == NULL && find_fields(run, size, err) < 0)
        return err_status(err);
    for (const struct put_field *field = run->fields, *end = field + run->field_count; field < end; field++) {
        struct report_value *values = &run->values[field->column];
        if (field->type == FIELD_VALUE)
            memcpy(values, (const char *)row + field->offset, field->count * sizeof *values);
        else
            *values = value_of(field, row);
    }
    const struct report_session *session = run->session;
    if (session->keep != NULL)
        return session->keep(session->keep_arg, run->report, run->values, run->plan.column_count, err);
    return report_row(run, run->values, err);
}

/* ---- parts ---- */

size_t report_leading_columns(const struct report_run *run, size_t limit)
{
    size_t count = 0;
    if (run->chosen || run->terminal != NULL || run->writer.is_plain || run->session->options->sink != NULL)
        return 0;
    while (count < run->plan.step_count && run->plan.steps[count].value < limit)
        count++;
    return count;
}

static int put_part_rows(struct report_run *run, const struct report_part *part, struct err *err)
{
    return part->rows != NULL ? part->rows(part->arg, run, err) : 0;
}

/* The rows of the part before end here where they were not given by a function. */
static int show_part(struct report_run *run, const struct report_part *part, struct err *err)
{
    struct terminal_table *terminal = run->terminal;
    const struct show *show = terminal->show;
    uint64_t rows = run->writer.rows;
    run->parts += part->rows != NULL;
    if (show->few && run->parts > (uint64_t)show->options->top)
        return 0;
    int status = terminal_table_end(terminal, err);
    terminal->kept_max = TERMINAL_PART_KEPT_MAX;
    if (status == 0 && terminal_table_prints(terminal))
        status = part->heading(part->arg, terminal->show, err);
    if (status == 0)
        status = put_part_rows(run, part, err);
    if (status == 0 && !terminal->one_width && terminal_table_wants_again(terminal)) {
        run->writer.rows = rows;
        status = put_part_rows(run, part, err);
    }
    return status == 0 && part->rows != NULL ? terminal_table_end(terminal, err) : status;
}

int report_put_part(struct report_run *run, const struct report_part *part, struct err *err)
{
    int status = 0;
    const struct export_options *options = run->session->options;
    if (run->chosen || run->writer.is_plain || options->stream_path != NULL || options->merged != NULL)
        return put_part_rows(run, part, err);
    if (run->terminal != NULL)
        return show_part(run, part, err);
    status = report_writer_part(&run->writer, part->suffix, err);
    return status == 0 ? put_part_rows(run, part, err) : status;
}

int report_end_part(struct report_run *run, struct err *err)
{
    return report_writer_end_part(&run->writer, err);
}

/* ---- all of it ---- */

static int make_table(struct report_run *run, uint64_t *ret_rows, struct err *err)
{
    int status = open_run(run, err);
    if (status == 0)
        status = put_rows(run, err);
    status = report_close(run, status, err);
    *ret_rows = run->writer.rows;
    return status;
}

static int make_terminal_table(const struct report_run *wanted, uint64_t *ret_rows, struct err *err)
{
    SCOPED(terminal_table_release) struct terminal_table terminal = {.show = NULL};
    struct report_run run = *wanted;
    run.terminal = &terminal;
    if (make_table(&run, ret_rows, err) < 0)
        return err_status(err);
    if (terminal_table_wants_again(&terminal)) {
        run = *wanted;
        run.terminal = &terminal;
        if (make_table(&run, ret_rows, err) < 0)
            return err_status(err);
    }
    terminal.show->parts = run.parts;
    return terminal_table_end(&terminal, err);
}

int report_is_there(const struct report_session *session, const struct report *report, bool *ret, struct err *err)
{
    *ret = true;
    return report->when != NULL ? query_ask(session->db, report->when, ret, err) : 0;
}

int report_write(struct report_session *session, const struct report *report, const struct report_scope *scope,
                 uint64_t *ret_rows, struct err *err)
{
    struct report_run run = {.report = report, .session = session, .scope = scope};
    bool there = true;
    *ret_rows = 0;
    int status = report_is_there(session, report, &there, err);
    if (status < 0 || !there)
        return status;
    bool frames = session->options->format == TABLE_TERMINAL && !session->options->show->options->plain;
    return frames ? make_terminal_table(&run, ret_rows, err) : make_table(&run, ret_rows, err);
}
