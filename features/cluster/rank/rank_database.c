/* SPDX-License-Identifier: Apache-2.0 */
#include "features/cluster/rank/rank_text.h"

#include "base/file/fsutil.h"
#include "base/interval.h"
#include "base/strbuf.h"
#include "base/words.h"
#include "db/database.h"
#include "features/communication/collective.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define OUTPUT_DIRECTORY "ASCEND_PROFILER_OUTPUT"
#define TEXT_LIMIT ((size_t)64 * 1024 * 1024) /* of names, and of metadata */

/* The databases of a rank; NULL: not there. */
struct rank_databases {
    char *analyzer; /* analysis.db of PyTorch, communication_analyzer.db of MindSpore */
    char *profiler; /* ascend_pytorch_profiler_<rank>.db, ascend_mindspore_profiler_<rank>.db */
};

struct reading {
    sqlite3 *db;
    struct rank_reader *reader;
    struct strbuf text;
};

/* ---- which databases ---- */

static bool begins(const char *name, const char *head)
{
    return strncmp(name, head, strlen(head)) == 0;
}

static bool is_profiler(const char *name)
{
    return (begins(name, "ascend_pytorch_profiler") || begins(name, "ascend_mindspore_profiler")) &&
           words_end_in(name, ".db");
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
    SCOPED(databases_release) struct rank_databases databases;
    find_databases(directory, &databases);
    return databases.analyzer != NULL || databases.profiler != NULL;
}

/* ---- what they have ---- */

/* Whether a table has a column; NULL: whether it is there. */
static bool has(sqlite3 *db, const char *table, const char *column)
{
    SCOPED(statement_release) sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, "SELECT 1 FROM pragma_table_info(?) WHERE ?2 IS NULL OR name = ?2 COLLATE NOCASE", -1,
                           &statement, NULL) != SQLITE_OK)
        return false;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    if (column != NULL)
        sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC);
    return sqlite3_step(statement) == SQLITE_ROW;
}

static int next_row(struct reading *reading, sqlite3_stmt *statement, bool *ret, struct err *err)
{
    int code = sqlite3_step(statement);
    *ret = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : database_error(err, reading->db, "cannot read a row");
}

/* A number, or what is there and is none. */
static struct told_value told(sqlite3_stmt *row, int column)
{
    int type = sqlite3_column_type(row, column);
    return (struct told_value){true, type == SQLITE_INTEGER || type == SQLITE_FLOAT,
                               sqlite3_column_double(row, column)};
}

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text != NULL ? text : "";
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

static int read_steps(struct reading *reading, struct err *err)
{
    sqlite3_stmt *row = NULL;
    const char *fields[STEP_COLUMNS];
    char sql[1024] = "SELECT ", reals[STEP_COLUMNS][32];
    size_t used = strlen(sql), count = 0;
    for (size_t i = 0; i < STEP_COLUMNS; i++) {
        if (!has(reading->db, "StepTraceTime", step_columns[i].name))
            continue;
        used += (size_t)snprintf(sql + used, sizeof sql - used, "%s%s", count > 0 ? ", " : "", step_columns[i].name);
        fields[count++] = step_columns[i].title;
    }
    snprintf(sql + used, sizeof sql - used, " FROM StepTraceTime ORDER BY rowid");
    bool any = true, failed = database_prepare(reading->db, sql, &row, err) < 0;
    for (uint64_t number = 1; !failed && any; number++) {
        failed =
            rank_reader_step(reading->reader, fields, count, number, err) < 0 || next_row(reading, row, &any, err) < 0;
        for (size_t i = 0; !failed && any && i < count; i++) {
            fields[i] = text_of(row, (int)i);
            if (sqlite3_column_type(row, (int)i) != SQLITE_FLOAT)
                continue;
            snprintf(reals[i], sizeof reals[i], "%.17g", sqlite3_column_double(row, (int)i));
            fields[i] = reals[i];
        }
    }
    sqlite3_finalize(row);
    return failed ? err_status(err) : 0;
}

