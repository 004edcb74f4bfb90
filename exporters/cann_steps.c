/* Iterations of models of a new CANN capture: step_trace as a table and as a timeline, and the same in the timeline of
 * everything, beside the tasks of the devices. */
#include "db/query_steps.h"
#include "exporters/cann_put.h"
#include "exporters/cann_table.h"

#include <stdlib.h>

/* ---- the table ---- */

#define LEADING 10
#define MAX_REDUCES ((ROW_MAX_COLUMNS - LEADING) / 2) /* of one iteration that are shown */
#define TITLE_SIZE 40

static const char *const leading_titles[LEADING] = {
    "Device_id",          "Iteration ID",      "FP Start(us)",          "BP End(us)",         "Iteration End(us)",
    "Iteration Time(us)", "FP to BP Time(us)", "Iteration Refresh(us)", "Data Aug Bound(us)", "Model ID"};

static void put_time_or_missing(struct row_put *put, int64_t ns)
{
    if (ns == DB_NULL)
        row_missing(put);
    else
        row_time(put, ns);
}

static int64_t between(int64_t start_ns, int64_t end_ns)
{
    return start_ns != DB_NULL && end_ns != DB_NULL ? end_ns - start_ns : DB_NULL;
}

static int put_step(struct cann_table *table, const struct cann_steps *steps, const struct cann_step *step,
                    size_t reduces, struct err *err)
{
    struct row_put put;
    int status = cann_table_begin(table, 0, &put, err);
    if (status < 0)
        return status;
    row_integer(&put, step->device_id);
    row_integer(&put, step->iteration);
    put_time_or_missing(&put, step->forward_ns);
    put_time_or_missing(&put, step->backward_ns);
    row_time(&put, step->end_ns);
    row_decimal(&put, step->end_ns - step->start_ns, 3);
    row_decimal(&put, between(step->forward_ns, step->backward_ns), 3);
    row_decimal(&put, between(step->backward_ns, step->end_ns), 3);
    row_decimal(&put, step->augmentation_ns, 3);
    row_integer(&put, step->model_id);
    for (size_t i = 0; i < reduces; i++) {
        const struct cann_step_span *reduce = i < step->reduce_count ? &steps->reduces[step->first_reduce + i] : NULL;
        put_time_or_missing(&put, reduce != NULL ? reduce->start_ns : DB_NULL);
        row_decimal(&put, reduce != NULL ? reduce->end_ns - reduce->start_ns : DB_NULL, 3);
    }
    cann_table_end(table, &put);
    return 0;
}

/* The columns of all-reduce operations have the same two titles again and again, but not as the names of JSON. */
static void make_titles(const char *titles[ROW_MAX_COLUMNS], char (*texts)[TITLE_SIZE], size_t reduces, bool json)
{
    for (size_t i = 0; i < LEADING; i++)
        titles[i] = leading_titles[i];
    for (size_t i = 0; i < reduces; i++) {
        snprintf(texts[2 * i], TITLE_SIZE, json ? "Reduce Start(us) %zu" : "Reduce Start(us)", i);
        snprintf(texts[2 * i + 1], TITLE_SIZE, json ? "Reduce Duration(us) %zu" : "Reduce Duration(us)", i);
        titles[LEADING + 2 * i] = texts[2 * i];
        titles[LEADING + 2 * i + 1] = texts[2 * i + 1];
    }
}

static int write_table(const struct cann_steps *steps, const struct export_options *options,
                       struct export_result *result, struct err *err)
{
    const char *titles[ROW_MAX_COLUMNS];
    char texts[2 * MAX_REDUCES][TITLE_SIZE];
    struct cann_table table;
    size_t reduces = 0;
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->items[i].reduce_count > reduces)
            reduces = steps->items[i].reduce_count;
    }
    if (reduces > MAX_REDUCES)
        reduces = MAX_REDUCES;
    make_titles(titles, texts, reduces, options->format == TABLE_JSON);
    int status =
        cann_table_open(&table, "step_trace", titles, LEADING + 2 * reduces, steps->count, options, result, err);
    if (status < 0)
        return status;
    for (size_t i = 0; status == 0 && i < steps->count; i++)
        status = put_step(&table, steps, &steps->items[i], reduces, err);
    return cann_table_close(&table, status, err);
}

int cann_step_table(sqlite3 *db, const struct export_options *options, struct export_result *result, struct err *err)
{
    struct cann_steps steps;
    int status = cann_steps_load(db, &steps, err);
    if (status < 0)
        return status;
    status = write_table(&steps, options, result, err);
    cann_steps_release(&steps);
    return status;
}

