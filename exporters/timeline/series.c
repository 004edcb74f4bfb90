/* SPDX-License-Identifier: Apache-2.0 */
#include "exporters/timeline/track.h"

#include "base/number.h"
#include "base/progress.h"
#include "db/query/cann_version.h"
#include "exporters/json_text.h"
#include "exporters/query_compile.h"
#include "exporters/row_format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MAX ((size_t)1 << 20) /* bytes of a name or a value, escaped */
#define VALUES_MAX 64
_Static_assert(VALUES_MAX <= EVENT_ARGS_MAX, "an event holds them");
#define COUNTERS_MAX 64 /* of a series */
#define GROUP_MAX 16    /* counters of one query */

/* ---- values ---- */

struct series_value {
    int type; /* SQLITE_INTEGER and so on; SQLITE_NULL: it does not exist */
    int64_t integer;
    double real;
    const char *text; /* of the row */
    size_t length;
};

static inline bool series_value_is_number(const struct series_value *value)
{
    return value->type == SQLITE_INTEGER || value->type == SQLITE_FLOAT;
}

static struct series_value series_value_read(sqlite3_stmt *row, int column)
{
    struct series_value value = {.type = sqlite3_column_type(row, column)};
    switch (value.type) {
    case SQLITE_INTEGER:
        value.integer = sqlite3_column_int64(row, column);
        break;
    case SQLITE_FLOAT:
        value.real = sqlite3_column_double(row, column);
        if (!isfinite(value.real))
            value.type = SQLITE_NULL;
        break;
    case SQLITE_NULL:
        break;
    default:
        value.text = (const char *)sqlite3_column_text(row, column);
        value.length = (size_t)sqlite3_column_bytes(row, column);
    }
    return value;
}

/* A number that does not exist is less than any. */
static bool series_value_is_more(const struct series_value *a, const struct series_value *b)
{
    if (b->type == SQLITE_NULL || a->type == SQLITE_NULL)
        return a->type != SQLITE_NULL;
    if (a->type == SQLITE_INTEGER && b->type == SQLITE_INTEGER)
        return a->integer > b->integer;
    return (a->type == SQLITE_FLOAT ? a->real : (double)a->integer) >
           (b->type == SQLITE_FLOAT ? b->real : (double)b->integer);
}

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

/* ---- the counters of one query ---- */

/* Columns of a row; only slices have those from the duration on. Behind them come the name and the values of each
 * counter. */
#define DEVICE_AND_TIME "2, 1" /* numbers of columns of the row */
enum {
    COLUMN_TIME,
    COLUMN_DEVICE,
    COLUMN_DURATION,
    COLUMN_THREAD,
    COLUMN_THREAD_NAME,
    COLUMN_PROGRAM,
    COLUMN_PROCESS,
    COLUMN_ARROW,
    COLUMN_CATEGORY,
    COLUMN_NUMBER,
    COLUMNS_OF_SLICE
};
enum { COLUMNS_OF_COUNTER = COLUMN_DURATION };

/* Device and time of an event. */
struct event_place {
    int64_t device_id, time_ns;
};

struct counter_run {
    const struct series_counter *counter;
    int name_column; /* its values are behind */
    size_t value_count;
    struct strbuf keys[VALUES_MAX]; /* each value's name, as struct event_key has it */
    /* The same where the name of the event ends in the value's: "MB/s" of "HBM 0/Read"; not of the vendor's files. */
    struct strbuf short_keys[VALUES_MAX];
    struct strbuf value_key;                /* "value": of an event that is called like all of its value */
    const struct strbuf *shown[VALUES_MAX]; /* one of those, of the row */
    struct strbuf name;                     /* of the event, as the inside of a JSON string */
    struct strbuf plain_name;               /* before it was escaped */
    bool named;                             /* there is one */
    struct series_value values[VALUES_MAX]; /* of the row; of one with most, of the event that further rows may
                                               belong to */
};

struct series_run {
    struct track_run *run;
    const struct series_report *series;
    const struct series_counter *first; /* whose query it is */
    size_t counter_count;
    struct counter_run *counters;
    bool in_order;    /* rows come by device and time without being sorted */
    bool has_pending; /* of counters with most */
    struct event_place pending;
    struct trace_lanes lanes; /* of slices; with the names of its threads */
    int64_t largest_thread, device_id, program_id, pid;
    bool has_pid, has_arrow;
    int number, order;       /* of the layer */
    struct series_run *next; /* of a track */
};

