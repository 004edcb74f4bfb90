#include "exporters/trace/series.h"

#include "base/interrupt.h"
#include "exporters/json_text.h"
#include "exporters/report/functions.h"
#include "exporters/report/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SQL_MAX ((size_t)1 << 20)
#define TEXT_MAX ((size_t)1 << 20) /* bytes of a name or a value, escaped */
#define VALUES_MAX 64
#define REAL_MAX 400

/* ---- which there are ---- */

const char *series_layer(const struct series_report *series)
{
    return series->layer != NULL ? series->layer : series->name;
}

int series_each(int (*each)(void *arg, const struct record_kind *kind, const struct series_report *series), void *arg)
{
    int status = 0;
    for (size_t i = 0; record_kinds[i] != NULL && status == 0; i++) {
        const struct series_report *series = record_kinds[i]->series;
        for (; series != NULL && series->name != NULL && status == 0; series++) {
            if (series->counters != NULL)
                status = each(arg, record_kinds[i], series);
        }
    }
    return status;
}

/* ---- numbers ---- */

static char *put_rounded(char *p, double real, const struct report_column *value)
{
    static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    char text[REAL_MAX];
    bool shortest = value->form == FORM_SHORTEST;
    if (shortest && value->decimals < sizeof powers / sizeof *powers && fabs(real) < 1e9) {
        /* What printf would print, but for numbers that are nearly half between two: those it prints. */
        double scaled = real * powers[value->decimals], nearest = nearbyint(scaled);
        if (fabs(fabs(scaled - nearest) - 0.5) > 1e-6)
            return number_put_shortest(p, (int64_t)nearest, value->decimals);
    }
    int length = snprintf(text, sizeof text, "%.*f", (int)value->decimals, real);
    size_t used = length > 0 && length < REAL_MAX ? (size_t)length : 0;
    if (shortest && strchr(text, '.') != NULL) {
        while (text[used - 1] == '0')
            used--;
        used -= text[used - 1] == '.';
    }
    return trace_put_bytes(p, text, used);
}

static char *put_real(char *p, double real, const struct report_column *value)
{
    return value->form == FORM_FIXED || value->form == FORM_SHORTEST ? put_rounded(p, real, value)
                                                                     : trace_put_float(p, real);
}

static char *put_integer(char *p, int64_t integer, const struct report_column *value)
{
    switch (value->form) {
    case FORM_SCALED:
        return number_put_shortest(p, integer, value->decimals);
    case FORM_TIME:
        return number_put_us(p, integer);
    case FORM_FLOAT:
        return trace_put_literal(number_put_signed(p, integer), ".0");
    case FORM_FIXED:
        p = number_put_signed(p, integer);
        if (value->decimals > 0)
            *p++ = '.';
        memset(p, '0', value->decimals);
        return p + value->decimals;
    default:
        return number_put_signed(p, integer);
    }
}

/* ---- one counter of a series ---- */

enum { COLUMN_NAME, COLUMN_TIME, COLUMN_DURATION, COLUMN_DEVICE, COLUMN_THREAD, COLUMN_THREAD_NAME, FIRST_VALUE };

struct series_run {
    struct track_run *run;
    const struct series_report *series;
    const struct series_counter *counter;
    size_t value_count;
    struct strbuf keys[VALUES_MAX];   /* each value's name as a member of JSON: "Read(MB/s)": */
    struct strbuf name, text, thread; /* of the event */
    struct trace_lanes lanes;         /* of slices; its threads have the names below */
    struct map thread_names;
    int64_t largest_thread, device_id, pid;
    bool has_pid;
};

struct thread_name {
    struct {
        int64_t pid, thread;
    } key;
    char *text; /* escaped; owned */
};

static const char *or_null(const char *expression, const char *usual)
{
    return expression != NULL ? expression : usual;
}

static void add_clause(struct strbuf *sql, const char *word, const char *clause)
{
    if (clause != NULL)
        strbuf_addf(sql, " %s %s", word, clause);
}

