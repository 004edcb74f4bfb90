/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/communication/rank_database.h"

#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/file/outfile.h"
#include "db/database.h"
#include "exporters/communication/communication.h"
#include "exporters/json_text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTPUT_DIRECTORY "ASCEND_PROFILER_OUTPUT"
#define TEXT_LIMIT ((size_t)64 * 1024 * 1024) /* of one operator or entry */

/* The databases of a rank; NULL: not there. */
struct rank_databases {
    char *analyzer; /* analysis.db of PyTorch, communication_analyzer.db of MindSpore */
    char *profiler; /* ascend_pytorch_profiler_<rank>.db, ascend_mindspore_profiler_<rank>.db */
};

struct writing {
    sqlite3 *db;
    const char *directory; /* of the results */
    struct outfile out;
    struct strbuf text;
};

/* ---- which databases ---- */

static bool begins(const char *name, const char *head)
{
    return strncmp(name, head, strlen(head)) == 0;
}

static bool is_profiler(const char *name)
{
    size_t length = strlen(name);
    return (begins(name, "ascend_pytorch_profiler") || begins(name, "ascend_mindspore_profiler")) && length > 3 &&
           strcmp(name + length - 3, ".db") == 0;
}

static void databases_release(struct rank_databases *databases)
{
    free(databases->analyzer);
    free(databases->profiler);
}

/* Keeps the first by name of several of a kind. */
static void keep(char **place, const char *output, const char *name)
{
    char *path = path_join(output, name);
    if (path != NULL && (*place == NULL || strcmp(path, *place) < 0)) {
        free(*place);
        *place = path;
        return;
    }
    free(path);
}

static void find_databases(const char *directory, struct rank_databases *ret)
{
    char *output = path_join(directory, OUTPUT_DIRECTORY);
    DIR *entries = output != NULL ? opendir(output) : NULL;
    *ret = (struct rank_databases){NULL, NULL};
    for (struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
        if (strcmp(entry->d_name, "analysis.db") == 0 || strcmp(entry->d_name, "communication_analyzer.db") == 0)
            keep(&ret->analyzer, output, entry->d_name);
        else if (is_profiler(entry->d_name))
            keep(&ret->profiler, output, entry->d_name);
    }
    if (entries != NULL)
        closedir(entries);
    free(output);
}

bool rank_database_is_there(const char *directory)
{
    struct rank_databases databases;
    find_databases(directory, &databases);
    bool there = databases.analyzer != NULL || databases.profiler != NULL;
    databases_release(&databases);
    return there;
}

/* ---- what they have ---- */

/* Whether a table has a column; NULL: whether it is there. */
static bool has(sqlite3 *db, const char *table, const char *column)
{
    sqlite3_stmt *statement = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(db, "SELECT 1 FROM pragma_table_info(?) WHERE ?2 IS NULL OR name = ?2 COLLATE NOCASE", -1,
                           &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
        if (column != NULL)
            sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
        found = sqlite3_step(statement) == SQLITE_ROW;
    }
    sqlite3_finalize(statement);
    return found;
}

static int next_row(struct writing *writing, sqlite3_stmt *statement, bool *ret, struct err *err)
{
    int code = sqlite3_step(statement);
    *ret = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : database_error(err, writing->db, "cannot read a row");
}

/* ---- texts ---- */

static int open_text(struct writing *writing, const char *name, struct err *err)
{
    char *path = path_join(writing->directory, name);
    int status = path != NULL ? outfile_open(&writing->out, path, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    free(path);
    return status;
}

static int close_text(struct writing *writing, int status, struct err *err)
{
    if (status == 0)
        return outfile_commit(&writing->out, err);
    outfile_abort(&writing->out);
    return status;
}

static void put(struct writing *writing, const char *text)
{
    strbuf_adds(&writing->text, text);
}

static void put_string(struct writing *writing, const char *text)
{
    strbuf_addc(&writing->text, '"');
    json_text_append(&writing->text, text != NULL ? text : "", text != NULL ? strlen(text) : 0);
    strbuf_addc(&writing->text, '"');
}

/* A number as it reads back the same; whatever else it is stays what it is, for who reads the text to refuse. */
static void put_value(struct writing *writing, sqlite3_stmt *statement, int column)
{
    int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_INTEGER)
        strbuf_add_integer(&writing->text, sqlite3_column_int64(statement, column));
    else if (type == SQLITE_FLOAT)
        strbuf_addf(&writing->text, "%.17g", sqlite3_column_double(statement, column));
    else if (type == SQLITE_NULL)
        put(writing, "null");
    else
        put_string(writing, (const char *)sqlite3_column_text(statement, column));
}

