/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/show_report.h"

int report_show_open(struct report_show *shows, struct show *show, int family, struct err *err)
{
    *shows = (struct report_show){
        .show = show,
        .family = family,
        .options = {.database = show->options->database,
                    .format = TABLE_TERMINAL,
                    .columns = COLUMNS_VENDOR,
                    .model_id = -1,
                    .show = show},
        .scope = {DB_NULL, DB_NULL, DB_NULL, ""},
    };
    show->compact = family != CAPTURE_SVP;
    return report_session_open(&shows->session, show->db, &shows->options, show->result, err);
}

void report_show_close(struct report_show *shows)
{
    report_session_release(&shows->session);
}

void report_show_line(struct report_show *shows, const char *text)
{
    show_field(shows->show, "", text);
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

int report_show(struct report_show *shows, const char *name, const char *sort, uint64_t top, uint64_t *ret_rows,
                struct err *err)
{
    const struct report *const *all = report_all(err);
    const struct table_choice choice = {.sort = sort, .top = top};
    *ret_rows = 0;
    if (all == NULL)
        return -(int)err->code;
    const struct report *report = report_find(all, name, shows->family);
    return report != NULL ? show_table(shows, report, &choice, ret_rows, err)
                          : err_set(err, ERR_NOT_FOUND, "captures of this family have no table '%s'", name);
}

int report_show_block(struct report_show *shows, const char *title, const char *name, const char *nothing,
                      struct err *err)
{
    uint64_t rows;
    show_title(shows->show, title);
    show_end_line(shows->show);
    int status = report_show(shows, name, NULL, 0, &rows, err);
    if (status == 0 && rows == 0)
        report_show_line(shows, nothing);
    return status;
}

int report_show_file(struct report_show *shows, const struct report *report, struct err *err)
{
    uint64_t rows;
    show_title(shows->show, report->title);
    show_title(shows->show, " :");
    show_end_line(shows->show);
    int status = show_table(shows, report, NULL, &rows, err);
    if (status == 0 && rows == 0)
        report_show_line(shows, "No rows.");
    return status;
}

int report_show_marks(struct report_show *shows, struct err *err)
{
    int64_t messages = 0;
    uint64_t rows;
    int status = report_number(&shows->session,
                               "SELECT count(*) FROM (SELECT 1 FROM msproftx GROUP BY event_type, "
                               "message)",
                               &messages, err);
    if (status < 0 || messages == 0)
        return status;
    show_title(shows->show, "Msproftx statistic :");
    show_top(shows->show, messages, "msprof_tx");
    return report_show(shows, "msprof_tx_statistic", NULL, (uint64_t)shows->show->options->top, &rows, err);
}

int report_show_marks_of(struct show *show, int family, struct err *err)
{
    struct report_show shows;
    int status = report_show_open(&shows, show, family, err);
    if (status == 0)
        status = report_show_marks(&shows, err);
    report_show_close(&shows);
    return status;
}
