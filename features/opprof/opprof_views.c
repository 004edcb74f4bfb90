/* SPDX-License-Identifier: Apache-2.0 */
#include "features/opprof/opprof_views.h"

#include "base/strbuf.h"

#include <string.h>

#define VIEW_MAX ((size_t)256 * 1024) /* bytes of a view's SQL */
#define GIB "1073741824.0"
/* The time that bandwidths of a row are of: the task's for a mixed kernel, else the core's own. */
#define ROW_TIME "(CASE WHEN op_type = 'mix' THEN duration_ps ELSE time_ps END)"
#define WITH_OPERATOR(table)                                                                                           \
    table " LEFT JOIN (SELECT launch_id, op_type, duration_ps FROM opprof_operator) USING(launch_id)"

/* A row of a view; a and b are the columns that it is made of, "NULL" for none. */
struct entry {
    const char *label, *state; /* state NULL: the view has none */
    size_t table;              /* of the view */
    const char *a, *b, *c;
};

/* A column of a view: an aggregate in which {a}, {b} and {c} stand for an entry's columns. */
struct aggregate {
    const char *name, *sql;
};

struct view {
    const char *name, *label; /* label: what its rows are called by */
    const char *tables[3];
    const struct aggregate *aggregates; /* the first counts blocks: an entry without any has no row */
    size_t aggregate_count;
    const struct entry *entries;
    size_t entry_count;
};

#define BUSY(label, name, bandwidth)                                                                                   \
    {                                                                                                                  \
        label, "busy", 0, name "_time_ps", name "_ratio", bandwidth                                                    \
    }
#define WAIT(label, name)                                                                                              \
    {                                                                                                                  \
        label, "wait", 1, "NULL", name "_wait_ratio", "NULL"                                                           \
    }
#define STALL(label, name)                                                                                             \
    {                                                                                                                  \
        label, "stall", 0, name "_ps", "NULL", "NULL"                                                                  \
    }

static const struct entry pipes[] = {
    BUSY("cube", "cube", "NULL"),
    BUSY("vector", "vec", "NULL"),
    BUSY("scalar", "scalar", "NULL"),
    BUSY("MTE1", "mte1", "mte1_active_bw"),
    BUSY("MTE2", "mte2", "mte2_active_bw"),
    BUSY("MTE3", "mte3", "mte3_active_bw"),
    BUSY("fixpipe", "fixpipe", "fixpipe_active_bw"),
    WAIT("cube", "cube"),
    WAIT("vector", "vec"),
    WAIT("MTE1", "mte1"),
    WAIT("MTE2", "mte2"),
    WAIT("MTE3", "mte3"),
    STALL("scalar by MTE1", "scalar_mte1_stall"),
    STALL("scalar by MTE2", "scalar_mte2_stall"),
    STALL("scalar by MTE3", "scalar_mte3_stall"),
    STALL("scalar by cube", "scalar_cube_stall"),
    STALL("scalar by vector", "scalar_vector_stall"),
    STALL("scalar by UB", "scalar_stall_by_ub"),
    STALL("scalar by instruction buffer", "scalar_wait_ib"),
    STALL("scalar by others", "scalar_wait"),
};

static const struct aggregate pipe_columns[] = {
    {"blocks", "count(coalesce({a}, {b}))"},
    {"time_ps", "sum({a})"},
    {"core_ps", "sum(CASE WHEN {a} IS NOT NULL THEN time_ps END)"},
    {"mean_us", "avg({a}) / 1e6"},
    {"longest_ps", "max({a})"},
    {"mean_ratio", "avg({b}) / 1e4"},
    {"ratio", "max({b})"},
    {"bandwidth", "avg({c}) / 1e6"},
};

#define MOVED(label, name)                                                                                             \
    {                                                                                                                  \
        label, NULL, 0, name "_bytes", name "_usage", "NULL"                                                           \
    }
#define RATE(label, name, table)                                                                                       \
    {                                                                                                                  \
        label, NULL, table, "NULL", "NULL", name                                                                       \
    }

