/* SPDX-License-Identifier: Apache-2.0 */
#include "features/answers/load/known.h"

#include "db/query/query.h"
#include "db/table_rows.h"
#include "db/warm_up.h"
#include "exporters/table/report.h"
#include "features/answers/load/load.h"
#include "features/frameworks/reports/host_side.h"

#include <string.h>

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
    struct table_value row[2 + KNOWN_VALUES] = {V(report->name), V(++keeping->number)};

    if (count > KNOWN_VALUES)
        return err_set(err, ERR_LIMIT, "table %s has %zu columns; the database keeps %d", report->name, count,
                       KNOWN_VALUES);
    for (size_t i = 0; i < KNOWN_VALUES; i++)
        row[2 + i] = i < count ? stored(&values[i]) : NOTHING;
    return table_add_values(&keeping->rows, row, sizeof row / sizeof *row, err);
}

static int keep_report(struct report_session *session, const struct report *report, struct table_rows *answers,
                       struct err *err)
{
    const struct report_scope scope = {DB_NULL, DB_NULL, DB_NULL, ""};
    struct keeping *keeping = session->keep_arg;
    uint64_t ignored;

    keeping->number = 0;
    return report_write(session, report, &scope, &ignored, err) < 0 ||
                   table_add(answers, err, V(report->name), V((int64_t)known_columns(report)),
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