static void make_sql(const struct series_counter *counter, const struct record_kind *kind, struct strbuf *sql)
{
    const struct report_query *query = &counter->query;
    if (query->with != NULL)
        strbuf_addf(sql, "WITH %s ", query->with);
    strbuf_addf(sql, "SELECT %s, %s, %s, %s, %s, %s", counter->name, or_null(counter->time, "time_ns"),
                or_null(counter->duration, "NULL"), or_null(counter->device, "device_id"),
                or_null(counter->thread, "0"), or_null(counter->thread_name, "NULL"));
    for (const struct report_column *value = counter->values; value != NULL && value->title != NULL; value++)
        strbuf_addf(sql, ", %s", value->sql);
    add_clause(sql, "FROM", or_null(query->from, kind->table));
    add_clause(sql, "WHERE", query->where);
    add_clause(sql, "GROUP BY", query->group_by);
    add_clause(sql, "ORDER BY", query->order_by);
}

/* Appends "title":value unless the value does not exist. */
static int put_value(struct series_run *series, size_t i, sqlite3_stmt *row, struct err *err)
{
    const struct report_column *value = &series->counter->values[i];
    int column = FIRST_VALUE + (int)i, type = sqlite3_column_type(row, column);
    char number[REAL_MAX + 32], *end = number;
    if (type == SQLITE_NULL || (type == SQLITE_FLOAT && !isfinite(sqlite3_column_double(row, column))))
        return 0;
    if (series->text.length > 0)
        strbuf_addc(&series->text, ',');
    strbuf_add(&series->text, series->keys[i].data, series->keys[i].length);
    if (type == SQLITE_INTEGER)
        end = put_integer(number, sqlite3_column_int64(row, column), value);
    else if (type == SQLITE_FLOAT)
        end = put_real(number, sqlite3_column_double(row, column), value);
    else
        trace_text(&series->text, (const char *)sqlite3_column_text(row, column),
                   (size_t)sqlite3_column_bytes(row, column));
    strbuf_add(&series->text, number, (size_t)(end - number));
    return series->text.failed
               ? err_set(err, ERR_LIMIT, "an event of '%s' is too long for a timeline", series->series->name)
               : 0;
}

static int find_process(struct series_run *series, int64_t device_id, struct err *err)
{
    if (series->has_pid && series->device_id == device_id)
        return 0;
    const char *process = series->series->process != NULL ? series->series->process : series->series->title;
    series->device_id = device_id;
    series->has_pid = true;
    return track_process(series->run, series->series->process_order, device_id, process, &series->pid, err);
}

static int keep_thread_name(struct series_run *series, int64_t thread, sqlite3_stmt *row, struct err *err)
{
    const struct thread_name key = {.key = {series->pid, thread}};
    bool added;
    if (thread > series->largest_thread)
        series->largest_thread = thread;
    struct thread_name *name = map_add(&series->thread_names, &key.key, &added, err);
    if (name == NULL)
        return -(int)err->code;
    if (!added)
        return 0;
    strbuf_clear(&series->thread);
    if (sqlite3_column_type(row, COLUMN_THREAD_NAME) != SQLITE_NULL)
        json_text_append(&series->thread, (const char *)sqlite3_column_text(row, COLUMN_THREAD_NAME),
                         (size_t)sqlite3_column_bytes(row, COLUMN_THREAD_NAME));
    else
        strbuf_addf(&series->thread, "%lld", (long long)thread);
    name->text = series->thread.failed ? NULL : strdup(series->thread.data);
    return name->text != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for the name of a thread");
}

static int draw_slice(struct series_run *series, sqlite3_stmt *row, struct err *err)
{
    struct trace *trace = &series->run->trace;
    int64_t thread = sqlite3_column_int64(row, COLUMN_THREAD);
    struct trace_slice slice = {.pid = series->pid,
                                .start_ns = sqlite3_column_int64(row, COLUMN_TIME),
                                .duration_ns = sqlite3_column_int64(row, COLUMN_DURATION)};
    if (keep_thread_name(series, thread, row, err) < 0 || trace_lanes_place(&series->lanes, thread, &slice, err) < 0)
        return -(int)err->code;
    trace_write_name(trace, &series->name);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX);
    trace_advance(trace, start, trace_put_slice(start, &trace->style, &slice));
    outfile_add(&trace->out, &series->text);
    start = trace_reserve(trace, TRACE_EVENT_MAX);
    trace_advance(trace, start, trace_end_slice(start, &trace->style, &slice));
    trace->events++;
    return 0;
}

