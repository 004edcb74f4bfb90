/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/table/report.h"

#include "base/clock.h"
#include "base/language.h"
#include "base/progress.h"
#include "base/utf8.h"
#include "db/memory_bound.h"
#include "db/query/query_loop.h"
#include "db/query/query_scan.h"
#include "exporters/extension.h"
#include "exporters/parallel.h"
#include "exporters/query_compile.h"
#include "exporters/table/overdue.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
            return err_status(err);
        status = interrupted() ? interrupt_error(err) : 0;
        code = SQLITE_DONE;
    }
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "cannot read the database") : status;
}

static int load_lookup(struct known_column *known, sqlite3 *db, struct err *err)
{
    const struct report_lookup *lookup = known->column.lookup;
    SCOPED(statement_release) sqlite3_stmt *rows = NULL;
    SCOPED(strbuf_release) struct strbuf sql;
    strbuf_init(&sql, QUERY_SQL_MAX);
    strbuf_addf(&sql, "SELECT %s, %s FROM %s", lookup->key, lookup->value, lookup->from);
    return query_sql_prepare(db, &sql, &rows, err) < 0 || read_lookup(known, db, rows, err) < 0 ? err_status(err) : 0;
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

/* Puts what is found in the place of the keys; what is not found does not exist. */
static void look_up(const struct report_plan *plan, struct report_value *values)
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

/* Reports how many rows follow the printed ones, as far as counting them is quick. */
static int leave_rows(struct report_run *run, sqlite3_stmt *statement, struct err *err)
{
    enum { MOST = 10000 };
    uint64_t rows = 0;
    int code = SQLITE_ROW;
    while (rows < MOST && (code = sqlite3_step(statement)) == SQLITE_ROW)
        rows++;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return database_error(err, run->session->db, "cannot read the database");
    if (rows > 0)
        report_writer_leave(&run->writer, code == SQLITE_DONE ? rows : UINT64_MAX);
    return 0;
}

/* Puts the rows of a prepared statement whose columns are those of the report. */
static int statement_rows(struct report_run *run, sqlite3_stmt *statement, struct err *err)
{
    struct report_value values[REPORT_MAX_COLUMNS];
    int status = 0, code = SQLITE_DONE;
    while (status == 0 && !report_writer_is_full(&run->writer) && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (size_t i = 0; i < run->plan.column_count; i++)
            values[i] = column_value(statement, (int)i);
        look_up(&run->plan, values);
        status = interrupted() ? interrupt_error(err) : report_row(run, values, err);
        code = SQLITE_DONE;
    }
    if (status == 0 && report_writer_is_full(&run->writer))
        status = leave_rows(run, statement, err);
    return status == 0 && code != SQLITE_DONE ? database_error(err, run->session->db, "cannot read the database")
                                              : status;
}

static int prepare_rows(const struct report_run *run, sqlite3_stmt **ret, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    strbuf_init(&sql, QUERY_SQL_MAX);
    if (run->report->own != NULL)
        return report_own_prepare(run->session->db, run->report, ret, err);
    query_begin(&sql, &run->report->query);
    add_expressions(run, &sql);
    query_end(&sql, &run->report->query, NULL, NULL);
    return query_sql_prepare(run->session->db, &sql, ret, err);
}

int report_query_rows(struct report_run *run, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    if (prepare_rows(run, &statement, err) < 0)
        return err_status(err);
    bind_scope(statement, run->scope);
    return statement_rows(run, statement, err);
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

/* Functions that know the clocks and settings of one capture. */
static bool is_of_one_capture(const char *function)
{
    static const char *const names[] = {"setting", "chip", "exact_ns", "ticks", "ticks_ns"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (sqlite3_stricmp(function, names[i]) == 0)
            return true;
    }
    return false;
}

/* What a query may do, and what it was refused. */
struct confinement {
    bool joint;
    char table[64]; /* it names no capture; "": there is none */
};

/* Over several captures a table without the name of its capture is that of none of them. */
static int allow_table(struct confinement *confinement, const char *table, const char *database)
{
    if (!confinement->joint || database == NULL || strcmp(database, "main") != 0)
        return SQLITE_OK;
    if (confinement->table[0] == '\0')
        snprintf(confinement->table, sizeof confinement->table, "%s", table);
    return SQLITE_DENY;
}

/* Allows the statement only to read while it is prepared and run. first: of what is read the table; second: of a
 * function its name; view: that reads it. */
static int allow_reading(void *arg, int action, const char *first, const char *second, const char *database,
                         const char *view)
{
    struct confinement *confinement = arg;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ:
        return allow_table(confinement, view != NULL ? view : first, database);
    case SQLITE_FUNCTION:
        return is_harmless(second) && !(confinement->joint && is_of_one_capture(second)) ? SQLITE_OK : SQLITE_DENY;
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
    return err_set(err, ERR_FORMAT, "%s:%zu:%zu: %s", query->place, line, column, language_said(message));
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

#define COLUMNS_OF_QUERY SIZE_MAX /* the report has those that the query gives */

/* columns: how many the report has. */
static int check_columns(sqlite3_stmt *statement, const struct report_user_query *query, size_t columns,
                         struct err *err)
{
    char message[160];
    if ((size_t)sqlite3_column_count(statement) == columns || columns == COLUMNS_OF_QUERY)
        return 0;
    snprintf(message, sizeof message, language_said("the query returns %d columns, but the report has %zu"),
             sqlite3_column_count(statement), columns);
    return fail_at(query, 0, err, message);
}

static int check_query(sqlite3_stmt *statement, const struct report_user_query *query, size_t columns, struct err *err)
{
    char message[160];
    if (statement == NULL)
        return fail_at(query, 0, err, "the query is empty");
    if (!sqlite3_stmt_readonly(statement))
        return fail_at(query, 0, err, "the statement does not only read");
    if (sqlite3_bind_parameter_count(statement) > 0) {
        const char *name = sqlite3_bind_parameter_name(statement, sqlite3_bind_parameter_count(statement));
        snprintf(message, sizeof message, language_said("the query has the parameter '%s', which has no value"),
                 name != NULL ? name : "?");
        return fail_at(query, 0, err, message);
    }
    return check_columns(statement, query, columns, err);
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
               ? LANGUAGE_MARK("the statement does more than read; expected SELECT, or WITH and SELECT")
               : sqlite3_errmsg(db);
}

static int prepare(const struct report_run *run, size_t columns, sqlite3_stmt **ret, struct err *err)
{
    const struct report_user_query *query = run->report->user;
    sqlite3 *db = run->session->db;
    const char *tail = NULL;
    if (sqlite3_prepare_v2(db, query->text, -1, ret, &tail) != SQLITE_OK) {
        int offset = find_offset(query, db);
        return fail_at(query, offset, err, message_of(db));
    }
    return check_query(*ret, query, columns, err) < 0 || check_tail(db, query, tail, err) < 0 ? err_status(err) : 0;
}

int report_own_prepare(sqlite3 *db, const struct report *report, sqlite3_stmt **ret, struct err *err)
{
    const struct report_user_query *query = report->own;
    size_t columns = 0;
    *ret = NULL;
    while (report->columns[columns].title != NULL)
        columns++;
    if (extension_query_begin(db, query->text, err) < 0)
        return err_status(err);
    if (sqlite3_prepare_v2(db, query->text, -1, ret, NULL) != SQLITE_OK)
        return fail_at(query, find_offset(query, db), err, sqlite3_errmsg(db));
    return check_columns(*ret, query, columns, err);
}

/* ---- time and memory ---- */

#define QUERY_BYTES_MAX (64 * 1024 * 1024)

static int stop_when_late(void *arg)
{
    struct memory_bound *bound = arg;
    bound->late |= bound->at_ns > 0 && clock_now_ns() > bound->at_ns;
    return bound->late || interrupted();
}

static int fail_late(const struct report_user_query *query, struct err *err)
{
    err_set(err, ERR_LIMIT, "%s:%zu: the query takes longer than %" PRId64 " seconds", query->place, query->first_line,
            query->seconds);
    err_hint_caller(err, "ask for fewer rows");
    return err_hint(err, "raise the limit with --report-seconds N (0: no limit)");
}

static int fail_bound(const struct report_user_query *query, const struct memory_bound *bound, struct err *err)
{
    *err = (struct err)ERR_INIT;
    if (bound->late)
        return fail_late(query, err);
    err_set(err, ERR_LIMIT, "%s:%zu: the query takes more than %d MiB of memory", query->place, query->first_line,
            QUERY_BYTES_MAX / 1024 / 1024);
    return err_hint(err, "use fewer parts of it twice: SQLite copies a part of WITH for each use");
}

/* ---- the whole ---- */

static int fail_nameless(const struct report_user_query *query, const char *table, struct err *err)
{
    *err = (struct err)ERR_INIT;
    return err_set(err, ERR_FORMAT,
                   "%s:%zu: table '%s' lacks the name of its capture, which a query over several needs; "
                   "expected CAPTURE.%s",
                   query->place, query->first_line, table, table);
}

static int run_query(struct report_run *run, sqlite3_stmt **statement, struct err *err)
{
    const struct report_user_query *query = run->report->user;
    sqlite3 *db = run->session->db;
    if (prepare(run, run->plan.column_count, statement, err) < 0)
        return err_status(err);
    int status = statement_rows(run, *statement, err);
    return status < 0 && err->code == ERR_DATABASE ? fail_at(query, 0, err, message_of(db)) : status;
}

/* The columns are those of the query, aligned as the columns of the database are that they show. */
static int add_columns(struct report_run *run, sqlite3_stmt **statement, struct err *err)
{
    int status = prepare(run, COLUMNS_OF_QUERY, statement, err);
    for (int i = 0; status == 0 && i < sqlite3_column_count(*statement); i++) {
        const char *type = sqlite3_column_decltype(*statement, i);
        const bool number = type != NULL && (strcmp(type, "INTEGER") == 0 || strcmp(type, "REAL") == 0);
        const struct report_column column = {
            .title = sqlite3_column_name(*statement, i), .form = FORM_TEXT, .flags = number ? REPORT_NUMBER : 0};
        if (column.title == NULL)
            status = err_no_memory(err);
        else if (column.title[utf8_first_unsafe(column.title, strlen(column.title))] != '\0')
            status = fail_at(run->report->user, 0, err, "the name of a column has an unprintable character");
        else
            status = report_plan_add(&run->plan, &column, err);
    }
    return status;
}

/* Does the work with the database confined to what a user's query may do. */
static int confine(struct report_run *run,
                   int (*work)(struct report_run *run, sqlite3_stmt **statement, struct err *err), struct err *err)
{
    const struct report_user_query *query = run->report->user;
    struct memory_bound bound = {.most = QUERY_BYTES_MAX,
                                 .at_ns = query->seconds > 0 ? clock_now_ns() + query->seconds * 1000000000 : 0};
    struct confinement confinement = {.joint = query->joint};
    struct overdue overdue;
    struct err late = ERR_INIT;
    sqlite3_stmt *statement = NULL;
    sqlite3 *db = run->session->db;
    int length = sqlite3_limit(db, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX);
    int pattern = sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN_BYTES_MAX);
    sqlite3_set_authorizer(db, allow_reading, &confinement);
    sqlite3_progress_handler(db, 1, stop_when_late, &bound);
    fail_late(query, &late);
    overdue_begin(&overdue, bound.at_ns, &late);
    memory_bound_set(&bound);
    int status = work(run, &statement, err);
    memory_bound_set(NULL);
    overdue_end(&overdue);
    if (status < 0 && (bound.late || bound.exceeded) && !interrupted())
        status = fail_bound(query, &bound, err);
    else if (status < 0 && confinement.table[0] != '\0')
        status = fail_nameless(query, confinement.table, err);
    sqlite3_finalize(statement);
    database_poll_interrupts(db);
    sqlite3_set_authorizer(db, NULL, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, length);
    sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, pattern);
    return status;
}

int report_user_rows(struct report_run *run, struct err *err)
{
    return confine(run, run_query, err);
}

int report_user_columns(struct report_run *run, struct err *err)
{
    return confine(run, add_columns, err);
}

/* Tables with a row for each row of a table of the database: ranges of it go to several threads, each with its own
 * connection, and come back in order. */

#define ROWS_PER_UNIT 2048
#define SQL_MAX 65536
#define FIRST_ROOM 2048
#define NO_ROW SIZE_MAX

struct unit {
    int64_t first, end; /* ids */
    bool last;          /* of the file: takes the rows between that are left */
};

/* One file, or all of the terminal's table. */
struct pass {
    struct report_run *run;
    const struct report_scan *scan;
    bool alone; /* rows go to run->writer, not to the output of a unit */
    int64_t first_id, end_id;
    size_t first_between, end_between; /* of the rows between */
    const struct query_scan *range;    /* of its first worker */
    atomic_uint_fast64_t rows;
};

struct worker {
    struct report_worker shared; /* what the report sees */
    struct pass *pass;
    sqlite3 *db; /* NULL: the session's */
    sqlite3 *own;
    struct query_scan *range;
    struct parallel_output *output;
    size_t between; /* the next row of them */
    size_t room;    /* that a row took so far at most */
    bool first;     /* of the file */
    bool found;     /* a row before the unit's */
    struct placed {
        uint16_t column, place; /* of its value in a row of the scan */
    } placed[REPORT_MAX_COLUMNS];
    size_t placed_count, raw; /* raw: place of the first of them */
    struct report_value values[REPORT_MAX_COLUMNS], others[REPORT_MAX_COLUMNS];
};

/* The place of an expression among those that a scan gives; `count`: it is not there. */
static size_t place_of(const struct scan_column *columns, size_t count, const char *sql)
{
    size_t place = 0;
    while (place < count && strcmp(columns[place].sql, sql) != 0)
        place++;
    return place;
}

/* Each expression once, and nothing of columns without one: every value that a scan gives costs in every row. Returns
 * how many there are behind the first `count`. */
static size_t place_values(struct worker *worker, struct scan_column *columns, size_t count)
{
    const struct report_plan *plan = &worker->pass->run->plan;
    size_t raws = 0;
    worker->placed_count = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        const char *sql = plan->columns[i].column.sql;
        const struct report_scan *scan = worker->pass->scan;
        if (sql == NULL || (scan->needs != NULL && !scan->needs(worker->pass->run, i)))
            continue;
        const bool raw = (plan->columns[i].column.flags & REPORT_RAW) != 0;
        size_t place = raw ? count : place_of(columns, count, sql);
        if (place == count)
            columns[count++] = (struct scan_column){.sql = sql, .place = place};
        if (raw)
            worker->raw = place - raws++;
        else
            worker->placed[worker->placed_count++] = (struct placed){(uint16_t)i, (uint16_t)place};
    }
    return count;
}

