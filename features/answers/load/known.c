/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/load/known.h"

#include "db/query/query.h"
#include "db/query/query_loop.h"
#include "db/query/query_window.h"
#include "db/table_rows.h"
#include "db/warm_up.h"
#include "exporters/query_compile.h"
#include "exporters/table/report.h"
#include "features/answers/analysis/bound.h"
#include "features/answers/load/load.h"
#include "features/frameworks/reports/host_side.h"

#include <string.h>

#define VALUES 12 /* of answer_row */

extern const struct report report_bound;

/* ---- keeping ---- */

struct keeping {
    struct table_rows rows;
    int64_t number;
};

static struct table_value stored(const struct report_value *value)
{
    switch ((enum value_kind)value->kind) {
    case VALUE_INTEGER:
        return table_integer(value->integer);
    case VALUE_REAL:
        return table_real(value->real);
    case VALUE_STRING:
        return table_text(value->text);
    default:
        return NOTHING;
    }
}

static int keep_row(void *arg, const struct report *report, const struct report_value *values, size_t count,
                    struct err *err)
{
    struct keeping *keeping = arg;
    struct table_value row[2 + VALUES] = {V(report->name), V(++keeping->number)};

    if (count > VALUES)
        return err_set(err, ERR_LIMIT, "table %s has %zu columns; the database keeps %d", report->name, count, VALUES);
    for (size_t i = 0; i < VALUES; i++)
        row[2 + i] = i < count ? stored(&values[i]) : NOTHING;
    return table_add_values(&keeping->rows, row, sizeof row / sizeof *row, err);
}

static size_t count_columns(const struct report *report)
{
    size_t count = 0;

    while (report->columns[count].title != NULL)
        count++;
    return count;
}

static int keep_report(struct report_session *session, const struct report *report, struct table_rows *answers,
                       struct err *err)
{
    const struct report_scope scope = {DB_NULL, DB_NULL, DB_NULL, ""};
    struct keeping *keeping = session->keep_arg;
    uint64_t ignored;

    keeping->number = 0;
    return report_write(session, report, &scope, &ignored, err) < 0 ||
                   table_add(answers, err, V(report->name), V((int64_t)count_columns(report)),
                             V((const char *)session->result->recorded)) < 0
               ? err_status(err)
               : 0;
}

static int keep_reports(struct report_session *session, sqlite3 *into, struct err *err)
{
    static const char into_rows[] = "answer_row(name, number, value1, value2, value3, value4, value5, value6, value7,"
                                    " value8, value9, value10, value11, value12)";
    struct keeping *keeping = session->keep_arg;
    struct table_rows answers;
    const struct report *const *all = report_all(err);

    if (all == NULL || table_rows_into(&keeping->rows, into, into_rows, err) < 0 ||
        table_rows_into(&answers, into, "answer(name, columns, recorded)", err) < 0)
        return err_status(err);
    for (const struct report *const *report = all; *report != NULL; report++)
        if ((*report)->known && keep_report(session, *report, &answers, err) < 0)
            return err_status(err);
    return 0;
}

static int keep_answers(const char *path, sqlite3 *db, sqlite3 *into, struct err *err)
{
    SCOPED(workload_release) struct workload workload;
    SCOPED(report_session_release) struct report_session session = {.db = NULL};
    struct table_sink nowhere = {.arg = NULL};
    const struct export_options options = {
        .database = path, .format = TABLE_CELLS, .sink = &nowhere, .stream_path = "", .model_id = -1};
    struct export_result result = {.files = 0};
    struct keeping keeping = {.number = 0};
    struct err own = ERR_INIT;

    workload_init(&workload);
    if (workload_load(db, WITH_COUNTERS, &workload, &own) < 0) {
        if (own.code == ERR_LIMIT) /* of devices, say: a question is told so, import is not held up */
            return 0;
        *err = own;
        return err_status(err);
    }
    if (workload.operator_count > KNOWN_OPERATORS_MAX)
        return 0;
    if (report_session_open(&session, db, &options, &result, err) < 0)
        return err_status(err);
    session.workload = &workload;
    session.keep = keep_row;
    session.keep_arg = &keeping;
    return keep_reports(&session, into, err);
}

int known_keep(const char *path, sqlite3 *into, struct err *err)
{
    struct db_facts facts;
    sqlite3 *db = NULL;
    int64_t tasks = 0;

    if (warm_up_is_shown() || db_read_facts(into, &facts, err) < 0 || facts.family != CAPTURE_CANN ||
        cann_task_count(into, &tasks, err) < 0 || tasks == 0)
        return err_status(err);
    int status = warm_up_open(path, &db, err);
    if (status == 0)
        status = keep_answers(path, db, into, err);
    database_close(db);
    return status;
}