static const char *or_null(const char *expression, const char *usual)
{
    return expression != NULL ? expression : usual;
}

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Whether one way through the database serves both: slices have lanes of their own. */
static bool shares_query(const struct series_counter *a, const struct series_counter *b)
{
    return a->duration == NULL && b->duration == NULL && a->most == b->most && is_same(a->time, b->time) &&
           is_same(a->device, b->device) && is_same(a->query.with, b->query.with) &&
           is_same(a->query.from, b->query.from) && is_same(a->query.where, b->query.where) &&
           is_same(a->query.group_by, b->query.group_by) && is_same(a->query.order_by, b->query.order_by);
}

/* An expression whose value is the text of an enumerated integer; others stand as the texts of their digits. */
static void add_value(struct strbuf *sql, const struct report_column *value)
{
    if (value->names == NULL) {
        strbuf_addf(sql, ", %s", value->sql);
        return;
    }
    strbuf_addf(sql, ", CASE %s", value->sql);
    for (const struct value_name *name = value->names; name->text != NULL; name++)
        strbuf_addf(sql, " WHEN %lld THEN '%s'", (long long)name->value, name->text);
    strbuf_addf(sql, " ELSE CAST(%s AS TEXT) END", value->sql);
}

static void make_sql(const struct series_run *series, const struct record_kind *kind, struct strbuf *sql)
{
    const struct series_counter *first = series->first;
    const struct report_query *query = &first->query;
    query_begin(sql, query);
    strbuf_addf(sql, "%s, %s", or_null(first->time, "time_ns"), or_null(first->device, "device_id"));
    if (first->duration != NULL)
        strbuf_addf(sql, ", %s, %s, %s, %s, %s, %s, %s, %s", first->duration, or_null(first->thread, "0"),
                    or_null(first->thread_name, "NULL"), or_null(first->program, "NULL"),
                    or_null(first->process, "NULL"), series->has_arrow ? first->arrow->id : "NULL",
                    or_null(first->category, "NULL"), or_null(first->number, "NULL"));
    for (size_t i = 0; i < series->counter_count; i++) {
        const struct series_counter *counter = series->counters[i].counter;
        strbuf_addf(sql, ", %s", counter->name);
        for (const struct report_column *value = counter->values; value != NULL && value->title != NULL; value++)
            add_value(sql, value);
    }
    /* Viewers draw what falls back in time wrongly, or not at all. */
    query_end(sql, query, kind != NULL ? kind->table : NULL,
              first->duration == NULL && !series->in_order ? DEVICE_AND_TIME : NULL);
}

/* ---- an event ---- */

/* Makes EVENT_KEY_ROOM bytes that can be read behind a key. */
static int end_key(struct strbuf *key)
{
    static const char zeros[EVENT_KEY_ROOM];
    const size_t length = key->length;
    if (strbuf_add(key, zeros, sizeof zeros) < 0)
        return -1;
    key->length = length;
    return 0;
}

static void add_argument(struct event *event, struct event_key key, const struct report_column *column,
                         const struct series_value *value)
{
    const bool whole = value->type == SQLITE_INTEGER;
    if (!series_value_is_number(value)) {
        event_plain_of(event, key, value->text, value->length);
        return;
    }
    struct event_arg *arg = event_arg(event, key, whole ? EVENT_FORM_INTEGER : EVENT_FORM_REAL, FORM_NUMBER_MAX);
    arg->form = (uint8_t)column->form;
    arg->decimals = column->decimals;
    if (whole)
        arg->integer = value->integer;
    else
        arg->real = value->real;
}