/* ---- the timeline ---- */

#define FIRST_THREAD 70000 /* as Ascend's tool numbers them: plus the model */

struct drawing {
    struct cann_trace *trace;
    struct outfile *out;
    const struct cann_steps *steps;
    uint64_t events;
};

static int64_t thread_of(int64_t model_id)
{
    return model_id >= 0 && model_id <= UINT32_MAX ? FIRST_THREAD + model_id : FIRST_THREAD;
}

struct step_thread {
    int64_t device_id, model_id;
};

static int compare_threads(const void *a, const void *b)
{
    const struct step_thread *x = a, *y = b;
    if (x->device_id != y->device_id)
        return x->device_id < y->device_id ? -1 : 1;
    return (x->model_id > y->model_id) - (x->model_id < y->model_id);
}

/* Names the thread of a model, and its process where no other layer does. */
static void draw_thread(struct drawing *drawing, const struct step_thread *thread, bool names_process)
{
    char name[64], *p = name;
    int64_t pid = trace_pid(drawing->trace, LAYER_HARDWARE, thread->device_id);
    if (names_process)
        trace_name_process(drawing->trace, drawing->out, pid, LAYER_HARDWARE, "Ascend Hardware", thread->device_id);
    p = put_literal(p, "Step Trace(Model ID:");
    p = number_put_signed(p, thread->model_id);
    *put_literal(p, ")") = '\0';
    trace_write_thread(drawing->out, pid, thread_of(thread->model_id), thread_of(thread->model_id), name, false);
}

static int draw_threads(struct drawing *drawing, bool alone, struct err *err)
{
    const struct cann_steps *steps = drawing->steps;
    size_t count = 0;
    struct step_thread *threads = calloc(steps->count + steps->fetch_count + 1, sizeof *threads);
    if (threads == NULL)
        return err_set(err, ERR_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < steps->count; i++)
        threads[count++] = (struct step_thread){steps->items[i].device_id, steps->items[i].model_id};
    for (size_t i = 0; i < steps->fetch_count; i++)
        threads[count++] = (struct step_thread){steps->fetches[i].device_id, steps->fetches[i].model_id};
    qsort(threads, count, sizeof *threads, compare_threads);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_threads(&threads[i], &threads[i - 1]) != 0)
            draw_thread(drawing, &threads[i], alone && (i == 0 || threads[i].device_id != threads[i - 1].device_id));
    }
    free(threads);
    return 0;
}

static char *begin_slice(char *p, const struct drawing *drawing, const struct cann_step_span *span, const char *name,
                         int64_t number)
{
    p = put_literal(p, ",\n{\"name\":\"");
    p = put_word(p, name);
    if (number != 0)
        p = number_put_signed(p, number);
    p = put_literal(p, "\"");
    p = trace_put_place(p, drawing->trace->compat, trace_pid(drawing->trace, LAYER_HARDWARE, span->device_id),
                        thread_of(span->model_id), span->start_ns, span->end_ns - span->start_ns);
    return put_literal(p, ",\"ph\":\"X\",\"args\":{");
}

static char *put_argument(char *p, const char *name, int64_t ns, bool first)
{
    p = first ? put_literal(p, "\"") : put_literal(p, ",\"");
    p = put_word(p, name);
    p = put_literal(p, "\":");
    return ns != DB_NULL ? number_put_us(p, ns) : put_literal(p, "\"N/A\"");
}

static char *put_iteration(char *p, int64_t iteration)
{
    p = put_literal(p, "\"Iteration ID\":");
    return number_put_signed(p, iteration);
}

static void draw_slice(struct drawing *drawing, char *start, char *p)
{
    p = put_literal(p, "}}");
    outfile_advance(drawing->out, (size_t)(p - start));
    drawing->events++;
}

