/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/operators/query_durations.h"

#include "db/database.h"
#include "db/query/query_cann.h"
#include "db/query/query_fields.h"
#include "parsers/record.h"

#include <stdlib.h>

static const struct query_field task_fields[] = {
    QUERY_FIELD(struct duration, major, "device_id"),       QUERY_FIELD(struct duration, minor, "op_task_type"),
    QUERY_FIELD(struct duration, name_id, "op_type_id"),    QUERY_FIELD(struct duration, duration_ns, "duration_ns"),
    QUERY_FIELD(struct duration, op_name_id, "op_name_id"),
};
static const struct query_field call_fields[] = {
    QUERY_FIELD(struct duration, major, "level"),          QUERY_FIELD(struct duration, minor, "0"),
    QUERY_FIELD(struct duration, name_id, CANN_CALL_NAME), QUERY_FIELD(struct duration, duration_ns, "duration_ns"),
    QUERY_FIELD(struct duration, op_name_id, "NULL"),
};
static const struct {
    struct query_select select;
    const char *table;
} scans[] = {
    [DURATION_TASKS] = {{QUERY_FIELDS(task_fields)}, "device_task"},
    [DURATION_CALLS] = {{QUERY_FIELDS(call_fields)}, "host_call"},
};

struct duration_reader {
    sqlite3 *db;
    sqlite3_stmt *range;
    const struct query_select *select;
};

struct duration_reader *duration_reader_new(sqlite3 *db, enum duration_subject subject, struct err *err)
{
    struct duration_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    reader->db = db;
    reader->select = &scans[subject].select;
    if (query_scan_fields(db, reader->select, NULL, scans[subject].table, &reader->range, err) < 0) {
        duration_reader_free(reader);
        return NULL;
    }
    return reader;
}

void duration_reader_free(struct duration_reader *reader)
{
    if (reader != NULL)
        sqlite3_finalize(reader->range);
    free(reader);
}

struct duration_loop {
    const struct query_select *select;
    int (*each)(void *arg, const struct duration *duration, struct err *err);
    void *arg;
};

static int give_duration(void *arg, sqlite3_value **row, struct err *err)
{
    const struct duration_loop *loop = arg;
    struct duration duration;
    scan_take(row, loop->select->fields, loop->select->field_count, &duration);
    return loop->each(loop->arg, &duration, err);
}

int read_durations(struct duration_reader *reader, int64_t first, int64_t end,
                   int (*each)(void *arg, const struct duration *duration, struct err *err), void *arg, struct err *err)
{
    struct duration_loop loop = {reader->select, each, arg};
    return query_scan(reader->db, reader->range, first, end, give_duration, &loop, err);
}

/* ---- timed calls ---- */

struct timed_loop {
    int (*each)(void *arg, const struct timed_call *call, struct err *err);
    void *arg;
};

static const struct query_field timed_fields[] = {
    QUERY_FIELD(struct timed_call, thread_id, "coalesce(thread_id, 0)"),
    QUERY_FIELD(struct timed_call, start_ns, "start_ns"),
    QUERY_FIELD(struct timed_call, duration_ns, "duration_ns"),
    QUERY_FIELD(struct timed_call, launches, "coalesce(launches, 0)"),
    QUERY_FIELD(struct timed_call, name_id, CANN_CALL_NAME),
};
static const struct query_select timed_calls = {QUERY_FIELDS(timed_fields)};

static int give_timed_call(void *arg, sqlite3_value **row, struct err *err)
{
    const struct timed_loop *loop = arg;
    struct timed_call call;
    scan_take(row, timed_calls.fields, timed_calls.field_count, &call);
    return loop->each(loop->arg, &call, err);
}

int read_timed_calls(sqlite3 *db, int (*each)(void *arg, const struct timed_call *call, struct err *err), void *arg,
                     struct err *err)
{
    struct timed_loop loop = {each, arg};
    sqlite3_stmt *scan = NULL;
    int status = query_scan_fields(db, &timed_calls, NULL, "host_call", &scan, err);

    if (status == 0)
        status = query_scan(db, scan, 0, INT64_MAX, give_timed_call, &loop, err);
    sqlite3_finalize(scan);
    return status;
}