/* Adds name and values, as far as they exist, and puts the event; number: of a slice, or DB_NULL. */
static int put_event(struct series_run *series, const struct counter_run *counter, struct event *event, int64_t number,
                     struct err *err)
{
    size_t texts = 0;
    event_name_copy(event, counter->name.data, counter->name.length);
    for (size_t i = 0; i < counter->value_count; i++) {
        const struct series_value *value = &counter->values[i];
        const struct report_column *column = &counter->counter->values[i];
        struct event_key key = {counter->shown[i]->data, counter->shown[i]->length};
        if (value->type == SQLITE_NULL)
            continue;
        if ((column->flags & REPORT_NUMBERED) != 0 && number != DB_NULL)
            key = event_numbered_key(event, key, number);
        add_argument(event, key, column, value);
        event_copy_key(event);
        texts += value->length;
    }
    if (texts > TEXT_MAX)
        return err_set(err, ERR_LIMIT, "an event of '%s' is too long for a timeline", series->series->name);
    return trace_put(&series->run->trace, event, err);
}

/* A number that is 0 may be a NULL. */
static int64_t integer_of(sqlite3_stmt *row, int column)
{
    int64_t value = sqlite3_column_int64(row, column);
    return value == 0 && sqlite3_column_type(row, column) == SQLITE_NULL ? DB_NULL : value;
}

/* Of the layer of its process. What has none in the list of layers gets one behind those of tracks without one. */
static int number_of(const struct series_report *series)
{
    int number = track_unlisted(NULL);
    if (series->number != 0)
        return series->number;
    for (size_t i = 0; record_kinds[i] != NULL; i++)
        for (const struct series_report *other = record_kinds[i]->series; other != NULL && other->name != NULL;
             other++) {
            if (other == series)
                return number;
            number += other->number == 0;
        }
    return number;
}

static int find_process(struct series_run *series, sqlite3_stmt *row, int64_t device_id, struct err *err)
{
    const bool slices = series->first->duration != NULL;
    const int64_t program_id = slices ? integer_of(row, COLUMN_PROGRAM) : DB_NULL;
    if (series->has_pid && series->device_id == device_id && series->program_id == program_id)
        return 0;
    const char *process = slices && (!series->run->own_numbers || series->run->own_names)
                              ? (const char *)sqlite3_column_text(row, COLUMN_PROCESS)
                              : NULL;
    if (process == NULL)
        process = series->series->process != NULL ? series->series->process : series->series->title;
    series->device_id = device_id;
    series->program_id = program_id;
    series->has_pid = true;
    return track_process_of(series->run, program_id != DB_NULL ? program_id : series->run->process_id, series->number,
                            series->order, device_id, process, &series->pid, err);
}

static int keep_thread_name(struct series_run *series, int64_t thread, sqlite3_stmt *row, struct err *err)
{
    char **name = trace_lanes_name_of(&series->lanes, series->pid, thread, err);
    struct strbuf text;
    if (thread > series->largest_thread)
        series->largest_thread = thread;
    if (name == NULL || *name != NULL)
        return name != NULL ? 0 : err_status(err);
    strbuf_init(&text, TEXT_MAX);
    if (sqlite3_column_type(row, COLUMN_THREAD_NAME) != SQLITE_NULL)
        json_text_append(&text, (const char *)sqlite3_column_text(row, COLUMN_THREAD_NAME),
                         (size_t)sqlite3_column_bytes(row, COLUMN_THREAD_NAME));
    else
        strbuf_addf(&text, "%lld", (long long)thread);
    *name = strbuf_detach(&text);
    return *name != NULL ? 0 : err_set(err, ERR_NO_MEMORY, "out of memory for the name of a thread");
}

/* id: below 0 where the arrow ends, unless all have one phase. */
static int draw_arrow(struct series_run *series, int64_t id, const struct trace_slice *slice, struct err *err)
{
    const struct series_arrow *arrow = series->first->arrow;
    const struct trace_flow flow = {.name = arrow->name,
                                    .category = arrow->category,
                                    .numbered = arrow->numbered,
                                    .connects = strcmp(arrow->category, host_to_device.category) == 0};
    const char phase = arrow->phase != '\0' ? arrow->phase : id < 0 ? 'f' : 's';
    struct event event;
    event_flow(&event, &series->run->trace.style, &flow, phase, arrow->phase == '\0' ? imaxabs(id) : id, slice->pid,
               slice->tid, slice->start_ns);
    return trace_put(&series->run->trace, &event, err);
}