static void draw_step(struct drawing *drawing, const struct cann_step *step)
{
    const struct cann_step_span whole = {step->device_id, step->model_id, step->iteration, step->start_ns,
                                         step->end_ns};
    char *start = outfile_reserve(drawing->out, 2 * TRACE_EVENT_MAX);
    char *p = begin_slice(start, drawing, &whole, "Iteration ", step->iteration);
    p = put_iteration(p, step->iteration);
    p = put_argument(p, "FP Start", step->forward_ns, false);
    p = put_argument(p, "BP End", step->backward_ns, false);
    p = put_argument(p, "Iteration End", step->end_ns, false);
    p = put_argument(p, "Iteration Time(us)", step->end_ns - step->start_ns, false);
    p = put_argument(p, "Data_aug Bound(us)", step->augmentation_ns, false);
    draw_slice(drawing, start, p);
    if (step->forward_ns == DB_NULL || step->backward_ns == DB_NULL || step->backward_ns < step->forward_ns ||
        step->end_ns < step->backward_ns)
        return;
    struct cann_step_span part = whole;
    part.start_ns = step->forward_ns;
    part.end_ns = step->backward_ns;
    start = outfile_reserve(drawing->out, 2 * TRACE_EVENT_MAX);
    p = put_iteration(begin_slice(start, drawing, &part, "FP_BP Time ", step->iteration), step->iteration);
    p = put_argument(p, "FP Start", step->forward_ns, false);
    p = put_argument(p, "BP End", step->backward_ns, false);
    p = put_argument(p, "FP_BP Time(us)", step->backward_ns - step->forward_ns, false);
    draw_slice(drawing, start, p);
    part.start_ns = step->backward_ns;
    part.end_ns = step->end_ns;
    start = outfile_reserve(drawing->out, 2 * TRACE_EVENT_MAX);
    p = put_iteration(begin_slice(start, drawing, &part, "Iteration Refresh ", step->iteration), step->iteration);
    p = put_argument(p, "BP End", step->backward_ns, false);
    p = put_argument(p, "Iteration End", step->end_ns, false);
    p = put_argument(p, "Iteration Refresh(us)", step->end_ns - step->backward_ns, false);
    draw_slice(drawing, start, p);
}

static void draw_reduces(struct drawing *drawing, const struct cann_step *step)
{
    for (size_t i = 0; i < step->reduce_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "Reduce_%lld_%zu", (long long)step->iteration, i);
        char *start = outfile_reserve(drawing->out, 2 * TRACE_EVENT_MAX);
        const struct cann_step_span *reduce = &drawing->steps->reduces[step->first_reduce + i];
        draw_slice(drawing, start, put_iteration(begin_slice(start, drawing, reduce, name, 0), step->iteration));
    }
}

static void draw_fetch(struct drawing *drawing, const struct cann_step_span *fetch)
{
    char *start = outfile_reserve(drawing->out, 2 * TRACE_EVENT_MAX);
    char *p = begin_slice(start, drawing, fetch, "GetNext", 0);
    p = put_argument(p, "GetNext Start", fetch->start_ns, true);
    p = put_argument(p, "GetNext End", fetch->end_ns, false);
    draw_slice(drawing, start, put_argument(p, "GetNext Time(us)", fetch->end_ns - fetch->start_ns, false));
}

int cann_step_trace_write(sqlite3 *db, struct cann_trace *trace, struct outfile *out, bool alone, uint64_t *ret_events,
                          struct err *err)
{
    struct cann_steps steps;
    struct drawing drawing = {.trace = trace, .out = out, .steps = &steps};
    *ret_events = 0;
    int status = cann_steps_load(db, &steps, err);
    if (status < 0)
        return status;
    status = draw_threads(&drawing, alone, err);
    for (size_t i = 0; status == 0 && i < steps.count; i++) {
        draw_step(&drawing, &steps.items[i]);
        draw_reduces(&drawing, &steps.items[i]);
    }
    for (size_t i = 0; status == 0 && i < steps.fetch_count; i++)
        draw_fetch(&drawing, &steps.fetches[i]);
    *ret_events = drawing.events;
    cann_steps_release(&steps);
    return status;
}

static int write_timeline(sqlite3 *db, struct cann_trace *trace, const char *path, const struct export_options *options,
                          struct export_result *result, struct err *err)
{
    struct outfile out;
    uint64_t events;
    int status = outfile_open(&out, path, err);
    if (status < 0)
        return status;
    outfile_write(&out, "[", 1);
    trace->first = true;
    status = cann_step_trace_write(db, trace, &out, true, &events, err);
    outfile_write(&out, "\n]\n", 3);
    if (status == 0 && events > 0)
        return cann_report_done(&out, "step_trace", path, events, options, result, err);
    outfile_abort(&out);
    return status;
}

int cann_step_timeline(sqlite3 *db, struct cann_trace *trace, const struct export_options *options,
                       struct export_result *result, struct err *err)
{
    char *path = cann_report_path(options, "step_trace", -1, ".json", err);
    int status = path != NULL ? write_timeline(db, trace, path, options, result, err) : -(int)err->code;
    free(path);
    return status;
}
