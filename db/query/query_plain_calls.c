#include "db/query/query_plain_calls.h"

#include "db/database.h"
#include "db/query/query_loop.h"

/* Every loop: how a row becomes what the caller is given. */
struct loop {
    int (*take)(const struct loop *loop, sqlite3_stmt *row, struct err *err);
    void *arg;
    plain_call_each call;
    call_total_each total;
};

static int take_row(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct loop *loop = arg;
    return loop->take(loop, row, err);
}

static int run_for_device(sqlite3 *db, const char *sql, int64_t device_id, struct loop *loop, struct err *err)
{
    return query_run(db, sql, &device_id, 1, take_row, loop, err);
}

static int take_call(const struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct plain_call call = {
        .name = query_text(row, 0),
        .start_ns = query_integer(row, 1),
        .end_ns = query_integer(row, 2),
        .process_id = query_integer(row, 3),
        .thread_id = query_integer(row, 4),
        .api_type = query_integer(row, 5),
    };
    return loop->call(loop->arg, &call, err);
}

int plain_each_acl_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    struct loop loop = {.take = take_call, .arg = arg, .call = each};
    return run_for_device(db,
                          "SELECT c.name, c.start_ns, c.end_ns, c.process_id, c.thread_id, c.api_type"
                          "  FROM acl_call c JOIN source_file f ON f.id = c.file_id"
                          "  WHERE f.device_id = ?1 ORDER BY c.start_ns, c.id",
                          device_id, &loop, err);
}

int plain_each_runtime_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    struct loop loop = {.take = take_call, .arg = arg, .call = each};
    return run_for_device(db,
                          "SELECT c.name, c.start_ns, c.end_ns, NULL, c.thread_id, NULL"
                          "  FROM runtime_api c JOIN source_file f ON f.id = c.file_id"
                          "  WHERE f.device_id = ?1 ORDER BY c.start_ns, c.id",
                          device_id, &loop, err);
}

int plain_each_call(sqlite3 *db, int64_t device_id, plain_call_each each, void *arg, struct err *err)
{
    struct loop loop = {.take = take_call, .arg = arg, .call = each};
    return run_for_device(db,
                          "SELECT c.name, c.start_ns, c.end_ns, c.process_id, c.thread_id, c.api_type, 0 AS layer, c.id"
                          "  FROM acl_call c JOIN source_file f ON f.id = c.file_id WHERE f.device_id = ?1"
                          " UNION ALL SELECT c.name, c.start_ns, c.end_ns, NULL, c.thread_id, NULL, 1, c.id"
                          "  FROM runtime_api c JOIN source_file f ON f.id = c.file_id WHERE f.device_id = ?1"
                          " ORDER BY 2, 3 DESC, 7, 8",
                          device_id, &loop, err);
}

static int take_total(const struct loop *loop, sqlite3_stmt *row, struct err *err)
{
    const struct call_total total = {
        .name = query_text(row, 0),
        .stream_id = query_integer(row, 1),
        .total_ns = query_integer(row, 2),
        .count = query_integer(row, 3),
        .min_ns = query_integer(row, 4),
        .max_ns = query_integer(row, 5),
        .api_type = query_integer(row, 6),
        .process_id = query_integer(row, 7),
        .thread_id = query_integer(row, 8),
    };
    return loop->total(loop->arg, &total, err);
}

int plain_each_acl_total(sqlite3 *db, int64_t device_id, call_total_each each, void *arg, struct err *err)
{
    struct loop loop = {.take = take_total, .arg = arg, .total = each};
    return run_for_device(db,
                          "SELECT c.name, NULL, sum(c.end_ns - c.start_ns), count(*), min(c.end_ns - c.start_ns),"
                          "  max(c.end_ns - c.start_ns), c.api_type, c.process_id, c.thread_id"
                          "  FROM acl_call c JOIN source_file f ON f.id = c.file_id"
                          "  WHERE f.device_id = ?1 GROUP BY c.name ORDER BY c.name",
                          device_id, &loop, err);
}

/* The stream and thread are those of the longest call. */
int plain_each_runtime_total(sqlite3 *db, int64_t device_id, call_total_each each, void *arg, struct err *err)
{
    struct loop loop = {.take = take_total, .arg = arg, .total = each};
    return run_for_device(db,
                          "SELECT c.name, c.stream_id, sum(c.end_ns - c.start_ns), count(*),"
                          "  min(c.end_ns - c.start_ns), max(c.end_ns - c.start_ns), NULL, NULL, c.thread_id"
                          "  FROM runtime_api c JOIN source_file f ON f.id = c.file_id"
                          "  WHERE f.device_id = ?1 GROUP BY c.name ORDER BY c.name",
                          device_id, &loop, err);
}
