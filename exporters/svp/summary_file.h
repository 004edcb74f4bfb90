/* What the summary reports of all families share: files that are opened, committed and told about. */
#ifndef MSPROF_EXPORTERS_SVP_SUMMARY_FILE_H
#define MSPROF_EXPORTERS_SVP_SUMMARY_FILE_H

#include "exporters/export.h"
#include "exporters/svp/svp_columns.h"
#include "exporters/svp/table.h"

/* A report file that may be open. Zero it before first use. */
struct summary_file {
    const struct export_options *options;
    struct export_result *result;
    const char *report; /* "op_summary" */
    char *path;         /* NULL: none is open */
    struct table table;
};

/* The name of a report file: report, then each number after '_', then the format's suffix. */
int summary_name(struct strbuf *name, const char *report, const int64_t *numbers, size_t count,
                 enum table_format format, struct err *err);

/* Opens "<directory>/<name>" for a report with these columns. */
int summary_open(struct summary_file *file, const struct export_options *options, struct export_result *result,
                 const char *report, const char *name, const struct column_titles *titles, struct err *err);
/* Completes the file, counts it and tells options->written. */
int summary_commit(struct summary_file *file, struct err *err);
/* Drops an open file; does nothing when none is open. */
void summary_abort(struct summary_file *file);

#endif
