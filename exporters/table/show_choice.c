/* SPDX-License-Identifier: Apache-2.0 */
/* show --table: one table by its name, as a terminal's or into stdout in another format. */
#include "base/suggest.h"
#include "db/query/query.h"
#include "exporters/export.h"
#include "exporters/query_compile.h"
#include "exporters/report_scopes.h"
#include "exporters/table/report.h"
#include "exporters/table/show_block.h"
#include "exporters/table/show_report.h"
#include "exporters/table/table_stream.h"
#include "exporters/table/user/report_file.h"

#include <errno.h>
#include <string.h>

#define ROWS_SHOWN 20 /* on a terminal, unless more are asked for */

struct device_tables {
    struct report_show *shows;
    const struct report *report;
    uint64_t rows;
};

static int write_device(void *arg, const struct report_scope *scope, struct err *err)
{
    struct device_tables *tables = arg;
    uint64_t rows;
    int status = report_write(&tables->shows->session, tables->report, scope, &rows, err);
    tables->rows += rows;
    return status;
}

static int write_table(struct show *show, int family, const struct report *report, enum table_format format,
                       const struct table_choice *choice, uint64_t *ret_rows, struct err *err)
{
    struct report_show shows;
    struct table_choice cut = *choice;
    int status = report_show_open(&shows, show, family, err);

    if (format == TABLE_TERMINAL && choice->top == 0 && !report->is_short)
        cut.top = ROWS_SHOWN;
    if (status == 0) {
        shows.options.choice = &cut;
        if (format != TABLE_TERMINAL) {
            shows.options.format = format;
            shows.options.show = NULL;
            shows.options.stream = show->options->stream;
            shows.options.stream_path = show->options->stream->path;
        }
        struct device_tables tables = {&shows, report, 0};
        status = report->of_device ? report_scopes_each(show->db, family, &shows.options, write_device, &tables, err)
                                   : write_device(&tables, &shows.scope, err);
        *ret_rows = tables.rows;
    }
    report_show_close(&shows);
    return status;
}