static void put_member(struct writing *writing, const char *separator, const char *title, sqlite3_stmt *statement,
                       int column)
{
    put(writing, separator);
    put_string(writing, title);
    put(writing, ": ");
    put_value(writing, statement, column);
}

/* ---- step_trace_time.csv ---- */

static const struct step_column {
    const char *name, *title;
} step_columns[] = {
    {"step", "Step"},
    {"computing", "Computing"},
    {"communication_not_overlapped", "Communication(Not Overlapped)"},
    {"overlapped", "Overlapped"},
    {"communication", "Communication"},
    {"free", "Free"},
    {"stage", "Stage"},
    {"bubble", "Bubble"},
    {"communication_not_overlapped_and_exclude_receive", "Communication(Not Overlapped and Exclude Receive)"},
    {"preparing", "Preparing"},
};
#define STEP_COLUMNS (sizeof step_columns / sizeof *step_columns)

static void put_cell(struct writing *writing, sqlite3_stmt *statement, int column)
{
    if (sqlite3_column_type(statement, column) == SQLITE_FLOAT) {
        strbuf_addf(&writing->text, "%.17g", sqlite3_column_double(statement, column));
        return;
    }
    const char *text = (const char *)sqlite3_column_text(statement, column);
    put(writing, "\"");
    for (; text != NULL && *text != '\0'; text++)
        strbuf_addf(&writing->text, *text == '"' ? "\"\"" : "%c", *text);
    put(writing, "\"");
}

static int write_steps(struct writing *writing, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    const char *comma = "SELECT ", *title_comma = "";
    char sql[1024] = "";
    size_t used = 0;
    strbuf_clear(&writing->text);
    for (size_t i = 0; i < STEP_COLUMNS; i++) {
        if (!has(writing->db, "StepTraceTime", step_columns[i].name))
            continue;
        used += (size_t)snprintf(sql + used, sizeof sql - used, "%s%s", comma, step_columns[i].name);
        strbuf_addf(&writing->text, "%s%s", title_comma, step_columns[i].title);
        comma = ", ";
        title_comma = ",";
    }
    snprintf(sql + used, sizeof sql - used, " FROM StepTraceTime ORDER BY rowid");
    int status = database_prepare(writing->db, sql, &statement, err);
    bool any = status == 0;
    if (status == 0)
        status = open_text(writing, "step_trace_time.csv", err);
    if (status < 0) {
        sqlite3_finalize(statement);
        return status;
    }
    while (status == 0 && any) {
        put(writing, "\n");
        outfile_add(&writing->out, &writing->text);
        strbuf_clear(&writing->text);
        status = next_row(writing, statement, &any, err);
        for (int i = 0; status == 0 && any && i < sqlite3_column_count(statement); i++) {
            put(writing, i > 0 ? "," : "");
            put_cell(writing, statement, i);
        }
    }
    sqlite3_finalize(statement);
    return close_text(writing, status, err);
}

/* ---- the one step of a database of tasks ---- */

struct ranges {
    struct range {
        int64_t start, end;
    } * items; /* apart from each other, ascending */
    size_t count, capacity;
    int64_t receive_ns; /* sum of those that receive */
};

static int add_range(struct ranges *ranges, int64_t start, int64_t end, struct err *err)
{
    struct range *last = ranges->count > 0 ? &ranges->items[ranges->count - 1] : NULL;
    if (end < start)
        return err_set(err, ERR_FORMAT, "a task ends at %lld, before it starts at %lld", (long long)end,
                       (long long)start);
    if (last != NULL && start <= last->end) {
        last->end = end > last->end ? end : last->end;
        return 0;
    }
    if (array_reserve(ranges, 1, err) < 0)
        return -(int)err->code;
    ranges->items[ranges->count++] = (struct range){start, end};
    return 0;
}

