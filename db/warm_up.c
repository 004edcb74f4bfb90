/* SPDX-License-Identifier: Apache-2.0 */
#include "db/warm_up.h"

#include "base/number.h"
#include "base/strbuf.h"
#include "db/database.h"
#include "db/query/query_loop.h"
#include "parsers/decode/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQL_LIMIT (64 * 1024)
#define TASKS "device_task"
#define COMMUNICATION_OPS "communication_op"
#define COMMUNICATION_TASKS "communication_task"

/* ---- which records ended before the start ---- */

/* Kinds whose records hold from their time on: the last one before the start is still true behind it. */
static bool is_state(const struct record_kind *kind)
{
    static const char *const states[] = {"core_frequency", "core_voltage", "ts_track", "training_trace", "stars_block"};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(kind->name, states[i]) == 0)
            return true;
    return false;
}

bool warm_up_rule_of(const struct record_kind *kind, struct warm_up_rule *ret)
{
    *ret = (struct warm_up_rule){.start = record_kind_column(kind, "start_ns"),
                                 .duration = record_kind_column(kind, "duration_ns"),
                                 .end = record_kind_column(kind, "end_ns"),
                                 .device = record_kind_column(kind, "device_id"),
                                 .by_start = kind->table != NULL && strcmp(kind->table, COMMUNICATION_OPS) == 0};
    if (kind->table == NULL || (kind->families & FAMILY_CANN) == 0 || is_state(kind))
        return false;
    if (ret->start < 0 && (kind->sampling != NULL || strcmp(kind->table, "task_memory_info") == 0))
        ret->start = record_kind_column(kind, "time_ns");
    return ret->start >= 0;
}

/* The part that a row is of: that of its device, else the host's; NULL: there is none. */
static const struct capture_part *part_of(const struct capture *capture, int64_t device_id)
{
    const struct capture_part *host = NULL;
    for (size_t i = 0; i < capture->part_count; i++) {
        const struct capture_part *part = &capture->parts[i];
        if (!part->is_host && part->device_id == device_id)
            return part;
        host = part->is_host ? part : host;
    }
    return host;
}

static uint64_t bit_of(int column)
{
    return column >= 0 ? UINT64_C(1) << column : 0;
}

uint64_t warm_up_count(const struct warm_up_rule *rule, const struct capture *capture, const struct row_batch *batch)
{
    const struct cell *row = batch->cells;
    const struct capture_part *part = NULL;
    const uint64_t has_start = bit_of(rule->start), has_device = bit_of(rule->device);
    const uint64_t has_end = rule->by_start ? 0 : bit_of(rule->end);
    const uint64_t has_duration = rule->by_start ? 0 : bit_of(rule->duration);
    int64_t device = INT64_MIN;
    uint64_t count = 0;
    for (size_t i = 0; i < batch->rows; i++, row += batch->kind->column_count) {
        const uint64_t present = batch->present[i];
        if ((present & has_start) == 0)
            continue;
        const int64_t its_device = (present & has_device) != 0 ? row[rule->device].integer : -1;
        if (its_device != device)
            part = part_of(capture, device = its_device);
        int64_t end_ns = row[rule->start].integer;
        if ((present & has_end) != 0)
            end_ns = row[rule->end].integer;
        else if ((present & has_duration) != 0)
            end_ns = number_add(end_ns, row[rule->duration].integer);
        count +=
            part != NULL && end_ns < part->start_unix_ns && part_is_warm_up(part, end_ns); /* few are asked about */
    }
    return count;
}

int warm_up_store(sqlite3 *db, uint64_t records, const char *tables, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *insert = NULL;
    if (database_prepare(db, "INSERT INTO meta VALUES('warm_up_records', ?1), ('warm_up_tables', ?2)", &insert, err) <
        0)
        return err_status(err);
    sqlite3_bind_int64(insert, 1, (sqlite3_int64)records);
    sqlite3_bind_text(insert, 2, tables, -1, SQLITE_STATIC);
    return sqlite3_step(insert) == SQLITE_DONE ? 0 : database_error(err, db, "cannot store the warm-up");
}

