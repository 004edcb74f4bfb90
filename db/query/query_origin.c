/* SPDX-License-Identifier: Apache-2.0 */

#include "db/database.h"
#include "db/query/query.h"
#include "db/query/query_fields.h"

/* Captures of CANN: the start of the host's collection, or of a device's. */
struct start {
    int64_t unix_ns, offset_ns, monotonic_ns;
};
static const struct query_field start_fields[] = {
    QUERY_FIELD(struct start, unix_ns, "start_ns"),
    QUERY_FIELD(struct start, offset_ns, "unix_offset_ns"),
    QUERY_FIELD(struct start, monotonic_ns, "start_monotonic_ns"),
};
static const struct query_select starts = {
    QUERY_FIELDS(start_fields),
    .from = "FROM capture_part WHERE start_ns IS NOT NULL AND start_ns > 0 ORDER BY is_host DESC, id LIMIT 1"};

/* Tasks are stored by device and start, calls by thread and start: the first of each device is not looked for. */
static const struct query_field earliest_fields[] = {QUERY_FIELD(struct capture_origin, time_ns, "min(t)")};
static const struct query_select earliest = {
    QUERY_FIELDS(earliest_fields),
    .from = "FROM (SELECT min(start_ns) AS t FROM device_task UNION ALL SELECT min(start_ns) FROM host_call"
            " UNION ALL SELECT min(start_ns) FROM msproftx)"};

/* Captures of 2020: what is in their timelines by itself; tasks without a name only where there is nothing else, for
 * the first of them may be a minute ahead. */
static const struct query_field first_named_fields[] = {QUERY_FIELD(struct capture_origin, time_ns, "t")};
static const struct query_select first_named = {
    QUERY_FIELDS(first_named_fields),
    .from = "FROM (SELECT coalesce((SELECT min(t) FROM (SELECT min(start_ns) AS t FROM device_task"
            "   WHERE op_name_id IS NOT NULL UNION ALL SELECT min(time_ns) FROM training_trace WHERE point = 1)),"
            " (SELECT min(start_ns) FROM device_task), 0) AS t)"};

int query_origin(sqlite3 *db, int family, struct capture_origin *ret, struct err *err)
{
    struct start start = {DB_NULL, DB_NULL, DB_NULL};
    struct db_facts facts;
    *ret = (struct capture_origin){0, DB_NULL, DB_NULL};
    if (family == CAPTURE_SVP) {
        int status = db_read_facts(db, &facts, err);
        if (status == 0)
            ret->time_ns = ret->origin_ns = facts.origin_ns;
        return status;
    }
    if (family == CAPTURE_JOB) {
        int status = query_select_row(db, &first_named, NULL, 0, ret, err);
        ret->origin_ns = ret->time_ns;
        return status;
    }
    int status = query_select_row(db, &starts, NULL, 0, &start, err);
    if (status < 0)
        return status;
    bool since_1970 = family == CAPTURE_CANN;
    ret->origin_unix_ns = start.unix_ns;
    ret->origin_ns = start.monotonic_ns;
    if (since_1970 && start.unix_ns != DB_NULL && start.offset_ns != DB_NULL && start.offset_ns != 0)
        ret->origin_ns = start.unix_ns - start.offset_ns;
    ret->time_ns = since_1970 ? ret->origin_unix_ns : ret->origin_ns;
    if (ret->time_ns != DB_NULL)
        return 0;
    status = query_select_row(db, &earliest, NULL, 0, ret, err);
    if (ret->time_ns == DB_NULL)
        ret->time_ns = 0;
    else if (since_1970)
        ret->origin_unix_ns = ret->time_ns;
    else
        ret->origin_ns = ret->time_ns;
    return status;
}