/* sql: start, end, whether it receives; by start. */
static int read_ranges(struct writing *writing, const char *sql, struct ranges *ret, struct err *err)
{
    sqlite3_stmt *statement = NULL;
    int status = database_prepare(writing->db, sql, &statement, err);
    for (bool any = true; status == 0 && any;) {
        status = next_row(writing, statement, &any, err);
        if (status < 0 || !any)
            break;
        int64_t start = sqlite3_column_int64(statement, 0), end = sqlite3_column_int64(statement, 1);
        status = add_range(ret, start, end, err);
        if (status == 0 && sqlite3_column_int(statement, 2) != 0)
            ret->receive_ns += end - start;
    }
    sqlite3_finalize(statement);
    return status;
}

static int64_t length_of(const struct ranges *ranges)
{
    int64_t length = 0;
    for (size_t i = 0; i < ranges->count; i++)
        length += ranges->items[i].end - ranges->items[i].start;
    return length;
}

static int64_t overlap_of(const struct ranges *a, const struct ranges *b)
{
    int64_t overlap = 0;
    for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
        int64_t start = a->items[i].start > b->items[j].start ? a->items[i].start : b->items[j].start;
        int64_t end = a->items[i].end < b->items[j].end ? a->items[i].end : b->items[j].end;
        overlap += end > start ? end - start : 0;
        if (a->items[i].end < b->items[j].end)
            i++;
        else
            j++;
    }
    return overlap;
}

/* From the first start of both to the last end. */
static int64_t span_of(const struct ranges *a, const struct ranges *b)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    const struct ranges *both[] = {a, b};
    for (size_t i = 0; i < 2; i++) {
        if (both[i]->count == 0)
            continue;
        int64_t start = both[i]->items[0].start, end = both[i]->items[both[i]->count - 1].end;
        first = start < first ? start : first;
        last = end > last ? end : last;
    }
    return last >= first ? last - first : 0;
}

/* Sums of the capture, docs/formats/cluster.md 2. */
static int write_step(struct writing *writing, const struct ranges *computing, const struct ranges *communication,
                      struct err *err)
{
    int64_t compute = length_of(computing), all = length_of(communication),
            overlap = overlap_of(computing, communication), alone = all - overlap,
            idle = span_of(computing, communication) - compute - alone, receive = communication->receive_ns;
    const int64_t values[] = {compute, alone,           overlap, all, idle, idle + compute + alone - receive,
                              receive, alone - receive, 0};
    int status = open_text(writing, "step_trace_time.csv", err);
    if (status < 0)
        return status;
    strbuf_clear(&writing->text);
    for (size_t i = 0; i < STEP_COLUMNS; i++)
        strbuf_addf(&writing->text, "%s%s", i > 0 ? "," : "", step_columns[i].title);
    put(writing, "\n");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        strbuf_addf(&writing->text, ",%.3f", (double)values[i] / 1e3);
    put(writing, "\n");
    outfile_add(&writing->out, &writing->text);
    return close_text(writing, 0, err);
}

static int sum_tasks(struct writing *writing, struct err *err)
{
    struct ranges computing = {.count = 0}, communication = {.count = 0};
    bool failed = false;
    if (has(writing->db, "COMPUTE_TASK_INFO", NULL) && has(writing->db, "TASK", NULL))
        failed = read_ranges(writing,
                             "SELECT t.startNs, t.endNs, 0 FROM COMPUTE_TASK_INFO c JOIN TASK t USING (globalTaskId)"
                             " ORDER BY CAST(t.startNs AS INTEGER)",
                             &computing, err) < 0;
    failed = failed ||
             (has(writing->db, "COMMUNICATION_OP", NULL) &&
              read_ranges(writing,
                          "SELECT o.startNs, o.endNs, coalesce(s.value LIKE 'hcom\\_receive%' ESCAPE '\\', 0)"
                          " FROM COMMUNICATION_OP o LEFT JOIN STRING_IDS s ON s.id = o.opName"
                          " ORDER BY CAST(o.startNs AS INTEGER)",
                          &communication, err) < 0) ||
             (computing.count + communication.count > 0 && write_step(writing, &computing, &communication, err) < 0);
    free(computing.items);
    free(communication.items);
    return failed ? -(int)err->code : 0;
}

/* ---- communication.json, communication_matrix.json ---- */

/* How the tables say step and half: without columns there is one step, and halves go by the names. */
static void halves_of(sqlite3 *db, const char *table, char step[64], char half[256])
{
    snprintf(step, 64, "%s", has(db, table, "step") ? "coalesce(step, '')" : "'step'");
    snprintf(
        half, 256, "%s",
        has(db, table, "type")
            ? "type"
            : "CASE WHEN hccl_op_name LIKE 'hcom\\_send%' ESCAPE '\\' OR hccl_op_name LIKE 'hcom\\_receive%' ESCAPE"
              " '\\' OR hccl_op_name LIKE 'hcom\\_batchsendrecv%' ESCAPE '\\' THEN 'p2p' ELSE 'collective' END");
}

