/* SPDX-License-Identifier: Apache-2.0 */
/* Tables that are a user's query: it may read, and nothing else. */
#include "exporters/table/rows.h"

#include "base/interrupt.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* A function of SQLite is not interrupted: those that compare every byte of a text with every byte of another take
 * some seconds for two of this length, and hours for two of those that the database may hold. */
#define VALUE_BYTES_MAX (256 * 1024)

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

/* What the statement may do while it is prepared and run. second: of a function its name. */
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
    sqlite3_set_authorizer(db, allow_reading, NULL);
    sqlite3_progress_handler(db, 100, stop_when_late, &deadline);
    int status = run_query(run, &statement, err);
    if (status < 0 && deadline.passed && !interrupted())
        status = fail_late(query, err);
    sqlite3_finalize(statement);
    database_poll_interrupts(db);
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, length);
    return status;
}
