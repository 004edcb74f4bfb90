/* show --table: one table by its name, as a terminal's or into stdout in another format. */
#include "db/query/query.h"
#include "exporters/export.h"
#include "exporters/report/functions.h"
#include "exporters/report/report.h"
#include "exporters/report/show_report.h"
#include "exporters/report_scopes.h"
#include "exporters/show/show_block.h"

#include <errno.h>

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
            shows.options.stream_path = "/dev/stdout";
        }
        struct device_tables tables = {&shows, report, 0};
        status = report->of_device ? report_scopes_each(show->db, family, &shows.options, write_device, &tables, err)
                                   : write_device(&tables, &shows.scope, err);
        *ret_rows = tables.rows;
    }
    report_show_close(&shows);
    return status;
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
    if (status == 0 && (report = report_find(all, name, facts.family)) == NULL) {
        status = err_set(err, ERR_USAGE, "this capture has no table '%s'", name);
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

int show_table_list(sqlite3 *db, FILE *stream, struct err *err)
{
    const struct report *const *all = report_all(err), *const *report = all;
    struct db_facts facts;
    if (all == NULL)
        return -(int)err->code;
    int status = db_read_facts(db, &facts, err);

    if (status == 0)
        status = report_functions_register(db, err); /* whether a column is there may be asked with them */
    for (; status == 0 && *report != NULL; report++) {
        struct report_plan plan = {.column_count = 0};

        if (((*report)->families & FAMILY_OF(facts.family)) == 0 ||
            report_find(all, (*report)->name, facts.family) != *report)
            continue;
        fprintf(stream, "%-24s %s\n", (*report)->name, (*report)->title);
        status = report_plan_take(&plan, (*report)->columns, db, COLUMNS_VENDOR, err);
        for (size_t i = 0, used = 0; status == 0 && i < plan.column_count; i++)
            if (plan.columns[i].there)
                fprintf(stream, "%s%s", used++ > 0 ? " " : "    ", plan.columns[i].id);
        fputc('\n', stream);
        report_plan_release(&plan);
    }
    return status;
}
