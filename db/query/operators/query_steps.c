/* SPDX-License-Identifier: Apache-2.0 */
#include "db/query/operators/query_steps.h"

#include "base/array.h"
#include "base/file/large.h"
#include "base/search.h"
#include "db/database.h"
#include "db/query/query_fields.h"
#include "db/table_rows.h"
#include "db/warm_up.h"
#include "parsers/record.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINT_OF_START = -2,   /* captures of 2020: an iteration is going to begin ... */
    POINT_OF_FORWARD = -1, /* ... and begins, unless it did where the one before ended */
    MODEL_START = STEP_TAG_MODEL_START,
    MODEL_END = STEP_TAG_MODEL_END,
    FORWARD = 2,
    BACKWARD = 3,
    ITERATION_END = 4,
    COMPILED_FORWARD = 5, /* where the compiler found it; the user's mark counts more */
    REDUCE_FIRST = 10000, /* even numbers start, odd ones end */
    FETCH_FIRST = 20000,
    FETCH_LAST = 59999,
    STEP_START = 60000, /* a step that the user's framework marks; its number is the mark's index */
    STEP_END = 60001
};

/* Iterations begin with a model's start, or with the end of the one before; they end with the model's end, or with the
 * end of an iteration, after which a model's end says nothing more. */
enum state { AFTER_MODEL_END, AFTER_MODEL_START, AFTER_ITERATION };

struct mark {
    int64_t device_id, model_id, time_ns, stream_id, tag, index;
};

static const struct query_field mark_fields[] = {
    QUERY_MEMBERS(struct mark, "", device_id, model_id, time_ns, stream_id),
    QUERY_FIELD(struct mark, tag, "step_tag"),
    QUERY_FIELD(struct mark, index, "index_id"),
};

/* The points of captures of 2020 as marks: forward and backward propagation, the end of an iteration; the begin (odd)
 * and end (even) of what runs beside them, which are marks of all-reduce operations; starts. */
#define POINTS                                                                                                         \
    "SELECT device_id, NULL, time_ns, stream_id, CASE point WHEN 0 THEN -2 WHEN 1 THEN -1 WHEN 2 THEN 3"               \
    " WHEN 255 THEN 4 ELSE iif(point < 255, point - 3 + 10000, -2) END, NULL, id FROM training_trace"
static const struct query_select marks = {
    QUERY_FIELDS(mark_fields),
    .from = "FROM (SELECT device_id, model_id, time_ns, stream_id, step_tag, index_id, id FROM ts_track WHERE tag "
            "= " SQL_NUMBER(TRACK_TAG_STEP) " UNION ALL " POINTS ") ORDER BY device_id, model_id, time_ns, id"};

struct open_span {
    int64_t stream_id, tag, start_ns;
};

struct load {
    struct cann_steps *steps;
    struct mark last;
    bool any;
    enum state state;
    bool running, user_forward;
    struct cann_step step;                  /* the running one */
    struct ARRAY_OF(struct open_span) open; /* streams with an all-reduce or fetch under way, and marked steps */
};

static void start_step(struct load *load, const struct mark *mark)
{
    load->running = true;
    load->user_forward = false;
    load->step.start_ns = mark->time_ns;
    load->step.forward_ns = load->step.backward_ns = load->step.augmentation_ns = DB_NULL;
    load->steps->reduces.count = load->step.first_reduce; /* what an iteration without an end had */
    load->step.reduce_count = 0;
    size_t kept = 0; /* an all-reduce belongs to one iteration */
    for (size_t i = 0; i < load->open.count; i++) {
        if (load->open.items[i].tag >= FETCH_FIRST)
            load->open.items[kept++] = load->open.items[i];
    }
    load->open.count = kept;
}

static int finish_step(struct load *load, const struct mark *mark, struct err *err)
{
    struct cann_steps *steps = load->steps;
    load->running = false;
    load->step.end_ns = mark->time_ns;
    load->step.reduce_count = steps->reduces.count - load->step.first_reduce;
    if (load->step.end_ns > load->step.start_ns) {
        if (large_reserve(steps, 1, err) < 0)
            return err_status(err);
        large_pass(steps->count);
        steps->items[steps->count++] = load->step;
        load->step.first_reduce = steps->reduces.count;
    }
    load->step.iteration++;
    return 0;
}

