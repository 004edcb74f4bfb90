/* SPDX-License-Identifier: Apache-2.0 */
/* msprof sql: the rows of a query of the user's, which can only read. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/strbuf.h"
#include "cli/capture/captures.h"
#include "cli/cmd_show.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "db/database.h"
#include "db/joint.h"
#include "db/warm_up.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUERY_LIMIT ((size_t)1024 * 1024) /* bytes, as of a report's file */

/* Reads the query from standard input. */
static int read_query(struct strbuf *query, struct err *err)
{
    char bytes[4096];
    size_t got;

    while ((got = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        strbuf_add(query, bytes, got);
    if (ferror(stdin))
        return err_set_errno(err, errno, "cannot read the query from standard input");
    if (query->failed)
        return err_set(err, ERR_LIMIT, "the query is longer than %zu bytes", QUERY_LIMIT);
    return 0;
}

/* ---- over several captures ---- */

/* The captures of a query that names them: the name of each is that of a schema (db/joint.h). */
struct joining {
    struct ARRAY_OF(char *) names;
    size_t attached;
    sqlite3 *db;
};

static void joining_release(struct joining *joining)
{
    for (size_t i = 0; i < joining->names.count; i++)
        free(joining->names.items[i]);
    free(joining->names.items);
    database_close(joining->db);
}

static int take_name(struct capture_visit *visit)
{
    struct joining *joining = visit->context;
    struct err err = ERR_INIT;
    char *name = joint_name(visit->directory, joining->names.items, joining->names.count);

    if (name != NULL && array_add(&joining->names, &err, name) == 0)
        return STATUS_DONE;
    free(name);
    return visit_fail(visit, LOG_SOURCE_COMMON, name != NULL ? &err : (err_no_memory(&err), &err));
}

/* The schemas hold every row: warm-up is hidden by views of a connection, which have no schema. */
static void tell_warm_up(const struct capture_visit *visit, bool hides)
{
    if (hides && !visit->settings->with_warm_up)
        console_note("'%s' has records of warm-up, which a query over several captures reads, too", visit->shown);
}

static int attach(struct capture_visit *visit)
{
    struct joining *joining = visit->context;
    struct err err = ERR_INIT;
    sqlite3 *db = NULL;
    int status = visit_open_database(visit, &db);

    if (db == NULL)
        return status;
    tell_warm_up(visit, warm_up_hides(db));
    database_close(db); /* a file's locks go with the next descriptor that is closed */
    return joint_attach(joining->db, visit->database, joining->names.items[joining->attached++], &err) == 0
               ? status
               : visit_fail(visit, LOG_SOURCE_COMMON, &err);
}

static void list_names(const struct joining *joining)
{
    SCOPED(strbuf_release) struct strbuf names;

    strbuf_init(&names, ERR_TEXT_SIZE);
    for (size_t i = 0; i < joining->names.count; i++)
        strbuf_addf(&names, "%s%s", i > 0 ? ", " : "", joining->names.items[i]);
    console_detail("the query reads %s", names.failed ? "the captures" : names.data);
}

static bool names_one(const struct joining *joining, const char *query)
{
    bool named = false;
    for (size_t i = 0; i < joining->names.count && !named; i++)
        named = joint_is_named(query, joining->names.items[i]);
    return named;
}

/* One query over all of them. */
static int run_joint(const struct settings *settings, struct joining *joining)
{
    struct settings joint = *settings;
    struct err err = ERR_INIT;

    list_names(joining);
    if (database_setup(&err) < 0 || joint_open(joining->names.count, &joining->db, &err) < 0)
        return console_error(&err);
    int status = captures_process(settings, &settings->captures, attach, joining);
    if (status != STATUS_DONE && status != STATUS_DATA_PROBLEMS)
        return status;
    if (joint_seal(joining->db, joining->names.items[0], &err) < 0)
        return console_error(&err);
    joint.show.joint = true;
    joint.show.table = settings->show.tables.values[0];
    return status_worse(status, show_joint(&joint, joining->db));
}

/* Shows the query as a table. */
static int run_sql(const struct settings *given)
{
    SCOPED(joining_release) struct joining joining = {.db = NULL};
    static const char *name[] = {"sql"};
    struct settings settings = *given;
    struct err err = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf query;

    strbuf_init(&query, QUERY_LIMIT);
    if (given->operand_count == 0 || given->captures.count < 2)
        return console_fail(ERR_USAGE, NULL,
                            "expected a capture and a query: msprof sql CAPTURE 'SELECT ...'; try 'msprof sql --help'");
    settings.captures.count--; /* the last word is no capture */
    if (options_is_capture(given->captures.values[settings.captures.count]))
        return console_fail(ERR_USAGE, "msprof sql CAPTURE 'SELECT ...'", "the query comes after the captures");
    settings.show.sql = given->captures.values[settings.captures.count];
    if (strcmp(settings.show.sql, "-") == 0) {
        if (read_query(&query, &err) < 0)
            return console_error(&err);
        settings.show.sql = query.data != NULL ? query.data : "";
    }
    settings.show.tables = (struct value_list){.values = name, .count = 1};
    int status = captures_process(&settings, &settings.captures, take_name, &joining);
    if (status != STATUS_DONE)
        return status;
    if (joining.names.count > 1 && names_one(&joining, settings.show.sql))
        return run_joint(&settings, &joining);
    return command_get(COMMAND_SHOW)->run(&settings);
}

const struct command command_sql = {
    .path = "sql",
    .people = READ_BY_PEOPLE(show.format, 1U << 0),
    .parent = COMMAND_ROOT,
    .only_answers = true,
    .order = 105,
    .imports = true,
    .summary = "run an SQL query on the database of a capture",
    .description = "Runs an SQLite query on the database of each capture and prints the rows. A query can only\nread. "
                   "A capture without a database is imported first. If QUERY is -, it is read from standard\ninput. "
                   "A query that names captures, as in JOBX.op, runs once over all of them.\n"
                   "msprof-schema(5) describes the tables.\n",
    .operands = "CAPTURE... QUERY",
    .needs_capture = true,
    EXAMPLES(
        {"number of inferences per model", "msprof sql JOBX 'SELECT model_name, count(*) FROM inference GROUP BY 1'"},
        {"list all tables, as CSV",
         "msprof sql JOBX \"SELECT name FROM sqlite_schema WHERE type = 'table'\" --format csv"},
        {"a query from standard input, over several captures",
         "echo 'SELECT * FROM inference' | msprof sql captures - --format json"},
        {"operators that two captures have",
         "msprof sql captures 'SELECT name FROM JOBA.op INTERSECT SELECT name FROM JOBB.op'"}),
    .run = run_sql,
};