/* The first columns of each query: step, half, name, group; rows are in their order. */
enum { KEY_STEP, KEY_HALF, KEY_NAME, KEY_GROUP, KEYS };

struct keys {
    char *texts[KEYS]; /* of the row before; NULL: none */
};

static bool is_key(const struct keys *keys, sqlite3_stmt *statement, int count)
{
    for (int i = 0; i < count; i++) {
        const char *text = (const char *)sqlite3_column_text(statement, i);
        if (keys->texts[i] == NULL || strcmp(keys->texts[i], text != NULL ? text : "") != 0)
            return false;
    }
    return true;
}

static int take_key(struct keys *keys, sqlite3_stmt *statement, struct err *err)
{
    for (int i = 0; i < KEYS; i++) {
        const char *text = (const char *)sqlite3_column_text(statement, i);
        free(keys->texts[i]);
        keys->texts[i] = strdup(text != NULL ? text : "");
        if (keys->texts[i] == NULL)
            return err_set(err, ERR_NO_MEMORY, "out of memory");
    }
    return 0;
}

static void keys_release(struct keys *keys)
{
    for (int i = 0; i < KEYS; i++)
        free(keys->texts[i]);
}

/* Closes what the row before had open and its own has not, and opens its own; what stays open is its member. */
static int go_to(struct writing *writing, struct keys *keys, sqlite3_stmt *statement, struct err *err)
{
    bool first = keys->texts[KEY_STEP] == NULL, same_step = is_key(keys, statement, 1),
         same_half = is_key(keys, statement, 2);
    if (!first)
        put(writing, same_half ? ", " : same_step ? "}, " : "}}, ");
    int status = take_key(keys, statement, err);
    if (status < 0)
        return status;
    if (!same_step) {
        put_string(writing, keys->texts[KEY_STEP]);
        put(writing, ": {");
    }
    if (!same_half) {
        put_string(writing, keys->texts[KEY_HALF]);
        put(writing, ": {");
    }
    strbuf_addc(&writing->text, '"');
    json_text_append(&writing->text, keys->texts[KEY_NAME], strlen(keys->texts[KEY_NAME]));
    strbuf_addc(&writing->text, '@');
    json_text_append(&writing->text, keys->texts[KEY_GROUP], strlen(keys->texts[KEY_GROUP]));
    put(writing, "\": ");
    return 0;
}

static void flush(struct writing *writing)
{
    outfile_add(&writing->out, &writing->text);
    strbuf_clear(&writing->text);
}

static int compare_keys(const struct keys *keys, sqlite3_stmt *statement)
{
    for (int i = 0; i < KEYS; i++) {
        const char *text = (const char *)sqlite3_column_text(statement, i);
        int order = strcmp(text != NULL ? text : "", keys->texts[i]);
        if (order != 0)
            return order;
    }
    return 0;
}

/* One transport of an operator: a row for each size of packets. */
static int put_transport(struct writing *writing, const struct keys *keys, sqlite3_stmt *rows, bool *any,
                         struct err *err)
{
    static const char *const titles[] = {"Transit Size(MB)", "Transit Time(ms)", "Bandwidth(GB/s)",
                                         "Large Packet Ratio"};
    const char *text = (const char *)sqlite3_column_text(rows, KEYS);
    char *transport = strdup(text != NULL ? text : "");
    const char *separator = "";
    int status = transport != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory");
    put_string(writing, transport);
    put(writing, ": {");
    for (int i = 0; i < 4; i++)
        put_member(writing, i > 0 ? ", " : "", titles[i], rows, KEYS + 1 + i);
    put(writing, ", \"Size Distribution\": {");
    while (status == 0 && *any && compare_keys(keys, rows) == 0) {
        text = (const char *)sqlite3_column_text(rows, KEYS);
        if (strcmp(text != NULL ? text : "", transport) != 0)
            break;
        if (sqlite3_column_type(rows, KEYS + 5) != SQLITE_NULL) {
            put(writing, separator);
            strbuf_addf(&writing->text, "\"%.17g\": [", sqlite3_column_double(rows, KEYS + 5));
            put_value(writing, rows, KEYS + 6);
            put(writing, ", ");
            put_value(writing, rows, KEYS + 7);
            put(writing, "]");
            separator = ", ";
        }
        status = next_row(writing, rows, any, err);
    }
    put(writing, "}}");
    free(transport);
    return status;
}