/* The place of a span that is under way; NULL: none is. */
static struct open_span *find_open(struct load *load, const struct mark *mark)
{
    for (size_t i = 0; i < load->open.count; i++) {
        if (load->open.items[i].stream_id == mark->stream_id && load->open.items[i].tag == (mark->tag & ~INT64_C(1)))
            return &load->open.items[i];
    }
    return NULL;
}

/* A span begins; one of the same stream and tag that did not end is forgotten. */
static int open_span(struct load *load, struct open_span *open, const struct open_span *span, struct err *err)
{
    if (open == NULL) {
        if (array_reserve(&load->open, 1, err) < 0)
            return err_status(err);
        open = &load->open.items[load->open.count++];
    }
    *open = *span;
    return 0;
}

static int take_half(struct load *load, const struct mark *mark, bool fetch, struct err *err)
{
    struct cann_steps *steps = load->steps;
    struct open_span *open = find_open(load, mark);
    if ((mark->tag & 1) == 0) {
        const struct open_span span = {mark->stream_id, mark->tag, mark->time_ns};
        return open_span(load, open, &span, err);
    }
    if (open == NULL)
        return 0;
    if (large_reserve(&steps->fetches, 1, err) < 0 || large_reserve(&steps->reduces, 1, err) < 0)
        return err_status(err);
    large_passed(1);
    *(fetch ? &steps->fetches.items[steps->fetches.count++] : &steps->reduces.items[steps->reduces.count++]) =
        (struct cann_step_span){
            .device_id = mark->device_id,
            .model_id = mark->model_id,
            .iteration = fetch ? 0 : load->step.iteration,
            .start_ns = open->start_ns,
            .end_ns = mark->time_ns,
            .stream_id = mark->stream_id,
            .pair = ((mark->tag & ~INT64_C(1)) - (fetch ? FETCH_FIRST : REDUCE_FIRST)) / 2,
        };
    *open = load->open.items[--load->open.count];
    return 0;
}

/* A marked step is a row of its own, beside the iterations of models. */
static int take_step_mark(struct load *load, const struct mark *mark, struct err *err)
{
    struct cann_steps *steps = load->steps;
    const struct mark start = {.stream_id = mark->index, .tag = STEP_START};
    struct open_span *open = find_open(load, &start);
    if (mark->tag == STEP_START) {
        const struct open_span span = {mark->index, STEP_START, mark->time_ns};
        return open_span(load, open, &span, err);
    }
    if (open == NULL)
        return 0;
    if (large_reserve(steps, 1, err) < 0)
        return err_status(err);
    large_pass(steps->count);
    steps->items[steps->count++] = (struct cann_step){.device_id = mark->device_id,
                                                      .model_id = mark->model_id,
                                                      .iteration = mark->index,
                                                      .start_ns = open->start_ns,
                                                      .end_ns = mark->time_ns,
                                                      .forward_ns = DB_NULL,
                                                      .backward_ns = DB_NULL,
                                                      .augmentation_ns = DB_NULL,
                                                      .first_reduce = steps->reduces.count,
                                                      .marked = 1};
    *open = load->open.items[--load->open.count];
    return 0;
}

/* Iterations under way when the marks of a model end were begun and not ended. The end of an iteration begins the next
 * one by itself, which no mark says. */
static int keep_begun(struct load *load, struct err *err)
{
    struct cann_steps *steps = load->steps;

    for (size_t i = 0; i < load->open.count; i++) {
        const struct open_span *open = &load->open.items[i];
        if (open->tag != STEP_START)
            continue;
        if (array_reserve(&steps->begun, 1, err) < 0)
            return err_status(err);
        steps->begun.items[steps->begun.count++] = (struct cann_step){.device_id = load->last.device_id,
                                                                      .model_id = load->last.model_id,
                                                                      .iteration = open->stream_id,
                                                                      .start_ns = open->start_ns,
                                                                      .marked = 1};
    }
    if (!load->running || load->state != AFTER_MODEL_START)
        return 0;
    if (array_reserve(&steps->begun, 1, err) < 0)
        return err_status(err);
    steps->begun.items[steps->begun.count++] = load->step;
    return 0;
}