/* ---- the one step of a database of tasks ---- */

struct busy {
    struct intervals spans;
    int64_t first_ns, last_ns, receive_ns; /* the last of these: sum of those that receive */
};

/* sql: start, end, whether it receives; by start. */
static int read_spans(struct reading *reading, const char *sql, struct busy *ret, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *row = NULL;
    bool any = true;
    if (database_prepare(reading->db, sql, &row, err) < 0 || next_row(reading, row, &any, err) < 0)
        return err_status(err);
    while (any) {
        int64_t start = sqlite3_column_int64(row, 0), end = sqlite3_column_int64(row, 1);
        if (end < start)
            return err_set(err, ERR_FORMAT, "a task ends at %lld, before it starts at %lld", (long long)end,
                           (long long)start);
        ret->first_ns = start < ret->first_ns ? start : ret->first_ns;
        ret->last_ns = end > ret->last_ns ? end : ret->last_ns;
        ret->receive_ns += sqlite3_column_int(row, 2) != 0 ? end - start : 0;
        if (intervals_extend(&ret->spans, start, end, err) < 0 || next_row(reading, row, &any, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Sums of the capture, docs/formats/cluster.md 2. */
static int add_step(struct reading *reading, const struct busy *computing, const struct busy *communication,
                    struct err *err)
{
    struct intervals only = {NULL, 0, 0};
    if (intervals_subtract(&communication->spans, &computing->spans, &only, err) < 0)
        return err_status(err);
    int64_t first_ns = computing->first_ns < communication->first_ns ? computing->first_ns : communication->first_ns,
            last_ns = computing->last_ns > communication->last_ns ? computing->last_ns : communication->last_ns,
            compute = intervals_length(&computing->spans), all = intervals_length(&communication->spans),
            alone = intervals_length(&only), overlap = all - alone, idle = last_ns - first_ns - compute - alone,
            receive = communication->receive_ns;
    intervals_release(&only);
    const int64_t values[] = {compute, alone,           overlap, all, idle, idle + compute + alone - receive,
                              receive, alone - receive, 0};
    const char *fields[STEP_COLUMNS];
    char texts[STEP_COLUMNS][32] = {""};
    for (size_t i = 0; i < STEP_COLUMNS; i++)
        fields[i] = step_columns[i].title;
    if (rank_reader_step(reading->reader, fields, STEP_COLUMNS, 1, err) < 0)
        return err_status(err);
    for (size_t i = 0; i < STEP_COLUMNS; i++) {
        if (i > 0)
            snprintf(texts[i], sizeof texts[i], "%.3f", (double)values[i - 1] / 1e3);
        fields[i] = texts[i];
    }
    return rank_reader_step(reading->reader, fields, STEP_COLUMNS, 2, err);
}

static int sum_tasks(struct reading *reading, struct err *err)
{
    struct busy computing = {.first_ns = INT64_MAX, .last_ns = INT64_MIN}, communication = computing;
    bool failed = false;
    if (has(reading->db, "COMPUTE_TASK_INFO", NULL) && has(reading->db, "TASK", NULL))
        failed = read_spans(reading,
                            "SELECT t.startNs, t.endNs, 0 FROM COMPUTE_TASK_INFO c JOIN TASK t USING (globalTaskId)"
                            " ORDER BY CAST(t.startNs AS INTEGER)",
                            &computing, err) < 0;
    failed = failed ||
             (has(reading->db, "COMMUNICATION_OP", NULL) &&
              read_spans(reading,
                         "SELECT o.startNs, o.endNs, coalesce(s.value LIKE 'hcom\\_receive%' ESCAPE '\\', 0)"
                         " FROM COMMUNICATION_OP o LEFT JOIN STRING_IDS s ON s.id = o.opName"
                         " ORDER BY CAST(o.startNs AS INTEGER)",
                         &communication, err) < 0) ||
             ((computing.first_ns <= computing.last_ns || communication.first_ns <= communication.last_ns) &&
              add_step(reading, &computing, &communication, err) < 0);
    intervals_release(&computing.spans);
    intervals_release(&communication.spans);
    return failed ? err_status(err) : 0;
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

/* Orders two rows by their keys. */
static int compare_keys(sqlite3_stmt *a, sqlite3_stmt *b)
{
    int order = 0;
    for (int i = 0; i < KEYS && order == 0; i++)
        order = strcmp(text_of(a, i), text_of(b, i));
    return order;
}

/* Step, half and "name@group" of a row; the last stands in reading->text. */
static int keys_of(struct reading *reading, sqlite3_stmt *row, const char *ret[3], struct err *err)
{
    strbuf_clear(&reading->text);
    strbuf_adds(&reading->text, text_of(row, KEY_NAME));
    strbuf_addc(&reading->text, '@');
    strbuf_adds(&reading->text, text_of(row, KEY_GROUP));
    if (reading->text.failed)
        return err_set(err, ERR_NO_MEMORY, "out of memory for a name");
    ret[0] = text_of(row, KEY_STEP);
    ret[1] = text_of(row, KEY_HALF);
    ret[2] = reading->text.data;
    return 0;
}

static size_t transport_of(sqlite3_stmt *row)
{
    size_t i = 0;
    while (i < COMM_TRANSPORTS && strcmp(text_of(row, KEYS), collective_media[i]) != 0)
        i++;
    return i;
}

/* Rows of traffic, one for each size of packets, are in the order of the operators, then by transport; those of no
 * operator are passed over. */
static int take_traffic(struct reading *reading, sqlite3_stmt *operator_, sqlite3_stmt *row, bool *any, struct err *err)
{
    size_t before = COMM_TRANSPORTS;
    bool failed = false;
    for (int order; !failed && *any && (order = compare_keys(row, operator_)) <= 0;
         failed = failed || next_row(reading, row, any, err) < 0) {
        size_t transport = transport_of(row);
        if (order < 0 || transport == COMM_TRANSPORTS)
            continue;
        if (transport != before) {
            const struct told_value values[TOLD_TRANSFER] = {told(row, KEYS + 1), told(row, KEYS + 2),
                                                             told(row, KEYS + 3), told(row, KEYS + 4)};
            rank_reader_transfer(reading->reader, transport, values);
            before = transport;
        }
        if (sqlite3_column_type(row, KEYS + 5) == SQLITE_NULL)
            continue;
        char size[32];
        snprintf(size, sizeof size, "%.17g", sqlite3_column_double(row, KEYS + 5));
        failed =
            rank_reader_packet(reading->reader, transport, size, told(row, KEYS + 6), told(row, KEYS + 7), err) < 0;
    }
    return failed ? err_status(err) : 0;
}

static int take_operators(struct reading *reading, sqlite3_stmt *times, sqlite3_stmt *traffic, struct err *err)
{
    bool more = false, any = true;
    bool failed = traffic != NULL && next_row(reading, traffic, &more, err) < 0;
    while (!failed) {
        struct told_value values[TOLD_TIMES] = {{false, false, 0}};
        const char *keys[3];
        failed = next_row(reading, times, &any, err) < 0;
        if (failed || !any)
            break;
        values[TOLD_START] = told(times, KEYS);
        for (int i = 0; i < COMM_TIMES; i++)
            values[TOLD_NS + i] = told(times, KEYS + 1 + i);
        failed = keys_of(reading, times, keys, err) < 0 ||
                 rank_reader_begin_operator(reading->reader, keys, values, err) < 0 ||
                 take_traffic(reading, times, traffic, &more, err) < 0 ||
                 rank_reader_end_operator(reading->reader, err) < 0;
    }
    return failed ? err_status(err) : 0;
}

static int read_communication(struct reading *reading, struct err *err)
{
    sqlite3_stmt *times = NULL, *traffic = NULL;
    char step[64], half[256], sql[2048];
    bool failed = false;
    halves_of(reading->db, "CommAnalyzerTime", step, half);
    snprintf(sql, sizeof sql,
             "SELECT %s AS a, %s AS b, hccl_op_name, CAST(group_name AS TEXT) AS g, start_timestamp, elapse_time,"
             " transit_time, wait_time, synchronization_time, idle_time FROM CommAnalyzerTime"
             " WHERE hccl_op_name NOT LIKE 'total%%' ORDER BY a, b, hccl_op_name, g, rowid",
             step, half);
    failed = database_prepare(reading->db, sql, &times, err) < 0;
    if (!failed && has(reading->db, "CommAnalyzerBandwidth", NULL)) {
        halves_of(reading->db, "CommAnalyzerBandwidth", step, half);
        snprintf(sql, sizeof sql,
                 "SELECT %s AS a, %s AS b, hccl_op_name, CAST(group_name AS TEXT) AS g, transport_type, transit_size,"
                 " transit_time, bandwidth, large_packet_ratio, package_size, count, total_duration"
                 " FROM CommAnalyzerBandwidth WHERE hccl_op_name NOT LIKE 'total%%'"
                 " ORDER BY a, b, hccl_op_name, g, transport_type, rowid",
                 step, half);
        failed = database_prepare(reading->db, sql, &traffic, err) < 0;
    }
    failed = failed || take_operators(reading, times, traffic, err) < 0;
    sqlite3_finalize(times);
    sqlite3_finalize(traffic);
    return failed ? err_status(err) : 0;
}

/* ---- links ---- */

/* collective_type_of in SQL. */
static void sql_type_of(sqlite3_context *context, int count, sqlite3_value **values)
{
    char type[COLLECTIVE_TYPE_MAX];
    const char *name = count == 1 ? (const char *)sqlite3_value_text(values[0]) : NULL;
    collective_type_of(name != NULL ? name : "", true, false, type);
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

static int take_links(struct reading *reading, sqlite3_stmt *row, struct err *err)
{
    bool any = true;
    for (;;) {
        const char *keys[3];
        char ranks[128];
        if (next_row(reading, row, &any, err) < 0)
            return err_status(err);
        if (!any)
            return 0;
        snprintf(ranks, sizeof ranks, "%s-%s", text_of(row, KEYS), text_of(row, KEYS + 1));
        const struct told_link link = {.ranks = ranks,
                                       .transport = text_of(row, KEYS + 2),
                                       .op_name = text_of(row, KEYS + 6),
                                       .size = told(row, KEYS + 3),
                                       .time = told(row, KEYS + 4),
                                       .bandwidth = told(row, KEYS + 5)};
        if (keys_of(reading, row, keys, err) < 0 || rank_reader_link(reading->reader, keys, &link, err) < 0)
            return err_status(err);
    }
}

static int read_matrix(struct reading *reading, struct err *err)
{
    sqlite3_stmt *rows = NULL;
    char step[64], half[256], sql[4096];
    bool entries = has(reading->db, "CommAnalyzerMatrix", "step");
    halves_of(reading->db, "CommAnalyzerMatrix", step, half);
    if (entries)
        snprintf(sql, sizeof sql, entries_sql, step, half,
                 has(reading->db, "CommAnalyzerMatrix", "op_name") ? "op_name" : "''");
    else
        snprintf(sql, sizeof sql, operators_sql, step, half);
    int code = sqlite3_create_function(reading->db, "type_of", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, sql_type_of,
                                       NULL, NULL);
    bool failed = (code == SQLITE_OK ? database_prepare(reading->db, sql, &rows, err)
                                     : database_error(err, reading->db, "cannot prepare links")) < 0 ||
                  take_links(reading, rows, err) < 0;
    sqlite3_finalize(rows);
    return failed ? err_status(err) : 0;
}

/* ---- profiler_metadata.json ---- */

/* Values are JSON already. */
static int read_metadata(struct reading *reading, const char *path, struct err *err)
{
    sqlite3_stmt *row = NULL;
    const char *separator = "{";
    bool any = true;
    int status = database_prepare(reading->db,
                                  "SELECT name, value FROM META_DATA WHERE name IN ('parallel_group_info',"
                                  " 'distributed_args') AND json_valid(value)",
                                  &row, err);
    strbuf_clear(&reading->text);
    while (status == 0 && (status = next_row(reading, row, &any, err)) == 0 && any) {
        strbuf_addf(&reading->text, "%s\"%s\": ", separator, text_of(row, 0));
        strbuf_adds(&reading->text, text_of(row, 1));
        separator = ", ";
    }
    strbuf_adds(&reading->text, *separator == ',' ? "}" : "{}");
    sqlite3_finalize(row);
    if (status == 0 && reading->text.failed)
        status = err_set(err, ERR_NO_MEMORY, "out of memory for metadata");
    return status == 0 ? rank_metadata_take(reading->reader->rank, path, reading->text.data, reading->text.length,
                                            reading->reader->diag, err)
                       : status;
}

/* ---- all of it ---- */

static int open_database(struct reading *reading, const char *path, sqlite3 **ret, struct err *err)
{
    int status = path != NULL ? database_open_foreign(path, ret, err) : 0;
    reading->db = *ret;
    return status;
}

/* Groups are known before what refers to them. */
static int read_all(struct reading *reading, const struct rank_databases *paths, const char *directory, struct err *err)
{
    struct rank_data *rank = reading->reader->rank;
    struct stat info;
    sqlite3 *analyzer = NULL, *profiler = NULL;
    char *own = path_join(directory, "profiler_metadata.json");
    bool failed =
        (own == NULL && err_no_memory(err) < 0) || open_database(reading, paths->profiler, &profiler, err) < 0;
    if (!failed && (lstat(own, &info) == 0 || errno != ENOENT))
        failed = rank_metadata_read(rank, directory, reading->reader->diag, err) < 0;
    else
        failed = failed || (profiler != NULL && has(profiler, "META_DATA", NULL) &&
                            read_metadata(reading, paths->profiler, err) < 0);
    reading->reader->unsafe = rank->unsafe_texts;
    failed = failed || open_database(reading, paths->analyzer, &analyzer, err) < 0;
    bool steps = analyzer != NULL && has(analyzer, "StepTraceTime", "step");
    rank->communication =
        analyzer != NULL && has(analyzer, "CommAnalyzerTime", NULL) ? RANK_FILE_THERE : RANK_FILE_MISSING;
    rank->matrix = analyzer != NULL && has(analyzer, "CommAnalyzerMatrix", NULL) ? RANK_FILE_THERE : RANK_FILE_MISSING;
    reading->db = steps ? analyzer : profiler;
    failed = failed || (reading->db != NULL && (steps ? read_steps(reading, err) : sum_tasks(reading, err)) < 0);
    reading->db = analyzer;
    failed = failed || (rank->communication == RANK_FILE_THERE && read_communication(reading, err) < 0) ||
             (rank->matrix == RANK_FILE_THERE && read_matrix(reading, err) < 0);
    if (!failed && rank->steps.count == 0 && rank->column_count == 0 && rank->communication == RANK_FILE_MISSING)
        failed = err_set(err, ERR_NOT_FOUND, "its databases have neither steps nor communication") < 0;
    sqlite3_close(analyzer);
    sqlite3_close(profiler);
    free(own);
    return failed ? err_status(err) : 0;
}

int rank_database_read(struct rank_data *rank, const char *directory, struct diagnostics *diag, struct err *err)
{
    struct rank_databases databases;
    struct rank_reader reader;
    struct reading reading = {.reader = &reader};
    rank_reader_init(&reader, rank, directory, diag);
    strbuf_init(&reading.text, TEXT_LIMIT);
    find_databases(directory, &databases);
    bool failed = read_all(&reading, &databases, directory, err) < 0 || rank_data_gather(rank, err) < 0;
    databases_release(&databases);
    strbuf_release(&reading.text);
    rank_reader_release(&reader);
    return failed ? err_status(err) : 0;
}
