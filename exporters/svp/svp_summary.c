#include "exporters/svp/svp_summary.h"

#include "base/interrupt.h"
#include "exporters/report_name.h"
#include "exporters/svp/summary_file.h"
#include "exporters/svp/svp_report_files.h"

/* The acl_statistic files: one at a time. */
struct acl_files {
    const struct export_options *options;
    struct export_result *result;
    struct column_titles titles;
    struct strbuf name;
    struct summary_file file;
    int64_t device_id, model_id; /* of the open file */
};

static int open_acl(struct acl_files *files, const struct acl_statistic *row, struct err *err)
{
    const int64_t numbers[] = {row->device_id, row->model_id, REPORT_ITERATION};
    int result = summary_name(&files->name, "acl_statistic", numbers, sizeof numbers / sizeof numbers[0],
                              files->options->format, err);
    if (result < 0)
        return result;
    files->device_id = row->device_id;
    files->model_id = row->model_id;
    return summary_open(&files->file, files->options, files->result, "acl_statistic", files->name.data, &files->titles,
                        err);
}

static int write_acl_row(void *arg, const struct acl_statistic *row, struct err *err)
{
    struct acl_files *files = arg;
    struct table_cell cells[TABLE_MAX_COLUMNS];
    bool same = files->file.path != NULL && files->device_id == row->device_id && files->model_id == row->model_id;
    int result = 0;
    if (interrupted())
        return interrupt_error(err);
    if (!same && files->file.path != NULL)
        result = summary_commit(&files->file, err);
    if (!same && result == 0)
        result = open_acl(files, row, err);
    if (result < 0)
        return result;
    acl_statistic_cells(files->options->columns, row, cells);
    table_row(&files->file.table, cells);
    return 0;
}

int svp_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    int result = svp_report_files(db, options, ret, err);
    if (result < 0)
        return result;
    struct acl_files files = {.options = options, .result = ret};
    acl_statistic_titles(options->columns, &files.titles);
    strbuf_init(&files.name, REPORT_NAME_MAX);
    result = acl_each_statistic(db, write_acl_row, &files, err);
    if (result == 0 && files.file.path != NULL)
        result = summary_commit(&files.file, err);
    summary_abort(&files.file);
    strbuf_release(&files.name);
    return result;
}
