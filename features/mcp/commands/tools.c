/* SPDX-License-Identifier: Apache-2.0 */
#include "features/mcp/commands/tools.h"

#include "exporters/json_text.h"
#include "features/mcp/commands/confine.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_DEFAULT = 50,
    ROWS_MAX = 10000,
    BYTES_DEFAULT = 32 * 1024,
    BYTES_LEAST = 1024,
    BYTES_MAX = 1024 * 1024,
    TEXT_MAX = 4096, /* bytes of an argument */
    QUERY_MAX = 1024 * 1024,
    LIST_MAX = 64,
};

enum argument_type {
    PATH,    /* a file or directory below the root; an operand */
    PATHS,   /* one or more of them, as an array or as one text */
    TEXT,    /* the value of an option */
    TEXTS,   /* an array: an option each */
    COLUMNS, /* an array: one option, with commas between */
    NUMBER,  /* of an option */
    QUERY,   /* the standard input */
    TIME,    /* of a query that the tool has: see struct tool */
    ROWS,    /* how many are answered with */
    BYTES,
};

struct argument {
    const char *name;
    enum argument_type type;
    bool required;
    const char *option; /* of PATH: NULL; "--sort" */
    const char *description;
};

struct tool {
    const char *name, *title, *description;
    const char *words[5]; /* of the command, in front of the arguments' */
    const char *query;    /* NULL, or what the command reads: %1$s and %2$s are the two arguments of type TIME */
    enum excerpt_form form;
    struct argument arguments[12];
};

/* clang-format off */
#define CAPTURE "A capture (PROF_*, JOB*, OPPROF_*), or a directory that holds captures; relative to the root " \
      "or absolute."
#define BOUND_ROWS {"max_rows", ROWS, false, NULL, "How many rows are answered with, 1 to 10000; 50 by default."}
#define BOUND_BYTES {"max_bytes", BYTES, false, NULL, "How many bytes are answered with, 1024 to 1048576; 32768 " \
      "by default."}
#define STEP {"step", TEXT, false, "--step", "Only this step: its number in table overlap, or 'slowest'."}
#define FROM {"from", TEXT, false, "--from", "Only what begins at this time since the start of the timeline or " \
      "later: 1.5s, 20ms, 7us."}
#define UNTIL {"until", TEXT, false, "--until", "Only what begins before this time."}

#define EXCERPT_OF(kind, view, place, name)                                                                            \
    "SELECT '" kind "' AS kind, device_id, " place " AS place, " name " AS name, start_ns, duration_ns FROM " view

