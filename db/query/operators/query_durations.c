#include "db/query/operators/query_durations.h"

#include "db/query/query_scan.h"

#include <stdlib.h>

struct duration_reader {
    sqlite3 *db;
    sqlite3_stmt *range;
};

/* Of communication (level 5500) a call is named by its operator. */
#define CALL_NAME "CASE level WHEN 5500 THEN coalesce(item_id, name_id) ELSE name_id END"

struct duration_reader *duration_reader_new(sqlite3 *db, enum duration_subject subject, struct err *err)
{
    static const struct {
        const char *columns, *table;
    } scans[] = {
        [DURATION_TASKS] = {"device_id, op_task_type, op_type_id, duration_ns, op_name_id", "device_task"},
        [DURATION_CALLS] = {"level, 0, " CALL_NAME ", duration_ns, NULL", "host_call"},
    };
    struct duration_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    reader->db = db;
    if (query_scan_prepare(db, scans[subject].columns, scans[subject].table, NULL, &reader->range, err) < 0) {
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
    int (*each)(void *arg, const struct duration *duration, struct err *err);
    void *arg;
};

static int give_duration(void *arg, sqlite3_value **row, struct err *err)
{
    const struct duration_loop *loop = arg;
    const struct duration duration = {
        .major = scan_integer(row[0]),
        .minor = scan_integer(row[1]),
        .name_id = scan_integer(row[2]),
        .duration_ns = scan_integer(row[3]),
        .op_name_id = scan_integer(row[4]),
    };
    return loop->each(loop->arg, &duration, err);
}

int read_durations(struct duration_reader *reader, int64_t first, int64_t end,
                   int (*each)(void *arg, const struct duration *duration, struct err *err), void *arg, struct err *err)
{
    struct duration_loop loop = {each, arg};
    return query_scan(reader->db, reader->range, first, end, give_duration, &loop, err);
}

/* ---- timed calls ---- */

struct timed_loop {
    int (*each)(void *arg, const struct timed_call *call, struct err *err);
    void *arg;
};

static int give_timed_call(void *arg, sqlite3_value **row, struct err *err)
{
    const struct timed_loop *loop = arg;
    const struct timed_call call = {
        .thread_id = sqlite3_value_int64(row[0]),
        .start_ns = scan_integer(row[1]),
        .duration_ns = scan_integer(row[2]),
        .launches = sqlite3_value_int64(row[3]),
        .name_id = scan_integer(row[4]),
    };
    return loop->each(loop->arg, &call, err);
}

int read_timed_calls(sqlite3 *db, int (*each)(void *arg, const struct timed_call *call, struct err *err), void *arg,
                     struct err *err)
{
    struct timed_loop loop = {each, arg};
    sqlite3_stmt *scan = NULL;
    int status =
        query_scan_prepare(db, "thread_id, start_ns, duration_ns, launches, " CALL_NAME, "host_call", NULL, &scan, err);

    if (status == 0)
        status = query_scan(db, scan, 0, INT64_MAX, give_timed_call, &loop, err);
    sqlite3_finalize(scan);
    return status;
}
