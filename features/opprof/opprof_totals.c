/* SPDX-License-Identifier: Apache-2.0 */
/* The metric files' columns as rows of pipes, paths, requests and conflicts: each table is read once, row by row, and
 * each launch and kind of core is added up here. As aggregates of SQL this took three times as long. */
#include "features/opprof/opprof_totals.h"

#include "base/number.h"
#include "base/strbuf.h"
#include "db/query/query_loop.h"
#include "features/opprof/kinds/common/metric_csv.h"

#include <stdlib.h>
#include <string.h>

#define SQL_MAX ((size_t)64 * 1024)
#define GIB 1073741824.0
enum { TABLES_MAX = 3, ENTRIES_MAX = 32, CORES = OPPROF_AI_CORE + 1 };

/* A row of a view; a, b and c are the columns that it is made of, NULL for none. */
struct entry {
    const char *label, *state; /* state NULL: the view has none */
    size_t table;              /* of the view */
    const char *columns[3];
};
enum { A, B, C, INPUTS };

struct input {
    int64_t count, sum, largest; /* of the rows that have a value */
    double real_sum;             /* for means: sum may saturate */
};

/* What an entry comes to over the rows of a launch and kind of core. */
struct totals {
    struct input inputs[INPUTS];
    int64_t rows;                /* that have a value of it */
    int64_t core_ps, core_count; /* times of the cores of the rows with a */
    double rate_sum, used_rate;  /* a by the row's time, a second: their sum, and the largest of rows with b > 0 */
    int64_t rate_count, used_count;
    int64_t block_id, block_a; /* the lowest block with the largest a */
};

struct operator_facts {
    int64_t launch, is_mix, duration_ps; /* duration_ps DB_NULL: unknown */
};

struct view {
    const char *name;
    const char *columns;            /* behind launch_id, core and n */
    const char *tables[TABLES_MAX]; /* NULL: no more */
    const struct entry *entries;
    size_t entry_count;
    int other;       /* the input that stands in for a where a has no value; A: none */
    bool has_states; /* whether a row names the state of its entry */
    void (*put)(sqlite3_stmt *insert, int at, const struct totals *totals, const struct operator_facts *facts);
};

static void put_integer(sqlite3_stmt *insert, int at, int64_t count, int64_t value)
{
    query_bind(insert, at, count > 0 ? value : DB_NULL);
}

static void put_real(sqlite3_stmt *insert, int at, int64_t count, double value)
{
    if (count > 0)
        sqlite3_bind_double(insert, at, value);
    else
        sqlite3_bind_null(insert, at);
}

static double mean_of(const struct input *input)
{
    return input->real_sum / (double)input->count;
}

#define BUSY(label, name, bandwidth)                                                                                   \
    {                                                                                                                  \
        label, "busy", 0,                                                                                              \
        {                                                                                                              \
            name "_time_ps", name "_ratio", bandwidth                                                                  \
        }                                                                                                              \
    }
#define WAIT(label, name)                                                                                              \
    {                                                                                                                  \
        label, "wait", 1,                                                                                              \
        {                                                                                                              \
            NULL, name "_wait_ratio", NULL                                                                             \
        }                                                                                                              \
    }
#define STALL(label, name)                                                                                             \
    {                                                                                                                  \
        label, "stall", 0,                                                                                             \
        {                                                                                                              \
            name "_ps", NULL, NULL                                                                                     \
        }                                                                                                              \
    }

