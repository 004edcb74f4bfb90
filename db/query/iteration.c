/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/iteration.h"

#include "base/file/large.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/query/operators/query_steps.h"
#include "db/query/query_loop.h"

#include <stdbool.h>
#include <stdio.h>

#define SQL_LIMIT (64 * 1024)
#define SINCE_EVER (INT64_MIN + 1) /* DB_NULL is none */

/* ---- which time ---- */

static int add_range(sqlite3_stmt *insert, sqlite3 *db, int64_t device_id, int64_t after_ns, int64_t until_ns,
                     struct err *err)
{
    query_bind(insert, 1, device_id);
    query_bind(insert, 2, after_ns);
    query_bind(insert, 3, until_ns);
    int status = sqlite3_step(insert) == SQLITE_DONE ? 0 : database_error(err, db, "cannot select the iteration");
    sqlite3_reset(insert);
    return status;
}

/* Fills wanted with a row for each device; steps are by device and end. */
static int find_ranges(const struct cann_steps *steps, sqlite3 *out, int64_t model_id, int64_t first, int64_t count,
                       int64_t *ret_devices, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *insert = NULL;
    int status = database_prepare(out, "INSERT INTO wanted VALUES(?1, ?2, ?3)", &insert, err);
    for (size_t i = 0, end; status == 0 && i < steps->count; i = end) {
        int64_t after_ns = SINCE_EVER, until_ns = DB_NULL;
        for (end = i; end < steps->count && steps->items[end].device_id == steps->items[i].device_id;
             large_pass(end++)) {
            const struct cann_step *step = &steps->items[end];
            if (step->model_id != model_id)
                continue;
            if (step->iteration == first && after_ns == SINCE_EVER) /* what was before is not of this model */
                after_ns = step->start_ns;
            else if (step->iteration < first)
                after_ns = step->end_ns;
            if (step->iteration >= first && step->iteration - first < count)
                until_ns = step->end_ns;
        }
        if (until_ns == DB_NULL)
            continue;
        status = add_range(insert, out, steps->items[i].device_id, after_ns, until_ns, err);
        ++*ret_devices;
    }
    return status;
}

/* ---- what is taken over ---- */

static const char temporary_tables[] =
    "CREATE TEMP TABLE wanted(device_id INTEGER PRIMARY KEY, after_ns INTEGER, until_ns INTEGER);"
    "CREATE TEMP TABLE task_number(old INTEGER PRIMARY KEY, new INTEGER);"
    "CREATE TEMP TABLE op_number(old INTEGER PRIMARY KEY, new INTEGER);"
    "CREATE TEMP TABLE wanted_call(id INTEGER PRIMARY KEY);";

/* Tasks and communication operators are numbered without gaps. */
static const char choices[] =
    "INSERT INTO task_number SELECT t.id, row_number() OVER (ORDER BY t.id) FROM capture.device_task t"
    "  JOIN wanted w ON w.device_id = t.device_id WHERE t.start_ns + t.duration_ns > w.after_ns"
    "  AND t.start_ns + t.duration_ns <= w.until_ns AND (t.model_id IS NULL OR t.model_id = (SELECT id FROM "
    "wanted_model));"
    "INSERT INTO op_number SELECT id, row_number() OVER (ORDER BY id) FROM capture.communication_op WHERE id IN"
    "  (SELECT op_id FROM capture.communication_task JOIN task_number ON old = task_row_id);"
    "INSERT INTO wanted_call WITH RECURSIVE around(id, parent_id) AS (SELECT c.id, c.parent_id FROM capture.host_call c"
    "  WHERE c.launches > 0 AND c.connection_id IN (SELECT t.connection_id FROM capture.device_task t"
    "    JOIN task_number n ON n.old = t.id)"
    "  UNION SELECT p.id, p.parent_id FROM around a JOIN capture.host_call p ON p.id = a.parent_id)"
    "  SELECT id FROM around;";

/* Chooses by stretches of time likewise. */
#define IN_STRETCH(time) "EXISTS (SELECT 1 FROM stretch s WHERE " time " BETWEEN s.from_ns AND s.until_ns)"
static const char stretch_choices[] =
    "INSERT INTO task_number SELECT t.id, row_number() OVER (ORDER BY t.id) FROM capture.device_task t"
    "  WHERE " IN_STRETCH("t.start_ns") ";"
                                        "INSERT INTO op_number SELECT t.id, row_number() OVER (ORDER BY t.id) FROM "
                                        "capture.communication_op t"
                                        "  WHERE " IN_STRETCH("t.start_ns") ";"
                                                                            "INSERT INTO wanted_call SELECT t.id FROM "
                                                                            "capture.host_call t WHERE " IN_STRETCH(
                                                                                "t.start_ns") ";";

/* Tables that are taken over by their tasks, with the id that their rows get. */
static const struct part {
    const char *table, *id, *source;
} parts[] = {
    {"device_task", "n.new", "capture.device_task t JOIN task_number n ON n.old = t.id ORDER BY n.new"},
    {"communication_op", "n.new", "capture.communication_op t JOIN op_number n ON n.old = t.id ORDER BY n.new"},
    {"host_call", "t.id", "capture.host_call t JOIN wanted_call c ON c.id = t.id ORDER BY t.id"},
};