static int prepare_worker(struct worker *worker, struct err *err)
{
    struct scan_column values[REPORT_MAX_COLUMNS];
    const struct report_scan *scan = worker->pass->scan;
    size_t count = place_values(worker, values, 0);
    const struct query_scan *first = worker->pass->range;
    if (first != NULL && (worker->range = query_scan_share(first, worker->db)) != NULL)
        return 0;
    int status = query_scan_new(worker->db, scan->table, scan->where, values, count, count, &worker->range, err);
    worker->pass->range = worker->range;
    return status;
}

static void worker_close(void *opaque)
{
    struct worker *worker = opaque;
    query_scan_free(worker->range);
    report_return_connection(worker->pass->run->session, worker->own);
    if (worker->shared.state != NULL && worker->pass->scan->end != NULL)
        worker->pass->scan->end(&worker->shared);
    free(worker->shared.state);
}

static int worker_open(void *opaque, void *arg, struct err *err)
{
    struct pass *pass = arg;
    struct worker *worker = opaque;
    worker->pass = pass;
    worker->shared.run = pass->run;
    const size_t own = (pass->scan->worker_size + 16) / 16 * 16; /* the variant's stands behind it, aligned */
    worker->shared.state = calloc(1, own + pass->scan->variant_worker_size);
    if (worker->shared.state == NULL)
        return err_no_memory(err);
    worker->shared.variant = (char *)worker->shared.state + own;
    worker->room = FIRST_ROOM;
    int status = 0;
    if (!pass->alone)
        status = report_lend_connection(pass->run->session, &worker->own, err);
    worker->db = pass->alone ? pass->run->session->db : worker->own;
    return status == 0 ? prepare_worker(worker, err) : status;
}

