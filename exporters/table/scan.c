/* SPDX-License-Identifier: Apache-2.0 */
/* Tables with a row for each row of a table of the database: ranges of it go to several threads, each with its own
 * connection, and come back in order. */
#include "exporters/table/rows.h"

#include "db/query/query_loop.h"
#include "db/query/query_scan.h"
#include "exporters/output_file.h"
#include "exporters/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_PER_UNIT 2048
#define SQL_MAX 65536
#define FIRST_ROOM 2048
#define NO_ROW SIZE_MAX

struct unit {
    int64_t first, end; /* ids */
    bool last;          /* of the file: takes the rows between that are left */
};

/* One file, or all of the terminal's table. */
struct pass {
    struct report_run *run;
    const struct report_scan *scan;
    bool alone; /* rows go to run->writer, not to the output of a unit */
    int64_t first_id, end_id;
    size_t first_between, end_between; /* of the rows between */
    atomic_uint_fast64_t rows;
};

struct worker {
    struct report_worker shared; /* what the report sees */
    struct pass *pass;
    sqlite3 *db; /* NULL: the session's */
    sqlite3 *own;
    struct query_scan *range;
    sqlite3_stmt *before;
    struct parallel_output *output;
    size_t between; /* the next row of them */
    size_t room;    /* that a row took so far at most */
    bool first;     /* of the file */
    struct placed {
        uint16_t column, place; /* of its value in a row of the scan */
    } placed[REPORT_MAX_COLUMNS];
    size_t placed_count;
    struct report_value values[REPORT_MAX_COLUMNS], others[REPORT_MAX_COLUMNS];
};

/* ---- statements ---- */

static int prepare_before(struct worker *worker, const struct strbuf *columns, struct err *err)
{
    struct strbuf sql;
    const struct report_scan *scan = worker->pass->scan;
    strbuf_init(&sql, SQL_MAX);
    strbuf_addf(&sql, "SELECT %s FROM %s WHERE id < ?1 AND (%s) ORDER BY id DESC LIMIT 1", columns->data, scan->table,
                scan->where != NULL ? scan->where : "1");
    int status = sql.failed ? err_set(err, ERR_NO_MEMORY, "out of memory")
                            : database_prepare(worker->db, sql.data, &worker->before, err);
    strbuf_release(&sql);
    return status;
}

/* The place of an expression among those that a scan gives; `count`: it is not there. */
static size_t place_of(const struct scan_column *columns, size_t count, const char *sql)
{
    size_t place = 0;
    while (place < count && strcmp(columns[place].sql, sql) != 0)
        place++;
    return place;
}

/* Each expression once, and nothing of columns without one: every value that a scan gives costs in every row. Returns
 * how many there are behind the first `count`. */
static size_t place_values(struct worker *worker, struct scan_column *columns, size_t count)
{
    const struct report_plan *plan = &worker->pass->run->plan;
    worker->placed_count = 0;
    for (size_t i = 0; i < plan->column_count; i++) {
        const char *sql = plan->columns[i].column.sql;
        const struct report_scan *scan = worker->pass->scan;
        if (sql == NULL || (scan->needs != NULL && !scan->needs(worker->pass->run, i)))
            continue;
        size_t place = place_of(columns, count, sql);
        if (place == count)
            columns[count++] = (struct scan_column){.sql = sql, .place = place};
        worker->placed[worker->placed_count++] = (struct placed){(uint16_t)i, (uint16_t)place};
    }
    return count;
}

static int prepare(struct worker *worker, struct err *err)
{
    struct scan_column values[REPORT_MAX_COLUMNS];
    struct strbuf columns;
    const struct report_scan *scan = worker->pass->scan;
    size_t count = place_values(worker, values, 0);
    strbuf_init(&columns, SQL_MAX);
    report_expressions(worker->pass->run, &columns);
    int status = columns.failed
                     ? err_set(err, ERR_NO_MEMORY, "out of memory")
                     : query_scan_new(worker->db, scan->table, scan->where, values, count, count, &worker->range, err);
    if (status == 0)
        status = prepare_before(worker, &columns, err);
    strbuf_release(&columns);
    return status;
}

static void worker_free(void *opaque)
{
    struct worker *worker = opaque;
    if (worker == NULL)
        return;
    query_scan_free(worker->range);
    sqlite3_finalize(worker->before);
    report_return_connection(worker->pass->run->session, worker->own);
    if (worker->shared.state != NULL && worker->pass->scan->end != NULL)
        worker->pass->scan->end(&worker->shared);
    free(worker->shared.state);
    free(worker);
}

