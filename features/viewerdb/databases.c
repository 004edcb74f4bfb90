/* SPDX-License-Identifier: Apache-2.0 */
#include "features/viewerdb/databases.h"

#include "base/file/fsutil.h"
#include "base/file/temporary.h"
#include "base/progress.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/query/iteration.h"
#include "db/query/query.h"
#include "db/table_rows.h"
#include "db/warm_up.h"
#include "exporters/busy.h"
#include "exporters/cann_report.h"
#include "exporters/counters/pmu_metric.h"
#include "exporters/query_compile.h"
#include "features/communication/communication.h"
#include "features/communication/communication_files.h"
#include "parsers/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- cann db samples ---- */

static int copy_rows(struct unified *unified, sqlite3 *db, const struct exported_table *table, sqlite3_stmt *rows,
                     struct err *err)
{
    int status = 0, code = SQLITE_DONE;
    bool begun = false;
    while (status == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        if (!begun)
            status = unified_begin_table(unified, table, err);
        begun = true;
        if (status == 0)
            status = unified_add_row(unified, rows, err);
        if (status == 0 && interrupted())
            status = interrupt_error(err);
        code = SQLITE_DONE;
    }
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "cannot read the database") : status;
}

static int copy_table(struct unified *unified, sqlite3 *db, const struct record_kind *kind,
                      const struct exported_table *table, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *rows = NULL;
    SCOPED(strbuf_release) struct strbuf sql;
    strbuf_init(&sql, QUERY_SQL_MAX);
    query_begin(&sql, &table->query);
    for (const struct exported_column *column = table->columns; column->name != NULL; column++)
        strbuf_addf(&sql, "%s%s", column > table->columns ? ", " : "", column->sql);
    query_end(&sql, &table->query, kind->table, NULL);
    return query_sql_prepare(db, &sql, &rows, err) < 0 || copy_rows(unified, db, table, rows, err) < 0
               ? err_wrap(err, "cannot create table %s", table->name)
               : 0;
}

/* Makes the tables that the record kinds describe, of those that have rows in the capture's database. */
static int cann_db_samples(struct unified *unified, sqlite3 *db, struct err *err)
{
    int status = query_functions_register(db, CANN_VERSION_NEWEST, err);
    for (size_t i = 0; record_kinds[i] != NULL && status == 0; i++) {
        const struct exported_table *table = record_kinds[i]->exported;
        for (; table != NULL && table->name != NULL && status == 0; table++)
            status = copy_table(unified, db, record_kinds[i], table, err);
    }
    return status;
}

struct db_export {
    struct unified *unified;
    const struct cann_part *part; /* of the device that is being exported */
    struct pmu_columns columns;
    size_t metric_count;
    int64_t names[2 * PMU_MAX_COLUMNS]; /* of metrics, as viewers know them */
    struct cann_parts parts;
    struct cann_frequencies frequencies;
    struct overlap overlap;
    struct map runs; /* of payloads */
};

/* Viewers know a metric by the title of its column without the unit, and times of whole tasks by another name. */
static void name_metric(const struct pmu_columns *columns, size_t i, char *ret)
{
    bool of_aiv = i >= columns->aic.count, total = i == 0 || i == columns->aic.count;
    const char *title = columns->titles[i];
    if (total)
        snprintf(ret, PMU_TITLE_MAX, "%s",
                 of_aiv           ? "aiv_total_time"
                 : columns->sides ? "aic_total_time"
                                  : "total_time");
    else
        snprintf(ret, PMU_TITLE_MAX, "%.*s", (int)strcspn(title, "("), title);
}