/* Rows of traffic are in the order of the operators; those of no operator are passed over. */
static int put_traffic(struct writing *writing, const struct keys *keys, sqlite3_stmt *rows, bool *any, struct err *err)
{
    const char *separator = "";
    int status = 0;
    put(writing, "{");
    while (status == 0 && *any && compare_keys(keys, rows) < 0)
        status = next_row(writing, rows, any, err);
    while (status == 0 && *any && compare_keys(keys, rows) == 0) {
        put(writing, separator);
        status = put_transport(writing, keys, rows, any, err);
        separator = ", ";
    }
    put(writing, "}}");
    return status;
}

static int put_operators(struct writing *writing, sqlite3_stmt *times, sqlite3_stmt *traffic, struct err *err)
{
    static const char *const titles[] = {"Start Timestamp(us)", "Elapse Time(ms)",          "Transit Time(ms)",
                                         "Wait Time(ms)",       "Synchronization Time(ms)", "Idle Time(ms)"};
    struct keys keys = {{NULL}};
    bool more = false, any = true;
    bool failed = traffic != NULL && next_row(writing, traffic, &more, err) < 0;
    put(writing, "{");
    while (!failed) {
        failed = next_row(writing, times, &any, err) < 0;
        if (failed || !any)
            break;
        failed = go_to(writing, &keys, times, err) < 0;
        put(writing, "{\"Communication Time Info\": {");
        for (int i = 0; i < 6; i++)
            put_member(writing, i > 0 ? ", " : "", titles[i], times, KEYS + i);
        put(writing, "}, \"Communication Bandwidth Info\": ");
        failed = failed || put_traffic(writing, &keys, traffic, &more, err) < 0;
        flush(writing);
    }
    put(writing, keys.texts[KEY_STEP] != NULL ? "}}}\n" : "}\n");
    flush(writing);
    keys_release(&keys);
    return failed ? -(int)err->code : 0;
}

static int write_communication(struct writing *writing, struct err *err)
{
    sqlite3_stmt *times = NULL, *traffic = NULL;
    char step[64], half[256], sql[2048];
    bool failed = false;
    strbuf_clear(&writing->text);
    halves_of(writing->db, "CommAnalyzerTime", step, half);
    snprintf(sql, sizeof sql,
             "SELECT %s AS a, %s AS b, hccl_op_name, CAST(group_name AS TEXT) AS g, start_timestamp, elapse_time,"
             " transit_time, wait_time, synchronization_time, idle_time FROM CommAnalyzerTime"
             " WHERE hccl_op_name NOT LIKE 'total%%' ORDER BY a, b, hccl_op_name, g, rowid",
             step, half);
    failed = database_prepare(writing->db, sql, &times, err) < 0;
    if (!failed && has(writing->db, "CommAnalyzerBandwidth", NULL)) {
        halves_of(writing->db, "CommAnalyzerBandwidth", step, half);
        snprintf(sql, sizeof sql,
                 "SELECT %s AS a, %s AS b, hccl_op_name, CAST(group_name AS TEXT) AS g, transport_type, transit_size,"
                 " transit_time, bandwidth, large_packet_ratio, package_size, count, total_duration"
                 " FROM CommAnalyzerBandwidth WHERE hccl_op_name NOT LIKE 'total%%'"
                 " ORDER BY a, b, hccl_op_name, g, transport_type, rowid",
                 step, half);
        failed = database_prepare(writing->db, sql, &traffic, err) < 0;
    }
    failed = failed || open_text(writing, "communication.json", err) < 0 ||
             close_text(writing, put_operators(writing, times, traffic, err), err) < 0;
    sqlite3_finalize(times);
    sqlite3_finalize(traffic);
    return failed ? -(int)err->code : 0;
}

/* ---- links ---- */

/* comm_type_of in SQL. */
static void sql_type_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    char type[COMM_TYPE_MAX];
    const char *name = count == 1 ? (const char *)sqlite3_value_text(values[0]) : NULL;
    comm_type_of(name != NULL ? name : "", true, false, type);
    sqlite3_result_text(context, type, -1, SQLITE_TRANSIENT);
}