/* ---- rows ---- */

static int emit(struct worker *worker, const struct report_value *values, struct err *err)
{
    const struct report_plan *plan = &worker->pass->run->plan;
    if (worker->pass->alone)
        return report_row(worker->pass->run, values, err);
    for (size_t room = worker->room;;) {
        if (room > PARALLEL_BUFFER_SIZE)
            return err_set(err, ERR_LIMIT, "a row of %zu bytes in %s; at most %d are possible", room,
                           worker->pass->run->report->name, PARALLEL_BUFFER_SIZE);
        char *start = parallel_reserve(worker->output, room, err);
        if (start == NULL)
            return err_status(err);
        const char *end = report_plan_put(plan, values, worker->first, start, start + room, &room);
        if (end != NULL) {
            parallel_advance(worker->output, (size_t)(end - start));
            worker->first = false;
            atomic_fetch_add_explicit(&worker->pass->rows, 1, memory_order_relaxed);
            return 0;
        }
        if (room <= PARALLEL_BUFFER_SIZE)
            worker->room = room;
    }
}

static int put_unless_skipped(struct worker *worker, int status, const struct report_value *values, struct err *err)
{
    if (status == REPORT_SKIP)
        return 0;
    return status == 0 ? emit(worker, values, err) : status;
}

/* The rows between that stand in front of a row; NULL: all that are left. */
static int emit_between(struct worker *worker, const struct report_value *values, struct err *err)
{
    const struct report_scan *scan = worker->pass->scan;
    int status = 0;
    for (; status == 0 && worker->between < worker->pass->end_between; worker->between++) {
        if (values != NULL && !scan->between_before(worker->pass->run, worker->between, values))
            break;
        status = put_unless_skipped(worker, scan->between(&worker->shared, worker->between, worker->others, err),
                                    worker->others, err);
    }
    return status;
}

