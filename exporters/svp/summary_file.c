#include "exporters/svp/summary_file.h"

#include "base/file/fsutil.h"
#include "exporters/report_name.h"

#include <stdlib.h>

int summary_name(struct strbuf *name, const char *report, const int64_t *numbers, size_t count,
                 enum table_format format, struct err *err)
{
    strbuf_clear(name);
    strbuf_adds(name, report);
    for (size_t i = 0; i < count; i++) {
        strbuf_addc(name, '_');
        report_name_number(name, numbers[i]);
    }
    strbuf_adds(name, table_suffix(format));
    return name->failed ? err_set(err, ERR_NO_MEMORY, "no room for the name of a report file") : 0;
}

int summary_open(struct summary_file *file, const struct export_options *options, struct export_result *result,
                 const char *report, const char *name, const struct column_titles *titles, struct err *err)
{
    char *path = path_join(options->directory, name);
    if (path == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the path of '%s'", name);
    int failed = table_open(&file->table, path, options->format, titles->texts, titles->count, err);
    if (failed < 0) {
        free(path);
        return failed;
    }
    file->options = options;
    file->result = result;
    file->report = report;
    file->path = path;
    return 0;
}

int summary_commit(struct summary_file *file, struct err *err)
{
    uint64_t rows = file->table.rows;
    int result = table_commit(&file->table, err);
    if (result == 0) {
        file->result->files++;
        file->result->rows += rows;
        if (file->options->written != NULL)
            file->options->written(file->options->written_arg, file->report, file->path);
    }
    free(file->path);
    file->path = NULL;
    return result;
}

void summary_abort(struct summary_file *file)
{
    if (file->path == NULL)
        return;
    table_abort(&file->table);
    free(file->path);
    file->path = NULL;
}
