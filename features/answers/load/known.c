/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/load/known.h"

#include "db/query/query.h"
#include "db/query/query_loop.h"
#include "db/query/query_window.h"
#include "db/warm_up.h"
#include "exporters/query_compile.h"
#include "exporters/table/report.h"
#include "features/answers/analysis/bound.h"
#include "features/frameworks/reports/host_side.h"

#include <string.h>

extern const struct report report_bound;

size_t known_columns(const struct report *report)
{
    size_t count = 0;

    while (report->columns[count].title != NULL)
        count++;
    return count;
}

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
        query_integer(answer, 0) != (int64_t)known_columns(report))
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
    struct report_value values[KNOWN_VALUES];
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
        for (int i = 0; i < KNOWN_VALUES; i++)
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
