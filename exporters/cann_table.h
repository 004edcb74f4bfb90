/* Tables of new CANN captures that one thread writes row by row, as they come: into files, or, with TABLE_TERMINAL and
 * at most TABLE_MAX_COLUMNS columns, to options->show. */
#ifndef MSPROF_EXPORTERS_CANN_TABLE_H
#define MSPROF_EXPORTERS_CANN_TABLE_H

#include "base/outfile.h"
#include "exporters/cann_report.h"
#include "exporters/show_table.h"

struct cann_table {
    const char *name;          /* "fusion_op" */
    struct show_columns shown; /* of a table for the terminal; set it behind cann_table_open */
    const char *const *titles;
    size_t columns;
    const struct export_options *options;
    struct export_result *result;
    struct row_format format;
    struct outfile out;
    char *path; /* NULL: no file is open */
    uint64_t total, written, file_rows;
    char *row;
    size_t row_size;
    struct show_table terminal;
};

/* Prepares a table of total rows; files appear as rows are put. Titles and options must outlive it. Must be closed when
 * this succeeded. */
int cann_table_open(struct cann_table *table, const char *name, const char *const *titles, size_t columns,
                    uint64_t total, const struct export_options *options, struct export_result *result,
                    struct err *err);
/* Begins a row whose texts have so many bytes together; every column must be put before it is ended. */
int cann_table_begin(struct cann_table *table, size_t text_bytes, struct row_put *ret, struct err *err);
void cann_table_end(struct cann_table *table, struct row_put *put);
/* Completes the last file, or removes it when status < 0; prints a table of the terminal; releases everything. Returns
 * status, or a failure of its own.
 */
int cann_table_close(struct cann_table *table, int status, struct err *err);

#endif