/* ---- reading ---- */

/* Whether the answers of a connection are about all that import saw, with nothing beside it, and nobody changed it. */
static int is_whole(sqlite3 *db, bool *ret, struct err *err)
{
    struct query_window window;
    bool chosen = false;

    *ret = false;
    if (query_window_read(db, &window, err) < 0 ||
        query_ask(db, FRAMEWORK_ATTACHED " OR EXISTS (SELECT 1 FROM sqlite_temp_master WHERE name = 'step_range')",
                  &chosen, err) < 0)
        return err_status(err);
    *ret = !window.any && !chosen && !warm_up_is_shown() && database_is_unchanged(db);
    return 0;
}

/* Prepares the rows of a report, by number. NULL without an error: they are not known. */
static int find_rows(sqlite3 *db, const struct report *report, char *recorded, size_t size, sqlite3_stmt **ret,
                     struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *answer = NULL;
    bool is_there = false;

    *ret = NULL;
    if (is_whole(db, &is_there, err) < 0 || !is_there ||
        database_prepare(db, "SELECT columns, recorded FROM main.answer WHERE name = ?1", &answer, err) < 0)
        return err_status(err);
    sqlite3_bind_text(answer, 1, report->name, -1, SQLITE_STATIC);
    if (database_step(answer, &is_there, err) < 0 || !is_there ||
        query_integer(answer, 0) != (int64_t)count_columns(report))
        return err_status(err);
    const char *text = query_text(answer, 1);
    snprintf(recorded, size, "%s", text != NULL ? text : "");
    if (database_prepare(db, "SELECT * FROM main.answer_row WHERE name = ?1 ORDER BY number", ret, err) < 0)
        return err_status(err);
    sqlite3_bind_text(*ret, 1, report->name, -1, SQLITE_STATIC);
    return 0;
}

static struct report_value taken(sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        return value_integer(sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
        return value_real(sqlite3_column_double(row, column));
    case SQLITE_TEXT:
        return value_text((const char *)sqlite3_column_text(row, column));
    default:
        return value_none();
    }
}

int known_put(struct report_run *run, bool *ret_put, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *rows = NULL;
    const struct report_session *session = run->session;
    struct report_value values[VALUES];
    bool is_there = false;

    *ret_put = false;
    if (!run->report->known || session->keep != NULL || session->workload != NULL)
        return 0;
    if (find_rows(session->db, run->report, session->result->recorded, sizeof session->result->recorded, &rows, err) <
        0)
        return err_status(err);
    if (rows == NULL)
        return 0;
    *ret_put = true;
    while (database_step(rows, &is_there, err) == 0 && is_there) {
        if (report_writer_leave_rest(&run->writer, 1))
            continue;
        for (int i = 0; i < VALUES; i++)
            values[i] = taken(rows, 2 + i);
        if (report_row(run, values, err) < 0)
            return err_status(err);
    }
    return err_status(err);
}

/* The column of a report with this title. */
static int place_of(const struct report *report, const char *title)
{
    int place = 0;

    while (strcmp(report->columns[place].title, title) != 0)
        place++;
    return place;
}

/* The literal of the program; NULL: it has no such word. */
static const char *bound_word(const char *text)
{
    for (int bound = BOUND_UNKNOWN; text != NULL && bound <= BOUND_LATENCY; bound++)
        if (strcmp(bound_name((enum bound)bound), text) == 0)
            return bound_name((enum bound)bound);
    return NULL;
}

int known_bounds(sqlite3 *db, int (*each)(void *arg, const char *name, const char *bound, struct err *err), void *arg,
                 bool *ret_known, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *rows = NULL;
    const int name_place = 2 + place_of(&report_bound, "Name"), bound_place = 2 + place_of(&report_bound, "Bound");
    char recorded[sizeof((struct export_result *)NULL)->recorded];
    bool is_there = false;

    if (find_rows(db, &report_bound, recorded, sizeof recorded, &rows, err) < 0)
        return err_status(err);
    *ret_known = rows != NULL;
    while (rows != NULL && database_step(rows, &is_there, err) == 0 && is_there) {
        const char *name = query_text(rows, name_place), *bound = bound_word(query_text(rows, bound_place));
        if (name != NULL && bound != NULL && each(arg, name, bound, err) < 0)
            return err_status(err);
    }
    return err_status(err);
}