static const struct entry paths[] = {
    {"main memory read", NULL, 0, "read_main_memory_bytes", "NULL", "NULL"},
    {"main memory write", NULL, 0, "write_main_memory_bytes", "NULL", "NULL"},
    MOVED("GM to L1", "gm_to_l1"),
    MOVED("L1 to GM", "l1_to_gm"),
    MOVED("L0C to L1", "l0c_to_l1"),
    MOVED("L0C to GM", "l0c_to_gm"),
    MOVED("GM to UB", "gm_to_ub"),
    MOVED("UB to GM", "ub_to_gm"),
    RATE("L1 read", "l1_read_bw", 0),
    RATE("L1 write", "l1_write_bw", 0),
    RATE("L0A read", "l0a_read_bw", 1),
    RATE("L0A write", "l0a_write_bw", 1),
    RATE("L0B read", "l0b_read_bw", 1),
    RATE("L0B write", "l0b_write_bw", 1),
    RATE("L0C read by cube", "l0c_read_bw_cube", 1),
    RATE("L0C write by cube", "l0c_write_bw_cube", 1),
    RATE("L0C read", "l0c_read_bw", 1),
    RATE("L0C write", "l0c_write_bw", 1),
    RATE("UB read by vector", "ub_read_bw_vector", 2),
    RATE("UB write by vector", "ub_write_bw_vector", 2),
    RATE("UB read by scalar", "ub_read_bw_scalar", 2),
    RATE("UB write by scalar", "ub_write_bw_scalar", 2),
    RATE("UB read by GM", "ub_read_bw_gm", 2),
    RATE("UB write by GM", "ub_write_bw_gm", 2),
};

/* The peak is what a bandwidth is by its usage, of the row with the largest: it has most digits. */
static const struct aggregate path_columns[] = {
    {"blocks", "count(coalesce({a}, {c}))"},
    {"bytes", "sum({a})"},
    {"mean", "coalesce(avg({a} * 1e12 / " ROW_TIME ") / " GIB ", avg({c}) / 1e6)"},
    {"whole", "sum({a}) * 1e12 / max(duration_ps) / " GIB},
    {"mean_usage", "avg({b}) / 1e6"},
    {"usage", "max({b})"},
    {"peak", "1e8 * max(CASE WHEN {b} > 0 THEN {a} * 1e12 / " ROW_TIME " END) / " GIB " / nullif(max({b}), 0)"},
};

#define READS(port, other) "r" #port "_read_cache_" #other

static const struct entry requests[] = {
    {"write", NULL, 0, "write_cache_hit", "write_cache_miss_allocate", "write_hit_rate"},
    {"read, port 0", NULL, 0, READS(0, hit), READS(0, miss_allocate), "NULL"},
    {"read, port 1", NULL, 0, READS(1, hit), READS(1, miss_allocate), "NULL"},
    {"read", NULL, 0, READS(0, hit) " + " READS(1, hit), READS(0, miss_allocate) " + " READS(1, miss_allocate),
     "read_hit_rate"},
    {"all", NULL, 0, "write_cache_hit + " READS(0, hit) " + " READS(1, hit),
     "write_cache_miss_allocate + " READS(0, miss_allocate) " + " READS(1, miss_allocate), "total_hit_rate"},
    {"read, close half", NULL, 0, "read_close_hit", "read_close_miss", "NULL"},
    {"read, far half", NULL, 0, "read_far_hit", "read_far_miss", "NULL"},
    {"write, close half", NULL, 0, "write_close_hit", "write_close_miss", "NULL"},
    {"write, far half", NULL, 0, "write_far_hit", "write_far_miss", "NULL"},
    {"all, by rate", NULL, 0, "NULL", "NULL", "l2_cache_hit_rate"},
};

static const struct aggregate request_columns[] = {
    {"blocks", "count(coalesce({a}, {c}))"},
    {"hits", "sum({a})"},
    {"misses", "sum({b})"},
    {"mean", "avg({c}) / 1e6"},
};

#define CONFLICT(label, name)                                                                                          \
    {                                                                                                                  \
        label, NULL, 0, "vec_" name "_cflt_ratio", "NULL", "NULL"                                                      \
    }

static const struct entry conflicts[] = {
    CONFLICT("all", "total"),      CONFLICT("bank groups", "bankgroup"), CONFLICT("banks", "bank"),
    CONFLICT("resources", "resc"), CONFLICT("with MTE", "mte"),          CONFLICT("store unit", "stu"),
    CONFLICT("load unit", "ldu"),  CONFLICT("special functions", "sfu"),
};

/* The largest ratio and, below it, the smallest of the blocks that have it, in one number. */
static const struct aggregate conflict_columns[] = {
    {"blocks", "count({a})"},
    {"mean", "avg({a}) / 1e4"},
    {"ratio", "max({a})"},
    {"block_id", "4294967295 - (max({a} * 4294967296 + 4294967295 - block_id) & 4294967295)"},
};

#define LIST(list) list, sizeof(list) / sizeof *(list)

static const struct view views[] = {
    {"opprof_pipe_row", "pipe", {"opprof_pipe", "opprof_conflict", NULL}, LIST(pipe_columns), LIST(pipes)},
    {"opprof_path_row",
     "path",
     {WITH_OPERATOR("opprof_memory"), WITH_OPERATOR("opprof_l0"), WITH_OPERATOR("opprof_ub")},
     LIST(path_columns),
     LIST(paths)},
    {"opprof_request_row", "kind", {"opprof_l2", NULL, NULL}, LIST(request_columns), LIST(requests)},
    {"opprof_conflict_row", "conflict", {"opprof_conflict", NULL, NULL}, LIST(conflict_columns), LIST(conflicts)},
};