/* Plans the metrics of a task's device when it is another one than before. */
static int choose_device(struct db_export *export, int64_t device_id, struct err *err)
{
    char name[PMU_TITLE_MAX];
    int status = 0;
    if (export->part != NULL && export->part->device_id == device_id)
        return 0;
    export->metric_count = 0;
    export->part = cann_part_of_device(&export->parts, device_id);
    if (export->part == NULL)
        return 0;
    struct pmu_input input = cann_pmu_input(export->part);
    input.unfiltered = true;
    pmu_columns_init(&export->columns, &input);
    export->metric_count = export->columns.count - export->columns.has_cube;
    for (size_t i = 0; i < export->metric_count && status == 0; i++) {
        name_metric(&export->columns, i, name);
        status = unified_name_metric(export->unified, name, &export->names[i], err);
    }
    return status;
}

static int add_metrics(struct db_export *export, const struct cann_task *task, struct err *err)
{
    double values[2 * PMU_MAX_COLUMNS + 1];
    int status = choose_device(export, task->device_id, err);
    if (status < 0 || export->part == NULL)
        return status;
    const struct pmu_task counted = cann_pmu_task(task, export->part, &export->frequencies);
    pmu_columns_doubles(&export->columns, &counted, values);
    return unified_add_metrics(unified_bulk_of(export->unified), task->id, export->names, values, export->metric_count,
                               err);
}

static int add_task(void *arg, const struct cann_task *task, struct err *err)
{
    struct db_export *export = arg;
    int status = unified_add_task(unified_bulk_of(export->unified), task, err);
    return status == 0 && (task->has_aic || task->has_aiv) ? add_metrics(export, task, err) : status;
}

static int add_call(void *arg, const struct cann_call *call, struct err *err)
{
    return unified_add_call(unified_bulk_of(((struct db_export *)arg)->unified), call, err);
}

static int add_span(void *arg, const struct overlap_span *span, struct err *err)
{
    struct db_export *export = arg;
    return unified_add_overlap(unified_bulk_of(export->unified), span->device_id, span->start_ns, span->end_ns,
                               (int)span->type, err);
}

static int take_span(void *arg, const struct cann_span *span, struct err *err)
{
    struct db_export *export = arg;
    return overlap_take(&export->overlap, span, err);
}

static int add_overlap(struct db_export *export, sqlite3 *db, struct err *err)
{
    SCOPED(cann_communications_release) struct cann_communications communications;
    if (cann_communications_load(db, &communications, err) < 0)
        return err_status(err);
    overlap_init(&export->overlap, db, &communications, add_span, export);
    return cann_each_span(db, take_span, export, err) < 0 ? err_status(err) : overlap_end(&export->overlap, err);
}

static int add_tasks(struct db_export *export, sqlite3 *db, struct err *err)
{
    return cann_each_task(db, CANN_TASKS_COUNTED, add_task, export, err) < 0 ? err_status(err)
                                                                             : add_overlap(export, db, err);
}

/* Fills the large tables. */
static int add_capture(struct db_export *export, sqlite3 *db, struct err *err)
{
    int64_t last_name, process_id = DB_NULL;
    bool failed = cann_last_name(db, &last_name, err) < 0;
    for (size_t i = 0; i < export->parts.count; i++)
        process_id = export->parts.parts[i].process_id > process_id ? export->parts.parts[i].process_id : process_id;
    unified_bulk_capture(unified_bulk_of(export->unified), process_id != DB_NULL ? process_id : 0, last_name);
    return failed || cann_each_call(db, CANN_CALLS, add_call, export, err) < 0 ? err_status(err)
                                                                               : add_tasks(export, db, err);
}