static void begin_model(struct load *load, const struct mark *mark)
{
    load->steps->reduces.count = load->step.first_reduce;
    load->state = AFTER_MODEL_END;
    load->running = false;
    load->open.count = 0;
    load->step = (struct cann_step){.device_id = mark->device_id,
                                    .model_id = mark->model_id,
                                    .iteration = 1,
                                    .first_reduce = load->steps->reduces.count};
}

/* An iteration whose end is not there is dropped, and the next one begins by itself. */
static void take_point_of_start(struct load *load)
{
    if (!load->running || load->step.forward_ns == DB_NULL)
        return;
    load->running = false;
    load->state = AFTER_MODEL_END;
}

static void take_point_of_forward(struct load *load, const struct mark *mark)
{
    if (!load->running) {
        start_step(load, mark);
        load->state = AFTER_ITERATION;
    }
    load->step.forward_ns = mark->time_ns;
}

static int take_iteration_mark(struct load *load, const struct mark *mark, struct err *err)
{
    int status = 0;
    if (mark->tag == MODEL_START && load->state != AFTER_MODEL_START) {
        start_step(load, mark);
        load->state = AFTER_MODEL_START;
    } else if (mark->tag == MODEL_END && load->state == AFTER_MODEL_START) {
        status = finish_step(load, mark, err);
        load->state = AFTER_MODEL_END;
    } else if (mark->tag == ITERATION_END && load->state != AFTER_MODEL_END) {
        status = finish_step(load, mark, err);
        start_step(load, mark);
        load->state = AFTER_ITERATION;
    }
    return status;
}

static int take_mark(void *arg, sqlite3_stmt *row, struct err *err)
{
    struct load *load = arg;
    struct mark mark;
    query_take(row, 0, marks.fields, marks.field_count, &mark);
    if (!load->any || load->last.device_id != mark.device_id || load->last.model_id != mark.model_id) {
        int status = load->any ? keep_begun(load, err) : 0;
        if (status != 0)
            return status;
        begin_model(load, &mark);
    }
    load->any = true;
    load->last = mark;
    switch (mark.tag) {
    case MODEL_START:
    case MODEL_END:
    case ITERATION_END:
        return take_iteration_mark(load, &mark, err);
    case POINT_OF_START:
        take_point_of_start(load);
        return 0;
    case POINT_OF_FORWARD:
        take_point_of_forward(load, &mark);
        return 0;
    case FORWARD:
        load->step.forward_ns = mark.time_ns;
        load->user_forward = true;
        return 0;
    case COMPILED_FORWARD:
        if (!load->user_forward)
            load->step.forward_ns = mark.time_ns;
        return 0;
    case BACKWARD:
        load->step.backward_ns = mark.time_ns;
        return 0;
    case STEP_START:
    case STEP_END:
        return take_step_mark(load, &mark, err);
    default:
        if (mark.tag >= FETCH_FIRST && mark.tag <= FETCH_LAST)
            return take_half(load, &mark, true, err);
        return mark.tag >= REDUCE_FIRST && mark.tag < FETCH_FIRST && load->running ? take_half(load, &mark, false, err)
                                                                                   : 0;
    }
}

ARRAY_COMPARE(compare_ends, struct cann_step, ARRAY_BY(device_id), ARRAY_BY(end_ns), ARRAY_BY(model_id),
              ARRAY_BY(iteration))

static bool ends_before(const void *item, const void *key)
{
    const struct cann_step *x = item, *y = key;
    return x->device_id < y->device_id || (x->device_id == y->device_id && x->end_ns < y->end_ns);
}

/* The input of an iteration is prepared from the last end of one on the device that lies before its forward
 * propagation. */
