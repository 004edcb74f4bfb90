/* SPDX-License-Identifier: Apache-2.0 */
/* The job table: which devices and models a capture has. */
#include "base/array.h"
#include "base/file/fsutil.h"
#include "base/number.h"
#include "db/query/operators/query_steps.h"
#include "db/query/query_cann.h"
#include "exporters/cann_report.h"
#include "exporters/export.h"
#include "exporters/table/report.h"

#include <stdlib.h>

#define LONGEST_SHOWN 5

struct job_row {
    int64_t device_id, model_id, iterations, rank_id;
    const char *job, *directory, *begin_date, *longest;
};
#define JOB(member) REPORT_FIELD(struct job_row, member)

static const struct report_column job_columns[] = {
    {"Job Info", JOB(job)},
    {"Device ID", JOB(device_id), .flags = REPORT_NUMBER},
    {"Dir Name", JOB(directory)},
    {"Collection Time", JOB(begin_date)},
    {"Model ID", JOB(model_id), .flags = REPORT_NUMBER},
    {"Iteration Number", JOB(iterations), .flags = REPORT_NUMBER},
    {"Top Time Iteration", JOB(longest)},
    {"Rank ID", JOB(rank_id), .flags = REPORT_NUMBER},
    {.title = NULL},
};

/* Rows of both tables are made of this, which is the context of the session. */
struct query {
    const struct cann_parts *parts;
    const char *capture;
    const struct query_choice *choice;
    struct cann_steps steps; /* of jobs: by_model_and_time */
};

static bool is_chosen(int64_t wanted, int64_t value)
{
    return wanted == DB_NULL || wanted == value;
}

/* ---- jobs ---- */

static const char *known_text(const char *text)
{
    return *text != '\0' ? text : NULL;
}

/* The iterations of one model on a device. */
struct model_iterations {
    int64_t model_id, count;
    char longest[LONGEST_SHOWN * (NUMBER_MAX + 1)]; /* numbers of the longest, "3,1,2" */
};

static int put_job(struct report_run *run, const struct cann_part *part, const struct model_iterations *iterations,
                   struct err *err)
{
    const struct query *query = run->session->context;
    const struct job_row row = {
        .device_id = part->device_id,
        .model_id = iterations->model_id,
        .iterations = iterations->count,
        .rank_id = part->rank_id,
        .job = known_text(part->job),
        .directory = *part->directory != '\0' ? part->directory : query->capture,
        .begin_date = known_text(part->begin_date),
        .longest = known_text(iterations->longest),
    };
    return report_put(run, &row, err);
}

/* By device and model, the longest first. */
static int by_model_and_time(const void *a, const void *b)
{
    const struct cann_step *x = a, *y = b;
    int64_t x_ns = number_subtract(x->end_ns, x->start_ns), y_ns = number_subtract(y->end_ns, y->start_ns);
    return ARRAY_ORDERS(array_order(x->device_id, y->device_id), array_order(x->model_id, y->model_id),
                        array_order(y_ns, x_ns), array_order(x->iteration, y->iteration));
}

static bool is_of(const struct cann_step *step, int64_t device_id)
{
    return step->device_id == device_id && step->model_id != CANN_NO_ID;
}

/* The steps of one model from i on; returns where they end. */
static size_t sum_model(const struct cann_steps *steps, size_t i, struct model_iterations *ret)
{
    const struct cann_step *first = &steps->items[i];
    char *p = ret->longest;
    *ret = (struct model_iterations){.model_id = first->model_id, .longest = ""};
    for (; i < steps->count && is_of(&steps->items[i], first->device_id) && steps->items[i].model_id == first->model_id;
         i++) {
        if (ret->count > 0 && ret->count < LONGEST_SHOWN)
            *p++ = ',';
        if (ret->count++ < LONGEST_SHOWN)
            p = number_put_signed(p, steps->items[i].iteration);
    }
    *p = '\0';
    return i;
}

static int put_jobs_of(struct report_run *run, const struct cann_part *part, struct err *err)
{
    static const struct model_iterations none = {.model_id = DB_NULL, .count = DB_NULL, .longest = ""};
    const struct query *query = run->session->context;
    const struct cann_steps *steps = &query->steps;
    struct model_iterations iterations;
    bool given = false;
    int status = 0;
    for (size_t k = 0; status == 0 && k < steps->count;) {
        if (!is_of(&steps->items[k], part->device_id)) {
            k++;
            continue;
        }
        k = sum_model(steps, k, &iterations);
        if (is_chosen(query->choice->model_id, iterations.model_id))
            status = put_job(run, part, &iterations, err);
        given = true;
    }
    return !given && query->choice->model_id == DB_NULL ? put_job(run, part, &none, err) : status;
}

static int put_jobs(struct report_run *run, struct err *err)
{
    const struct query *query = run->session->context;
    int status = 0;
    for (size_t i = 0; status == 0 && i < query->parts->count; i++) {
        const struct cann_part *part = &query->parts->parts[i];
        if (!part->is_host && is_chosen(query->choice->device_id, part->device_id))
            status = put_jobs_of(run, part, err);
    }
    return status;
}

