/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/rows.h"

#include "base/interrupt.h"
#include "exporters/query_compile.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* Tables that are a query. */

/* Appends the expressions of the known columns to a SELECT; "NULL" for those without. */
static void add_expressions(const struct report_run *run, struct strbuf *sql)
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

static struct report_value column_value(sqlite3_stmt *row, int column)
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

/* ---- lookups ---- */

struct looked_up {
    int64_t key, value;
};

static int read_lookup(struct known_column *known, sqlite3 *db, sqlite3_stmt *rows, struct err *err)
{
    int status = 0, code = SQLITE_DONE;
    known->found = (struct map)MAP_OF(struct looked_up, key);
    while (status == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        int64_t key = sqlite3_column_int64(rows, 0);
        bool added = false;
        struct looked_up *item =
            sqlite3_column_type(rows, 0) != SQLITE_NULL ? map_add(&known->found, &key, &added, err) : NULL;
        if (added)
            item->value = sqlite3_column_type(rows, 1) != SQLITE_NULL ? sqlite3_column_int64(rows, 1) : DB_NULL;
        if (item == NULL && sqlite3_column_type(rows, 0) != SQLITE_NULL)
            return -(int)err->code;
        status = interrupted() ? interrupt_error(err) : 0;
        code = SQLITE_DONE;
    }
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "the database cannot be read") : status;
}

static int load_lookup(struct known_column *known, sqlite3 *db, struct err *err)
{
    const struct report_lookup *lookup = known->column.lookup;
    sqlite3_stmt *rows = NULL;
    struct strbuf sql;
    strbuf_init(&sql, QUERY_SQL_MAX);
    strbuf_addf(&sql, "SELECT %s, %s FROM %s", lookup->key, lookup->value, lookup->from);
    int status = query_sql_prepare(db, &sql, &rows, err);
    if (status == 0)
        status = read_lookup(known, db, rows, err);
    sqlite3_finalize(rows);
    strbuf_release(&sql);
    return status;
}

bool report_needs(const struct report_run *run, size_t value)
{
    bool needs = run->chosen && row_choice_needs(&run->choice, value);
    for (size_t i = 0; i < run->plan.step_count; i++)
        needs |= run->plan.steps[i].value == value;
    return needs;
}

int report_lookups_load(struct report_run *run, struct err *err)
{
    int status = 0;
    for (size_t i = 0; status == 0 && i < run->plan.column_count; i++) {
        struct known_column *known = &run->plan.columns[i];
        if (known->column.lookup == NULL || !report_needs(run, i))
            continue;
        run->plan.looks_up = true;
        status = load_lookup(known, run->session->db, err);
    }
    return status;
}

void report_look_up(const struct report_plan *plan, struct report_value *values)
{
    for (size_t i = 0; plan->looks_up && i < plan->column_count; i++) {
        if (plan->columns[i].column.lookup == NULL)
            continue;
        const struct looked_up *item = values[i].kind == VALUE_INTEGER && plan->columns[i].found.used > 0
                                           ? map_get(&plan->columns[i].found, &values[i].integer)
                                           : NULL;
        values[i] = item != NULL ? value_integer(item->value) : value_none();
    }
}

/* ---- rows of a query ---- */

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
            values[i] = column_value(statement, (int)i);
        report_look_up(&run->plan, values);
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
    add_expressions(run, &sql);
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

/* Tables that are a user's query: it may read, and nothing else. */

/* A function of SQLite is not interrupted: those that compare every byte of a text with every byte of another take up
 * to some seconds for two of this length, and hours for two of those that the database may hold. Patterns are compared
 * from every place of a text. */
#define VALUE_BYTES_MAX (128 * 1024)
#define PATTERN_BYTES_MAX 1000

/* Functions that reach out of the database: code, and addresses in memory. */
static bool is_harmless(const char *function)
{
    static const char *const harmful[] = {"load_extension", "fts3_tokenizer"};
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
        if (sqlite3_stricmp(function, harmful[i]) == 0)
            return false;
    }
    return true;
}

