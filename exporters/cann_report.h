/* Reports of new CANN captures: what the tables and the timeline share. */
#ifndef MSPROF_EXPORTERS_CANN_REPORT_H
#define MSPROF_EXPORTERS_CANN_REPORT_H

#include "base/outfile.h"
#include "db/query_cann.h"
#include "db/query_records.h"
#include "exporters/export.h"
#include "exporters/parallel.h"
#include "exporters/pmu_metric.h"
#include "exporters/row_format.h"

/* Writes "<report>_<timestamp>.csv" and the others; see export_summary and export_timeline. */
int cann_summary(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
int cann_timeline(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);

/* One of the two for what the options say: everything, or some iterations of a model. -ERR_USAGE when they name only
 * one of model and iteration, -ERR_NOT_FOUND when there is no such iteration. */
typedef int cann_export(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err);
int cann_export_iterations(cann_export *export, sqlite3 *db, const struct export_options *options,
                           struct export_result *ret, struct err *err);

/* "<directory>/<report>[_slice_<n>]_<timestamp><suffix>" (free() it); slice < 0: not in slices. */
char *cann_report_path(const struct export_options *options, const char *report, int64_t slice, const char *suffix,
                       struct err *err);
/* Puts a complete file in place, counts it and tells options->written. */
int cann_report_done(struct outfile *out, const char *report, const char *path, uint64_t rows,
                     const struct export_options *options, struct export_result *result, struct err *err);

#define CANN_NO_ID INT64_C(4294967295) /* a model or part that there is none of */

/* The text of a core type (node record), and of what the device says ran a task. */
const char *cann_core_type(int64_t op_task_type);
const char *cann_device_type(int64_t type);
/* "host to device" for 1 and so on. */
const char *cann_copy_direction(int64_t direction);
/* "acl" for 20000 and so on; NULL: a level without a name. */
const char *cann_level_name(int64_t level);
/* Whether a task of an operator is shown as one: not those that only move data back or hand over. */
bool cann_is_operator(const struct cann_task *task);

/* What the metrics of a device are made of, and of a task. */
struct pmu_input cann_pmu_input(const struct cann_part *part);
struct pmu_task cann_pmu_task(const struct cann_task *task, const struct cann_part *part,
                              const struct cann_frequencies *frequencies);

/* ---- rows of op_summary and task_time; names are encoded for the row's format ---- */

/* The first columns of op_summary; behind them a chip's own follow. wait_ns: since the end of the row before. */
#define CANN_OPERATOR_COLUMNS 12
extern const char *const cann_operator_titles[CANN_OPERATOR_COLUMNS];
void cann_put_operator(struct row_put *put, const struct cann_texts *names, const struct cann_task *task,
                       int64_t wait_ns);
void cann_put_communication(struct row_put *put, const struct cann_texts *names,
                            const struct cann_communication *communication, int64_t wait_ns);
/* All columns of task_time. */
#define CANN_TASK_TIME_COLUMNS 8
extern const char *const cann_task_time_titles[CANN_TASK_TIME_COLUMNS];
void cann_put_task_time(struct row_put *put, const struct cann_texts *names, const struct cann_task *task);
/* Bytes of all texts that any of these puts. */
size_t cann_task_text_room(const struct cann_texts *names, const struct cann_task *task);
size_t cann_communication_text_room(const struct cann_texts *names, const struct cann_communication *communication);
/* Whether a communication operator stands before an operator of this device and start. */
bool cann_stands_before(const struct cann_communication *communication, int64_t device_id, int64_t start_ns);

/* ---- tables with a row for each task, made by several threads ---- */

struct task_report {
    const char *name; /* "op_summary" */
    const char *const *titles;
    size_t columns;
    bool with_counters, operators_only;
    void *arg;
    /* Puts the values of one row, in order; wait_ns since the end of the operator before (operators_only). The texts
     * that it puts have at most text_room bytes. In several threads at once. */
    void (*put)(const void *arg, struct row_put *put, const struct cann_task *task, int64_t wait_ns);
    size_t (*text_room)(const void *arg, const struct cann_task *task);
    /* Rows of communication operators among those of the tasks, by device and start; put_communication and its room as
     * above. NULL: none. */
    const struct cann_communications *communications;
    void (*put_communication)(const void *arg, struct row_put *put, const struct cann_communication *communication,
                              int64_t wait_ns);
    size_t (*communication_text_room)(const void *arg, const struct cann_communication *communication);
};

#define ROWS_PER_FILE 1000000

int task_report_write(sqlite3 *db, const struct task_report *report, const struct row_format *format,
                      const struct export_options *options, struct export_result *result, struct err *err);

/* ---- statistics ---- */

/* names are encoded for options->format. */
int cann_op_statistic(sqlite3 *db, const struct cann_texts *names, const struct export_options *options,
                      struct export_result *result, struct err *err);
int cann_communication_statistic(const struct cann_communications *communications, const struct cann_texts *names,
                                 const struct export_options *options, struct export_result *result, struct err *err);
int cann_api_statistic(sqlite3 *db, const struct cann_texts *names, const struct export_options *options,
                       struct export_result *result, struct err *err);
/* step_trace. */
int cann_step_table(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err);
/* fusion_op; names are encoded. */
int cann_fusions(sqlite3 *db, const struct cann_texts *names, const struct export_options *options,
                 struct export_result *result, struct err *err);

#endif
