/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/query_inventory.h"

#include "db/query/query_fields.h"
#include "db/query/query_loop.h"

struct inventory_loop {
    int (*each_kind)(void *arg, const struct inventory_kind *kind, struct err *err);
    int (*each_problem)(void *arg, const struct inventory_problem *problem, struct err *err);
    void *arg;
};

static int give_kind(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct inventory_loop *loop = arg;
    const char *name = query_text(row, 0);
    struct inventory_kind kind = {
        .kind = name != NULL ? record_kind_find(name) : NULL,
        .files = query_integer(row, 1),
        .bytes = query_integer(row, 2),
        .rows = query_integer(row, 3),
        .joined = query_integer(row, 4),
        .rejected = query_integer(row, 5),
    };
    return loop->each_kind(loop->arg, &kind, err);
}

int inventory_each_kind(sqlite3 *db, int (*each)(void *arg, const struct inventory_kind *kind, struct err *err),
                        void *arg, struct err *err)
{
    struct inventory_loop loop = {.each_kind = each, .arg = arg};
    return query_run(db,
                     "WITH fate AS (SELECT file_id, sum(CASE outcome WHEN 'row' THEN records ELSE 0 END) AS rows,"
                     "  sum(CASE outcome WHEN 'joined' THEN records ELSE 0 END) AS joined,"
                     "  sum(CASE outcome WHEN 'rejected' THEN records ELSE 0 END) AS rejected"
                     "  FROM record_count GROUP BY file_id)"
                     " SELECT f.kind, count(*), sum(f.size_bytes), coalesce(sum(e.rows), 0) AS rows,"
                     "  coalesce(sum(e.joined), 0) AS joined, coalesce(sum(e.rejected), 0) AS rejected"
                     " FROM source_file f LEFT JOIN fate e ON e.file_id = f.id GROUP BY f.kind"
                     " ORDER BY f.kind IS NULL, 6 DESC, coalesce(sum(e.rows + e.joined), 0) DESC, f.kind",
                     NULL, 0, give_kind, &loop, err);
}

/* A code that this version does not have is of a database that it did not make: nothing is said of it. */
static int give_problem(void *arg, sqlite3_stmt *row, struct err *err)
{
    const struct inventory_loop *loop = arg;
    const char *code = query_text(row, 0);
    struct inventory_problem problem = {
        .id = code != NULL ? diag_find(code) : DIAG_COUNT,
        .occurrences = query_integer(row, 1),
        .files = query_integer(row, 2),
        .rejected = query_integer(row, 3),
    };
    return problem.id != DIAG_COUNT ? loop->each_problem(loop->arg, &problem, err) : 0;
}

/* The table has a row for each example that was kept of a code and a file, with the number of all of them. */
int inventory_each_problem(sqlite3 *db,
                           int (*each)(void *arg, const struct inventory_problem *problem, struct err *err), void *arg,
                           struct err *err)
{
    struct inventory_loop loop = {.each_problem = each, .arg = arg};
    return query_run(db,
                     "SELECT d.code, sum(d.occurrences), count(*), coalesce((SELECT sum(records) FROM record_count c"
                     "  WHERE c.outcome = 'rejected' AND c.reason = d.code), 0)"
                     " FROM (SELECT code, severity, file, max(occurrences) AS occurrences FROM diagnostics"
                     "  GROUP BY code, severity, file) d GROUP BY d.code"
                     " ORDER BY CASE d.severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, 2 DESC, d.code",
                     NULL, 0, give_problem, &loop, err);
}

static const struct query_field part_fields[] = {
    QUERY_MEMBERS(struct inventory_part, "", device_id, chip, is_host),
};
static const struct query_select parts = {QUERY_FIELDS(part_fields),
                                          .from = "FROM capture_part ORDER BY is_host, device_id, id"};

QUERY_EACH(inventory_each_part, struct inventory_part, parts)