/* Allows the statement only to read while it is prepared and run. second: of a function its name. */
static int allow_reading(void *arg, int action, const char *first, const char *second, const char *database,
                         const char *trigger)
{
    (void)arg;
    (void)first;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return is_harmless(second) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Line and column, from 1, of a byte of the query. */
static void find_place(const struct report_user_query *query, int offset, size_t *ret_line, size_t *ret_column)
{
    *ret_line = query->first_line;
    *ret_column = 1;
    for (int i = 0; i < offset && query->text[i] != '\0'; i++) {
        (*ret_column)++;
        if (query->text[i] == '\n') {
            (*ret_line)++;
            *ret_column = 1;
        }
    }
}

static int fail_at(const struct report_user_query *query, int offset, struct err *err, const char *message)
{
    size_t line, column;
    find_place(query, offset, &line, &column);
    return err_set(err, ERR_FORMAT, "%s:%zu:%zu: %s", query->place, line, column, message);
}

/* Behind the statement only blanks, comments and semicolons may stand. */
static int check_tail(sqlite3 *db, const struct report_user_query *query, const char *tail, struct err *err)
{
    sqlite3_stmt *second = NULL;
    int code = sqlite3_prepare_v2(db, tail, -1, &second, NULL);
    sqlite3_finalize(second);
    return code == SQLITE_OK && second == NULL
               ? 0
               : fail_at(query, (int)(tail - query->text), err, "a second statement; expected one query");
}

static int check_query(const struct report_run *run, sqlite3_stmt *statement, const struct report_user_query *query,
                       struct err *err)
{
    char message[160];
    size_t columns = run->plan.column_count;
    if (statement == NULL)
        return fail_at(query, 0, err, "the query is empty");
    if (!sqlite3_stmt_readonly(statement))
        return fail_at(query, 0, err, "the statement does not only read");
    if (sqlite3_bind_parameter_count(statement) > 0) {
        const char *name = sqlite3_bind_parameter_name(statement, sqlite3_bind_parameter_count(statement));
        snprintf(message, sizeof message, "the query has the parameter '%s', to which nothing gives a value",
                 name != NULL ? name : "?");
        return fail_at(query, 0, err, message);
    }
    if ((size_t)sqlite3_column_count(statement) == columns)
        return 0;
    snprintf(message, sizeof message, "the query gives %d columns, and the report has %zu",
             sqlite3_column_count(statement), columns);
    return fail_at(query, 0, err, message);
}

/* Where SQLite does not say where it is, what the message names does: "no such table: nowhere". */
static int find_offset(const struct report_user_query *query, sqlite3 *db)
{
    int offset = sqlite3_error_offset(db);
    const char *message = sqlite3_errmsg(db), *colon = strrchr(message, ':');
    const char *named = offset < 0 && colon != NULL ? strstr(query->text, colon + 2) : NULL;
    if (offset >= 0)
        return offset;
    if (named != NULL)
        return (int)(named - query->text);
    return strcmp(message, "incomplete input") == 0 ? (int)strlen(query->text) : 0;
}

static const char *message_of(sqlite3 *db)
{
    return (sqlite3_errcode(db) & 0xff) == SQLITE_AUTH
               ? "the statement does more than to read; expected SELECT, or WITH and SELECT"
               : sqlite3_errmsg(db);
}

static int prepare(const struct report_run *run, sqlite3_stmt **ret, struct err *err)
{
    const struct report_user_query *query = run->report->user;
    sqlite3 *db = run->session->db;
    const char *tail = NULL;
    if (sqlite3_prepare_v2(db, query->text, -1, ret, &tail) != SQLITE_OK) {
        int offset = find_offset(query, db);
        return fail_at(query, offset, err, message_of(db));
    }
    int status = check_query(run, *ret, query, err);
    return status == 0 ? check_tail(db, query, tail, err) : status;
}

/* ---- time ---- */

struct deadline {
    int64_t at_ns; /* of the monotonic clock; 0: none */
    bool passed;
};

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int stop_when_late(void *arg)
{
    struct deadline *deadline = arg;
    deadline->passed |= deadline->at_ns > 0 && monotonic_ns() > deadline->at_ns;
    return deadline->passed || interrupted();
}

static int fail_late(const struct report_user_query *query, struct err *err)
{
    *err = (struct err)ERR_INIT;
    err_set(err, ERR_LIMIT, "%s:%zu: the query takes longer than %" PRId64 " seconds", query->place, query->first_line,
            query->seconds);
    return err_hint(err, "give it more with --report-seconds N (0: as many as it takes)");
}

/* ---- the whole ---- */

static int run_query(struct report_run *run, sqlite3_stmt **statement, struct err *err)
{
    const struct report_user_query *query = run->report->user;
    sqlite3 *db = run->session->db;
    int status = prepare(run, statement, err);
    if (status == 0) {
        status = report_statement_rows(run, *statement, err);
        if (status < 0 && err->code == ERR_DATABASE)
            status = fail_at(query, 0, err, message_of(db));
    }
    return status;
}

int report_user_rows(struct report_run *run, struct err *err)
{
    const struct report_user_query *query = run->report->user;
    struct deadline deadline = {query->seconds > 0 ? monotonic_ns() + query->seconds * 1000000000 : 0, false};
    sqlite3_stmt *statement = NULL;
    sqlite3 *db = run->session->db;
    int length = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
    int pattern = sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_BYTES_MAX);
    sqlite3_set_authorizer(db, allow_reading, NULL);
    sqlite3_progress_handler(db, 1, stop_when_late, &deadline);
    int status = run_query(run, &statement, err);
    if (status < 0 && deadline.passed && !interrupted())
        status = fail_late(query, err);
    sqlite3_finalize(statement);
    database_poll_interrupts(db);
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, length);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, pattern);
    return status;
}