static void draw_counter(struct series_run *series, int64_t time_ns)
{
    struct trace *trace = &series->run->trace;
    trace_write_name(trace, &series->name);
    char *start = trace_reserve(trace, TRACE_EVENT_MAX);
    trace_advance(trace, start, trace_put_counter(start, &trace->style, series->pid, time_ns));
    outfile_add(&trace->out, &series->text);
    start = trace_reserve(trace, TRACE_EVENT_MAX);
    trace_advance(trace, start, trace_end_counter(start, &trace->style));
    trace->events++;
}

static int draw_row(struct series_run *series, sqlite3_stmt *row, struct err *err)
{
    if (sqlite3_column_type(row, COLUMN_TIME) == SQLITE_NULL || sqlite3_column_type(row, COLUMN_NAME) == SQLITE_NULL)
        return 0;
    bool slice = sqlite3_column_type(row, COLUMN_DURATION) != SQLITE_NULL;
    strbuf_clear(&series->text);
    for (size_t i = 0; i < series->value_count; i++) {
        if (put_value(series, i, row, err) < 0)
            return -(int)err->code;
    }
    if (series->text.length == 0 && !slice)
        return 0;
    strbuf_clear(&series->name);
    if (trace_text(&series->name, (const char *)sqlite3_column_text(row, COLUMN_NAME),
                   (size_t)sqlite3_column_bytes(row, COLUMN_NAME)) < 0)
        return err_set(err, ERR_LIMIT, "a name in '%s' is too long for a timeline", series->series->name);
    int64_t device_id =
        sqlite3_column_type(row, COLUMN_DEVICE) == SQLITE_NULL ? DB_NULL : sqlite3_column_int64(row, COLUMN_DEVICE);
    if (find_process(series, device_id, err) < 0)
        return -(int)err->code;
    if (slice)
        return draw_slice(series, row, err);
    draw_counter(series, sqlite3_column_int64(row, COLUMN_TIME));
    return 0;
}

static int draw_rows(struct series_run *series, sqlite3 *db, sqlite3_stmt *rows, struct err *err)
{
    enum { ROWS_PER_POLL = 4096 };
    uint64_t count = 0;
    int status = 0, code = SQLITE_DONE;
    while (status == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        status = draw_row(series, rows, err);
        if (status == 0 && ++count % ROWS_PER_POLL == 0 && interrupted())
            status = interrupt_error(err);
        if (status == 0 && count % ROWS_PER_POLL == 0 && outfile_failed(&series->run->trace.out))
            status = err_set(err, ERR_IO, "cannot write '%s'", series->run->trace.path);
        code = SQLITE_DONE;
    }
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "the database cannot be read") : status;
}

static int make_keys(struct series_run *series, struct err *err)
{
    const struct report_column *values = series->counter->values;
    for (size_t i = 0; values != NULL && values[i].title != NULL; i++) {
        if (i == VALUES_MAX)
            return err_set(err, ERR_LIMIT, "a counter of '%s' has more than %d values", series->series->name,
                           VALUES_MAX);
        strbuf_init(&series->keys[i], TEXT_MAX);
        series->value_count++;
        if (trace_text(&series->keys[i], values[i].title, strlen(values[i].title)) < 0 ||
            strbuf_addc(&series->keys[i], ':') < 0)
            return err_set(err, ERR_NO_MEMORY, "out of memory for the values of '%s'", series->series->name);
    }
    return 0;
}

/* ---- threads of slices ---- */