static void *worker_new(void *arg, struct err *err)
{
    struct pass *pass = arg;
    struct worker *worker = calloc(1, sizeof *worker);
    size_t state_size = pass->scan->worker_size + 1;
    if (worker == NULL || (worker->shared.state = calloc(1, state_size)) == NULL) {
        err_set(err, ERR_NO_MEMORY, "out of memory");
        free(worker);
        return NULL;
    }
    worker->pass = pass;
    worker->shared.run = pass->run;
    worker->room = FIRST_ROOM;
    int status = 0;
    if (!pass->alone)
        status = report_lend_connection(pass->run->session, &worker->own, err);
    worker->db = pass->alone ? pass->run->session->db : worker->own;
    if (status == 0)
        status = prepare(worker, err);
    if (status < 0) {
        worker_free(worker);
        return NULL;
    }
    return worker;
}

/* ---- rows ---- */

static int emit(struct worker *worker, const struct report_value *values, struct err *err)
{
    const struct report_plan *plan = &worker->pass->run->plan;
    if (worker->pass->alone)
        return report_row(worker->pass->run, values, err);
    for (size_t room = worker->room;;) {
        if (room > PARALLEL_BUFFER_SIZE)
            return err_set(err, ERR_LIMIT, "a row of %zu bytes in %s; at most %d are possible", room,
                           worker->pass->run->report->name, PARALLEL_BUFFER_SIZE);
        char *start = parallel_reserve(worker->output, room, err);
        if (start == NULL)
            return -(int)err->code;
        const char *end = report_plan_put(plan, values, worker->first, start, start + room, &room);
        if (end != NULL) {
            parallel_advance(worker->output, (size_t)(end - start));
            worker->first = false;
            atomic_fetch_add_explicit(&worker->pass->rows, 1, memory_order_relaxed);
            return 0;
        }
        if (room <= PARALLEL_BUFFER_SIZE)
            worker->room = room;
    }
}

static int put_unless_skipped(struct worker *worker, int status, const struct report_value *values, struct err *err)
{
    if (status == REPORT_SKIP)
        return 0;
    return status == 0 ? emit(worker, values, err) : status;
}

/* The rows between that stand in front of a row; NULL: all that are left. */
static int emit_between(struct worker *worker, const struct report_value *values, struct err *err)
{
    const struct report_scan *scan = worker->pass->scan;
    int status = 0;
    for (; status == 0 && worker->between < worker->pass->end_between; worker->between++) {
        if (values != NULL && !scan->between_before(worker->pass->run, worker->between, values))
            break;
        status = put_unless_skipped(worker, scan->between(&worker->shared, worker->between, worker->others, err),
                                    worker->others, err);
    }
    return status;
}

static void set_values(struct worker *worker, const int64_t *row)
{
    size_t count = worker->pass->run->plan.column_count;
    memset(worker->values, 0, count * sizeof *worker->values); /* VALUE_MISSING */
    for (size_t i = 0; i < worker->placed_count; i++) {
        int64_t value = row[worker->placed[i].place];
        if (value != DB_NULL)
            worker->values[worker->placed[i].column] = (struct report_value){.integer = value, .kind = VALUE_INTEGER};
    }
}

static int take_row(void *arg, int64_t *row, struct err *err)
{
    struct worker *worker = arg;
    const struct report_scan *scan = worker->pass->scan;
    set_values(worker, row);
    int status = worker->between < worker->pass->end_between ? emit_between(worker, worker->values, err) : 0;
    report_look_up(&worker->pass->run->plan, worker->values);
    if (status == 0 && scan->row != NULL)
        status = scan->row(&worker->shared, worker->values, err);
    return put_unless_skipped(worker, status, worker->values, err);
}