static const struct tool tools[] = {
    {"open", "Open a capture",
     "Imports a capture unless that was done, and answers with its summary: what it is, how long, what to look "
      "at first.",
     {"show", "--table=summary", "--format=json"}, NULL, EXCERPT_ROWS,
     {{"capture", PATH, true, NULL, CAPTURE}, BOUND_ROWS, BOUND_BYTES}},
    {"tables", "List tables", "The tables that a capture has, with the ids of their columns; '(no rows here)' "
      "marks empty ones.",
     {"show", "--table=list"}, NULL, EXCERPT_TEXT,
     {{"capture", PATH, true, NULL, CAPTURE}, BOUND_BYTES}},
    {"table", "Rows of a table", "Rows of one table: ops (operators by time), bound, gaps, steps, types, "
      "overlap, path, api and those of 'tables'.",
     {"show", "--format=json"}, NULL, EXCERPT_ROWS,
     {{"capture", PATHS, true, NULL, CAPTURE},
      {"table", TEXT, true, "--table", "The name of the table."},
      {"columns", COLUMNS, false, "--columns", "Ids of columns, in this order; all by default."},
      {"filter", TEXTS, false, "--filter", "Conditions that all hold: \"name~*MatMul*\", \"total > 100us\"."},
      {"sort", TEXT, false, "--sort", "COLUMN or COLUMN,desc."},
      {"top", NUMBER, false, "--top", "Only so many rows."},
      STEP, FROM, UNTIL, BOUND_ROWS, BOUND_BYTES}},
    {"sql", "Query the database", "Runs one SELECT of SQLite, read-only, on the database of each capture. Views "
      "with the same columns in every capture: op, task, call, step, communication, memory, counter (times in "
      "ns). With several captures, NAME.op joins them (NAME: the capture's directory).",
     {"sql", "--format=json"}, NULL, EXCERPT_ROWS,
     {{"capture", PATHS, true, NULL, CAPTURE}, {"query", QUERY, true, NULL, "The query."}, BOUND_ROWS, BOUND_BYTES}},
    {"advise", "Find problems", "Checks a capture against rules: findings with the time at stake, evidence, and "
      "what to do.",
     {"advise", "--format=json"}, NULL, EXCERPT_DOCUMENT,
     {{"capture", PATH, true, NULL, CAPTURE}, STEP, FROM, UNTIL, BOUND_BYTES}},
    {"diff", "Compare two captures", "What changed between two captures, row by row, and which changes exceed "
      "the noise.",
     {"diff", "--format=json"}, NULL, EXCERPT_DOCUMENT,
     {{"base", PATH, true, NULL, "The capture or baseline to compare with."},
      {"new", PATH, true, NULL, "The capture or baseline to compare."},
      {"by", TEXT, false, "--by", "Rows: op, type, shape, layer, stream, step, api or line; op by default."},
      {"top", NUMBER, false, "--top", "Only so many rows, and the sum of the others."}, BOUND_BYTES}},
    {"report", "Report in Markdown", "The whole story of a capture as Markdown: lost data, a step's time, "
      "findings, steps, operators, gaps.",
     {"report", "--format=markdown", "--output=-"}, NULL, EXCERPT_TEXT,
     {{"capture", PATH, true, NULL, CAPTURE}, STEP, FROM, UNTIL, BOUND_BYTES}},
    {"cluster", "All ranks of a job", "Which rank and which link are slow (msprof.cluster/1), or a table about all "
      "ranks of a job: operators, communication and calls together.",
     {"cluster", "--format=json"}, NULL, EXCERPT_ROWS,
     {{"directory", PATH, true, NULL, "The directory that holds the captures of all ranks."},
      {"table", TEXT, false, "--table", "operator_sum, communication_sum, api_sum, masking or free; without it: who is "
       "slow."},
      {"top", NUMBER, false, "--top", "Only so many rows."}, BOUND_ROWS, BOUND_BYTES}},
    {"timeline", "Excerpt of the timeline", "What ran in a stretch of time, in order of begin: tasks of "
      "devices, communication, calls of the host, steps. at_ns counts from the first of them in the capture.",
     {"sql", "--format=json"},
     "WITH all_rows AS (" EXCERPT_OF("task", "task", "stream_id", "coalesce(name, kind)")
     " UNION ALL " EXCERPT_OF("communication", "communication", "NULL", "name")
     " UNION ALL " EXCERPT_OF("call", "(SELECT NULL AS device_id, * FROM call)", "thread_id", "name")
     " UNION ALL " EXCERPT_OF("step", "step", "model_id", "coalesce(model_name || ' ', '') || number") "),"
     " origin AS (SELECT min(start_ns) AS ns FROM all_rows)"
     " SELECT kind, device_id, place AS stream_or_thread, name, start_ns - ns AS at_ns, duration_ns FROM all_rows, origin"
     " WHERE start_ns - ns < %2$s AND start_ns - ns + coalesce(duration_ns, 0) >= %1$s"
     " ORDER BY start_ns, duration_ns DESC",
     EXCERPT_ROWS,
     {{"capture", PATH, true, NULL, CAPTURE},
      {"from_ns", TIME, true, NULL, "Begin of the stretch, in ns since the first of them in the capture."},
      {"until_ns", TIME, true, NULL, "Its end."}, BOUND_ROWS, BOUND_BYTES}},
};
/* clang-format on */

