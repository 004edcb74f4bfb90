/* SPDX-License-Identifier: Apache-2.0 */
/* show --table list: which tables there are. */
#include "exporters/export.h"
#include "exporters/load/answer.h"
#include "exporters/report_scopes.h"
#include "exporters/table/report.h"

#include <stdio.h>

/* remark: what stands behind the title. */
static void put_listed(FILE *stream, const struct report *report, const char *remark, const struct report_plan *plan)
{
    fprintf(stream, "%-24s %s%s\n", report->name, report->title, remark);
    for (size_t i = 0, used = 0; i < plan->column_count; i++)
        if (plan->columns[i].there)
            fprintf(stream, "%s%s", used++ > 0 ? " " : "    ", plan->columns[i].id);
    fputc('\n', stream);
}

struct list {
    struct export_options options; /* tables go to the sink, which takes no more than their begin */
    struct report_session session;
    struct table_sink sink;
    FILE *stream;
    const struct report *report;
    bool begun, listed;
};

#define WITHOUT_ROWS " (no rows here)"

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
    struct report_plan plan;
    if (list->listed)
        return 0;
    int status = report_columns(&list->session, list->report, scope, &plan, err);
    if (status == 0)
        status = ask_rows(list, scope, err);
    if (status == 0)
        put_listed(list->stream, list->report, list->begun ? "" : WITHOUT_ROWS, &plan);
    list->listed = true;
    report_plan_release(&plan);
    return status;
}

/* Lists the columns that any device can have, for a table without one. db NULL: those that any capture can have. */
static int list_known(sqlite3 *db, FILE *stream, const struct report *report, const char *families, struct err *err)
{
    SCOPED(report_plan_release) struct report_plan plan = {.column_count = 0};
    if (report_plan_take(&plan, report->columns, db, COLUMNS_VENDOR, err) < 0)
        return err_status(err);
    put_listed(stream, report, families, &plan);
    return 0;
}

static int list_tables(struct list *list, const struct report *const *all, int family, struct err *err)
{
    const struct report_scope whole = {DB_NULL, DB_NULL, DB_NULL, ""};
    int status = answers_share(&list->session, err);
    for (const struct report *const *report = all; status == 0 && *report != NULL; report++) {
        if (((*report)->families & FAMILY_OF(family)) == 0 || report_find(all, (*report)->name, family) != *report)
            continue;
        list->report = *report;
        list->listed = false;
        status = (*report)->of_device
                     ? report_scopes_each(list->session.db, family, &list->options, list_table, list, err)
                     : list_table(list, &whole, err);
        if (status == 0 && !list->listed)
            status = list_known(NULL, list->stream, *report, WITHOUT_ROWS, err);
    }
    answers_unshare(&list->session);
    return status;
}

int show_table_list(sqlite3 *db, FILE *stream, const struct show_options *options, struct err *err)
{
    const struct report_files *files = options->report_files;
    const struct report *const *all = report_all(err);
    const struct table_choice one = {.top = 1};
    struct export_result result = {.files = 0};
    struct list list = {.stream = stream, .sink = {.begin = stop_at_row, .arg = &list}};
    struct db_facts facts;
    if (all == NULL || db_read_facts(db, &facts, err) < 0)
        return err_status(err);
    list.options = (struct export_options){.database = options->database,
                                           .format = TABLE_CELLS,
                                           .columns = COLUMNS_VENDOR,
                                           .model_id = -1,
                                           .choice = &one,
                                           .sink = &list.sink};
    int status = report_session_open(&list.session, db, &list.options, &result, err);
    if (status == 0)
        status = list_tables(&list, all, facts.family, err);
    for (size_t i = 0; status == 0 && files != NULL && i < files->count; i++)
        status = list_known(db, stream, report_files_get(files, i), "", err);
    report_session_release(&list.session);
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
        bool has = (report->families & FAMILY_OF(family)) != 0 && report_find(all, report->name, family) == report;
        missing += !has;
        if (has && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : " (of ", names[family]);
    }
    if (missing == 0)
        return "";
    if (used > 0 && used < size)
        snprintf(text + used, size - used, ")");
    return used > 0 ? text : NULL;
}

int show_table_list_all(FILE *stream, struct err *err)
{
    const struct report *const *all = report_all(err), *const *report = all;
    char families[160];
    if (all == NULL)
        return err_status(err);
    for (; *report != NULL; report++) {
        const char *of = name_families(all, *report, families, sizeof families);
        if (of != NULL && list_known(NULL, stream, *report, of, err) < 0)
            return err_status(err);
    }
    return 0;
}