static void set_values(struct worker *worker, const int64_t *row)
{
    size_t count = worker->pass->run->plan.column_count;
    memset(worker->values, 0, count * sizeof *worker->values); /* VALUE_MISSING */
    for (size_t i = 0; i < worker->placed_count; i++) {
        int64_t value = row[worker->placed[i].place];
        if (value != DB_NULL)
            worker->values[worker->placed[i].column] = (struct report_value){.integer = value, .kind = VALUE_INTEGER};
    }
}

static int take_row(void *arg, int64_t *row, struct err *err)
{
    struct worker *worker = arg;
    const struct report_scan *scan = worker->pass->scan;
    set_values(worker, row);
    worker->shared.raw = row + worker->raw;
    int status = worker->between < worker->pass->end_between ? emit_between(worker, worker->values, err) : 0;
    look_up(&worker->pass->run->plan, worker->values);
    if (status == 0 && scan->row != NULL)
        status = scan->row(&worker->shared, worker->values, err);
    return put_unless_skipped(worker, status, worker->values, err);
}

/* The first row between that does not stand in front of a row. */
static size_t first_behind(const struct pass *pass, const struct report_value *values)
{
    size_t low = pass->first_between, high = pass->end_between;
    while (values != NULL && low < high) {
        size_t middle = (low + high) / 2;
        if (pass->scan->between_before(pass->run, middle, values))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int keep_before(void *arg, int64_t *row, struct err *err)
{
    struct worker *worker = arg;
    (void)err;
    set_values(worker, row);
    worker->found = true;
    return 0;
}

/* Reads the row of the table before this id. */
static int read_before(struct worker *worker, int64_t id, struct err *err)
{
    int status = 0;
    worker->found = false;
    for (int64_t count = 1, first; status == 0 && !worker->found && id > 1; id = first, count *= 8) {
        first = id - 1 > count ? id - count : 1;
        status = query_scan(worker->range, first, id, keep_before, worker, err);
    }
    return status;
}

/* Begins a unit with the row that its rows go on from: that of the table before it, or one between behind that. */
static int begin_unit(struct worker *worker, const struct unit *unit, struct err *err)
{
    const struct pass *pass = worker->pass;
    const struct report_scan *scan = pass->scan;
    worker->first = unit->first == pass->first_id;
    worker->between = pass->first_between;
    if (scan->begin == NULL && scan->between == NULL)
        return 0;
    int status = read_before(worker, unit->first, err);
    if (status < 0)
        return status;
    const struct report_value *previous = worker->found ? worker->values : NULL;
    worker->between = first_behind(pass, previous);
    if (worker->between == pass->first_between && worker->between > 0 &&
        (previous == NULL || !scan->between_before(pass->run, worker->between - 1, previous))) {
        /* The file before ended in the middle of rows between. */
        status = scan->between(&worker->shared, worker->between - 1, worker->others, err);
        previous = worker->others;
    }
    return status == 0 && scan->begin != NULL ? scan->begin(&worker->shared, previous, err) : status;
}

static int process(void *opaque, void *opaque_unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    const struct unit *unit = opaque_unit;
    worker->output = output;
    int status = begin_unit(worker, unit, err);
    if (status == 0)
        status = query_scan(worker->range, unit->first, unit->end, take_row, worker, err);
    return status == 0 && unit->last && worker->pass->scan->between != NULL ? emit_between(worker, NULL, err) : status;
}

/* ---- a file ---- */

static int submit_ranges(struct parallel *parallel, const struct pass *pass, struct err *err)
{
    int64_t id = pass->first_id;
    do {
        struct unit *unit = parallel_unit(parallel, err);
        if (unit == NULL)
            return err_status(err);
        bool last = pass->end_id - id <= ROWS_PER_UNIT;
        *unit = (struct unit){id, last ? pass->end_id : id + ROWS_PER_UNIT, last};
        parallel_submit(parallel);
        id += ROWS_PER_UNIT;
    } while (id < pass->end_id);
    return parallel_finish(parallel, err);
}

static int fill_file(struct pass *pass, struct outfile *out, struct err *err)
{
    const struct parallel_work work = {
        .unit_size = sizeof(struct unit),
        .arg = pass,
        .worker_size = sizeof(struct worker),
        .worker_open = worker_open,
        .worker_close = worker_close,
        .process = process,
    };
    struct parallel *parallel = parallel_new(&work, out, err);
    int status = parallel != NULL ? submit_ranges(parallel, pass, err) : err_status(err);
    parallel_free(parallel);
    if (status == 0)
        report_writer_filled(&pass->run->writer, pass->rows);
    return status;
}

/* ---- where files begin ---- */

/* The first row of each file, and the end of the last. */
struct boundaries {
    struct boundary {
        int64_t id;
        size_t between;
    } * items;
    size_t count;
    uint64_t rows, next;   /* next: the row that another file begins with */
    struct worker *worker; /* for its place among the rows between */
};

static void count_row(struct boundaries *boundaries, int64_t id)
{
    if (boundaries->rows == 0 || boundaries->rows == boundaries->next) {
        boundaries->items[boundaries->count++] = (struct boundary){id, boundaries->worker->between};
        boundaries->next += boundaries->rows > 0 ? ROWS_PER_FILE : 0;
    }
    boundaries->rows++;
}

/* The id stands first in the row. */
static int count_scanned(void *arg, int64_t *row, struct err *err)
{
    struct boundaries *boundaries = arg;
    struct worker *worker = boundaries->worker;
    const struct report_scan *scan = worker->pass->scan;
    (void)err;
    set_values(worker, row);
    for (; worker->between < worker->pass->end_between &&
           scan->between_before(worker->pass->run, worker->between, worker->values);
         worker->between++)
        count_row(boundaries, row[0]);
    count_row(boundaries, row[0]);
    return 0;
}

static int prepare_count(struct worker *worker, struct query_scan **ret, struct err *err)
{
    struct scan_column columns[REPORT_MAX_COLUMNS + 1] = {{.sql = "id"}};
    size_t count = place_values(worker, columns, 1);
    return query_scan_new(worker->db, worker->pass->scan->table, worker->pass->scan->where, columns, count, count, ret,
                          err);
}

/* room: rows of the first file. */
static int find_boundaries(struct pass *pass, uint64_t most_rows, uint64_t room, struct boundaries *ret,
                           struct err *err)
{
    struct query_scan *ids = NULL;
    struct pass whole = {.run = pass->run,
                         .scan = pass->scan,
                         .alone = true,
                         .first_id = 1,
                         .end_id = pass->end_id,
                         .end_between = pass->end_between};
    SCOPED(worker_close) struct worker worker = {.pass = &whole};
    *ret = (struct boundaries){
        .items = calloc((size_t)(most_rows / ROWS_PER_FILE) + 3, sizeof *ret->items), .next = room, .worker = &worker};
    bool failed = (ret->items == NULL && err_no_memory(err) < 0) || worker_open(&worker, &whole, err) < 0 ||
                  prepare_count(ret->worker, &ids, err) < 0 ||
                  query_scan(ids, 1, pass->end_id, count_scanned, ret, err) < 0;
    for (; !failed && ret->worker->between < whole.end_between; ret->worker->between++)
        count_row(ret, pass->end_id);
    if (!failed)
        ret->items[ret->count] = (struct boundary){pass->end_id, pass->end_between};
    query_scan_free(ids);
    return failed ? err_status(err) : 0;
}

/* ---- all of it ---- */

/* On this thread: rows that are sorted, filtered or shown. */
static int scan_alone(struct pass *pass, struct err *err)
{
    struct unit unit = {pass->first_id, pass->end_id, true};
    SCOPED(worker_close) struct worker worker = {.pass = pass};
    int status = worker_open(&worker, pass, err);
    status = status == 0 ? process(&worker, &unit, NULL, err) : status;
    return status;
}

static int scan_files(struct pass *pass, struct err *err)
{
    const uint64_t most_rows = (uint64_t)(pass->end_id - 1) + pass->end_between;
    struct boundaries boundaries;
    uint64_t room;
    struct outfile *out = report_writer_file(&pass->run->writer, &room, err);
    if (out == NULL)
        return err_status(err);
    if (most_rows <= room)
        return fill_file(pass, out, err);
    int status = find_boundaries(pass, most_rows, room, &boundaries, err);
    for (size_t i = 0; status == 0 && i < boundaries.count; i++) {
        struct pass file = {.run = pass->run, .scan = pass->scan};
        file.first_id = boundaries.items[i].id;
        file.end_id = boundaries.items[i + 1].id;
        file.first_between = boundaries.items[i].between;
        file.end_between = boundaries.items[i + 1].between;
        out = report_writer_file(&pass->run->writer, &room, err);
        status = out != NULL ? fill_file(&file, out, err) : err_status(err);
    }
    free(boundaries.items);
    return status;
}

/* The id of the first row, 0: there is none. */
static int find_first(const struct report_run *run, int64_t *ret_first, int64_t *ret_end, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    const struct report_scan *scan = run->report->scan;
    strbuf_init(&sql, SQL_MAX);
    strbuf_addf(&sql, "SELECT id FROM %s WHERE id > 0 AND (%s) ORDER BY id LIMIT 1", scan->table,
                scan->where != NULL ? scan->where : "1");
    int status = sql.failed ? err_no_memory(err) : query_number(run->session->db, sql.data, ret_first, err);
    if (status == 0)
        status = query_last_row(run->session->db, scan->table, ret_end, err);
    ++*ret_end;
    return status;
}

int report_scan_rows(struct report_run *run, struct err *err)
{
    const struct report_scan *scan = run->report->scan;
    struct pass pass = {.run = run, .scan = scan};
    pass.end_between = scan->between_count != NULL ? scan->between_count(run) : 0;
    int status = find_first(run, &pass.first_id, &pass.end_id, err);
    if (status < 0 || (pass.first_id == 0 && pass.end_between == 0))
        return status;
    if (pass.first_id == 0)
        pass.first_id = pass.end_id;
    pass.alone = run->chosen || run->plan.format == TABLE_TERMINAL || run->session->options->stream_path != NULL ||
                 run->session->options->sink != NULL;
    return pass.alone ? scan_alone(&pass, err) : scan_files(&pass, err);
}
