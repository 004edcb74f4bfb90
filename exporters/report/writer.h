/* Rows of one table to where they go: a file (or several, of at most ROWS_PER_FILE rows), or the terminal. */
#ifndef MSPROF_EXPORTERS_REPORT_WRITER_H
#define MSPROF_EXPORTERS_REPORT_WRITER_H

#include "base/file/outfile.h"
#include "exporters/export.h"
#include "exporters/report/choice.h"
#include "exporters/report/sorter.h"
#include "exporters/show/grid.h"
#include "exporters/show/show_table.h"

#define ROWS_PER_FILE 1000000

struct report_writer {
    const struct export_options *options;
    struct export_result *result;
    const struct report_plan *plan;
    const char *name;          /* "op_summary" */
    const char *suffix;        /* behind it in names of files, in front of ".csv" */
    struct row_choice *choice; /* NULL: all rows, as they come */
    struct sorter *sorter;
    struct outfile out;
    char *path; /* NULL: no file is open */
    uint64_t rows, file_rows, files;
    char *row;
    size_t row_size;
    struct show_table terminal;
    bool terminal_open;
    struct grid grid; /* of a terminal where options->show->options->plain wants no frames */
    uint64_t passed;  /* rows that are chosen but for --top, as far as they were given */
    bool more;        /* there are others that were not given */
};

/* Prepares it; nothing appears before the first row. All arguments must outlive it. */
int report_writer_open(struct report_writer *writer, const char *name, const char *suffix,
                       const struct report_plan *plan, struct row_choice *choice, const struct export_options *options,
                       struct export_result *result, struct err *err);
/* Takes the row of these values, one for each known column of the plan. */
int report_writer_row(struct report_writer *writer, const struct report_value *values, struct err *err);
/* Whether no further row can be shown; who then gives no more says so with report_writer_leave. */
bool report_writer_is_full(const struct report_writer *writer);
/* So many rows are not given, because report_writer_is_full; UINT64_MAX: nobody knows how many. */
void report_writer_leave(struct report_writer *writer, uint64_t rows);
/* Completes what is open, or drops it when status < 0, and releases everything. Returns status, or a failure of its
 * own. */
int report_writer_close(struct report_writer *writer, int status, struct err *err);

/* "<directory>/<name>[_slice_<n>]<suffix>.csv", to be freed; slice < 0: not in slices. */
char *report_path(const struct export_options *options, const char *name, int64_t slice, const char *suffix,
                  struct err *err);
/* Puts a complete file in place, counts it and tells options->written. */
int report_file_done(struct outfile *out, const char *name, const char *path, uint64_t rows,
                     const struct export_options *options, struct export_result *result, struct err *err);

#endif