/* Columns behind the keys: source, target, transport, size, time, bandwidth, operator. PyTorch's rows are entries;
 * those of a capture's analysis are of single operators, of which entries are made as the frameworks make them. */
static const char entries_sql[] =
    "SELECT %s AS a, %s AS b, hccl_op_name, CAST(group_name AS TEXT) AS g, src_rank, dst_rank, transport_type,"
    " transit_size, transit_time, bandwidth, %s FROM CommAnalyzerMatrix WHERE hccl_op_name NOT LIKE 'total%%'"
    " ORDER BY a, b, hccl_op_name, g, rowid";
static const char operators_sql[] =
    "WITH own AS MATERIALIZED (SELECT %s AS a, %s AS b, type_of(hccl_op_name) AS kind, CAST(group_name AS TEXT) AS g,"
    " src_rank, dst_rank, transport_type, transit_size, transit_time, bandwidth, hccl_op_name AS op, rowid AS r"
    " FROM CommAnalyzerMatrix WHERE hccl_op_name NOT LIKE 'total%%'),"
    " placed AS (SELECT *, row_number() OVER w AS place, count(*) OVER (PARTITION BY a, b, kind, g, src_rank, dst_rank)"
    " AS n FROM own WINDOW w AS (PARTITION BY a, b, kind, g, src_rank, dst_rank ORDER BY bandwidth DESC, r)),"
    " places(name, at) AS (VALUES ('-top1', 0), ('-middle', 1), ('-bottom1', 2), ('-bottom2', 3), ('-bottom3', 4))"
    " SELECT a, b, kind || name AS entry, g, src_rank, dst_rank, transport_type, transit_size, transit_time, bandwidth,"
    " op FROM placed, places WHERE place = CASE at WHEN 0 THEN 1 WHEN 1 THEN n / 2 + 1 ELSE n + 2 - at END"
    " UNION ALL SELECT a, b, kind || '-total', g, src_rank, dst_rank, max(CASE place WHEN 1 THEN transport_type END),"
    " sum(transit_size), sum(transit_time), CASE WHEN sum(transit_time) > 0 THEN"
    " round(sum(transit_size) / (sum(transit_time) + 0.0), 4) ELSE 0 END, '' FROM placed"
    " GROUP BY a, b, kind, g, src_rank, dst_rank ORDER BY 1, 2, 3, 4";

static void put_link(struct writing *writing, sqlite3_stmt *rows)
{
    strbuf_addf(&writing->text, "\"%s-%s\": {\"Transport Type\": ",
                sqlite3_column_type(rows, KEYS) != SQLITE_NULL ? (const char *)sqlite3_column_text(rows, KEYS) : "",
                sqlite3_column_type(rows, KEYS + 1) != SQLITE_NULL ? (const char *)sqlite3_column_text(rows, KEYS + 1)
                                                                   : "");
    put_string(writing, (const char *)sqlite3_column_text(rows, KEYS + 2));
    put_member(writing, ", ", "Transit Size(MB)", rows, KEYS + 3);
    put_member(writing, ", ", "Transit Time(ms)", rows, KEYS + 4);
    put_member(writing, ", ", "Bandwidth(GB/s)", rows, KEYS + 5);
    put(writing, ", \"Op Name\": ");
    put_string(writing, (const char *)sqlite3_column_text(rows, KEYS + 6));
    put(writing, "}");
}

static int put_links(struct writing *writing, sqlite3_stmt *rows, struct err *err)
{
    struct keys keys = {{NULL}};
    bool any = true;
    int status = 0;
    put(writing, "{");
    while (status == 0) {
        status = next_row(writing, rows, &any, err);
        if (status < 0 || !any)
            break;
        if (is_key(&keys, rows, KEYS)) {
            put(writing, ", ");
        } else {
            put(writing, keys.texts[KEY_STEP] != NULL ? "}" : "");
            status = go_to(writing, &keys, rows, err);
            put(writing, "{");
        }
        put_link(writing, rows);
        flush(writing);
    }
    put(writing, keys.texts[KEY_STEP] != NULL ? "}}}}\n" : "}\n");
    flush(writing);
    keys_release(&keys);
    return status;
}