/* The table of this name, which may be one of the user's; NULL: there is none. */
static const struct report *find_table(const struct report *const *all, const struct report_files *files,
                                       const char *name, int family)
{
    const struct report *report = report_find(all, name, family);
    for (size_t i = 0; report == NULL && files != NULL && i < files->count; i++) {
        if (strcmp(report_files_get(files, i)->name, name) == 0)
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

int show_one_table(sqlite3 *db, FILE *stream, const char *name, enum table_format format,
                   const struct table_choice *choice, const struct show_options *options, struct export_result *ret,
                   struct err *err)
{
    struct show show = {.db = db, .stream = stream, .options = options, .result = ret};
    struct db_facts facts;
    const struct report *const *all = report_all(err), *report = NULL;

    *ret = (struct export_result){.files = 0};
    if (all == NULL)
        return -(int)err->code;
    int status = db_read_facts(db, &facts, err);
    if (status == 0 && (report = find_table(all, options->report_files, name, facts.family)) == NULL) {
        struct nearest nearest = nearest_table(all, options->report_files, name, facts.family);
        status = err_set(err, ERR_USAGE, "this capture has no table '%s'%s%s%s", name, NEAREST_TEXT(nearest));
        err_hint(err, "'msprof show --table list CAPTURE' prints those that there are");
    }
    if (status != 0)
        return status;
    display_init(&show.display);
    if (fflush(stream) == 0)
        status = write_table(&show, facts.family, report, format, choice, &ret->rows, err);
    display_release(&show.display);
    ret->needs = ret->rows == 0 && choice->filter_count == 0 ? report->needs : NULL;
    if (status == 0 && (fflush(stream) != 0 || ferror(stream)))
        return err_set_errno(err, errno, "cannot write the table");
    return status;
}

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
    struct report_show shows;
    FILE *stream;
    const struct report *report;
    bool listed;
};

#define WITHOUT_ROWS " (no rows here)"

static int write_nowhere(struct list *list, const struct report *report, const struct report_scope *scope,
                         uint64_t *ret_rows, struct err *err)
{
    const struct table_choice one = {.top = 1};
    const struct export_options before = list->shows.options;
    struct table_stream nowhere = {.path = "/dev/null"};

    list->shows.options.format = TABLE_CSV;
    list->shows.options.show = NULL;
    list->shows.options.stream = &nowhere;
    list->shows.options.stream_path = nowhere.path;
    list->shows.options.choice = &one;
    int status = report_write(&list->shows.session, report, scope, ret_rows, err);
    list->shows.options = before;
    struct err ignored = ERR_INIT;
    table_stream_end(&nowhere, &ignored);
    return status;
}

/* Whether the capture has rows of a table. Those of a scan are asked for; the others are made, and go nowhere. */
static int ask_rows(struct list *list, const struct report *report, const struct report_scope *scope, bool *ret,
                    struct err *err)
{
    uint64_t rows = 0;
    bool there = false;
    int status = report_is_there(&list->shows.session, report, &there, err);

    if (status == 0 && there && report->scan != NULL && report->scan->between_count == NULL) {
        struct strbuf sql;
        int64_t any = 0;
        strbuf_init(&sql, SIZE_MAX / 2);
        strbuf_addf(&sql, "SELECT EXISTS(SELECT 1 FROM %s%s%s)", report->scan->table,
                    report->scan->where != NULL ? " WHERE " : "",
                    report->scan->where != NULL ? report->scan->where : "");
        status = sql.failed ? err_set(err, ERR_NO_MEMORY, "out of memory")
                            : report_number(&list->shows.session, sql.data, &any, err);
        strbuf_release(&sql);
        rows = (uint64_t)any;
    } else if (status == 0 && there) {
        status = write_nowhere(list, report, scope, &rows, err);
    }
    *ret = rows > 0;
    return status;
}

/* The columns of the first device stand for those of all. */
static int list_table(void *arg, const struct report_scope *scope, struct err *err)
{
    struct list *list = arg;
    struct report_plan plan;
    if (list->listed)
        return 0;
    int status = report_columns(&list->shows.session, list->report, scope, &plan, err);
    bool any = false;
    if (status == 0)
        status = ask_rows(list, list->report, scope, &any, err);
    if (status == 0)
        put_listed(list->stream, list->report, any ? "" : WITHOUT_ROWS, &plan);
    list->listed = true;
    report_plan_release(&plan);
    return status;
}

/* Of a table of devices that has none: what any can have. db NULL: what any capture can have. */
static int list_known(sqlite3 *db, FILE *stream, const struct report *report, const char *families, struct err *err)
{
    struct report_plan plan = {.column_count = 0};
    int status = report_plan_take(&plan, report->columns, db, COLUMNS_VENDOR, err);
    if (status == 0)
        put_listed(stream, report, families, &plan);
    report_plan_release(&plan);
    return status;
}

int show_table_list(sqlite3 *db, FILE *stream, const struct show_options *options, struct err *err)
{
    const struct report_files *files = options->report_files;
    const struct report *const *all = report_all(err), *const *report = all;
    struct export_result result = {.files = 0};
    const struct show_options plain = {.plain = true, .database = options->database};
    struct show show = {.db = db, .stream = stream, .options = &plain, .result = &result};
    struct list list = {.stream = stream};
    struct db_facts facts;
    if (all == NULL)
        return -(int)err->code;
    int status = db_read_facts(db, &facts, err);
    if (status < 0)
        return status;
    status = report_show_open(&list.shows, &show, facts.family, err);
    for (; status == 0 && *report != NULL; report++) {
        if (((*report)->families & FAMILY_OF(facts.family)) == 0 ||
            report_find(all, (*report)->name, facts.family) != *report)
            continue;
        list.report = *report;
        list.listed = false;
        if ((*report)->of_device)
            status = report_scopes_each(db, facts.family, &list.shows.options, list_table, &list, err);
        else
            status = list_table(&list, &list.shows.scope, err);
        if (status == 0 && !list.listed)
            status = list_known(NULL, stream, *report, WITHOUT_ROWS, err);
    }
    for (size_t i = 0; status == 0 && files != NULL && i < files->count; i++)
        status = list_known(db, stream, report_files_get(files, i), "", err);
    report_show_close(&list.shows);
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
    int status = 0;
    if (all == NULL)
        return -(int)err->code;
    for (; status == 0 && *report != NULL; report++) {
        const char *of = name_families(all, *report, families, sizeof families);
        if (of != NULL)
            status = list_known(NULL, stream, *report, of, err);
    }
    return status;
}