/* The first row between that does not stand in front of a row. */
static size_t first_behind(const struct pass *pass, const struct report_value *values)
{
    size_t low = pass->first_between, high = pass->end_between;
    while (values != NULL && low < high) {
        size_t middle = (low + high) / 2;
        if (pass->scan->between_before(pass->run, middle, values))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The row of the table before this id. */
static int read_before(struct worker *worker, int64_t id, bool *ret_found, struct err *err)
{
    sqlite3_bind_int64(worker->before, 1, id);
    int code = sqlite3_step(worker->before);
    *ret_found = code == SQLITE_ROW;
    for (size_t i = 0; *ret_found && i < worker->pass->run->plan.column_count; i++)
        worker->values[i] = report_column_value(worker->before, (int)i);
    /* it tells of texts that could not be given, too */
    bool failed = sqlite3_reset(worker->before) != SQLITE_OK;
    return failed ? database_error(err, worker->db, "the database cannot be read") : 0;
}

/* Begins a unit with the row that its rows go on from: that of the table before it, or one between behind that. */
static int begin_unit(struct worker *worker, const struct unit *unit, struct err *err)
{
    const struct pass *pass = worker->pass;
    const struct report_scan *scan = pass->scan;
    bool found = false;
    worker->first = unit->first == pass->first_id;
    worker->between = pass->first_between;
    if (scan->begin == NULL && scan->between == NULL)
        return 0;
    int status = read_before(worker, unit->first, &found, err);
    if (status < 0)
        return status;
    const struct report_value *previous = found ? worker->values : NULL;
    worker->between = first_behind(pass, previous);
    if (worker->between == pass->first_between && worker->between > 0 &&
        (previous == NULL || !scan->between_before(pass->run, worker->between - 1, previous))) {
        /* The file before ended in the middle of rows between. */
        status = scan->between(&worker->shared, worker->between - 1, worker->others, err);
        previous = worker->others;
    }
    return status == 0 && scan->begin != NULL ? scan->begin(&worker->shared, previous, err) : status;
}

static int process(void *opaque, void *opaque_unit, struct parallel_output *output, struct err *err)
{
    struct worker *worker = opaque;
    const struct unit *unit = opaque_unit;
    worker->output = output;
    int status = begin_unit(worker, unit, err);
    if (status == 0)
        status = query_scan(worker->range, unit->first, unit->end, take_row, worker, err);
    return status == 0 && unit->last && worker->pass->scan->between != NULL ? emit_between(worker, NULL, err) : status;
}

/* ---- a file ---- */

static int submit_ranges(struct parallel *parallel, const struct pass *pass, struct err *err)
{
    int64_t id = pass->first_id;
    do {
        struct unit *unit = parallel_unit(parallel, err);
        if (unit == NULL)
            return -(int)err->code;
        bool last = pass->end_id - id <= ROWS_PER_UNIT;
        *unit = (struct unit){id, last ? pass->end_id : id + ROWS_PER_UNIT, last};
        parallel_submit(parallel);
        id += ROWS_PER_UNIT;
    } while (id < pass->end_id);
    return parallel_finish(parallel, err);
}

static int fill_file(struct pass *pass, struct outfile *out, struct err *err)
{
    const struct report_plan *plan = &pass->run->plan;
    const struct parallel_work work = {
        .unit_size = sizeof(struct unit),
        .arg = pass,
        .worker_new = worker_new,
        .worker_free = worker_free,
        .process = process,
    };
    row_format_head(&plan->pieces, plan->titles, out);
    struct parallel *parallel = parallel_new(&work, out, err);
    int status = parallel != NULL ? submit_ranges(parallel, pass, err) : -(int)err->code;
    parallel_free(parallel);
    if (status == 0)
        row_format_tail(&plan->pieces, pass->rows > 0, out);
    return status;
}

static int write_file(struct pass *pass, int64_t slice, struct err *err)
{
    struct report_run *run = pass->run;
    struct outfile out;
    char *path = report_path(run->session->options, run->report->name, slice, run->scope->suffix, err);
    int status = path != NULL ? outfile_open(&out, path, err) : -(int)err->code;
    if (status == 0) {
        status = fill_file(pass, &out, err);
        if (status == 0)
            status = output_file_done(&out, run->report->name, path, pass->rows, run->session->options,
                                      run->session->result, err);
        else
            outfile_abort(&out);
        run->writer.rows += pass->rows;
    }
    free(path);
    return status;
}

/* ---- where files begin ---- */

/* The first row of each file, and the end of the last. */
struct boundaries {
    struct boundary {
        int64_t id;
        size_t between;
    } * items;
    size_t count;
    uint64_t rows;
    struct worker *worker; /* for its place among the rows between */
};

static void count_row(struct boundaries *boundaries, int64_t id)
{
    if (boundaries->rows % ROWS_PER_FILE == 0)
        boundaries->items[boundaries->count++] = (struct boundary){id, boundaries->worker->between};
    boundaries->rows++;
}

/* The id stands first in the row. */
static int count_scanned(void *arg, int64_t *row, struct err *err)
{
    struct boundaries *boundaries = arg;
    struct worker *worker = boundaries->worker;
    const struct report_scan *scan = worker->pass->scan;
    (void)err;
    set_values(worker, row);
    for (; worker->between < worker->pass->end_between &&
           scan->between_before(worker->pass->run, worker->between, worker->values);
         worker->between++)
        count_row(boundaries, row[0]);
    count_row(boundaries, row[0]);
    return 0;
}

static int prepare_count(struct worker *worker, struct query_scan **ret, struct err *err)
{
    struct scan_column columns[REPORT_MAX_COLUMNS + 1] = {{.sql = "id"}};
    size_t count = place_values(worker, columns, 1);
    return query_scan_new(worker->db, worker->pass->scan->table, worker->pass->scan->where, columns, count, count, ret,
                          err);
}

static int find_boundaries(struct pass *pass, uint64_t most_rows, struct boundaries *ret, struct err *err)
{
    struct query_scan *ids = NULL;
    struct pass whole = {.run = pass->run,
                         .scan = pass->scan,
                         .alone = true,
                         .first_id = 1,
                         .end_id = pass->end_id,
                         .end_between = pass->end_between};
    *ret = (struct boundaries){.items = calloc((size_t)(most_rows / ROWS_PER_FILE) + 2, sizeof *ret->items)};
    ret->worker = ret->items != NULL ? worker_new(&whole, err) : NULL;
    if (ret->worker == NULL)
        return ret->items != NULL ? -(int)err->code : err_set(err, ERR_NO_MEMORY, "out of memory");
    int status = prepare_count(ret->worker, &ids, err);
    if (status == 0)
        status = query_scan(ids, 1, pass->end_id, count_scanned, ret, err);
    for (; status == 0 && ret->worker->between < whole.end_between; ret->worker->between++)
        count_row(ret, pass->end_id);
    ret->items[ret->count] = (struct boundary){pass->end_id, pass->end_between};
    query_scan_free(ids);
    worker_free(ret->worker);
    return status;
}

/* ---- all of it ---- */

/* On this thread: rows that are sorted, filtered or shown. */
static int scan_alone(struct pass *pass, struct err *err)
{
    struct unit unit = {pass->first_id, pass->end_id, true};
    struct worker *worker = worker_new(pass, err);
    int status = worker != NULL ? process(worker, &unit, NULL, err) : -(int)err->code;
    worker_free(worker);
    return status;
}

static int scan_files(struct pass *pass, struct err *err)
{
    uint64_t most_rows = (uint64_t)(pass->end_id - 1) + pass->end_between;
    struct boundaries boundaries;
    if (most_rows <= ROWS_PER_FILE || pass->run->report->whole)
        return write_file(pass, -1, err);
    int status = find_boundaries(pass, most_rows, &boundaries, err);
    for (size_t i = 0; status == 0 && i < boundaries.count; i++) {
        struct pass file = {.run = pass->run, .scan = pass->scan};
        file.first_id = boundaries.items[i].id;
        file.end_id = boundaries.items[i + 1].id;
        file.first_between = boundaries.items[i].between;
        file.end_between = boundaries.items[i + 1].between;
        status = write_file(&file, boundaries.count > 1 ? (int64_t)i : -1, err);
    }
    free(boundaries.items);
    return status;
}

/* The id of the first row, 0: there is none. */
static int find_first(const struct report_run *run, int64_t *ret_first, int64_t *ret_end, struct err *err)
{
    struct strbuf sql;
    const struct report_scan *scan = run->report->scan;
    strbuf_init(&sql, SQL_MAX);
    strbuf_addf(&sql, "SELECT id FROM %s WHERE id > 0 AND (%s) ORDER BY id LIMIT 1", scan->table,
                scan->where != NULL ? scan->where : "1");
    int status = sql.failed ? err_set(err, ERR_NO_MEMORY, "out of memory")
                            : query_number(run->session->db, sql.data, ret_first, err);
    if (status == 0)
        status = query_last_row(run->session->db, scan->table, ret_end, err);
    ++*ret_end;
    strbuf_release(&sql);
    return status;
}

int report_scan_rows(struct report_run *run, struct err *err)
{
    const struct report_scan *scan = run->report->scan;
    struct pass pass = {.run = run, .scan = scan};
    pass.end_between = scan->between_count != NULL ? scan->between_count(run) : 0;
    int status = find_first(run, &pass.first_id, &pass.end_id, err);
    if (status < 0 || (pass.first_id == 0 && pass.end_between == 0))
        return status;
    if (pass.first_id == 0)
        pass.first_id = pass.end_id;
    pass.alone = run->chosen || run->plan.format == TABLE_TERMINAL || run->session->options->stream_path != NULL;
    return pass.alone ? scan_alone(&pass, err) : scan_files(&pass, err);
}
