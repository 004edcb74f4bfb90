/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/query_compile.h"

#include "base/number.h"
#include "db/database.h"
#include "db/query/cann_version.h"
#include "db/query/clocks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PRINTED_DECIMALS 18

static void add_clause(struct strbuf *sql, const char *word, const char *clause)
{
    if (clause != NULL)
        strbuf_addf(sql, " %s %s", word, clause);
}

void query_begin(struct strbuf *sql, const struct report_query *query)
{
    if (query->with != NULL)
        strbuf_addf(sql, "WITH %s ", query->with);
    strbuf_adds(sql, "SELECT ");
}

void query_end(struct strbuf *sql, const struct report_query *query, const char *table, const char *order_by)
{
    add_clause(sql, "FROM", query->from != NULL ? query->from : table);
    add_clause(sql, "WHERE", query->where);
    add_clause(sql, "GROUP BY", query->group_by);
    add_clause(sql, "ORDER BY", query->order_by != NULL ? query->order_by : order_by);
}

int query_sql_prepare(sqlite3 *db, const struct strbuf *sql, sqlite3_stmt **ret, struct err *err)
{
    return sql->failed ? err_set(err, ERR_LIMIT, "the query is too long") : database_prepare(db, sql->data, ret, err);
}

int query_ask(sqlite3 *db, const char *expression, bool *ret, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    strbuf_init(&sql, QUERY_SQL_MAX);
    strbuf_addf(&sql, "SELECT %s", expression);
    if (query_sql_prepare(db, &sql, &statement, err) < 0 ||
        (sqlite3_step(statement) != SQLITE_ROW && database_error(err, db, "cannot read the database") < 0))
        return err_status(err);
    *ret = sqlite3_column_int(statement, 0) != 0;
    return 0;
}

/* ---- functions ---- */

/* Runs a query of one value with the arguments as its parameters, and gives that value. */
static void ask(sqlite3_context *context, const char *sql, int count, sqlite3_value **arguments)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(sqlite3_context_db_handle(context), sql, -1, &statement, NULL) != SQLITE_OK) {
        sqlite3_result_error(context, sqlite3_errmsg(sqlite3_context_db_handle(context)), -1);
        return;
    }
    int code = SQLITE_OK;
    for (int i = 0; i < count && code == SQLITE_OK; i++)
        code = sqlite3_bind_value(statement, i + 1, arguments[i]);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        sqlite3_result_value(context, sqlite3_column_value(statement, 0));
    else if (code != SQLITE_DONE)
        sqlite3_result_error_code(context, code);
    sqlite3_finalize(statement);
}

static void setting(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    ask(context,
        count == 1 ? "SELECT value FROM setting WHERE name = ?1 ORDER BY part_id LIMIT 1"
                   : "SELECT s.value FROM setting s JOIN capture_part p ON p.id = s.part_id WHERE s.name = ?1"
                     " AND CASE WHEN ?2 IS NULL THEN p.is_host ELSE p.device_id = ?2 AND NOT p.is_host END LIMIT 1",
        count, arguments);
}

static void chip(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    ask(context, "SELECT chip FROM capture_part WHERE device_id IS ?1 AND NOT is_host LIMIT 1", count, arguments);
}

static void older_module(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    int version = (int)(intptr_t)sqlite3_user_data(context);
    (void)count;
    if (cann_version_has(version, NAMING_MODULES))
        sqlite3_result_text(context, value_name_find(cann_version_modules, sqlite3_value_int64(arguments[0])), -1,
                            SQLITE_STATIC);
}

/* As decimal arithmetic of people's has it: of the number that the double is printed as. */
static void quantize(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    double value = sqlite3_value_double(arguments[0]), power = pow(10, sqlite3_value_int(arguments[1]));
    double scaled = value * power, whole = floor(scaled);
    /* what is nearer to a tie than the last digits of a double is one */
    double half = fabs(scaled - whole - 0.5) <= fabs(scaled) * 4e-16 ? fmod(whole, 2) : scaled - whole >= 0.5;
    sqlite3_result_double(context, isfinite(scaled) ? (whole + half) / power : value);
}

/* SQLite's round() is that of the decimal number which a double is nearest to; columns are printed of the double
 * itself. */
static void printed(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    char text[DBL_MAX_10_EXP + PRINTED_DECIMALS + 4];
    int decimals = sqlite3_value_int(arguments[1]);
    snprintf(text, sizeof(text), "%.*f", decimals < 0 || decimals > PRINTED_DECIMALS ? PRINTED_DECIMALS : decimals,
             sqlite3_value_double(arguments[0]));
    sqlite3_result_double(context, strtod(text, NULL));
}

static void ratio(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL || sqlite3_value_type(arguments[1]) == SQLITE_NULL)
        return;
    double divisor = sqlite3_value_double(arguments[1]);
    sqlite3_result_double(context, divisor == 0 ? 0 : sqlite3_value_double(arguments[0]) / divisor);
}