static void find_augmentation(struct cann_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        struct cann_step *step = &steps->items[i];
        large_pass(i);
        if (step->forward_ns == DB_NULL)
            continue;
        const struct cann_step forward = {.device_id = step->device_id, .end_ns = step->forward_ns};
        size_t low = search_by(steps->items, i, sizeof *step, ends_before, &forward);
        if (low > 0 && steps->items[low - 1].device_id == step->device_id)
            step->augmentation_ns = step->forward_ns - steps->items[low - 1].end_ns;
    }
}

/* Iterations and fetches that ended before the collection started. */
static int drop_warm_up(sqlite3 *db, struct cann_steps *steps, struct err *err)
{
    size_t kept = 0, kept_fetches = 0;
    int64_t device = INT64_MIN, start_ns = INT64_MIN;
    for (size_t i = 0; i < steps->count; i++) {
        const struct cann_step *step = &steps->items[i];
        large_pass(i);
        if ((i == 0 || step->device_id != device) && warm_up_end_ns(db, device = step->device_id, &start_ns, err) < 0)
            return err_status(err);
        if (step->end_ns >= start_ns)
            steps->items[kept++] = *step;
    }
    for (size_t i = 0; i < steps->fetches.count; i++) {
        const struct cann_step_span *fetch = &steps->fetches.items[i];
        large_pass(i);
        if (warm_up_end_ns(db, fetch->device_id, &start_ns, err) < 0)
            return err_status(err);
        if (fetch->end_ns >= start_ns)
            steps->fetches.items[kept_fetches++] = *fetch;
    }
    steps->count = kept;
    steps->fetches.count = kept_fetches;
    return 0;
}

int cann_steps_load(sqlite3 *db, struct cann_steps *ret, struct err *err)
{
    SCOPED_FREE struct load *load = scoped_memory(1, sizeof *load);
    *ret = (struct cann_steps){.items = NULL};
    if (load == NULL)
        return err_no_memory(err);
    load->steps = ret;
    int status = query_select(db, &marks, NULL, 0, take_mark, load, err);
    status = status == 0 && load->any ? keep_begun(load, err) : status;
    ret->reduces.count = load->any ? load->step.first_reduce : 0;
    free(load->open.items);
    if (status < 0) {
        cann_steps_release(ret);
        return status;
    }
    large_sort(ret->items, ret->count, sizeof *ret->items, compare_ends);
    find_augmentation(ret);
    if (drop_warm_up(db, ret, err) < 0) {
        cann_steps_release(ret);
        return err_status(err);
    }
    return 0;
}

void cann_steps_release(struct cann_steps *steps)
{
    large_free(steps->items);
    free(steps->begun.items);
    large_free(steps->reduces.items);
    large_free(steps->fetches.items);
    *steps = (struct cann_steps){.items = NULL};
}

/* ---- as tables ---- */

int cann_steps_store(sqlite3 *db, struct err *err)
{
    struct table_rows rows = {.insert = NULL}; /* closed with the database */
    struct cann_steps steps;
    if (cann_steps_load(db, &steps, err) < 0)
        return err_status(err);
    int status = steps.count > 0 ? table_rows_into(&rows, db,
                                                   "iteration(device_id, model_id, number, start_ns, end_ns,"
                                                   " forward_ns, backward_ns, marked)",
                                                   err)
                                 : 0;
    for (size_t i = 0; status == 0 && i < steps.count; i++) {
        const struct cann_step *step = &steps.items[i];
        large_pass(i);
        status =
            table_add(&rows, err, KNOWN(step->device_id), KNOWN(step->model_id), V(step->iteration), V(step->start_ns),
                      V(step->end_ns), KNOWN(step->forward_ns), KNOWN(step->backward_ns), V(step->marked));
    }
    cann_steps_release(&steps);
    return status;
}