static int draw_slice(struct series_run *series, const struct counter_run *counter, sqlite3_stmt *row, struct err *err)
{
    int64_t thread = integer_of(row, COLUMN_THREAD);
    struct trace_slice slice = {.pid = series->pid,
                                .start_ns = sqlite3_column_int64(row, COLUMN_TIME),
                                .duration_ns = sqlite3_column_int64(row, COLUMN_DURATION)};
    if (series->first->ticks)
        slice.exact_ns = ticks_span_ns(cann_clock_hz(&series->run->clocks, integer_of(row, COLUMN_DEVICE)),
                                       slice.start_ns, slice.duration_ns);
    struct event event;
    if (keep_thread_name(series, thread, row, err) < 0 ||
        trace_lanes_begin(&series->lanes, thread, &slice, &event, err) < 0)
        return err_status(err);
    if (series->first->categories != NULL)
        event_category_first(&event,
                             value_name_find(series->first->categories, sqlite3_column_int64(row, COLUMN_CATEGORY)));
    if (put_event(series, counter, &event, integer_of(row, COLUMN_NUMBER), err) < 0)
        return err_status(err);
    return series->has_arrow && sqlite3_column_type(row, COLUMN_ARROW) != SQLITE_NULL
               ? draw_arrow(series, sqlite3_column_int64(row, COLUMN_ARROW), &slice, err)
               : 0;
}

/* An event without any value is none. */
static int draw_counter(struct series_run *series, const struct counter_run *counter, sqlite3_stmt *row,
                        const struct event_place *place, struct err *err)
{
    struct event event;
    bool any = false;
    for (size_t i = 0; i < counter->value_count; i++)
        any |= counter->values[i].type != SQLITE_NULL;
    if (!any)
        return 0;
    if (find_process(series, row, place->device_id, err) < 0)
        return err_status(err);
    event_begin(&event, 'C', series->pid, counter->counter->counter_thread, place->time_ns);
    return put_event(series, counter, &event, DB_NULL, err);
}

/* ---- rows ---- */

/* How much of a value's title its event's name may have already: of "Hit Rate(%)" and "Rx Packets" what is before the
 * unit, or the first word. *ret_rest: where the rest begins, *ret_length: how long that is. */
static size_t split_title(const char *title, const char **ret_rest, size_t *ret_length)
{
    const size_t length = strlen(title);
    size_t word = strcspn(title, "(");
    const bool has_unit = word < length && title[length - 1] == ')';
    if (!has_unit)
        word = strcspn(title, " ");
    *ret_rest = title + word + (word < length);
    *ret_length = length - (size_t)(*ret_rest - title) - has_unit;
    return word;
}

/* Whether a name ends in a word, which is the last one or is all behind a slash. */
static bool ends_in_word(const char *name, size_t end, const char *word, size_t length)
{
    return length > 0 && length <= end && memcmp(name + end - length, word, length) == 0 &&
           (length == end || name[end - length - 1] == ' ' || name[end - length - 1] == '/');
}

/* Viewers show name and title together: "HBM 0/Read Read(MB/s)", "PA Link Rx 0 PA Link Rx". A number at the end of the
 * name is passed over. */
static void shorten_keys(struct counter_run *counter, const char *name, size_t length)
{
    size_t end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    end = end > 0 && end < length && name[end - 1] == ' ' ? end - 1 : length;
    for (size_t i = 0; i < counter->value_count; i++) {
        const char *title = counter->counter->values[i].title, *rest;
        size_t rest_length;
        const size_t word = split_title(title, &rest, &rest_length);
        const bool shortens = counter->value_key.length > 0;
        counter->shown[i] = shortens && ends_in_word(name, end, title, strlen(title)) ? &counter->value_key
                            : shortens && ends_in_word(name, end, title, word)        ? &counter->short_keys[i]
                                                                                      : &counter->keys[i];
    }
}

static int set_name(struct series_run *series, struct counter_run *counter, const char *name, size_t length,
                    struct err *err)
{
    counter->named = true;
    strbuf_clear(&counter->name);
    strbuf_clear(&counter->plain_name);
    strbuf_add(&counter->plain_name, name, length);
    if (json_text_append(&counter->name, name, length) < 0 || counter->plain_name.failed)
        return err_set(err, ERR_LIMIT, "a name in '%s' is too long for a timeline", series->series->name);
    shorten_keys(counter, name, length);
    return 0;
}