static const struct report jobs = {.name = "jobs", .columns = job_columns, .rows = put_jobs};

/* ---- iterations ---- */

struct iteration_row {
    struct cann_step step;
    int64_t model_id, time_ns, forward_to_backward_ns, refresh_ns;
};
#define ITERATION(member) REPORT_FIELD(struct iteration_row, member)

static const struct report_column iteration_columns[] = {
    {"ID", ITERATION(step.device_id), .flags = REPORT_NUMBER},
    {"Model ID", ITERATION(model_id), .flags = REPORT_NUMBER},
    {"Iteration ID", ITERATION(step.iteration), .flags = REPORT_NUMBER},
    {"Iteration Time(us)", ITERATION(time_ns), FORM_SCALED, 3},
    {"FP to BP Time(us)", ITERATION(forward_to_backward_ns), FORM_SCALED, 3},
    {"Iteration Interval(us)", ITERATION(step.augmentation_ns), FORM_SCALED, 3},
    {"Iteration Refresh(us)", ITERATION(refresh_ns), FORM_SCALED, 3},
    {"Iteration Start(us)", ITERATION(step.start_ns), FORM_SCALED, 3},
    {"FP Start(us)", ITERATION(step.forward_ns), FORM_SCALED, 3},
    {"BP End(us)", ITERATION(step.backward_ns), FORM_SCALED, 3},
    {"Iteration End(us)", ITERATION(step.end_ns), FORM_SCALED, 3},
    {.title = NULL},
};

/* Between two times that may not be known. */
static int64_t between(int64_t from_ns, int64_t to_ns)
{
    return from_ns == DB_NULL || to_ns == DB_NULL ? DB_NULL : number_subtract(to_ns, from_ns);
}

static int put_iterations(struct report_run *run, struct err *err)
{
    const struct query *query = run->session->context;
    const struct query_choice *choice = query->choice;
    int status = 0;
    for (size_t i = 0; status == 0 && i < query->steps.count; i++) {
        const struct cann_step *step = &query->steps.items[i];
        const struct iteration_row row = {
            .step = *step,
            .model_id = step->model_id != CANN_NO_ID ? step->model_id : DB_NULL,
            .time_ns = between(step->start_ns, step->end_ns),
            .forward_to_backward_ns = between(step->forward_ns, step->backward_ns),
            .refresh_ns = between(step->backward_ns, step->end_ns),
        };
        if (is_chosen(choice->device_id, step->device_id) && is_chosen(choice->model_id, step->model_id) &&
            is_chosen(choice->iteration_id, step->iteration))
            status = report_put(run, &row, err);
    }
    return status;
}

static const struct report iterations = {.name = "iterations", .columns = iteration_columns, .rows = put_iterations};

/* ---- both ---- */

int query_ranks(sqlite3 *db, int (*each)(void *arg, int64_t device_id, int64_t rank_id, struct err *err), void *arg,
                struct err *err)
{
    struct cann_parts parts;
    int status = cann_parts_load(db, &parts, err);
    if (status < 0)
        return status;
    for (size_t i = 0; status == 0 && i < parts.count; i++) {
        if (!parts.parts[i].is_host)
            status = each(arg, parts.parts[i].device_id, parts.parts[i].rank_id, err);
    }
    cann_parts_release(&parts);
    return status;
}

int query_capture(sqlite3 *db, FILE *stream, const struct query_choice *choice, const struct show_options *options,
                  struct export_result *ret, struct err *err)
{
    const struct report_scope whole = {DB_NULL, DB_NULL, DB_NULL, ""};
    struct show show = {.db = db, .stream = stream, .options = options, .result = ret, .heads = true};
    const struct export_options table = {.format = TABLE_TERMINAL, .show = &show};
    struct query query = {.choice = choice};
    struct report_session session = {.db = NULL};
    struct cann_parts parts;
    char *capture = NULL;
    uint64_t rows;
    *ret = (struct export_result){.files = 0};
    if (cann_parts_load(db, &parts, err) < 0)
        return err_status(err);
    bool failed = database_meta(db, "capture_path", &capture, err) < 0 || cann_steps_load(db, &query.steps, err) < 0 ||
                  report_session_open(&session, db, &table, ret, err) < 0;
    query.parts = &parts;
    query.capture = capture != NULL ? path_name(capture) : "";
    session.context = &query;
    if (!failed && !choice->iterations)
        array_sort(query.steps.items, query.steps.count, sizeof *query.steps.items, by_model_and_time);
    failed = failed || report_write(&session, choice->iterations ? &iterations : &jobs, &whole, &rows, err) < 0;
    report_session_release(&session);
    cann_steps_release(&query.steps);
    cann_parts_release(&parts);
    free(capture);
    return failed ? err_status(err) : 0;
}