static const struct entry pipes[] = {
    BUSY("cube", "cube", NULL),
    BUSY("vector", "vec", NULL),
    BUSY("scalar", "scalar", NULL),
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

static void put_pipe(sqlite3_stmt *insert, int at, const struct totals *totals, const struct operator_facts *facts)
{
    const struct input *time = &totals->inputs[A], *ratio = &totals->inputs[B], *bandwidth = &totals->inputs[C];
    (void)facts;
    put_integer(insert, at++, time->count, time->sum);
    put_integer(insert, at++, totals->core_count, totals->core_ps);
    put_real(insert, at++, time->count, mean_of(time) / 1e6);
    put_integer(insert, at++, time->count, time->largest);
    put_real(insert, at++, ratio->count, mean_of(ratio) / 1e4);
    put_integer(insert, at++, ratio->count, ratio->largest);
    put_real(insert, at, bandwidth->count, mean_of(bandwidth) / 1e6);
}

#define MOVED(label, name)                                                                                             \
    {                                                                                                                  \
        label, NULL, 0,                                                                                                \
        {                                                                                                              \
            name "_bytes", name "_usage", NULL                                                                         \
        }                                                                                                              \
    }
#define RATE(label, name, table)                                                                                       \
    {                                                                                                                  \
        label, NULL, table,                                                                                            \
        {                                                                                                              \
            NULL, NULL, name                                                                                           \
        }                                                                                                              \
    }

static const struct entry paths[] = {
    {"main memory read", NULL, 0, {"read_main_memory_bytes", NULL, NULL}},
    {"main memory write", NULL, 0, {"write_main_memory_bytes", NULL, NULL}},
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
static void put_path(sqlite3_stmt *insert, int at, const struct totals *totals, const struct operator_facts *facts)
{
    const struct input *bytes = &totals->inputs[A], *usage = &totals->inputs[B], *rate = &totals->inputs[C];
    const bool is_timed = bytes->count > 0 && facts->duration_ps != DB_NULL && facts->duration_ps != 0;
    put_integer(insert, at++, bytes->count, bytes->sum);
    if (bytes->count > 0)
        put_real(insert, at++, totals->rate_count, totals->rate_sum / (double)totals->rate_count / GIB);
    else
        put_real(insert, at++, rate->count, mean_of(rate) / 1e6);
    put_real(insert, at++, is_timed, (double)bytes->sum * 1e12 / (double)facts->duration_ps / GIB);
    put_real(insert, at++, usage->count, mean_of(usage) / 1e6);
    put_integer(insert, at++, usage->count, usage->largest);
    put_real(insert, at, totals->used_count, 1e8 * totals->used_rate / GIB / (double)usage->largest);
}

#define READS(port, other) "r" #port "_read_cache_" #other

static const struct entry requests[] = {
    {"write", NULL, 0, {"write_cache_hit", "write_cache_miss_allocate", "write_hit_rate"}},
    {"read, port 0", NULL, 0, {READS(0, hit), READS(0, miss_allocate), NULL}},
    {"read, port 1", NULL, 0, {READS(1, hit), READS(1, miss_allocate), NULL}},
    {"read",
     NULL,
     0,
     {READS(0, hit) " + " READS(1, hit), READS(0, miss_allocate) " + " READS(1, miss_allocate), "read_hit_rate"}},
    {"all",
     NULL,
     0,
     {"write_cache_hit + " READS(0, hit) " + " READS(1, hit),
      "write_cache_miss_allocate + " READS(0, miss_allocate) " + " READS(1, miss_allocate), "total_hit_rate"}},
    {"read, close half", NULL, 0, {"read_close_hit", "read_close_miss", NULL}},
    {"read, far half", NULL, 0, {"read_far_hit", "read_far_miss", NULL}},
    {"write, close half", NULL, 0, {"write_close_hit", "write_close_miss", NULL}},
    {"write, far half", NULL, 0, {"write_far_hit", "write_far_miss", NULL}},
    {"all, by rate", NULL, 0, {NULL, NULL, "l2_cache_hit_rate"}},
};

static void put_request(sqlite3_stmt *insert, int at, const struct totals *totals, const struct operator_facts *facts)
{
    const struct input *hits = &totals->inputs[A], *misses = &totals->inputs[B], *rate = &totals->inputs[C];
    (void)facts;
    put_integer(insert, at++, hits->count, hits->sum);
    put_integer(insert, at++, misses->count, misses->sum);
    put_real(insert, at, rate->count, mean_of(rate) / 1e6);
}

#define CONFLICT(label, name)                                                                                          \
    {                                                                                                                  \
        label, NULL, 0,                                                                                                \
        {                                                                                                              \
            "vec_" name "_cflt_ratio", NULL, NULL                                                                      \
        }                                                                                                              \
    }

static const struct entry conflicts[] = {
    CONFLICT("all", "total"),      CONFLICT("bank groups", "bankgroup"), CONFLICT("banks", "bank"),
    CONFLICT("resources", "resc"), CONFLICT("with MTE", "mte"),          CONFLICT("store unit", "stu"),
    CONFLICT("load unit", "ldu"),  CONFLICT("special functions", "sfu"),
};

static void put_conflict(sqlite3_stmt *insert, int at, const struct totals *totals, const struct operator_facts *facts)
{
    const struct input *ratio = &totals->inputs[A];
    (void)facts;
    put_real(insert, at++, ratio->count, mean_of(ratio) / 1e4);
    put_integer(insert, at++, ratio->count, ratio->largest);
    query_bind(insert, at, totals->block_id);
}

#define LIST(list) list, sizeof(list) / sizeof *(list)

static const struct view views[] = {
    {"opprof_pipe_row",
     "pipe, state, blocks, time_ps, core_ps, mean_us, longest_ps, mean_ratio, ratio, bandwidth",
     {"opprof_pipe", "opprof_conflict", NULL},
     LIST(pipes),
     B,
     true,
     put_pipe},
    {"opprof_path_row",
     "path, blocks, bytes, mean, whole, mean_usage, usage, peak",
     {"opprof_memory", "opprof_l0", "opprof_ub"},
     LIST(paths),
     C,
     false,
     put_path},
    {"opprof_request_row",
     "kind, blocks, hits, misses, mean",
     {"opprof_l2", NULL, NULL},
     LIST(requests),
     C,
     false,
     put_request},
    {"opprof_conflict_row",
     "conflict, blocks, mean, ratio, block_id",
     {"opprof_conflict", NULL, NULL},
     LIST(conflicts),
     A,
     false,
     put_conflict},
};
const size_t opprof_totals_count = sizeof views / sizeof *views;

_Static_assert(sizeof paths / sizeof *paths <= ENTRIES_MAX && sizeof pipes / sizeof *pipes <= ENTRIES_MAX,
               "the entries of a view");

const char *opprof_totals_name(size_t view)
{
    return views[view].name;
}

/* ---- adding up ---- */

enum { LAUNCH, CORE, BLOCK, TIME, FIRST }; /* columns of the rows that are read */

struct adding {
    sqlite3 *db;
    const struct view *view;
    size_t table;
    sqlite3_stmt *insert;
    sqlite3_stmt *operators;           /* by launch, read beside the rows */
    struct operator_facts next, facts; /* facts: of the launch whose rows are added up */
    int place[ENTRIES_MAX][INPUTS];    /* columns of the rows; -1: none */
    struct totals totals[CORES][ENTRIES_MAX];
    bool is_begun;
};

static int next_operator(struct adding *adding, struct err *err)
{
    adding->next.launch = INT64_MAX;
    switch (sqlite3_step(adding->operators)) {
    case SQLITE_ROW:
        adding->next =
            (struct operator_facts){query_integer(adding->operators, 0), sqlite3_column_int64(adding->operators, 1),
                                    query_integer(adding->operators, 2)};
        return 0;
    case SQLITE_DONE:
        return 0;
    default:
        return database_error(err, adding->db, "operators cannot be read");
    }
}

/* Writes the rows of the launch that was added up. */
static int end_launch(struct adding *adding, struct err *err)
{
    const struct view *view = adding->view;
    for (size_t i = 0; adding->is_begun && i < view->entry_count; i++) {
        for (int core = 0; core < CORES; core++) {
            const struct totals *totals = &adding->totals[core][i];
            int at = 1;
            if (totals->rows == 0)
                continue;
            query_bind(adding->insert, at++, adding->facts.launch);
            query_bind(adding->insert, at++, core);
            query_bind(adding->insert, at++, (int64_t)i);
            sqlite3_bind_text(adding->insert, at++, view->entries[i].label, -1, SQLITE_STATIC);
            if (view->has_states)
                sqlite3_bind_text(adding->insert, at++, view->entries[i].state, -1, SQLITE_STATIC);
            query_bind(adding->insert, at++, totals->rows);
            view->put(adding->insert, at, totals, &adding->facts);
            if (sqlite3_step(adding->insert) != SQLITE_DONE)
                return database_error(err, adding->db, "totals of blocks cannot be kept");
            sqlite3_reset(adding->insert);
        }
    }
    return 0;
}

static int begin_launch(struct adding *adding, int64_t launch, struct err *err)
{
    if (end_launch(adding, err) < 0)
        return err_status(err);
    memset(adding->totals, 0, sizeof adding->totals);
    adding->is_begun = true;
    while (adding->next.launch < launch)
        if (next_operator(adding, err) < 0)
            return err_status(err);
    adding->facts = adding->next.launch == launch ? adding->next : (struct operator_facts){launch, 0, DB_NULL};
    return 0;
}

static bool add_input(struct input *input, sqlite3_stmt *row, int column, int64_t *ret)
{
    if (column < 0 || sqlite3_column_type(row, column) == SQLITE_NULL)
        return false;
    const int64_t value = sqlite3_column_int64(row, column);
    input->largest = input->count == 0 || value > input->largest ? value : input->largest;
    input->sum = number_add(input->sum, value);
    input->real_sum += (double)value;
    input->count++;
    *ret = value;
    return true;
}

/* Adds the rate of a row, in a second, and keeps its block where that has the largest a. */
static void add_row(struct totals *totals, sqlite3_stmt *row, const struct operator_facts *facts, int64_t a,
                    int64_t usage)
{
    const int64_t time = query_integer(row, TIME), task = facts->is_mix != 0 ? facts->duration_ps : time,
                  block = query_integer(row, BLOCK);
    if (time != DB_NULL) {
        totals->core_ps = number_add(totals->core_ps, time);
        totals->core_count++;
    }
    if (totals->inputs[A].count == 1 || a > totals->block_a || (a == totals->block_a && block < totals->block_id)) {
        totals->block_a = a;
        totals->block_id = block;
    }
    if (task == DB_NULL || task == 0)
        return;
    const double rate = (double)a * 1e12 / (double)task;
    totals->rate_sum += rate;
    totals->rate_count++;
    if (usage > 0) {
        totals->used_rate = totals->used_count == 0 || rate > totals->used_rate ? rate : totals->used_rate;
        totals->used_count++;
    }
}

static int take_row(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct adding *adding = arg;
    const struct view *view = adding->view;
    const int64_t launch = query_integer(row, LAUNCH), core = sqlite3_column_int64(row, CORE);
    if ((!adding->is_begun || launch != adding->facts.launch) && begin_launch(adding, launch, err) < 0)
        return err_status(err);
    for (size_t i = 0; core >= 0 && core < CORES && i < view->entry_count; i++) {
        if (view->entries[i].table != adding->table)
            continue;
        struct totals *totals = &adding->totals[core][i];
        int64_t values[INPUTS] = {0};
        bool there[INPUTS];
        for (int k = 0; k < INPUTS; k++)
            there[k] = add_input(&totals->inputs[k], row, adding->place[i][k], &values[k]);
        totals->rows += there[A] || there[view->other];
        if (there[A])
            add_row(totals, row, &adding->facts, values[A], values[B]);
    }
    return 0;
}

/* Entries before this one that have the same column share it; -1: none has. */
static int place_of(const struct adding *adding, size_t entry, const char *column)
{
    for (size_t i = 0; i < entry; i++)
        for (int k = 0; k < INPUTS; k++)
            if (adding->place[i][k] >= 0 && strcmp(adding->view->entries[i].columns[k], column) == 0)
                return adding->place[i][k];
    return -1;
}

/* The query of a table's rows, and where it has each entry's columns. */
static void add_query(struct strbuf *sql, struct adding *adding, bool sorts)
{
    const struct view *view = adding->view;
    int columns = FIRST;
    strbuf_adds(sql, "SELECT launch_id, core, block_id, time_ps");
    for (size_t i = 0; i < view->entry_count; i++) {
        for (int k = 0; k < INPUTS; k++) {
            const char *column = view->entries[i].table == adding->table ? view->entries[i].columns[k] : NULL;
            const int shared = column != NULL ? place_of(adding, i, column) : -1;
            adding->place[i][k] = column != NULL && shared < 0 ? columns++ : shared;
            if (column != NULL && shared < 0)
                strbuf_addf(sql, ", %s", column);
        }
    }
    strbuf_addf(sql, " FROM %s%s", view->tables[adding->table], sorts ? " ORDER BY launch_id" : "");
}

static int add_table(struct adding *adding, bool sorts, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    strbuf_init(&sql, SQL_MAX);
    add_query(&sql, adding, sorts);
    if (sql.failed)
        return err_no_memory(err);
    adding->is_begun = false;
    adding->next.launch = INT64_MIN;
    sqlite3_reset(adding->operators);
    return query_run(adding->db, sql.data, NULL, 0, take_row, adding, err) < 0 ? err_status(err)
                                                                               : end_launch(adding, err);
}

/* The statement that keeps a row, of the table that it creates. */
static int prepare_insert(struct adding *adding, sqlite3_stmt **ret, struct err *err)
{
    SCOPED(strbuf_release) struct strbuf sql;
    size_t columns = FIRST - 1; /* launch_id, core, n */
    strbuf_init(&sql, SQL_MAX);
    strbuf_addf(&sql, "CREATE TEMP TABLE %s(launch_id, core, n, %s)", adding->view->name, adding->view->columns);
    if (sql.failed)
        return err_no_memory(err);
    if (database_exec(adding->db, sql.data, err) < 0)
        return err_status(err);
    strbuf_clear(&sql);
    strbuf_addf(&sql, "INSERT INTO %s VALUES(?", adding->view->name);
    for (const char *comma = adding->view->columns; comma != NULL; comma = strchr(comma + 1, ','))
        columns++;
    for (size_t i = 1; i < columns; i++)
        strbuf_adds(&sql, ", ?");
    strbuf_adds(&sql, ")");
    return sql.failed ? err_no_memory(err) : database_prepare(adding->db, sql.data, ret, err);
}

static int make(struct adding *adding, struct err *err)
{
    SCOPED(statement_release) sqlite3_stmt *insert = NULL;
    SCOPED(statement_release) sqlite3_stmt *operators = NULL;
    int64_t launches = 0;
    if (prepare_insert(adding, &insert, err) < 0 ||
        database_prepare(adding->db,
                         "SELECT launch_id, max(op_type = 'mix'), max(duration_ps) FROM opprof_operator GROUP BY"
                         " launch_id ORDER BY launch_id",
                         &operators, err) < 0 ||
        query_number(adding->db, "SELECT count(*) FROM capture_part", &launches, err) < 0)
        return err_status(err);
    adding->insert = insert;
    adding->operators = operators;
    for (; adding->table < TABLES_MAX && adding->view->tables[adding->table] != NULL; adding->table++)
        if (add_table(adding, launches > 1, err) < 0)
            return err_status(err);
    return 0;
}

int opprof_totals_make(sqlite3 *db, size_t view, struct err *err)
{
    SCOPED_FREE struct adding *adding = scoped_memory(1, sizeof *adding);
    if (adding == NULL)
        return err_no_memory(err);
    adding->db = db;
    adding->view = &views[view];
    return make(adding, err);
}
