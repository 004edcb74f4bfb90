#include "exporters/report/report.h"

#include "exporters/report/rows.h"

#include <stdlib.h>

int report_row(struct report_run *run, const struct report_value *values, struct err *err)
{
    return report_writer_row(&run->writer, values, err);
}

/* Only what a column needs is read: names are many. */
static int find_texts(struct report_run *run, bool plain, struct report_texts *ret, struct err *err)
{
    bool tensors = false;
    for (size_t i = 0; i < run->plan.column_count; i++)
        tensors |= run->plan.columns[i].there && run->plan.columns[i].column.form == FORM_TENSORS;
    *ret = (struct report_texts){.names = report_names(run->session, plain, err)};
    if (ret->names == NULL)
        return -(int)err->code;
    if (tensors && (ret->tensors = report_tensors(run->session, plain, err)) == NULL)
        return -(int)err->code;
    return 0;
}

static int compile(struct report_run *run, struct err *err)
{
    const struct export_options *options = run->session->options;
    struct report_texts texts, plain;
    size_t *shown = NULL, count = 0;
    int status = find_texts(run, false, &texts, err);
    if (status == 0)
        status = row_choice_columns(options->choice, &run->plan, &shown, &count, err);
    if (status == 0)
        status = report_plan_compile(&run->plan, options->format, shown, count, &texts, err);
    free(shown);
    if (status < 0 || options->choice == NULL)
        return status;
    const struct table_choice *wanted = options->choice;
    run->chosen = wanted->filter_count > 0 || wanted->sort != NULL || wanted->top > 0;
    if (!run->chosen)
        return 0;
    status = find_texts(run, true, &plain, err);
    return status == 0 ? row_choice_compile(&run->choice, wanted, &run->plan, &plain, err) : status;
}

static int put_rows(struct report_run *run, struct err *err)
{
    if (run->report->user != NULL)
        return report_user_rows(run, err);
    if (run->report->scan != NULL)
        return report_scan_rows(run, err);
    return run->report->rows != NULL ? run->report->rows(run, err) : report_query_rows(run, err);
}

static int open_run(struct report_run *run, struct err *err)
{
    const struct report *report = run->report;
    int status = report_plan_take(&run->plan, report->columns, run->session->db, run->session->options->columns, err);
    if (status < 0)
        return status;
    run->state = report->state_size > 0 ? calloc(1, report->state_size) : NULL;
    if (report->state_size > 0 && run->state == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    if (report->open != NULL)
        status = report->open(run, err);
    return status == 0 ? compile(run, err) : status;
}

static void release(struct report_run *run)
{
    if (run->report->close != NULL && (run->state != NULL || run->report->state_size == 0))
        run->report->close(run);
    free(run->state);
    row_choice_release(&run->choice);
    report_plan_release(&run->plan);
}

int report_write(struct report_session *session, const struct report *report, const struct report_scope *scope,
                 uint64_t *ret_rows, struct err *err)
{
    struct report_run run = {.report = report, .session = session, .scope = scope};
    bool there = true;
    *ret_rows = 0;
    int status = report->when != NULL ? report_ask(session->db, report->when, &there, err) : 0;
    if (status < 0 || !there)
        return status;
    strbuf_init(&run.choice.text, 1);
    status = open_run(&run, err);
    if (status == 0)
        status = report_writer_open(&run.writer, report->name, scope->suffix, &run.plan,
                                    run.chosen ? &run.choice : NULL, session->options, session->result, err);
    if (status == 0) {
        status = put_rows(&run, err);
        status = report_writer_close(&run.writer, status, err);
        *ret_rows = run.writer.rows;
    }
    release(&run);
    return status;
}