/* The name of the event, which mostly is that of the one before. False: there is none. */
static bool take_name(struct series_run *series, struct counter_run *counter, sqlite3_stmt *row, int *ret_status,
                      struct err *err)
{
    const char *name = (const char *)sqlite3_column_text(row, counter->name_column);
    size_t length = (size_t)sqlite3_column_bytes(row, counter->name_column);
    *ret_status = 0;
    if (name == NULL)
        return false;
    if (!counter->named || counter->plain_name.length != length || memcmp(counter->plain_name.data, name, length) != 0)
        *ret_status = set_name(series, counter, name, length, err);
    return true;
}

static struct event_place place_of(sqlite3_stmt *row)
{
    return (struct event_place){.device_id = integer_of(row, COLUMN_DEVICE), .time_ns = integer_of(row, COLUMN_TIME)};
}

static int draw_row(struct series_run *series, struct counter_run *counter, sqlite3_stmt *row,
                    const struct event_place *place, struct err *err)
{
    int status;
    if (!take_name(series, counter, row, &status, err) || status < 0)
        return status;
    for (size_t i = 0; i < counter->value_count; i++)
        counter->values[i] = series_value_read(row, counter->name_column + 1 + (int)i);
    if (series->first->duration == NULL || sqlite3_column_type(row, COLUMN_DURATION) == SQLITE_NULL)
        return draw_counter(series, counter, row, place, err);
    status = find_process(series, row, place->device_id, err);
    return status == 0 ? draw_slice(series, counter, row, err) : status;
}

static int draw_pending(struct series_run *series, struct err *err)
{
    int status = 0;
    for (size_t i = 0; series->has_pending && i < series->counter_count && status == 0; i++) {
        if (series->counters[i].named)
            status = draw_counter(series, &series->counters[i], NULL, &series->pending, err);
    }
    series->has_pending = false;
    return status;
}

/* The names of counters with most are constant: one is enough. */
static int merge_counter(struct series_run *series, struct counter_run *counter, sqlite3_stmt *row, bool same,
                         struct err *err)
{
    int status = 0;
    if (!counter->named)
        take_name(series, counter, row, &status, err);
    for (size_t i = 0; i < counter->value_count && status == 0; i++) {
        struct series_value value = series_value_read(row, counter->name_column + 1 + (int)i);
        if (!series_value_is_number(&value))
            value.type = SQLITE_NULL; /* texts do not outlive their row */
        if (!same || series_value_is_more(&value, &counter->values[i]))
            counter->values[i] = value;
    }
    return status;
}

static int merge_row(struct series_run *series, sqlite3_stmt *row, const struct event_place *place, struct err *err)
{
    bool same = series->has_pending && series->pending.time_ns == place->time_ns &&
                series->pending.device_id == place->device_id;
    int status = same ? 0 : draw_pending(series, err);
    for (size_t i = 0; i < series->counter_count && status == 0; i++)
        status = merge_counter(series, &series->counters[i], row, same, err);
    series->pending = *place;
    series->has_pending = status == 0;
    return status;
}

static int take_row(struct series_run *series, sqlite3_stmt *row, struct err *err)
{
    const struct event_place place = place_of(row);
    int status = 0;
    if (place.time_ns == DB_NULL)
        return 0;
    if (series->first->most)
        return merge_row(series, row, &place, err);
    for (size_t i = 0; i < series->counter_count && status == 0; i++)
        status = draw_row(series, &series->counters[i], row, &place, err);
    return status;
}

static int draw_rows(struct series_run *series, sqlite3 *db, sqlite3_stmt *rows, struct err *err)
{
    enum { ROWS_PER_POLL = 4096 };
    uint64_t count = 0;
    int status = 0, code = SQLITE_DONE;
    while (status == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        status = take_row(series, rows, err);
        if (status == 0 && ++count % ROWS_PER_POLL == 0 && interrupted())
            status = interrupt_error(err);
        code = SQLITE_DONE;
    }
    if (status == 0)
        status = draw_pending(series, err);
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "cannot read the database") : status;
}

static int make_key(struct strbuf *key, const char *text, size_t length)
{
    strbuf_init(key, TEXT_MAX);
    return strbuf_addc(key, ',') < 0 || json_text_quote(key, text, length) < 0 || strbuf_addc(key, ':') < 0
               ? -1
               : end_key(key);
}