/* The tasks of what is taken over, by their numbers, and whether a row is about one of them. */
static const char kept_tasks[] =
    "CREATE TEMP TABLE kept_task(device_id, stream_id, task_id, PRIMARY KEY(device_id, stream_id, task_id)) WITHOUT "
    "ROWID;"
    "INSERT INTO kept_task SELECT DISTINCT device_id, stream_id, task_id FROM main.device_task"
    "  WHERE stream_id IS NOT NULL AND task_id IS NOT NULL";
#define IS_OF_KEPT_TASK                                                                                                \
    "EXISTS (SELECT 1 FROM kept_task k WHERE k.device_id = t.device_id AND k.stream_id = t.stream_id"                  \
    " AND k.task_id = t.task_id)"

/* Tables with rows of their own for tasks, calls and operators: parts, and what goes with them; and answers, which are
 * about the whole capture. */
#define TABLES_OF_PARTS "'device_task', 'communication_op', 'host_call', 'communication_task', 'answer', 'answer_row'"

/* How the other tables are taken over with iterations: what a task did between two times, of devices with iterations,
 * by its end; what is said of tasks without a time, of those that are taken over; marks, samples of the system and the
 * rest whole. */
#define ITERATION_TABLES                                                                                               \
    "SELECT 'INSERT INTO main.' || m.name || ' SELECT * FROM capture.' || m.name || ' t' || CASE"                      \
    " WHEN m.name IN ('ts_track', 'device_mark') OR sum(p.name IN ('device_id', 'stream_id', 'task_id')) < 3 THEN ''"  \
    " WHEN sum(p.name IN ('start_ns', 'duration_ns')) = 2"                                                             \
    " THEN ' WHERE t.device_id NOT IN (SELECT device_id FROM wanted) OR EXISTS (SELECT 1 FROM wanted w"                \
    " WHERE w.device_id = t.device_id AND t.start_ns + t.duration_ns > w.after_ns"                                     \
    " AND t.start_ns + t.duration_ns <= w.until_ns)' ELSE ' WHERE " IS_OF_KEPT_TASK "' END"                            \
    " FROM main.sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"    \
    " AND m.name NOT IN (" TABLES_OF_PARTS ") GROUP BY m.name"

/* How the other tables are taken over with stretches of time: by their times, their tasks, or whole. */
#define STRETCH_TABLES                                                                                                 \
    "SELECT 'INSERT INTO main.' || m.name || ' SELECT * FROM capture.' || m.name || ' t' || CASE"                      \
    " WHEN m.name IN ('capture_part', 'source_file', 'static_op_mem') THEN ''"                                         \
    " WHEN max(p.name = 'start_ns') THEN ' WHERE ' || ?1 WHEN max(p.name = 'time_ns') THEN ' WHERE ' || ?2"            \
    " WHEN sum(p.name IN ('device_id', 'stream_id', 'task_id')) = 3 THEN ' WHERE ' || ?3 ELSE '' END"                  \
    " FROM main.sqlite_schema m, pragma_table_info(m.name) p WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'"    \
    " AND m.name NOT IN (" TABLES_OF_PARTS ") GROUP BY m.name"

static const char communication_tasks[] =
    "INSERT INTO main.communication_task SELECT * FROM capture.communication_task"
    "  WHERE task_row_id IN (SELECT old FROM task_number) AND (op_id IS NULL OR op_id IN (SELECT old FROM op_number));"
    "UPDATE main.communication_task SET task_row_id = (SELECT new FROM task_number WHERE old = task_row_id),"
    "  op_id = (SELECT new FROM op_number WHERE old = op_id);";

/* A database that is being made of another. */
struct copying {
    sqlite3 *db, *out; /* the capture's, and the new one */
    const char *database;
    struct strbuf sql;
    /* Stretches of time; NULL: iterations. */
    const struct stretch *stretches;
    size_t stretch_count;
    int64_t model_id, first, count; /* of iterations */
};

/* Tables and views of the capture's database. */
static int create_one(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct copying *copying = arg;
    return database_exec(copying->out, query_text(row, 0), err);
}

static int take_columns(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct copying *copying = arg;
    (void)err;
    strbuf_addf(&copying->sql, ", t.\"%s\"", query_text(row, 0));
    return 0;
}

/* INSERT of the rows of a part, with their id first. */
static int copy_part(struct copying *copying, const struct part *part, struct err *err)
{
    char columns[160];
    snprintf(columns, sizeof columns, "SELECT name FROM pragma_table_info('%s') WHERE name <> 'id' ORDER BY cid",
             part->table);
    strbuf_clear(&copying->sql);
    strbuf_addf(&copying->sql, "INSERT INTO main.%s SELECT %s", part->table, part->id);
    if (query_run(copying->out, columns, NULL, 0, take_columns, copying, err) < 0)
        return err_status(err);
    strbuf_addf(&copying->sql, " FROM %s", part->source);
    return copying->sql.failed ? err_no_memory(err) : database_exec(copying->out, copying->sql.data, err);
}

