/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are a query. */
#include "exporters/table/rows.h"

#include "base/interrupt.h"
#include "exporters/query_compile.h"

void report_expressions(const struct report_run *run, struct strbuf *sql)
{
    for (size_t i = 0; i < run->plan.column_count; i++) {
        const char *expression = run->plan.columns[i].column.sql;
        strbuf_addf(sql, "%s%s", i > 0 ? ", " : "", expression != NULL ? expression : "NULL");
    }
}

static void bind_scope(sqlite3_stmt *statement, const struct report_scope *scope)
{
    const struct {
        const char *name;
        int64_t value;
    } parameters[] = {{":device", scope->device_id}, {":model", scope->model_id}, {":iteration", scope->iteration}};
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        int place = sqlite3_bind_parameter_index(statement, parameters[i].name);
        if (place > 0 && parameters[i].value != DB_NULL)
            sqlite3_bind_int64(statement, place, parameters[i].value);
    }
}

struct report_value report_column_value(sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        return (struct report_value){.integer = sqlite3_column_int64(row, column), .kind = VALUE_INTEGER};
    case SQLITE_FLOAT:
        return value_real(sqlite3_column_double(row, column));
    case SQLITE_NULL:
        return value_none();
    default: {
        const char *text = (const char *)sqlite3_column_text(row, column);
        return value_text_of(text, (size_t)sqlite3_column_bytes(row, column));
    }
    }
}

struct report_value report_scanned_value(sqlite3_value *value)
{
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        return (struct report_value){.integer = sqlite3_value_int64(value), .kind = VALUE_INTEGER};
    case SQLITE_FLOAT:
        return value_real(sqlite3_value_double(value));
    case SQLITE_NULL:
        return value_none();
    default: {
        const char *text = (const char *)sqlite3_value_text(value);
        return value_text_of(text, (size_t)sqlite3_value_bytes(value));
    }
    }
}

/* Tells how many rows there are behind those that are shown, as far as counting them is quick. */
static int leave_rows(struct report_run *run, sqlite3_stmt *statement, struct err *err)
{
    enum { MOST = 10000 };
    uint64_t rows = 0;
    int code = SQLITE_ROW;
    while (rows < MOST && (code = sqlite3_step(statement)) == SQLITE_ROW)
        rows++;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return database_error(err, run->session->db, "the database cannot be read");
    if (rows > 0)
        report_writer_leave(&run->writer, code == SQLITE_DONE ? rows : UINT64_MAX);
    return 0;
}

int report_statement_rows(struct report_run *run, sqlite3_stmt *statement, struct err *err)
{
    struct report_value values[REPORT_MAX_COLUMNS];
    int status = 0, code = SQLITE_DONE;
    while (status == 0 && !report_writer_is_full(&run->writer) && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (size_t i = 0; i < run->plan.column_count; i++)
            values[i] = report_column_value(statement, (int)i);
        status = interrupted() ? interrupt_error(err) : report_row(run, values, err);
        code = SQLITE_DONE;
    }
    if (status == 0 && report_writer_is_full(&run->writer))
        status = leave_rows(run, statement, err);
    return status == 0 && code != SQLITE_DONE ? database_error(err, run->session->db, "the database cannot be read")
                                              : status;
}

int report_query_rows(struct report_run *run, struct err *err)
{
    struct strbuf sql;
    sqlite3_stmt *statement = NULL;
    strbuf_init(&sql, QUERY_SQL_MAX);
    query_begin(&sql, &run->report->query);
    report_expressions(run, &sql);
    query_end(&sql, &run->report->query, NULL, NULL);
    int status = query_sql_prepare(run->session->db, &sql, &statement, err);
    if (status == 0) {
        bind_scope(statement, run->scope);
        status = report_statement_rows(run, statement, err);
    }
    sqlite3_finalize(statement);
    strbuf_release(&sql);
    return status;
}