/* The names that an older version has in it. */
static int name_older(struct unified *unified, int version, struct err *err)
{
    static const char blocks[] = "ALTER TABLE COMPUTE_TASK_INFO DROP COLUMN gridDim;"
                                 "ALTER TABLE COMPUTE_TASK_INFO DROP COLUMN blockDim;"
                                 "ALTER TABLE COMPUTE_TASK_INFO RENAME COLUMN blockNum TO blockDim;"
                                 "ALTER TABLE COMPUTE_TASK_INFO RENAME COLUMN mixBlockNum TO mixBlockDim;";
    sqlite3 *db = unified_sqlite(unified);
    char communicates[128];
    snprintf(communicates, sizeof communicates, "UPDATE STRING_IDS SET value = '%s' WHERE id = %lld",
             cann_version_communication(version), (long long)FIRST_WORD_ID + TASK_COMMUNICATES);
    bool failed = database_exec(db, communicates, err) < 0 ||
                  (cann_version_has(version, NAMING_BLOCK_DIM) && database_exec(db, blocks, err) < 0) ||
                  (cann_version_has(version, NAMING_HCCL) &&
                   database_exec(db, "UPDATE ENUM_API_TYPE SET name = 'hccl' WHERE id = 5500", err) < 0);
    for (size_t i = 0; !failed && cann_version_has(version, NAMING_MODULES) && cann_version_modules[i].text != NULL;
         i++) {
        char sql[160];
        snprintf(sql, sizeof sql,
                 "DELETE FROM ENUM_MODULE WHERE id = %d; INSERT INTO ENUM_MODULE(id, name) VALUES(%d, '%s')",
                 (int)cann_version_modules[i].value, (int)cann_version_modules[i].value, cann_version_modules[i].text);
        failed = database_exec(db, sql, err) < 0;
    }
    return failed ? err_status(err) : 0;
}

/* Writes the database of a capture to path. options->database NULL: there is no capture, and only what add (which may
 * be NULL) adds before the file is complete is in it. */
static int write_cann(sqlite3 *db, const struct export_options *options, const char *path,
                      int (*add)(void *arg, struct unified *unified, struct err *err), void *arg,
                      struct export_result *result, struct err *err)
{
    struct db_export export = {.part = NULL};
    uint64_t rows = 0;
    bool failed = cann_parts_load(db, &export.parts, err) < 0 ||
                  cann_frequencies_load(db, &export.frequencies, err) < 0 ||
                  (export.unified = unified_new(path, err)) == NULL ||
                  (options->database != NULL && add_capture(&export, db, err) < 0) ||
                  (options->database != NULL && communication_runs_load(db, &export.runs, err) < 0) ||
                  unified_connect(export.unified, options->database, &export.runs, err) < 0 ||
                  cann_db_samples(export.unified, db, err) < 0 || (add != NULL && add(arg, export.unified, err) < 0) ||
                  name_older(export.unified, options->cann_version, err) < 0;
    cann_frequencies_release(&export.frequencies);
    cann_parts_release(&export.parts);
    map_release(&export.runs);
    if (failed)
        unified_abort(export.unified);
    if (failed || unified_commit(export.unified, &rows, err) < 0)
        return err_status(err);
    result->files++;
    result->rows += rows;
    if (options->written != NULL)
        options->written(options->written_arg, "db", path);
    return 0;
}

int export_database(sqlite3 *db, const struct export_options *options, struct export_result *ret, struct err *err)
{
    struct db_facts facts;
    *ret = (struct export_result){.files = 0};
    if (db_read_facts(db, &facts, err) < 0)
        return err_status(err);
    if (facts.family != CAPTURE_CANN)
        return 0;
    SCOPED_FREE char *path = cann_report_path(options, "msprof", -1, ".db", err);
    return path == NULL || write_cann(db, options, path, NULL, NULL, ret, err) < 0
               ? err_status(err)
               : communication_database(db, options, ret, err);
}

char *framework_database_path(const struct framework_analysis *analysis, const char *name, struct err *err)
{
    char *path = path_join(analysis->options->directory, name);
    if (path == NULL)
        err_no_memory(err);
    return path;
}

/* The capture knows its rank seldom, the framework always. */
static int set_rank(const struct framework_analysis *analysis, sqlite3 *db, struct err *err)
{
    struct table_rows rows;
    char sql[128];
    int64_t rank = analysis->framework->info.rank;
    if (rank < 0)
        return 0;
    snprintf(sql, sizeof sql, "UPDATE RANK_DEVICE_MAP SET rankId = %" PRId64 " WHERE rankId = -1", rank);
    return database_exec(db, sql, err) < 0 ||
                   (analysis->database == NULL &&
                    (table_rows_open(&rows, db, "RANK_DEVICE_MAP", "rankId, deviceId", err) < 0 ||
                     table_add(&rows, err, V(rank), V(-1)) < 0))
               ? err_status(err)
               : 0;
}