/* The unit or the rest of a title. */
static int make_short_key(struct strbuf *key, const char *title)
{
    const char *rest;
    size_t length;
    split_title(title, &rest, &length);
    return make_key(key, rest, length);
}

static int make_keys(const struct series_run *series, struct counter_run *counter, struct err *err)
{
    const bool shortens =
        !series->run->compat && !series->run->trace.style.as_recorded && series->first->duration == NULL;
    const struct report_column *values = counter->counter->values;
    if (shortens && make_key(&counter->value_key, "value", strlen("value")) < 0)
        return err_set(err, ERR_NO_MEMORY, "out of memory for the values of '%s'", series->series->name);
    for (size_t i = 0; values != NULL && values[i].title != NULL; i++) {
        if (i == VALUES_MAX)
            return err_set(err, ERR_LIMIT, "a counter of '%s' has more than %d values", series->series->name,
                           VALUES_MAX);
        counter->value_count++;
        if (make_key(&counter->keys[i], values[i].title, strlen(values[i].title)) < 0 ||
            (shortens && make_short_key(&counter->short_keys[i], values[i].title) < 0))
            return err_set(err, ERR_NO_MEMORY, "out of memory for the values of '%s'", series->series->name);
    }
    return 0;
}

/* Binds :device where it stands. */
static int prepare(const struct series_run *series, const struct strbuf *sql, sqlite3_stmt **ret, struct err *err)
{
    int status = query_sql_prepare(series->run->run->db, sql, ret, err);
    int place = status == 0 ? sqlite3_bind_parameter_index(*ret, ":device") : 0;
    if (place > 0 && series->run->device_id != DB_NULL)
        sqlite3_bind_int64(*ret, place, series->run->device_id);
    return status;
}

/* ---- threads ---- */

/* Names threads on which nothing stands. */
static int list_threads(struct series_run *series, struct err *err)
{
    const char *query = series->first->threads;
    sqlite3 *db = series->run->run->db;
    sqlite3_stmt *row = NULL;
    int code = SQLITE_DONE;
    if (query == NULL || !series->run->compat || !series->has_pid)
        return 0;
    int status = database_prepare(db, query, &row, err);
    while (status == 0 && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const int64_t number = sqlite3_column_int64(row, 0);
        trace_name_thread(&series->run->trace, series->pid, number, number, (const char *)sqlite3_column_text(row, 1));
    }
    sqlite3_finalize(row);
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "cannot read the database") : status;
}

static int first_free_thread(void *arg, int64_t *ret, struct err *err)
{
    const struct series_run *series = arg;
    const char *last = series->first->last_thread;
    struct strbuf sql;
    if (last == NULL) {
        *ret = number_add(series->largest_thread >= INT32_MAX / 2 ? series->largest_thread : INT32_MAX / 2, 1);
        return 0;
    }
    strbuf_init(&sql, QUERY_SQL_MAX);
    strbuf_addf(&sql, "SELECT %s", last);
    sqlite3_stmt *row = NULL;
    int status = prepare(series, &sql, &row, err);
    bool there = false;
    status = status < 0 ? status : database_step(row, &there, err);
    *ret = there ? sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    strbuf_release(&sql);
    *ret = number_add(*ret, 1);
    return status;
}

/* ---- all of it ---- */

static int open_counters(struct series_run *series, struct err *err)
{
    int column = series->first->duration != NULL ? COLUMNS_OF_SLICE : COLUMNS_OF_COUNTER, status = 0;
    for (size_t i = 0; i < series->counter_count && status == 0; i++) {
        struct counter_run *counter = &series->counters[i];
        strbuf_init(&counter->name, TEXT_MAX);
        strbuf_init(&counter->plain_name, TEXT_MAX);
        counter->name_column = column;
        status = make_keys(series, counter, err);
        column += 1 + (int)counter->value_count;
    }
    return status;
}

static void close_counters(struct series_run *series)
{
    for (size_t i = 0; i < series->counter_count; i++) {
        struct counter_run *counter = &series->counters[i];
        for (size_t k = 0; k < counter->value_count; k++) {
            strbuf_release(&counter->keys[k]);
            strbuf_release(&counter->short_keys[k]);
        }
        strbuf_release(&counter->value_key);
        strbuf_release(&counter->name);
        strbuf_release(&counter->plain_name);
    }
    free(series->counters);
}