#define TOOL_COUNT (sizeof tools / sizeof *tools)

/* ---- the list for clients ---- */

static void put_member(struct strbuf *json, const char *key, const char *text)
{
    strbuf_addf(json, "\"%s\":", key);
    json_text_quote(json, text, strlen(text));
}

static void put_type(struct strbuf *json, enum argument_type type)
{
    static const char array[] = "\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":64";
    static const char several[] = "\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":"
                                  "\"string\"},\"minItems\":1,\"maxItems\":64}]";
    static const char *const types[] = {
        [PATH] = "\"type\":\"string\"",
        [PATHS] = several,
        [TEXT] = "\"type\":\"string\"",
        [TEXTS] = array,
        [COLUMNS] = array,
        [NUMBER] = "\"type\":\"integer\",\"minimum\":1",
        [QUERY] = "\"type\":\"string\"",
        [TIME] = "\"type\":\"integer\"",
        [ROWS] = "\"type\":\"integer\",\"minimum\":1,\"maximum\":10000",
        [BYTES] = "\"type\":\"integer\",\"minimum\":1024,\"maximum\":1048576",
    };
    strbuf_adds(json, types[type]);
}

static void put_schema(struct strbuf *json, const struct tool *tool)
{
    strbuf_adds(json, "\"inputSchema\":{\"type\":\"object\",\"properties\":{");
    for (const struct argument *argument = tool->arguments; argument->name != NULL; argument++) {
        strbuf_addf(json, "%s\"%s\":{", argument > tool->arguments ? "," : "", argument->name);
        put_type(json, argument->type);
        strbuf_addc(json, ',');
        put_member(json, "description", argument->description);
        strbuf_addc(json, '}');
    }
    strbuf_adds(json, "},\"required\":[");
    const char *comma = "";
    for (const struct argument *argument = tool->arguments; argument->name != NULL; argument++) {
        if (!argument->required)
            continue;
        strbuf_addf(json, "%s\"%s\"", comma, argument->name);
        comma = ",";
    }
    strbuf_adds(json, "],\"additionalProperties\":false}");
}

void tools_put(struct strbuf *json)
{
    strbuf_addc(json, '[');
    for (size_t i = 0; i < TOOL_COUNT; i++) {
        strbuf_adds(json, i > 0 ? ",{" : "{");
        put_member(json, "name", tools[i].name);
        strbuf_addc(json, ',');
        put_member(json, "title", tools[i].title);
        strbuf_addc(json, ',');
        put_member(json, "description", tools[i].description);
        strbuf_addc(json, ',');
        put_schema(json, &tools[i]);
        strbuf_adds(json, ",\"annotations\":{\"readOnlyHint\":true,\"openWorldHint\":false}}");
    }
    strbuf_addc(json, ']');
}

/* ---- a call ---- */

/* What is being made of a call. */
struct making {
    struct tool_call *call;
    const struct tool *tool;
    const char *root;
    int64_t times[2];
    size_t time_count;
};

static int add_option(struct tool_call *call, const char *option, const char *value, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf word;
    strbuf_init(&word, SIZE_MAX / 2);
    return strbuf_addf(&word, "%s=%s", option, value) < 0 ? err_no_memory(err)
                                                          : words_add(&call->words, word.data, err);
}

static int fail_type(const struct argument *argument, const char *expected, struct err *err)
{
    return err_set(err, ERR_USAGE, "argument '%s' is not %s", argument->name, expected);
}

/* A text of a reasonable length without line ends, which the words of a command have no need of. */
static int take_text(const struct argument *argument, const struct json *value, const char **ret, struct err *err)
{
    *ret = json_string(value);
    if (*ret == NULL || (*ret)[0] == '\0' || strlen(*ret) > TEXT_MAX || strpbrk(*ret, "\r\n") != NULL)
        return fail_type(argument, "a text of one line", err);
    return 0;
}