static int first_free_thread(void *arg, int64_t *ret, struct err *err)
{
    const struct series_run *series = arg;
    (void)err;
    *ret = number_add(series->largest_thread >= INT32_MAX / 2 ? series->largest_thread : INT32_MAX / 2, 1);
    return 0;
}

static void name_thread(void *arg, int64_t pid, int64_t number, struct strbuf *ret)
{
    const struct series_run *series = arg;
    const struct thread_name key = {.key = {pid, number}};
    const struct thread_name *name = map_get(&series->thread_names, &key.key);
    strbuf_adds(ret, name != NULL && name->text != NULL ? name->text : "");
}

static void release_names(struct series_run *series)
{
    for (struct thread_name *name = NULL; (name = map_next(&series->thread_names, name)) != NULL;)
        free(name->text);
    map_release(&series->thread_names);
}

/* ---- all of it ---- */

static int write_counter(struct series_run *series, const struct record_kind *kind, struct err *err)
{
    sqlite3 *db = series->run->run->db;
    sqlite3_stmt *rows = NULL;
    struct strbuf sql;
    strbuf_init(&sql, SQL_MAX);
    make_sql(series->counter, kind, &sql);
    int status = make_keys(series, err);
    if (status == 0 && sql.failed)
        status = err_set(err, ERR_LIMIT, "the query of '%s' is too long", series->series->name);
    if (status == 0)
        status = database_prepare(db, sql.data, &rows, err);
    if (status == 0)
        status = draw_rows(series, db, rows, err);
    if (status == 0)
        status = trace_lanes_name(&series->lanes, &series->run->trace, name_thread, series, err);
    sqlite3_finalize(rows);
    strbuf_release(&sql);
    for (size_t i = 0; i < series->value_count; i++)
        strbuf_release(&series->keys[i]);
    return status < 0 ? err_wrap(err, "cannot draw '%s'", series->series->name) : 0;
}

static int draw_series(struct track_run *run, const struct record_kind *kind, const struct series_report *report,
                       const struct series_counter *counter, struct err *err)
{
    struct series_run *series = calloc(1, sizeof *series);
    if (series == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the events of '%s'", report->name);
    *series = (struct series_run){
        .run = run, .series = report, .counter = counter, .thread_names = MAP_OF(struct thread_name, key)};
    strbuf_init(&series->name, TEXT_MAX);
    strbuf_init(&series->text, TEXT_MAX);
    strbuf_init(&series->thread, TEXT_MAX);
    trace_lanes_init(&series->lanes, &series->run->trace.style, "", first_free_thread, series);
    int status = write_counter(series, kind, err);
    trace_lanes_release(&series->lanes);
    release_names(series);
    strbuf_release(&series->name);
    strbuf_release(&series->text);
    strbuf_release(&series->thread);
    free(series);
    return status;
}

/* Whether a row of the kind's table is there: most captures have none of most kinds. */
static int has_rows(sqlite3 *db, const struct record_kind *kind, bool *ret, struct err *err)
{
    char question[256];
    snprintf(question, sizeof question, "EXISTS(SELECT 1 FROM %s)", kind->table);
    return report_ask(db, question, ret, err);
}

struct writing {
    struct track_run *run;
    struct err *err;
};

static int write_series(void *arg, const struct record_kind *kind, const struct series_report *series)
{
    struct writing *writing = arg;
    sqlite3 *db = writing->run->run->db;
    bool there = track_shows(writing->run, series_layer(series), NULL);
    int status = there && kind->table != NULL ? has_rows(db, kind, &there, writing->err) : 0;
    for (const struct series_counter *counter = series->counters; status == 0 && there && counter->name != NULL;
         counter++) {
        bool wanted = true;
        if (counter->when != NULL)
            status = report_ask(db, counter->when, &wanted, writing->err);
        if (status == 0 && wanted)
            status = draw_series(writing->run, kind, series, counter, writing->err);
    }
    return status;
}

int series_write(struct track_run *run, struct err *err)
{
    struct writing writing = {run, err};
    int status = report_functions_register(run->run->db, err);
    return status == 0 ? series_each(write_series, &writing) : status;
}