static int write_counters(struct series_run *series, const struct record_kind *kind, struct err *err)
{
    sqlite3 *db = series->run->run->db;
    sqlite3_stmt *rows = NULL;
    SCOPED(strbuf_release) struct strbuf sql;
    strbuf_init(&sql, QUERY_SQL_MAX);
    make_sql(series, kind, &sql);
    int status = open_counters(series, err);
    if (status == 0)
        status = prepare(series, &sql, &rows, err);
    if (status == 0)
        status = draw_rows(series, db, rows, err);
    sqlite3_finalize(rows);
    return status < 0 ? err_wrap(err, "cannot draw '%s'", series->series->name) : 0;
}

static void free_run(struct series_run *series)
{
    trace_lanes_release(&series->lanes);
    close_counters(series);
    free(series);
}

static struct series_run *new_run(struct track_run *run, const struct series_report *report,
                                  const struct series_counter *const *counters, size_t count, bool in_order,
                                  struct err *err)
{
    struct series_run *series = calloc(1, sizeof *series);
    if (series != NULL)
        series->counters = calloc(count, sizeof *series->counters);
    if (series == NULL || series->counters == NULL) {
        free(series);
        err_set(err, ERR_NO_MEMORY, "out of memory for the events of '%s'", report->name);
        return NULL;
    }
    const struct series_counter *first = counters[0];
    series->run = run;
    series->series = report;
    series->first = first;
    series->counter_count = count;
    series->in_order = in_order;
    series->number = number_of(report);
    series->order = report->order != 0 ? report->order : layer_order(report->number);
    series->has_arrow = first->arrow != NULL;
    for (size_t i = 0; series->has_arrow && i < 2 && first->arrow->with[i] != NULL; i++)
        series->has_arrow = track_is_there(run, first->arrow->with[i]);
    for (size_t i = 0; i < count; i++)
        series->counters[i].counter = counters[i];
    trace_lanes_init(&series->lanes, &run->trace.style, "", first_free_thread, series);
    if (first->beside) {
        series->lanes.no_own = true;
        series->lanes.next = &run->next_hardware_thread;
        series->lanes.first_free = track_first_free_stream;
        series->lanes.arg = run->run->db;
    }
    return series;
}

/* keep NULL: threads are named at once. */
static int draw_series(struct track_run *run, const struct record_kind *kind, const struct series_report *report,
                       const struct series_counter *const *counters, size_t count, bool in_order,
                       struct series_track *keep, struct err *err)
{
    struct series_run *series = new_run(run, report, counters, count, in_order, err);
    if (series == NULL)
        return err_status(err);
    int status = write_counters(series, kind, err);
    if (status == 0)
        status = list_threads(series, err);
    if (keep != NULL) {
        series->next = keep->runs;
        keep->runs = series;
        return status;
    }
    if (status == 0)
        status = trace_lanes_name(&series->lanes, &run->trace, NULL, NULL, err);
    free_run(series);
    return status;
}

/* Whether a row of the kind's table is there: most captures have none of most kinds. */
static int has_rows(sqlite3 *db, const struct record_kind *kind, bool *ret, struct err *err)
{
    char question[256];
    snprintf(question, sizeof question, "EXISTS(SELECT 1 FROM %s)", kind->table);
    return query_ask(db, question, ret, err);
}

/* Whether the rows of a kind are stored by device and time: to look is cheaper than to sort them for each counter. */
static int rows_in_order(sqlite3 *db, const struct record_kind *kind, bool *ret, struct err *err)
{
    char query[256];
    sqlite3_stmt *rows;
    struct event_place last = {INT64_MIN, INT64_MIN};
    int code = SQLITE_DONE;
    snprintf(query, sizeof query, "SELECT time_ns, device_id FROM %s", kind->table);
    int status = database_prepare(db, query, &rows, err);
    *ret = status == 0;
    while (*ret && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const struct event_place place = place_of(rows);
        *ret = place.device_id > last.device_id || (place.device_id == last.device_id && place.time_ns >= last.time_ns);
        last = place;
        code = SQLITE_DONE;
    }
    sqlite3_finalize(rows);
    return status == 0 && code != SQLITE_DONE ? database_error(err, db, "cannot read the database") : status;
}

