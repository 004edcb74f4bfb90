/* Tables of captures of the layout of 2022, into files or, with TABLE_TERMINAL, to the terminal; and the reports that
 * both have. */
#ifndef MSPROF_EXPORTERS_LEGACY_ROWS_H
#define MSPROF_EXPORTERS_LEGACY_ROWS_H

#include "exporters/legacy_report.h"
#include "exporters/show_table.h"
#include "exporters/summary_file.h"

/* One report. */
struct legacy_table {
    const char *name; /* "op_summary" */
    struct column_titles titles;
    struct show_columns shown; /* in the terminal */
};

/* The reports of a device, one after another. */
struct legacy_reports {
    sqlite3 *db;
    const struct export_options *options;
    struct export_result *result;
    struct legacy_device *device;
    struct summary_file file;
    struct show_table terminal;
    int64_t total_ns; /* of all calls */
};

/* Puts a row into the report's table, which the first row opens. */
int legacy_put_row(struct legacy_reports *run, const struct legacy_table *table, const struct table_cell *cells,
                   struct err *err);
/* Completes the file, or removes it when status < 0; or prints the table. Returns status, or a failure of its own. */
int legacy_close(struct legacy_reports *run, int status, struct err *err);

/* Cells as Ascend's tool of 2022 rounded them; times are given in nanoseconds, NAN is missing. */
struct table_cell legacy_decimal(double value);
struct table_cell legacy_microseconds(double nanoseconds);
struct table_cell legacy_nanoseconds(double time);
/* part of whole in percent. */
struct table_cell legacy_percent(double part, double whole);

/* acl_statistic and runtime_api. */
int legacy_acl_statistic(struct legacy_reports *run, struct err *err);
int legacy_runtime_statistic(struct legacy_reports *run, struct err *err);
int legacy_op_statistic(struct legacy_reports *run, struct err *err);
int legacy_stack_time(struct legacy_reports *run, struct err *err);
/* What the AI CPU measured. */
int legacy_ai_cpu(struct legacy_reports *run, struct err *err);
/* All iterations of the device, whichever is reported. */
int legacy_step_trace(struct legacy_reports *run, struct err *err);

/* The longest tasks of op_summary, or of task_time, at most limit, longest first. The device's tasks must be in the
 * order of their starts. */
int legacy_longest_operators(struct legacy_reports *run, size_t limit, struct err *err);
int legacy_longest_tasks(struct legacy_reports *run, size_t limit, struct err *err);

#endif