static int add_tables(void *arg, struct unified *unified, struct err *err)
{
    struct framework_analysis *analysis = arg;
    sqlite3 *db = unified_sqlite(unified);
    int status = set_rank(analysis, db, err);
    return status == 0 && analysis->framework->torch != NULL ? torch_add_tables(analysis, db, err) : status;
}

/* Writes the database; when some steps are asked for, the capture's tables have what began in them. */
static int write_database(struct framework_analysis *analysis, const char *path, struct err *err)
{
    struct export_options options = *analysis->options;
    if (analysis->steps.count == 0 || analysis->database == NULL)
        return write_cann(analysis->db, &options, path, add_tables, analysis, analysis->result, err);
    SCOPED(framework_part_release) struct framework_part part;
    if (framework_part_make(analysis, &part, err) < 0)
        return err_status(err);
    options.database = part.path;
    return write_cann(part.db, &options, path, add_tables, analysis, analysis->result, err);
}

int framework_write_database(struct framework_analysis *analysis, struct err *err)
{
    const struct framework_info *info = &analysis->framework->info;
    const char *framework = info->kind == FRAMEWORK_PYTORCH ? "pytorch" : "mindspore";
    char name[96];
    if (analysis->database == NULL && info->kind == FRAMEWORK_MINDSPORE)
        return err_set(err, ERR_NOT_FOUND, "there is no PROF capture, and the database has no other content");
    if (info->rank >= 0)
        snprintf(name, sizeof name, "ascend_%s_profiler_%" PRId64 ".db", framework, info->rank);
    else
        snprintf(name, sizeof name, "ascend_%s_profiler.db", framework);
    SCOPED_FREE char *path = framework_database_path(analysis, name, err);
    return path != NULL ? write_database(analysis, path, err) : err_status(err);
}

/* ---- part ---- */

/* Those of framework_wants_time. */
static struct stretch *stretches_of(const struct framework_analysis *analysis, size_t *ret_count, struct err *err)
{
    const struct framework_steps *steps = &analysis->framework->steps;
    struct stretch *stretches = scoped_memory(steps->count + 1, sizeof *stretches);
    *ret_count = 0;
    if (stretches == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory for %zu steps", steps->count);
        return NULL;
    }
    for (size_t i = 0; i < steps->count; i++) {
        if (framework_wants_step(analysis, framework_text(analysis->framework, steps->items[i].id)))
            stretches[(*ret_count)++] =
                (struct stretch){steps->items[i].start_ns, framework_step_end_ns(&steps->items[i])};
    }
    return stretches;
}

int framework_part_make(const struct framework_analysis *analysis, struct framework_part *ret, struct err *err)
{
    size_t count;
    SCOPED_FREE struct stretch *stretches = stretches_of(analysis, &count, err);
    SCOPED_FREE char *beside = stretches != NULL ? path_joined(analysis->options->directory, "", err) : NULL;
    *ret = (struct framework_part){.fd = -1};
    return stretches == NULL || beside == NULL || (ret->fd = temporary_create(beside, &ret->path, err)) < 0 ||
                   iteration_stretches_make(analysis->db, analysis->database, ret->path, stretches, count, err) < 0 ||
                   warm_up_open(ret->path, &ret->db, err) < 0
               ? err_status(err)
               : 0;
}

void framework_part_release(struct framework_part *part)
{
    database_close(part->db);
    if (part->path != NULL)
        unlink(part->path);
    if (part->fd >= 0)
        close(part->fd);
    free(part->path);
    *part = (struct framework_part){.fd = -1};
}