/* ---- hiding them ---- */

static bool shown;

void warm_up_show(void)
{
    shown = true;
}

bool warm_up_is_shown(void)
{
    return shown;
}

/* Where tables are, and what the names of their views begin with. */
struct hiding {
    sqlite3 *db;
    const char *schema, *prefix;
    const char *tables; /* with rows of warm-up, each behind a blank */
    struct strbuf sql;
};

/* When the collection started in the parts of a group, NULL where the clocks were read later than the records say. */
#define SQL_START                                                                                                      \
    "max(iif(start_monotonic_ns <= start_ns AND host_monotonic_ns IS NOT NULL AND start_ns <= coalesce(end_ns, "       \
    "start_ns) AND (is_host OR device_tick IS NOT NULL), start_ns, NULL))"

/* When the collection started on each device, and on the host, and from when on its warm-up is: part_is_warm_up in SQL.
 */
static int find_starts(const struct hiding *hiding, struct err *err)
{
    char sql[640];
    snprintf(
        sql, sizeof sql,
        "CREATE TEMP TABLE warm_up_end AS SELECT iif(is_host, NULL, device_id) AS device_id, " SQL_START " AS end_ns,"
        " min(host_monotonic_ns + unix_offset_ns - " SQL_NUMBER(WARM_UP_SLACK_NS) ") AS from_ns"
                                                                                  " FROM %s.capture_part GROUP BY 1",
        hiding->schema);
    return database_exec(hiding->db, sql, err);
}

static void write_end(char *sql, size_t size, const struct record_kind *kind, const struct warm_up_rule *rule)
{
    const char *start = kind->columns[rule->start].name;
    if (!rule->by_start && rule->end >= 0)
        snprintf(sql, size, "coalesce(%s, %s)", kind->columns[rule->end].name, start);
    else if (!rule->by_start && rule->duration >= 0)
        snprintf(sql, size, "%s + coalesce(%s, 0)", start, kind->columns[rule->duration].name);
    else
        snprintf(sql, size, "%s", start);
}

/* One of the times for the device of a row, as a number: SQLite compares it for each row. */
static int write_time(struct strbuf *sql, sqlite3 *db, const char *column, bool of_device, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *starts = NULL;
    char query[128];
    snprintf(query, sizeof query, "SELECT device_id, %s FROM temp.warm_up_end ORDER BY device_id NULLS LAST", column);
    if (database_prepare(db, query, &starts, err) < 0)
        return err_status(err);
    strbuf_adds(sql, "CASE");
    bool there = false;
    int status;
    while ((status = database_step(starts, &there, err)) == 0 && there) {
        const int64_t device = query_integer(starts, 0), time_ns = query_integer(starts, 1);
        if (device != DB_NULL && !of_device)
            continue;
        if (device == DB_NULL)
            strbuf_adds(sql, " WHEN 1 THEN ");
        else
            strbuf_addf(sql, " WHEN device_id IS %lld THEN ", (long long)device);
        if (time_ns == DB_NULL)
            strbuf_adds(sql, "NULL");
        else
            strbuf_add_integer(sql, time_ns);
    }
    strbuf_adds(sql, " WHEN 0 THEN 0 END"); /* for captures without a host */
    return status;
}

/* "(the row's end) >= (where warm-up begins) AND (the row's end) < (the start of the collection)" */
static int write_condition(struct strbuf *sql, sqlite3 *db, const char *end, bool of_device, struct err *err)
{
    strbuf_addf(sql, "%s >= ", end);
    if (write_time(sql, db, "from_ns", of_device, err) < 0)
        return err_status(err);
    strbuf_addf(sql, " AND %s < ", end);
    if (write_time(sql, db, "end_ns", of_device, err) < 0)
        return err_status(err);
    return sql->failed ? err_no_memory(err) : 0;
}

