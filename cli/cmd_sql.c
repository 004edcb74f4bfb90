/* SPDX-License-Identifier: Apache-2.0 */
/* msprof sql: the rows of a query of the user's, which can only read. */
#include "base/file/fsutil.h"
#include "base/strbuf.h"
#include "cli/command.h"
#include "cli/console.h"
#include "cli/options/options.h"

#include <errno.h>
#include <stdio.h>
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

/* Shows the query as a table. */
static int run_sql(const struct settings *given)
{
    static const char *name[] = {"sql"};
    struct settings settings = *given;
    struct err err = ERR_INIT;
    SCOPED(strbuf_release) struct strbuf query;

    strbuf_init(&query, QUERY_LIMIT);
    if (given->operand_count == 0 || given->captures.count < 2)
        return console_fail(
            ERR_USAGE, NULL,
            "a capture and a query are expected: msprof sql CAPTURE 'SELECT ...'; try 'msprof sql --help'");
    settings.captures.count--; /* the last word is no capture */
    settings.show.sql = given->captures.values[settings.captures.count];
    if (strcmp(settings.show.sql, "-") == 0) {
        if (read_query(&query, &err) < 0)
            return console_error(&err);
        settings.show.sql = query.data != NULL ? query.data : "";
    }
    settings.show.tables = (struct value_list){.values = name, .count = 1};
    return command_get(COMMAND_SHOW)->run(&settings);
}

const struct command command_sql = {
    .path = "sql",
    .parent = COMMAND_ROOT,
    .only_answers = true,
    .order = 105,
    .imports = true,
    .summary = "print the rows of a query to the database",
    .description = "Runs a query of SQLite on the database of each capture and prints its rows. A query can only\n"
                   "read. A capture without a database is imported first. QUERY - reads standard input.\n"
                   "msprof-schema(5) describes the tables.\n",
    .operands = "CAPTURE... QUERY",
    .needs_capture = true,
    EXAMPLES({"how many inferences each model had",
              "msprof sql JOBX 'SELECT model_name, count(*) FROM inference GROUP BY 1'"},
             {"the tables that there are, as CSV",
              "msprof sql JOBX \"SELECT name FROM sqlite_schema WHERE type = 'table'\" --format csv"},
             {"a query from standard input, over several captures",
              "echo 'SELECT * FROM inference' | msprof sql captures - --format json"}),
    .run = run_sql,
};
