/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of one table to where they go: a file (or several, of at most ROWS_PER_FILE rows, or for parts of the table), or
 * the terminal. */
#ifndef MSPROF_EXPORTERS_TABLE_WRITER_H
#define MSPROF_EXPORTERS_TABLE_WRITER_H

#include "base/file/outfile.h"
#include "exporters/export.h"
#include "exporters/table/choice.h"
#include "exporters/table/grid.h"
#include "exporters/table/sorter.h"
#include "exporters/table/terminal.h"

#define ROWS_PER_FILE 1000000

struct report_writer {
    const struct export_options *options;
    struct export_result *result;
    const struct report_plan *plan;
    const char *name;          /* "op_summary" */
    struct strbuf suffix;      /* behind it in names of files, in front of ".csv" */
    bool whole;                /* however many rows a file has */
    struct row_choice *choice; /* NULL: all rows, as they come */
    struct sorter *sorter;
    struct outfile out;
    char *path; /* NULL: no file is open */
    uint64_t rows, file_rows, files;
    char *row;
    size_t row_size;
    struct terminal_table *terminal; /* TABLE_TERMINAL: where rows go; it is the caller's */
    bool is_plain; /* TABLE_TERMINAL without frames: rows go to the grid, and are printed at the end */
    struct grid grid;
    uint64_t passed; /* rows that are chosen but for --top, as far as they were given */
    bool more;       /* there are others that were not given */
};

/* Makes the writer of a table; nothing appears before the first row. Of `wanted` are name, plan, choice, whole,
 * options, result and terminal, which must outlive it. It needs report_writer_close whatever the result. */
int report_writer_open(struct report_writer *writer, const struct report_writer *wanted, const char *suffix,
                       struct err *err);
/* The next rows belong to files with this suffix: those before are complete, unless theirs is the same. */
int report_writer_part(struct report_writer *writer, const char *suffix, struct err *err);
/* Completes the file that is open. */
int report_writer_end_part(struct report_writer *writer, struct err *err);
/* Takes the row of these values, one for each known column of the plan. */
int report_writer_row(struct report_writer *writer, const struct report_value *values, struct err *err);
/* Whether no further row can be shown; who then gives no more says so with report_writer_leave. */
bool report_writer_is_full(const struct report_writer *writer);
/* ".csv" and so on. */
const char *report_suffix(enum table_format format);
/* So many rows are not given, because report_writer_is_full; UINT64_MAX: nobody knows how many. */
void report_writer_leave(struct report_writer *writer, uint64_t rows);
/* Completes what is open, or drops it when status < 0, and releases everything. Returns status, or a failure of its
 * own. */
int report_writer_close(struct report_writer *writer, int status, struct err *err);

/* "<directory>/<name>[_slice_<n>]<suffix>.csv", to be freed; slice < 0: not in slices. */
char *report_path(const struct export_options *options, const char *name, int64_t slice, const char *suffix,
                  struct err *err);

#endif
