#include "db/query_durations.h"

#include "db/database.h"
#include "db/query_loop.h"

#include <stdlib.h>

struct duration_reader {
    sqlite3 *db;
    sqlite3_stmt *range;
};

struct duration_reader *duration_reader_new(sqlite3 *db, enum duration_subject subject, struct err *err)
{
    static const char *const statements[] = {
        [DURATION_TASKS] = "SELECT device_id, op_task_type, op_type_id, duration_ns, op_name_id FROM device_task"
                           " WHERE id >= ?1 AND id < ?2 ORDER BY id",
        [DURATION_CALLS] = "SELECT level, 0, name_id, duration_ns, NULL FROM host_call"
                           " WHERE id >= ?1 AND id < ?2 ORDER BY id",
    };
    struct duration_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        return NULL;
    }
    reader->db = db;
    if (database_prepare(db, statements[subject], &reader->range, err) < 0) {
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

static int give_duration(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct duration_loop *loop = arg;
    const struct duration duration = {
        .major = query_integer(row, 0),
        .minor = query_integer(row, 1),
        .name_id = query_integer(row, 2),
        .duration_ns = query_integer(row, 3),
        .op_name_id = query_integer(row, 4),
    };
    return loop->each(loop->arg, &duration, err);
}

int read_durations(struct duration_reader *reader, int64_t first, int64_t end,
                   int (*each)(void *arg, const struct duration *duration, struct err *err), void *arg, struct err *err)
{
    struct duration_loop loop = {each, arg};
    query_bind(reader->range, 1, first);
    query_bind(reader->range, 2, end);
    return query_loop(reader->db, reader->range, give_duration, &loop, err);
}