static int add_path(const struct making *making, const struct argument *argument, const struct json *value,
                    struct err *err)
{
    const char *text;
    if (take_text(argument, value, &text, err) < 0)
        return err_status(err);
    SCOPED_FREE char *path = confine_path(making->root, text, err);
    return path != NULL ? words_add(&making->call->words, path, err) : err_status(err);
}

/* Each of an array's texts. */
static int add_each(const struct making *making, const struct argument *argument, const struct json *value,
                    struct err *err)
{
    size_t count = 0;
    int status = 0;
    if (!json_is_array(value) || json_first(value) == NULL)
        return fail_type(argument, "an array of texts with at least one", err);
    for (const struct json *item = json_first(value); status == 0 && item != NULL; item = json_next(item)) {
        const char *text;
        if (++count > LIST_MAX)
            return fail_type(argument, "an array of at most 64 texts", err);
        if (argument->type == PATHS)
            status = add_path(making, argument, item, err);
        else if ((status = take_text(argument, item, &text, err)) == 0)
            status = add_option(making->call, argument->option, text, err);
    }
    return status;
}

static int add_columns(const struct making *making, const struct argument *argument, const struct json *value,
                       struct err *err)
{
    SCOPED(strbuf_release) struct strbuf joined;
    strbuf_init(&joined, (size_t)LIST_MAX * TEXT_MAX);
    if (!json_is_array(value) || json_first(value) == NULL)
        return fail_type(argument, "an array of ids of columns", err);
    for (const struct json *item = json_first(value); item != NULL; item = json_next(item)) {
        const char *text;
        if (take_text(argument, item, &text, err) < 0)
            return err_status(err);
        strbuf_addf(&joined, "%s%s", joined.length > 0 ? "," : "", text);
    }
    return joined.failed ? fail_type(argument, "an array of at most 64 texts", err)
                         : add_option(making->call, argument->option, joined.data, err);
}

static int take_number(const struct argument *argument, const struct json *value, int64_t least, int64_t most,
                       int64_t *ret, struct err *err)
{
    double number;
    *ret = 0;
    if (json_number(value, &number) && json_integer(value, ret) && *ret >= least && *ret <= most)
        return 0;
    return err_set(err, ERR_USAGE, "argument '%s' is not an integer from %" PRId64 " to %" PRId64, argument->name,
                   least, most);
}

static int take_query(const struct making *making, const struct argument *argument, const struct json *value,
                      struct err *err)
{
    const char *text = json_string(value);
    if (text == NULL || text[0] == '\0' || strlen(text) > QUERY_MAX)
        return fail_type(argument, "a query", err);
    making->call->input = strdup(text);
    return making->call->input != NULL ? 0 : err_no_memory(err);
}

static int take_argument(struct making *making, const struct argument *argument, const struct json *value,
                         struct err *err)
{
    const int64_t far = INT64_C(1) << 52;
    const char *text;
    char digits[24];
    int64_t number = 0;
    switch (argument->type) {
    case PATH:
        return add_path(making, argument, value, err);
    case PATHS:
        return json_string(value) != NULL ? add_path(making, argument, value, err)
                                          : add_each(making, argument, value, err);
    case TEXTS:
        return add_each(making, argument, value, err);
    case COLUMNS:
        return add_columns(making, argument, value, err);
    case TEXT:
        return take_text(argument, value, &text, err) < 0 ? err_status(err)
                                                          : add_option(making->call, argument->option, text, err);
    case NUMBER:
        if (take_number(argument, value, 1, 100000, &number, err) < 0)
            return err_status(err);
        snprintf(digits, sizeof digits, "%" PRId64, number);
        return add_option(making->call, argument->option, digits, err);
    case QUERY:
        return take_query(making, argument, value, err);
    case TIME:
        if (take_number(argument, value, -far, far, &number, err) < 0)
            return err_status(err);
        making->times[making->time_count++ % 2] = number;
        return 0;
    case ROWS:
        if (take_number(argument, value, 1, ROWS_MAX, &number, err) == 0)
            making->call->most_rows = (uint64_t)number;
        return err_status(err);
    case BYTES:
        if (take_number(argument, value, BYTES_LEAST, BYTES_MAX, &number, err) == 0)
            making->call->most_bytes = (size_t)number;
        return err_status(err);
    }
    return 0;
}

