/* SPDX-License-Identifier: Apache-2.0 */
/* What a framework's directory adds to answers: who launched what, and which stages of the data pipeline starve. */
#include "base/array.h"
#include "db/database.h"
#include "exporters/load/load.h"
#include "exporters/load/load_evidence.h"
#include "exporters/load/load_stages.h"
#include "exporters/reports/framework/host_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_attached(sqlite3 *db, bool *ret, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int status = database_prepare(db, "SELECT " FRAMEWORK_ATTACHED, &statement, err);
    *ret = status == 0 && sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) != 0;
    sqlite3_finalize(statement);
    return status;
}

/* Runs a query and ends it. */
static int each_row(sqlite3 *db, const char *sql, int (*each)(void *arg, sqlite3_stmt *row, struct err *err), void *arg,
                    struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int code = SQLITE_DONE, status = database_prepare(db, sql, &statement, err);
    while (status == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        status = each(arg, statement, err);
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(err, db, "the database cannot be read");
    sqlite3_finalize(statement);
    return status;
}

/* ---- diff ---- */

struct line_load {
    char **names;
    struct durations *items;
    size_t count;
};

static int take_op(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct line_load *load = arg;
    const char *name = (const char *)sqlite3_column_text(row, 0);
    load->names[load->count] = name != NULL ? strdup(name) : NULL;
    return load->names[load->count++] != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
}

static int take_work(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct line_load *load = arg;
    int64_t op = sqlite3_column_int64(row, 0), duration_ns = sqlite3_column_int64(row, 1);
    return op >= 0 && (uint64_t)op < load->count && duration_ns >= 0 ? durations_add(&load->items[op], duration_ns, err)
                                                                     : 0;
}

static int take_count(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    *(size_t *)arg = (size_t)sqlite3_column_int64(row, 0);
    return 0;
}

int workload_load_lines(sqlite3 *db, struct profile *profile, struct err *err)
{
    struct line_load load = {.names = NULL};
    size_t count = 0;
    bool attached;
    int status = is_attached(db, &attached, err);
    if (status < 0 || !attached)
        return status;
    status = each_row(db, "SELECT count(*) FROM temp.framework_op", take_count, &count, err);
    load.names = calloc(count + 1, sizeof *load.names);
    load.items = calloc(count + 1, sizeof *load.items);
    if (status == 0 && (load.names == NULL || load.items == NULL))
        status = err_set(err, ERR_NO_MEMORY, "out of memory");
    if (status == 0)
        status = each_row(db, "SELECT name || iif(line = '', '', ' at ' || line) FROM temp.framework_op ORDER BY id",
                          take_op, &load, err);
    if (status == 0)
        status = each_row(db, "SELECT op_id, duration_ns FROM temp.framework_work", take_work, &load, err);
    if (status == 0)
        status = profile_add_rows(profile, BY_LINE, (const char *const *)load.names, load.items, load.count, err);
    for (size_t i = 0; i < load.count; i++) {
        free(load.names[i]);
        free(load.items[i].items);
    }
    free(load.names);
    free(load.items);
    return status;
}

/* ---- steps ---- */

static int take_step(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct workload *workload = arg;
    const struct workload_step step = {.number = sqlite3_column_int64(row, 0),
                                       .start_ns = sqlite3_column_int64(row, 1),
                                       .end_ns = sqlite3_column_int64(row, 2),
                                       .model_id = STEP_OF_NO_MODEL,
                                       .model = NO_TEXT,
                                       .source = STEPS_FRAMEWORK};
    int status = 0;
    for (size_t i = 0; status == 0 && i < workload->device_count; i++)
        status = workload_add_step(workload, workload->devices[i].id, &step, err);
    return status;
}

int workload_load_framework_steps(sqlite3 *db, struct workload *workload, struct err *err)
{
    bool attached;
    int status = is_attached(db, &attached, err);
    return status == 0 && attached
               ? each_row(db, "SELECT number, start_ns, end_ns FROM temp.framework_step ORDER BY start_ns, number",
                          take_step, workload, err)
               : status;
}

/* ---- advise ---- */

static int take_stage(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct host_evidence *evidence = arg;
    struct stage_evidence *stage = &evidence->stages[evidence->stage_count];
    (void)err;
    evidence->stages_known = true;
    if (evidence->stage_count == FINDING_ROWS || sqlite3_column_type(row, 2) == SQLITE_NULL)
        return 0;
    snprintf(stage->name, sizeof stage->name, "%s", (const char *)sqlite3_column_text(row, 0));
    snprintf(stage->input, sizeof stage->input, "%s", (const char *)sqlite3_column_text(row, 1));
    stage->empty = sqlite3_column_double(row, 2);
    evidence->stage_count++;
    return 0;
}

int evidence_load_stages(sqlite3 *db, struct host_evidence *evidence, struct err *err)
{
    bool attached;
    int status = is_attached(db, &attached, err);
    return status == 0 && attached ? each_row(db,
                                              "SELECT name, input, input_empty FROM temp.framework_stage"
                                              " ORDER BY input_empty DESC NULLS LAST, rowid",
                                              take_stage, evidence, err)
                                   : status;
}

/* Who launched most of what has a name; communication operators count without their running numbers. */
#define LAUNCHER                                                                                                       \
    "SELECT o.name || iif(o.line = '', '', ' at ' || o.line) FROM temp.framework_work w JOIN name n"                   \
    " ON n.id = w.name_id JOIN temp.framework_op o ON o.id = w.op_id"                                                  \
    " WHERE n.text = ?1 OR substr(n.text, 1, length(?1) + 1) = ?1 || '_' GROUP BY o.id"                                \
    " ORDER BY sum(w.duration_ns) DESC, o.id LIMIT 1"

int evidence_name_launchers(sqlite3 *db, struct advice *advice, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    bool attached;
    int status = is_attached(db, &attached, err);
    if (status == 0 && attached)
        status = database_prepare(db, LAUNCHER, &statement, err);
    for (size_t i = 0; statement != NULL && i < RULES && advice->findings[i].fired; i++) {
        for (size_t k = 0; k < advice->findings[i].row_count; k++) {
            struct finding_row *row = &advice->findings[i].rows[k];
            sqlite3_bind_text(statement, 1, row->name, -1, SQLITE_STATIC);
            if (sqlite3_step(statement) == SQLITE_ROW)
                snprintf(row->launcher, sizeof row->launcher, "%s", (const char *)sqlite3_column_text(statement, 0));
            sqlite3_reset(statement);
        }
    }
    sqlite3_finalize(statement);
    return status;
}