/* Rows that a counter shows one by one are stored by time unless the import said something else. */
static int comes_in_order(sqlite3 *db, const struct record_kind *kind, const struct series_counter *counter, bool *ret,
                          struct err *err)
{
    if (counter->most)
        return rows_in_order(db, kind, ret, err);
    return query_ask(db, "NOT EXISTS(SELECT 1 FROM diagnostics WHERE code = 'record-order')", ret, err);
}

struct writing {
    struct track_run *run;
    struct series_track *keep; /* NULL: of a kind */
    struct err *err;
};

/* Those of one query are drawn together. */
static int draw_groups(struct writing *writing, const struct record_kind *kind, const struct series_report *series,
                       const struct series_counter *const *wanted, size_t count)
{
    bool in_order = true;
    int status = 0;
    for (size_t i = 0, group; status == 0 && i < count; i += group) {
        group = 1;
        while (i + group < count && group < GROUP_MAX && shares_query(wanted[i], wanted[i + group]))
            group++;
        if (kind != NULL && (i == 0 || wanted[i]->most != wanted[i - 1]->most))
            status = comes_in_order(writing->run->run->db, kind, wanted[i], &in_order, writing->err);
        if (status == 0)
            status = draw_series(writing->run, kind, series, &wanted[i], group, in_order, writing->keep, writing->err);
    }
    return status;
}

static bool is_for(const struct series_counter *counter, const struct track_run *run)
{
    switch (counter->only) {
    case COUNTER_OURS:
        return !run->compat;
    case COUNTER_VENDOR:
        return run->compat;
    case COUNTER_ALONE:
        return !run->compat && run->guest == NULL;
    default:
        return true;
    }
}

static int draw_wanted(struct writing *writing, const struct record_kind *kind, const struct series_report *series)
{
    const struct series_counter *wanted[COUNTERS_MAX];
    size_t count = 0;
    int status = 0;
    for (const struct series_counter *counter = series->counters; status == 0 && counter->name != NULL; counter++) {
        bool is_wanted = true;
        if (count == COUNTERS_MAX)
            return err_set(writing->err, ERR_LIMIT, "'%s' has more than %d counters", series->name, COUNTERS_MAX);
        if (!is_for(counter, writing->run))
            continue;
        if (counter->when != NULL)
            status = query_ask(writing->run->run->db, counter->when, &is_wanted, writing->err);
        if (is_wanted)
            wanted[count++] = counter;
    }
    return status == 0 ? draw_groups(writing, kind, series, wanted, count) : status;
}

static int write_series(void *arg, const struct record_kind *kind, const struct series_report *series)
{
    struct writing *writing = arg;
    bool there = track_shows(writing->run, series_layer(series), NULL);
    int status = there && kind->table != NULL ? has_rows(writing->run->run->db, kind, &there, writing->err) : 0;
    return status == 0 && there ? draw_wanted(writing, kind, series) : status;
}

int series_write(struct track_run *run, struct err *err)
{
    struct writing writing = {run, NULL, err};
    int status = query_functions_register(run->run->db, CANN_VERSION_NEWEST, err);
    return status == 0 ? series_each(write_series, &writing) : status;
}

/* ---- tracks ---- */

int series_track_write(struct track_run *run, const struct track *track, struct series_track *state, struct err *err)
{
    struct writing writing = {run, state, err};
    state->series = (struct series_report){.name = track->name,
                                           .process = track->process,
                                           .number = track_number(track),
                                           .order = track_order(track),
                                           .counters = track->events};
    int status = query_functions_register(run->run->db, CANN_VERSION_NEWEST, err);
    return status == 0 ? draw_wanted(&writing, NULL, &state->series) : status;
}

int series_track_name_threads(struct series_track *state, struct err *err)
{
    int status = 0;
    for (struct series_run *series = state->runs; series != NULL && status == 0; series = series->next)
        status = trace_lanes_name(&series->lanes, &series->run->trace, NULL, NULL, err);
    return status;
}

void series_track_release(struct series_track *state)
{
    while (state->runs != NULL) {
        struct series_run *series = state->runs;
        state->runs = series->next;
        free_run(series);
    }
}
