#include "db/query/query_origin.h"

#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_loop.h"

/* Captures of CANN: the start of the host's collection, or of a device's. */
static const char start_sql[] = "SELECT start_ns, unix_offset_ns, start_monotonic_ns FROM capture_part"
                                " WHERE start_ns IS NOT NULL AND start_ns > 0 ORDER BY is_host DESC, id LIMIT 1";

/* Tasks are stored by device and start, calls by thread and start: the first of each device is not looked for. */
static const char earliest_sql[] = "SELECT min(t) FROM (SELECT min(start_ns) AS t FROM device_task"
                                   " UNION ALL SELECT min(start_ns) FROM host_call"
                                   " UNION ALL SELECT min(start_ns) FROM msproftx)";

static int read_row(sqlite3 *db, const char *sql, int64_t *values, int count, struct err *err)
{
    sqlite3_stmt *statement;
    int status = database_prepare(db, sql, &statement, err);
    if (status < 0)
        return status;
    for (int i = 0; i < count; i++)
        values[i] = DB_NULL;
    if (sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 0; i < count; i++)
            values[i] = query_integer(statement, i);
    }
    sqlite3_finalize(statement);
    return 0;
}

int query_origin(sqlite3 *db, int family, struct capture_origin *ret, struct err *err)
{
    enum { UNIX, OFFSET, MONOTONIC, VALUES };
    int64_t start[VALUES];
    struct db_facts facts;
    *ret = (struct capture_origin){0, DB_NULL, DB_NULL};
    if (family == DB_FAMILY_SVP || family == DB_FAMILY_JOB) {
        int status = db_read_facts(db, &facts, err);
        if (status == 0)
            ret->time_ns = ret->origin_ns = facts.origin_ns;
        return status;
    }
    int status = read_row(db, start_sql, start, VALUES, err);
    if (status < 0)
        return status;
    bool since_1970 = family == DB_FAMILY_CANN;
    ret->origin_unix_ns = start[UNIX];
    ret->origin_ns = start[MONOTONIC];
    if (since_1970 && start[UNIX] != DB_NULL && start[OFFSET] != DB_NULL && start[OFFSET] != 0)
        ret->origin_ns = start[UNIX] - start[OFFSET];
    ret->time_ns = since_1970 ? ret->origin_unix_ns : ret->origin_ns;
    if (ret->time_ns != DB_NULL)
        return 0;
    status = read_row(db, earliest_sql, &ret->time_ns, 1, err);
    if (ret->time_ns == DB_NULL)
        ret->time_ns = 0;
    else if (since_1970)
        ret->origin_unix_ns = ret->time_ns;
    else
        ret->origin_ns = ret->time_ns;
    return status;
}