static int write_matrix(struct writing *writing, struct err *err)
{
    sqlite3_stmt *rows = NULL;
    char step[64], half[256], sql[4096];
    bool entries = has(writing->db, "CommAnalyzerMatrix", "step");
    strbuf_clear(&writing->text);
    halves_of(writing->db, "CommAnalyzerMatrix", step, half);
    if (entries)
        snprintf(sql, sizeof sql, entries_sql, step, half,
                 has(writing->db, "CommAnalyzerMatrix", "op_name") ? "op_name" : "''");
    else
        snprintf(sql, sizeof sql, operators_sql, step, half);
    int code = sqlite3_create_function(writing->db, "type_of", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_type_of,
                                       NULL, NULL);
    bool failed = (code == SQLITE_OK ? database_prepare(writing->db, sql, &rows, err)
                                     : database_error(err, writing->db, "cannot prepare links")) < 0 ||
                  open_text(writing, "communication_matrix.json", err) < 0 ||
                  close_text(writing, put_links(writing, rows, err), err) < 0;
    sqlite3_finalize(rows);
    return failed ? -(int)err->code : 0;
}

/* ---- profiler_metadata.json ---- */

/* Values are JSON already. */
static int write_metadata(struct writing *writing, const char *results, struct err *err)
{
    sqlite3_stmt *rows = NULL;
    const char *separator = "{";
    bool any = true;
    int status = database_prepare(writing->db,
                                  "SELECT name, value FROM META_DATA WHERE name IN ('parallel_group_info',"
                                  " 'distributed_args') AND json_valid(value)",
                                  &rows, err);
    strbuf_clear(&writing->text);
    while (status == 0 && any) {
        status = next_row(writing, rows, &any, err);
        if (status < 0 || !any)
            break;
        put(writing, separator);
        put_string(writing, (const char *)sqlite3_column_text(rows, 0));
        put(writing, ": ");
        put(writing, (const char *)sqlite3_column_text(rows, 1));
        separator = ", ";
    }
    put(writing, *separator == ',' ? "}\n" : "{}\n");
    sqlite3_finalize(rows);
    char *path = status == 0 ? path_join(results, "profiler_metadata.json") : NULL;
    if (status == 0)
        status = path != NULL ? outfile_open(&writing->out, path, err) : err_set(err, ERR_NO_MEMORY, "out of memory");
    free(path);
    if (status < 0)
        return status;
    flush(writing);
    return close_text(writing, 0, err);
}

/* ---- all of it ---- */

static int write_of_analyzer(struct writing *writing, bool *ret_steps, struct err *err)
{
    bool failed = false;
    *ret_steps = has(writing->db, "StepTraceTime", "step");
    if (*ret_steps)
        failed = write_steps(writing, err) < 0;
    return failed || (has(writing->db, "CommAnalyzerTime", NULL) && write_communication(writing, err) < 0) ||
                   (has(writing->db, "CommAnalyzerMatrix", NULL) && write_matrix(writing, err) < 0)
               ? -(int)err->code
               : 0;
}

static int write_of_profiler(struct writing *writing, bool steps, const char *results, struct err *err)
{
    if ((!steps && sum_tasks(writing, err) < 0) ||
        (has(writing->db, "META_DATA", NULL) && write_metadata(writing, results, err) < 0))
        return -(int)err->code;
    return 0;
}

int rank_database_write_texts(const char *directory, const char *results, struct err *err)
{
    struct rank_databases databases;
    char *output = path_join(results, OUTPUT_DIRECTORY);
    struct writing writing = {.directory = output};
    bool steps = false;
    bool failed = (output != NULL ? make_directories(output, err) : err_set(err, ERR_NO_MEMORY, "out of memory")) < 0;
    strbuf_init(&writing.text, TEXT_LIMIT);
    find_databases(directory, &databases);
    if (!failed && databases.analyzer != NULL) {
        failed = database_open_foreign(databases.analyzer, &writing.db, err) < 0 ||
                 write_of_analyzer(&writing, &steps, err) < 0;
        sqlite3_close(writing.db);
        writing.db = NULL;
    }
    if (!failed && databases.profiler != NULL) {
        failed = database_open_foreign(databases.profiler, &writing.db, err) < 0 ||
                 write_of_profiler(&writing, steps, results, err) < 0;
        sqlite3_close(writing.db);
    }
    databases_release(&databases);
    strbuf_release(&writing.text);
    free(output);
    return failed ? -(int)err->code : 0;
}
