/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/opprof_views.h"

#include "base/strbuf.h"
#include "db/query/query_loop.h"
#include "exporters/extension.h"
#include "features/opprof/kinds/common/metric_csv.h"
#include "features/opprof/opprof_totals.h"

#include <stdio.h>
#include <string.h>

#define SQL_MAX ((size_t)4 * 1024)

enum { CORES = OPPROF_AI_CORE + 1 };

/* Which kinds of cores a table has rows of, and its launch. Grouping sorts the rows; where all are of one launch, a
 * look at each kind of core takes half the time. */
struct groups {
    int64_t launch; /* 0: there may be several */
    bool cores[CORES];
};

static int groups_find(sqlite3 *db, const char *table, struct groups *ret, struct err *err)
{
    char sql[256];
    *ret = (struct groups){.launch = 0};
    if (query_number(db, "SELECT iif(min(id) = max(id), min(id), 0) FROM capture_part", &ret->launch, err) < 0)
        return err_status(err);
    for (int core = 0; ret->launch != 0 && core < CORES; core++) {
        int64_t there = 0;
        snprintf(sql, sizeof sql, "SELECT EXISTS (SELECT 1 FROM %.*s WHERE core = %d)", (int)strcspn(table, " "), table,
                 core);
        if (query_number(db, sql, &there, err) < 0)
            return err_status(err);
        ret->cores[core] = there != 0;
    }
    return 0;
}

/* Adds a query for the aggregates of each launch and kind of core. */
static void add_groups(struct strbuf *sql, const struct groups *groups, const char *aggregates, const char *table)
{
    size_t added = 0;
    for (int core = 0; core < CORES; core++)
        if (groups->cores[core])
            strbuf_addf(sql, "%sSELECT %lld AS launch_id, %d AS core, %s FROM %s WHERE core = %d",
                        added++ > 0 ? " UNION ALL " : "", (long long)groups->launch, core, aggregates, table, core);
    if (added == 0)
        strbuf_addf(sql, "SELECT launch_id, core, %s FROM %s GROUP BY launch_id, core", aggregates, table);
}

/* Views of one row for each launch and kind of core. */
static const struct {
    const char *name, *table, *aggregates;
} sums[] = {
    {"opprof_core_mean", "opprof_pipe",
     "count(*) AS cores, avg(time_ps) AS core_ps, avg(coalesce(cube_time_ps, 0)) AS cube_ps, avg(coalesce(vec_time_ps,"
     " 0)) AS vec_ps, avg(coalesce(scalar_time_ps, 0)) AS scalar_ps, avg(coalesce(mte1_time_ps, 0)) AS mte1_ps,"
     " avg(coalesce(mte2_time_ps, 0)) AS mte2_ps, avg(coalesce(mte3_time_ps, 0)) AS mte3_ps,"
     " avg(coalesce(fixpipe_time_ps, 0)) AS fixpipe_ps, avg(icache_miss_rate) AS icache"},
    {"opprof_transfer", "opprof_memory",
     "sum(gm_to_ub_bytes) AS bytes, sum(mte2_instructions) AS instructions, count(mte2_instructions) AS blocks"},
    {"opprof_work",
     "opprof_arithmetic JOIN (SELECT launch_id, op_type, duration_ps, coalesce(current_mhz, rated_mhz) AS mhz FROM"
     " opprof_operator) USING(launch_id)",
     "count(*) AS cores, sum(coalesce(cube_fops, 0) + coalesce(vec_fops, 0)) AS ops, sum(vec_fops) /"
     " sum(nullif(vec_ratio, 0) / 1e6 * CASE WHEN op_type = 'mix' THEN (duration_ps / 1000000) * mhz ELSE"
     " total_cycles END) AS vector_rate, max(mhz) AS mhz, max(duration_ps) AS duration_ps"},
};

static int make_sums(sqlite3 *db, const char *name, const char *table, const char *aggregates, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    struct groups groups;
    strbuf_init(&sql, SQL_MAX);
    if (groups_find(db, table, &groups, err) < 0)
        return err_status(err);
    strbuf_addf(&sql, "CREATE TEMP TABLE %s AS ", name);
    add_groups(&sql, &groups, aggregates, table);
    return sql.failed ? err_no_memory(err) : database_exec(db, sql.data, err);
}

#define PIPE_RATIOS                                                                                                    \
    "cube_ratio, vec_ratio, scalar_ratio, mte1_ratio, mte2_ratio, mte3_ratio, fixpipe_ratio, icache_miss_rate"

/* Every metric file has all blocks with their times: those of the launch's first file are taken. Where every launch has
 * that, the others are not looked at. */
static int make_blocks(sqlite3 *db, struct err *err)
{
    static const char *const tables[] = {"opprof_arithmetic", "opprof_memory", "opprof_conflict",
                                         "opprof_l2",         "opprof_l0",     "opprof_ub"};
    static const char launches_left[] = "SELECT count(*) FROM capture_part WHERE id NOT IN (SELECT launch_id FROM"
                                        " opprof_block)";
    char sql[512];
    int64_t left = 0;
    if (database_exec(db,
                      "CREATE TEMP TABLE opprof_block AS SELECT launch_id, block_id, core, sub_core, time_ps,"
                      " total_cycles, " PIPE_RATIOS " FROM opprof_pipe; CREATE INDEX temp.opprof_block_by_launch ON "
                      "opprof_block(launch_id, block_id, core, sub_core)",
                      err) < 0 ||
        query_number(db, launches_left, &left, err) < 0)
        return err_status(err);
    for (size_t i = 0; left > 0 && i < sizeof tables / sizeof *tables; i++) {
        snprintf(
            sql, sizeof sql,
            "INSERT INTO opprof_block(launch_id, block_id, core, sub_core, time_ps, total_cycles) SELECT launch_id,"
            " block_id, core, sub_core, time_ps, total_cycles FROM %s WHERE launch_id NOT IN (SELECT launch_id"
            " FROM opprof_block)",
            tables[i]);
        if (database_exec(db, sql, err) < 0 || query_number(db, launches_left, &left, err) < 0)
            return err_status(err);
    }
    return 0;
}

/* Whether the SQL reads a view that the connection does not have yet. */
static bool needs(sqlite3 *db, const char *sql, const char *name)
{
    return strstr(sql, name) != NULL &&
           sqlite3_table_column_metadata(db, "temp", name, NULL, NULL, NULL, NULL, NULL, NULL) != SQLITE_OK;
}

static int make_needed(sqlite3 *db, const char *sql, struct err *err)
{
    int status = needs(db, sql, "opprof_block") ? make_blocks(db, err) : 0;
    for (size_t i = 0; status == 0 && i < sizeof sums / sizeof *sums; i++)
        if (needs(db, sql, sums[i].name))
            status = make_sums(db, sums[i].name, sums[i].table, sums[i].aggregates, err);
    for (size_t i = 0; status == 0 && i < opprof_totals_count; i++)
        if (needs(db, sql, opprof_totals_name(i)))
            status = opprof_totals_make(db, i, err);
    return status;
}

int opprof_views_make(sqlite3 *db, const char *sql, struct err *err)
{
    if (database_exec(db, "PRAGMA query_only = OFF", err) < 0)
        return err_status(err);
    const int status = make_needed(db, sql, err), closed = database_exec(db, "PRAGMA query_only = ON", err);
    return status < 0 ? status : closed;
}

static int begin_query(sqlite3 *db, const char *sql, struct err *err)
{
    return strstr(sql, "opprof_") != NULL ? opprof_views_make(db, sql, err) : 0;
}

const struct export_extension export_extension_opprof = {.query_begin = begin_query};