static const char pieces[] =
    "CREATE TEMP VIEW step_piece AS"
    " SELECT 0 AS part, start_ns AS from_ns, end_ns AS until_ns, NULL AS stream_id, NULL AS pair, NULL AS place, *"
    "  FROM step"
    " UNION ALL SELECT 1, forward_ns, backward_ns, NULL, NULL, NULL, * FROM step"
    "  WHERE backward_ns >= forward_ns AND end_ns >= backward_ns"
    " UNION ALL SELECT 2, backward_ns, end_ns, NULL, NULL, NULL, * FROM step"
    "  WHERE backward_ns >= forward_ns AND end_ns >= backward_ns"
    " UNION ALL SELECT part, start_ns, end_ns, stream_id, pair, place, device_id, model_id, iteration, NULL, NULL,"
    "  NULL, NULL, NULL FROM step_span;"
    "CREATE INDEX temp.step_span_of_step ON step_span(step)";

static int add_span(struct table_rows *rows, int part, const struct cann_step_span *span, int64_t step, size_t place,
                    struct err *err)
{
    return table_add(rows, err, V(part), KNOWN(span->device_id), KNOWN(span->model_id), V(span->iteration),
                     V(span->start_ns), V(span->end_ns), KNOWN(span->stream_id), V(span->pair), V((int64_t)place),
                     KNOWN(step));
}

static int fill_tables(struct table_rows *rows, struct table_rows *spans, const struct cann_steps *steps,
                       struct err *err)
{
    for (size_t i = 0; i < steps->count; i++) {
        const struct cann_step *step = &steps->items[i];
        large_pass(i);
        if (table_add(rows, err, KNOWN(step->device_id), KNOWN(step->model_id), V(step->iteration), V(step->start_ns),
                      V(step->end_ns), KNOWN(step->forward_ns), KNOWN(step->backward_ns),
                      KNOWN(step->augmentation_ns)) < 0)
            return err_status(err);
        for (size_t k = 0; k < step->reduce_count; k++)
            if (add_span(spans, STEP_PART_REDUCE, &steps->reduces.items[step->first_reduce + k], (int64_t)i + 1, k,
                         err) < 0)
                return err_status(err);
    }
    for (size_t i = 0; i < steps->fetches.count; i++)
        if (add_span(spans, STEP_PART_FETCH, &steps->fetches.items[i], DB_NULL, 0, err) < 0)
            return err_status(err);
    return 0;
}

static int make_tables(sqlite3 *db, const struct cann_steps *steps, struct err *err)
{
    SCOPED(table_rows_close) struct table_rows rows = {.insert = NULL}, spans = {.insert = NULL};
    bool failed = database_exec(db, "PRAGMA query_only = OFF", err) < 0 ||
                  table_rows_open(&rows, db, "temp.step",
                                  "device_id INTEGER, model_id INTEGER, iteration INTEGER, start_ns INTEGER,"
                                  " end_ns INTEGER, forward_ns INTEGER, backward_ns INTEGER, augmentation_ns INTEGER",
                                  err) < 0 ||
                  table_rows_open(&spans, db, "temp.step_span",
                                  "part INTEGER, device_id INTEGER, model_id INTEGER, iteration INTEGER,"
                                  " start_ns INTEGER, end_ns INTEGER, stream_id INTEGER, pair INTEGER, place INTEGER,"
                                  " step INTEGER",
                                  err) < 0 ||
                  fill_tables(&rows, &spans, steps, err) < 0 || database_exec(db, pieces, err) < 0;
    return failed ? err_status(err) : database_exec(db, "PRAGMA query_only = ON", err);
}

int cann_steps_attach(sqlite3 *db, bool *ret_any, struct err *err)
{
    struct cann_steps steps;
    bool any = sqlite3_table_column_metadata(db, "temp", "step", NULL, NULL, NULL, NULL, NULL, NULL) == SQLITE_OK;
    int status = 0;
    if (!any) {
        if (cann_steps_load(db, &steps, err) < 0)
            return err_status(err);
        any = steps.count + steps.fetches.count > 0;
        status = any || ret_any == NULL ? make_tables(db, &steps, err) : 0;
        cann_steps_release(&steps);
    }
    if (ret_any != NULL)
        *ret_any = any && status == 0;
    return status;
}