/* A view of a table; the condition follows, or none. */
static void begin_view(struct hiding *hiding, const char *table)
{
    strbuf_addf(&hiding->sql, "CREATE TEMP VIEW IF NOT EXISTS \"%s%s\" AS SELECT * FROM %s.\"%s\"", hiding->prefix,
                table, hiding->schema, table);
}

/* Rows that say of a task by its number, and not when: hidden with the tasks of that number. */
static bool is_of_task(const struct record_kind *kind)
{
    static const char *const names[] = {"l2_cache", "soc_pmu", "page_fault"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (kind->table != NULL && strcmp(kind->table, names[i]) == 0)
            return true;
    return false;
}

#define TASK_NUMBER "(device_id, stream_id, task_id)"
#define TASK_NUMBERS "(SELECT device_id, stream_id, task_id FROM %s.%sdevice_task WHERE "
#define NUMBERED "device_id IS NOT NULL AND stream_id IS NOT NULL AND task_id IS NOT NULL)"

static void add_views_of_tasks(struct hiding *hiding, const char *hidden)
{
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        if (!is_of_task(record_kinds[i]))
            continue;
        begin_view(hiding, record_kinds[i]->table);
        strbuf_addf(&hiding->sql, " WHERE " TASK_NUMBER " NOT IN " TASK_NUMBERS, hiding->schema, "");
        strbuf_addf(&hiding->sql, "(%s) AND " NUMBERED " OR " TASK_NUMBER " IN " TASK_NUMBERS NUMBERED ";", hidden,
                    "temp", hiding->prefix);
    }
}

static int add_view(struct hiding *hiding, const char *table, const char *end, bool of_device, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf condition;
    strbuf_init(&condition, SQL_LIMIT);
    if (write_condition(&condition, hiding->db, end, of_device, err) < 0)
        return err_status(err);
    begin_view(hiding, table);
    strbuf_addf(&hiding->sql, " WHERE coalesce(NOT (%s), 1);", condition.data);
    if (strcmp(table, TASKS) == 0)
        add_views_of_tasks(hiding, condition.data);
    return 0;
}

/* Whether a blank and the name stand in the list. */
static bool is_listed(const char *tables, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = tables; (at = strchr(at, ' ')) != NULL; at++)
        if (strncmp(at + 1, name, length) == 0 && (at[length + 1] == ' ' || at[length + 1] == '\0'))
            return true;
    return false;
}

static int add_view_of_kind(struct hiding *hiding, const struct record_kind *kind, struct err *err)
{
    struct warm_up_rule rule;
    char end[160];
    if (!warm_up_rule_of(kind, &rule) || !is_listed(hiding->tables, kind->table))
        return 0;
    write_end(end, sizeof end, kind, &rule);
    if (add_view(hiding, kind->table, end, rule.device >= 0, err) < 0)
        return err_status(err);
    if (!rule.by_start)
        return 0;
    begin_view(hiding, COMMUNICATION_TASKS);
    strbuf_addf(&hiding->sql, " WHERE op_id IS NULL OR op_id IN (SELECT id FROM temp.%s%s);", hiding->prefix,
                kind->table);
    return 0;
}

/* Marks of devices are made of other records when all are there, and not counted by themselves. */
#define MARKS "device_mark"

static int make_views(struct hiding *hiding, struct err *err)
{
    if (find_starts(hiding, err) < 0)
        return err_status(err);
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        if (add_view_of_kind(hiding, record_kinds[i], err) < 0)
            return err_status(err);
    if (add_view(hiding, MARKS, "coalesce(end_ns, start_ns)", true, err) < 0)
        return err_status(err);
    return hiding->sql.failed ? err_no_memory(err) : database_exec(hiding->db, hiding->sql.data, err);
}

static int take_text(void *arg, sqlite3_stmt *row, struct err *err)
{
    const char *text = query_text(row, 0);
    char **ret = arg;
    if (text != NULL && (*ret = strdup(text)) == NULL)
        return err_no_memory(err);
    return 0;
}