/* Adds an aggregate with the entry's columns in it. */
static void add_aggregate(struct strbuf *sql, const char *text, const struct entry *entry)
{
    for (const char *brace; (brace = strchr(text, '{')) != NULL; text = brace + 3) {
        const char *column = brace[1] == 'a' ? entry->a : brace[1] == 'b' ? entry->b : entry->c;
        strbuf_add(sql, text, (size_t)(brace - text));
        strbuf_addf(sql, strchr(column, ' ') != NULL ? "(%s)" : "%s", column);
    }
    strbuf_adds(sql, text);
}

/* One pass over a table gives the aggregates of all entries. */
static void add_sums(struct strbuf *sql, const struct view *view, size_t table)
{
    strbuf_addf(sql, "%s s%zu AS MATERIALIZED (SELECT launch_id, core", table == 0 ? "WITH" : ",", table);
    for (size_t i = 0; i < view->entry_count; i++) {
        for (size_t k = 0; view->entries[i].table == table && k < view->aggregate_count; k++) {
            strbuf_adds(sql, ", ");
            add_aggregate(sql, view->aggregates[k].sql, &view->entries[i]);
            strbuf_addf(sql, " AS n%zu_%s", i, view->aggregates[k].name);
        }
    }
    strbuf_addf(sql, " FROM %s GROUP BY launch_id, core)", view->tables[table]);
}

static void add_entry(struct strbuf *sql, const struct view *view, size_t place)
{
    const struct entry *entry = &view->entries[place];
    strbuf_addf(sql, "%s SELECT launch_id, core, %zu AS n, '%s' AS %s", place > 0 ? " UNION ALL" : "", place,
                entry->label, view->label);
    if (entry->state != NULL)
        strbuf_addf(sql, ", '%s' AS state", entry->state);
    for (size_t k = 0; k < view->aggregate_count; k++)
        strbuf_addf(sql, ", n%zu_%s AS %s", place, view->aggregates[k].name, view->aggregates[k].name);
    strbuf_addf(sql, " FROM s%zu WHERE n%zu_%s > 0", entry->table, place, view->aggregates[0].name);
}

static int make_view(sqlite3 *db, const struct view *view, struct err *err)
{
    struct strbuf sql;
    strbuf_init(&sql, VIEW_MAX);
    strbuf_addf(&sql, "CREATE TEMP VIEW IF NOT EXISTS %s AS ", view->name);
    for (size_t i = 0; i < sizeof view->tables / sizeof *view->tables && view->tables[i] != NULL; i++)
        add_sums(&sql, view, i);
    for (size_t i = 0; i < view->entry_count; i++)
        add_entry(&sql, view, i);
    const int status = sql.failed ? err_no_memory(err) : database_exec(db, sql.data, err);
    strbuf_release(&sql);
    return status;
}

/* Every metric file has all blocks with their times: those of the launch's first file are taken. */
static int make_blocks(sqlite3 *db, struct err *err)
{
    static const char *const tables[] = {"opprof_pipe", "opprof_arithmetic", "opprof_memory", "opprof_conflict",
                                         "opprof_l2",   "opprof_l0",         "opprof_ub"};
    const size_t count = sizeof tables / sizeof *tables;
    struct strbuf sql;
    strbuf_init(&sql, VIEW_MAX);
    strbuf_adds(&sql, "CREATE TEMP VIEW IF NOT EXISTS opprof_block AS WITH first AS MATERIALIZED (SELECT launch_id,"
                      " min(n) AS n FROM (");
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&sql, "%sSELECT DISTINCT launch_id, %zu AS n FROM %s", i > 0 ? " UNION ALL " : "", i, tables[i]);
    strbuf_adds(&sql, ") GROUP BY launch_id)");
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&sql,
                    "%s SELECT launch_id, block_id, core, sub_core, time_ps, total_cycles FROM %s JOIN first"
                    " USING(launch_id) WHERE n = %zu",
                    i > 0 ? " UNION ALL" : "", tables[i], i);
    const int status = sql.failed ? err_no_memory(err) : database_exec(db, sql.data, err);
    strbuf_release(&sql);
    return status;
}

int opprof_views_make(sqlite3 *db, struct err *err)
{
    int status = database_exec(db, "PRAGMA query_only = OFF", err);
    if (status < 0)
        return status;
    status = make_blocks(db, err);
    for (size_t i = 0; status == 0 && i < sizeof views / sizeof *views; i++)
        status = make_view(db, &views[i], err);
    const int closed = database_exec(db, "PRAGMA query_only = ON", err);
    return status < 0 ? status : closed;
}