/* Arguments that the tool does not have are mistakes that nobody would notice otherwise. */
static int check_names(const struct tool *tool, const struct json *arguments, struct err *err)
{
    for (const struct json *member = json_first(arguments); member != NULL; member = json_next(member)) {
        const struct argument *argument = tool->arguments;
        while (argument->name != NULL && strcmp(argument->name, json_key(member)) != 0)
            argument++;
        if (argument->name == NULL)
            return err_set(err, ERR_USAGE, "tool '%s' has no argument '%s'", tool->name, json_key(member));
    }
    return 0;
}

static int take_arguments(struct making *making, const struct json *arguments, struct err *err)
{
    int status = 0;
    for (const struct argument *argument = making->tool->arguments; status == 0 && argument->name != NULL; argument++) {
        const struct json *value = json_member(arguments, argument->name);
        if (value != NULL)
            status = take_argument(making, argument, value, err);
        else if (argument->required)
            status = err_set(err, ERR_USAGE, "tool '%s' needs the argument '%s'", making->tool->name, argument->name);
    }
    return status;
}

/* The query of a tool that has one, with its times. */
static int write_query(const struct making *making, struct err *err)
{
    char from[24], until[24];
    snprintf(from, sizeof from, "%" PRId64, making->times[0]);
    snprintf(until, sizeof until, "%" PRId64, making->times[1]);
    SCOPED(strbuf_release) struct strbuf query;
    strbuf_init(&query, QUERY_MAX);
    for (const char *at = making->tool->query; *at != '\0'; at++) {
        if (strncmp(at, "%1$s", 4) != 0 && strncmp(at, "%2$s", 4) != 0) {
            strbuf_addc(&query, *at);
            continue;
        }
        strbuf_adds(&query, at[1] == '1' ? from : until);
        at += 3;
    }
    making->call->input = strbuf_detach(&query);
    return making->call->input != NULL ? 0 : err_no_memory(err);
}

static int make(struct making *making, const struct json *arguments, struct err *err)
{
    struct tool_call *call = making->call;
    call->form = making->tool->form;
    for (const char *const *word = making->tool->words; *word != NULL; word++)
        if (words_add(&call->words, *word, err) < 0)
            return err_status(err);
    if (check_names(making->tool, arguments, err) < 0 || take_arguments(making, arguments, err) < 0 ||
        (making->tool->query != NULL && write_query(making, err) < 0) ||
        (call->input != NULL && words_add(&call->words, "-", err) < 0))
        return err_status(err);
    /* The answer without a table is a document. */
    if (strcmp(making->tool->name, "cluster") == 0 && json_member(arguments, "table") == NULL)
        call->form = EXCERPT_DOCUMENT;
    return 0;
}

int tool_call_make(struct tool_call *call, const char *name, const struct json *arguments, const char *root,
                   struct err *err)
{
    struct making making = {.call = call, .root = root};
    *call = (struct tool_call){.most_rows = ROWS_DEFAULT, .most_bytes = BYTES_DEFAULT};
    for (size_t i = 0; i < TOOL_COUNT && making.tool == NULL; i++)
        if (strcmp(tools[i].name, name) == 0)
            making.tool = &tools[i];
    if (making.tool == NULL)
        return err_set(err, ERR_USAGE, "there is no tool '%s'", name);
    if (arguments != NULL && !json_is_object(arguments))
        return err_set(err, ERR_USAGE, "the arguments of a tool are an object");
    return make(&making, arguments, err);
}

void tool_call_release(struct tool_call *call)
{
    words_release(&call->words);
    free(call->input);
    *call = (struct tool_call){.input = NULL};
}
