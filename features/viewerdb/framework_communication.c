/* SPDX-License-Identifier: Apache-2.0 */
/* communication_analyzer.db, analysis.db. */
#include "db/database.h"
#include "db/table_rows.h"
#include "features/communication/communication.h"
#include "features/communication/communication_files.h"
#include "features/frameworks/reports/analysis.h"
#include "features/viewerdb/databases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP_COLUMNS                                                                                                   \
    "deviceId INTEGER, step TEXT, computing NUMERIC, communication_not_overlapped NUMERIC, overlapped NUMERIC,"        \
    " communication NUMERIC, free NUMERIC, stage NUMERIC, bubble NUMERIC,"                                             \
    " communication_not_overlapped_and_exclude_receive NUMERIC, preparing NUMERIC"

struct comm_tables {
    struct comm_document *document;
    struct analyzer_tables tables;
    char group[24], step[64];
};

static struct analyzer_name name_of(struct comm_tables *tables, const char *name, uint64_t group)
{
    snprintf(tables->group, sizeof tables->group, "%" PRIu64, group);
    return (struct analyzer_name){name, tables->group};
}

static int take_link(void *arg, const struct comm_link_row *row, struct err *err)
{
    struct comm_tables *tables = arg;
    const struct analyzer_name name = name_of(tables, row->key, row->group);
    return analyzer_add_pair(&tables->tables, &name, row->sum, row->sum->ms, row->bandwidth, row->op, err);
}

static int add_operator(struct comm_tables *tables, const struct comm_operator *op, struct err *err)
{
    const struct analyzer_name name = name_of(tables, op->name, op->group);
    SCOPED(collective_release) struct collective sum;
    return comm_sum_make(tables->document, op, &sum, err) < 0 ||
                   analyzer_add_operator(&tables->tables, &name, op->start_ns, &sum, err) < 0
               ? err_status(err)
               : 0;
}

static int add_half(struct comm_tables *tables, size_t step, bool point_to_point, struct err *err)
{
    struct comm_document *document = tables->document;
    tables->tables.half = point_to_point ? "p2p" : "collective";
    for (size_t i = document->steps[step].first; i < document->steps[step].end; i++)
        if (comm_is_in(&document->operators[i], step, point_to_point) &&
            add_operator(tables, &document->operators[i], err) < 0)
            return err_status(err);
    return comm_each_link(document, step, point_to_point, take_link, tables, err);
}

/* As the steps of communication.json. */
static int add_by_step(struct comm_tables *tables, struct err *err)
{
    for (size_t i = 0; i < tables->document->step_count; i++) {
        const char *id = tables->document->steps[i].id;
        snprintf(tables->step, sizeof tables->step, "step%s", id != NULL ? id : "");
        if (add_half(tables, i, true, err) < 0 || add_half(tables, i, false, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Outside of steps, too, unless some are asked for. */
static int add_all(struct comm_tables *tables, struct err *err)
{
    const struct comm_document *document = tables->document;
    for (size_t i = 0; i < document->operator_count; i++) {
        const struct comm_operator *op = &document->operators[i];
        if (op->start_ns != INT64_MAX && (op->step != SIZE_MAX || document->analysis->steps.count == 0) &&
            add_operator(tables, op, err) < 0)
            return err_status(err);
    }
    return 0;
}

static int add_communication(struct comm_tables *tables, sqlite3 *db, struct err *err)
{
    bool pytorch = tables->document->pytorch;
    if (analyzer_tables_open(&tables->tables, db, pytorch, true, err) < 0)
        return err_status(err);
    tables->tables.step = tables->step;
    return pytorch ? add_by_step(tables, err) : add_all(tables, err);
}

struct step_table {
    const struct framework_analysis *analysis;
    struct table_rows rows;
};

static int add_step(void *arg, int64_t device_id, const struct step_sum *step, struct err *err)
{
    struct step_table *table = arg;
    const struct step_times times = step_times_of(table->analysis, step);
    return table_add(&table->rows, err, V(device_id), V(step->id), V((double)times.computing / 1e3),
                     V((double)times.only / 1e3), V((double)times.overlapped / 1e3),
                     V((double)times.communication / 1e3), V((double)times.free / 1e3), V((double)times.stage / 1e3),
                     V((double)times.bubble / 1e3), V((double)times.excluding / 1e3), V((double)times.preparing / 1e3));
}

static int add_steps(struct framework_analysis *analysis, sqlite3 *db, struct err *err)
{
    struct step_table table = {.analysis = analysis};
    return table_rows_open(&table.rows, db, "StepTraceTime", STEP_COLUMNS, err) < 0 ||
                   step_sums_each(analysis, add_step, &table, err) < 0
               ? err_status(err)
               : 0;
}

static int write_file(struct comm_tables *tables, const char *path, struct err *err)
{
    struct framework_analysis *analysis = tables->document->analysis;
    struct database_build build;
    if (database_build_open(&build, path, false, err) < 0)
        return err_status(err);
    bool failed = (tables->document->operator_count > 0 && add_communication(tables, build.db, err) < 0) ||
                  (tables->document->pytorch && add_steps(analysis, build.db, err) < 0);
    uint64_t rows = (uint64_t)sqlite3_total_changes64(build.db);
    if (failed) {
        database_build_abort(&build);
        return err_status(err);
    }
    if (database_build_commit(&build, err) < 0)
        return err_status(err);
    analysis->result->files++;
    analysis->result->rows += rows;
    return 0;
}

int framework_write_communication_database(struct framework_analysis *analysis, struct err *err)
{
    struct comm_tables tables = {.group = ""};
    tables.document = comm_document_of(analysis, err);
    if (tables.document == NULL)
        return err_status(err);
    bool pytorch = tables.document->pytorch;
    if (!pytorch && tables.document->operator_count == 0)
        return 0;
    SCOPED_FREE char *path =
        framework_database_path(analysis, pytorch ? "analysis.db" : "communication_analyzer.db", err);
    return path != NULL ? write_file(&tables, path, err) : err_status(err);
}