/* The tables that have such rows; NULL: none is to be hidden. */
static int find_tables(const struct hiding *hiding, char **ret, struct err *err)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT nullif(value, '') FROM %s.meta WHERE key = 'warm_up_tables'", hiding->schema);
    return shown ? 0 : query_run(hiding->db, sql, NULL, 0, take_text, ret, err);
}

int warm_up_hide(sqlite3 *db, struct err *err)
{
    SCOPED_FREE char *tables = NULL;
    struct hiding hiding = {.db = db, .schema = "main", .prefix = ""};
    if (find_tables(&hiding, &tables, err) < 0)
        return err_status(err);
    if (tables == NULL)
        return 0;
    hiding.tables = tables;
    strbuf_init(&hiding.sql, SQL_LIMIT);
    bool failed = database_exec(db, "PRAGMA query_only = OFF", err) < 0 || make_views(&hiding, err) < 0 ||
                  database_exec(db, "PRAGMA query_only = ON", err) < 0;
    strbuf_release(&hiding.sql);
    return failed ? err_status(err) : 0;
}

/* The tables that have no view yet. */
static void add_whole_views(struct hiding *hiding)
{
    for (size_t i = 0; record_kinds[i] != NULL; i++) {
        const char *table = record_kinds[i]->table;
        if (table == NULL)
            continue;
        begin_view(hiding, table);
        strbuf_addc(&hiding->sql, ';');
    }
    begin_view(hiding, MARKS);
    strbuf_addc(&hiding->sql, ';');
}

int warm_up_attach(sqlite3 *db, const char *schema, const char *prefix, struct err *err)
{
    SCOPED_FREE char *tables = NULL;
    struct hiding hiding = {.db = db, .schema = schema, .prefix = prefix};
    if (find_tables(&hiding, &tables, err) < 0)
        return err_status(err);
    hiding.tables = tables;
    strbuf_init(&hiding.sql, SQL_LIMIT);
    bool failed = tables != NULL && make_views(&hiding, err) < 0;
    strbuf_clear(&hiding.sql);
    if (!failed)
        add_whole_views(&hiding);
    failed = failed || (hiding.sql.failed && err_no_memory(err) < 0) || database_exec(db, hiding.sql.data, err) < 0;
    strbuf_release(&hiding.sql);
    return failed ? err_status(err) : 0;
}

int warm_up_open(const char *path, sqlite3 **ret, struct err *err)
{
    sqlite3 *db = NULL;
    if (database_open(path, &db, err) < 0)
        return err_status(err);
    if (warm_up_hide(db, err) < 0) {
        database_close(db);
        return err_status(err);
    }
    *ret = db;
    return 0;
}

static int take_end(void *arg, sqlite3_stmt *row, struct err *err)
{
    (void)err;
    *(int64_t *)arg = query_integer(row, 0);
    return 0;
}

bool warm_up_hides(sqlite3 *db)
{
    return sqlite3_table_column_metadata(db, "temp", "warm_up_end", NULL, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
}

int warm_up_end_ns(sqlite3 *db, int64_t device_id, int64_t *ret, struct err *err)
{
    *ret = INT64_MIN;
    if (!warm_up_hides(db))
        return 0;
    return query_run(db,
                     "SELECT end_ns FROM temp.warm_up_end WHERE (device_id = ?1 OR device_id IS NULL) AND end_ns IS"
                     " NOT NULL ORDER BY device_id IS NULL LIMIT 1",
                     &device_id, 1, take_end, ret, err);
}

int warm_up_start_ns(sqlite3 *db, int64_t device_id, int64_t *ret, struct err *err)
{
    *ret = INT64_MIN;
    if (shown)
        return 0;
    return query_run(db, "SELECT coalesce(" SQL_START ", -1) FROM capture_part WHERE NOT is_host AND device_id = ?1",
                     &device_id, 1, take_end, ret, err);
}