/* Everything but what parts has; with stretches, of the tables that have times, or tasks, what is in them. */
static int copy_others(struct copying *copying, struct err *err)
{
    static const char *const conditions[] = {IN_STRETCH("t.start_ns"), IN_STRETCH("t.time_ns"), IS_OF_KEPT_TASK};
    const bool stretches = copying->stretches != NULL;
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    if (database_exec(copying->out, kept_tasks, err) < 0 ||
        database_prepare(copying->out, stretches ? STRETCH_TABLES : ITERATION_TABLES, &statement, err) < 0)
        return err_status(err);
    for (int i = 0; stretches && i < 3; i++)
        sqlite3_bind_text(statement, i + 1, conditions[i], -1, SQLITE_STATIC);
    return query_loop(copying->out, statement, create_one, copying, err);
}

static int copy_rows(struct copying *copying, struct err *err)
{
    int status = database_exec(copying->out, copying->stretches != NULL ? stretch_choices : choices, err);
    for (size_t i = 0; status == 0 && i < sizeof parts / sizeof *parts; i++)
        status = copy_part(copying, &parts[i], err);
    if (status < 0 || copy_others(copying, err) < 0)
        return err_status(err);
    return database_exec(copying->out, communication_tasks, err);
}

static int attach(const struct copying *copying, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    if (database_exec(copying->out, "COMMIT", err) < 0 ||
        database_prepare(copying->out, "ATTACH ?1 AS capture", &statement, err) < 0)
        return err_status(err);
    sqlite3_bind_text(statement, 1, copying->database, -1, SQLITE_STATIC);
    int status = sqlite3_step(statement) == SQLITE_DONE
                     ? 0
                     : database_error(err, copying->out, "cannot read the capture's database");
    return status == 0 ? database_exec(copying->out, "BEGIN", err) : status;
}

/* Fills the temporary tables with which iterations are wanted. */
static int choose_iterations(const struct copying *copying, struct err *err)
{
    char sql[128];
    struct cann_steps steps;
    int64_t devices = 0;
    snprintf(sql, sizeof sql, "CREATE TEMP TABLE wanted_model AS SELECT %lld AS id", (long long)copying->model_id);
    if (database_exec(copying->out, sql, err) < 0 || cann_steps_load(copying->db, &steps, err) < 0)
        return err_status(err);
    int status = find_ranges(&steps, copying->out, copying->model_id, copying->first, copying->count, &devices, err);
    cann_steps_release(&steps);
    if (status < 0 || devices > 0)
        return status;
    err_set(err, ERR_NOT_FOUND, "model %lld has no iteration %lld", (long long)copying->model_id,
            (long long)copying->first);
    err_hint_caller(err, "the view step lists models and their iterations");
    return err_hint(err, "'msprof query' lists models and their number of iterations");
}

static int choose_stretches(const struct copying *copying, struct err *err)
{
    char sql[128];
    int status = database_exec(copying->out, "CREATE TEMP TABLE stretch(from_ns INTEGER, until_ns INTEGER)", err);
    for (size_t i = 0; status == 0 && i < copying->stretch_count; i++) {
        snprintf(sql, sizeof sql, "INSERT INTO stretch VALUES(%lld, %lld)", (long long)copying->stretches[i].from_ns,
                 (long long)copying->stretches[i].until_ns);
        status = database_exec(copying->out, sql, err);
    }
    return status;
}

/* Its tables and views, empty; then what is chosen by the rows of temporary tables. */
static int fill(struct copying *copying, struct err *err)
{
    if (attach(copying, err) < 0 || database_exec(copying->out, temporary_tables, err) < 0 ||
        (copying->stretches != NULL ? choose_stretches : choose_iterations)(copying, err) < 0 ||
        query_run(copying->db,
                  "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type IN ('table', 'view')"
                  "  AND name NOT LIKE 'sqlite_%' ORDER BY type, rowid",
                  NULL, 0, create_one, copying, err) < 0)
        return err_status(err);
    return copy_rows(copying, err);
}

static int make(struct copying *copying, const char *path, struct err *err)
{
    struct database_build build;
    if (database_build_open(&build, path, true, err) < 0)
        return err_status(err);
    copying->out = build.db;
    strbuf_init(&copying->sql, SQL_LIMIT);
    int status = fill(copying, err);
    strbuf_release(&copying->sql);
    if (status == 0)
        return database_build_commit(&build, err);
    database_build_abort(&build);
    return status;
}

int iteration_database_make(sqlite3 *db, const char *database, const char *path, int64_t model_id, int64_t first,
                            int64_t count, struct err *err)
{
    struct copying copying = {.db = db, .database = database, .model_id = model_id, .first = first, .count = count};
    return make(&copying, path, err);
}

int iteration_stretches_make(sqlite3 *db, const char *database, const char *path, const struct stretch *stretches,
                             size_t count, struct err *err)
{
    struct copying copying = {.db = db, .database = database, .stretches = stretches, .stretch_count = count};
    return make(&copying, path, err);
}