static void scaled_ratio(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    for (int i = 0; i < count; i++) {
        if (sqlite3_value_type(arguments[i]) == SQLITE_NULL)
            return;
    }
    int decimals = sqlite3_value_int(arguments[2]);
    sqlite3_result_int64(context, number_ratio(sqlite3_value_int64(arguments[0]), sqlite3_value_int64(arguments[1]),
                                               decimals < 0    ? 0
                                               : decimals > 18 ? 18
                                                               : (unsigned)decimals));
}

/* ---- lengths of time ---- */

/* Knowledge that a connection's functions have of the clocks of its capture, once one of them was called. */
struct known_clocks {
    bool loaded;
    struct cann_clocks clocks;
};

static void forget_clocks(void *opaque)
{
    struct known_clocks *known = opaque;
    cann_clocks_release(&known->clocks);
    free(known);
}

static int64_t to_ns(int64_t hz, int64_t start_ns, int64_t ticks)
{
    (void)start_ns;
    return ticks_ns(hz, ticks);
}

/* Converts the last argument, of three from the second on, by the clock of the device that the first one is, NULL: of
 * the host. */
static void convert(sqlite3_context *context, int count, sqlite3_value **arguments,
                    int64_t (*to)(int64_t hz, int64_t start_ns, int64_t length))
{
    struct known_clocks *known = sqlite3_user_data(context);
    struct err err = ERR_INIT;
    if (sqlite3_value_type(arguments[count - 1]) == SQLITE_NULL)
        return;
    if (!known->loaded && cann_clocks_load(sqlite3_context_db_handle(context), &known->clocks, &err) < 0) {
        sqlite3_result_error(context, err_message(&err), -1);
        return;
    }
    known->loaded = true;
    const bool of_host = sqlite3_value_type(arguments[0]) == SQLITE_NULL;
    const int64_t hz = cann_clock_hz(&known->clocks, of_host ? DB_NULL : sqlite3_value_int64(arguments[0]));
    sqlite3_result_int64(
        context, to(hz, count > 2 ? sqlite3_value_int64(arguments[1]) : 0, sqlite3_value_int64(arguments[count - 1])));
}

static void ticks(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    convert(context, count, arguments, ticks_of);
}

static void ticks_to_ns(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    convert(context, count, arguments, to_ns);
}

static void exact_ns(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    convert(context, count, arguments, ticks_span_ns);
}

static int register_lengths(sqlite3 *db, struct err *err)
{
    static const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *context, int count, sqlite3_value **arguments);
    } functions[] = {{"ticks", 2, ticks},
                     {"ticks", 3, ticks},
                     {"ticks_ns", 2, ticks_to_ns},
                     {"exact_ns", 2, exact_ns},
                     {"exact_ns", 3, exact_ns}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        struct known_clocks *known = calloc(1, sizeof *known);
        if (known == NULL)
            return err_no_memory(err);
        if (sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments, SQLITE_UTF8, known,
                                       functions[i].call, NULL, NULL,
                                       forget_clocks) != SQLITE_OK) /* then it is forgotten, too */
            return database_error(err, db, "cannot prepare queries");
    }
    return 0;
}

/* Names the version that the functions of a connection have. */
static void functions_version(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    (void)count;
    (void)arguments;
    sqlite3_result_int64(context, (intptr_t)sqlite3_user_data(context));
}

/* SQLite refuses to change a function while a statement runs, also into the same. */
static bool are_registered(sqlite3 *db, int cann_version)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    return sqlite3_prepare_v2(db, "SELECT functions_version()", -1, &statement, NULL) == SQLITE_OK &&
           sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int64(statement, 0) == cann_version;
}

int query_functions_register(sqlite3 *db, int cann_version, struct err *err)
{
    static const struct {
        const char *name;
        int arguments;
        int flags;
        void (*call)(sqlite3_context *context, int count, sqlite3_value **arguments);
    } functions[] = {
        {"setting", 1, 0, setting},
        {"setting", 2, 0, setting},
        {"chip", 1, 0, chip},
        {"older_module", 1, 0, older_module},
        {"quantize", 2, SQLITE_DETERMINISTIC, quantize},
        {"printed", 2, SQLITE_DETERMINISTIC, printed},
        {"scaled_ratio", 3, SQLITE_DETERMINISTIC, scaled_ratio},
        {"ratio", 2, SQLITE_DETERMINISTIC, ratio},
        {"functions_version", 0, 0, functions_version}, /* the last: the others are there, too */
    };
    if (are_registered(db, cann_version))
        return 0;
    if (register_lengths(db, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (sqlite3_create_function_v2(db, functions[i].name, functions[i].arguments, SQLITE_UTF8 | functions[i].flags,
                                       (void *)(intptr_t)cann_version, functions[i].call, NULL, NULL,
                                       NULL) != SQLITE_OK)
            return database_error(err, db, "cannot prepare queries");
    }
    return 0;
}
